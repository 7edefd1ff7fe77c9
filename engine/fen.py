"""PDN FEN texts, in and out (pdn.md section 4).

Reading is tolerant where public programs differ (blanks, case, order, ranges, suffixes) and strict where a position
would be guessed: squares off the board or given twice, falling ranges, unknown letters are errors that name the place.
"""

import re

from engine.errors import FenError, FormatError
from engine.hub_position import king_run, parse_hub_position
from engine.position import NO_RUN, KingRun, Position
from engine.rules import Rules
from engine.types import Side

MAX_TEXT = 4000  # a full board of 72 kings needs far less
_DROPPED = re.compile(r"[\s\u00a0\ufeff\"\u201c\u201d']")
_HUB = re.compile(r"[WBwb][wbWBe]{20,}")
_RANGE = re.compile(r"(k?)([0-9]+)-(k?)([0-9]+)")
_NUMBER = re.compile(r"(k?)([0-9]+)")
_NAME = re.compile(r"(k?)([a-j][0-9]|[0-9]+)")  # boards with letters have less than ten rows
_GHOST = re.compile(r"[gp]([a-j][0-9]|[0-9]+)")
_COUNTS = re.compile(r"[hf][0-9]+")  # half and full moves of lidraughts
_RUNS = re.compile(r"\+([0-9])([0-9]{1,2})?\+([0-9])([0-9]{1,2})?")


class _Text:
    """The significant characters of a FEN, each with its place in the text as given."""

    def __init__(self, text: str) -> None:
        self.given = text
        kept = [(char, at) for at, char in enumerate(text) if not _DROPPED.match(char)]
        while kept and kept[-1][0] in ".]":
            kept.pop()
        self.chars = "".join(char.lower() if char.isascii() else char for char, _ in kept)
        self.places = [at for _, at in kept]

    def error(self, reason: str, at: int) -> FenError:
        place = self.places[at] if at < len(self.places) else len(self.given)
        return FenError(reason, self.given, place)


class _Board:
    """Pieces read so far."""

    def __init__(self, text: _Text, rules: Rules) -> None:
        self.text = text
        self.rules = rules
        self.pieces = {"w": 0, "W": 0, "b": 0, "B": 0}

    def square(self, name: str, at: int) -> int:
        try:
            return self.rules.parse_square(name)
        except FormatError as error:
            raise self.text.error(f"{name[:12]}: {error.reason}", at) from None

    def put(self, letter: str, square: int, at: int) -> None:
        bit = 1 << (square - 1)
        if any(board & bit for board in self.pieces.values()):
            raise self.text.error(f"square {self.rules.square_name(square)} is given twice", at)
        self.pieces[letter] |= bit

    def read_list(self, letter: str, body: str, at: int) -> None:
        """Put the pieces of a comma-separated list of one colour (`w` or `b`) that starts at `at`."""
        single = _NAME if self.rules.algebraic else _NUMBER
        for entry in body.split(","):
            if found := _RANGE.fullmatch(entry):
                piece = letter.upper() if found[1] else letter
                first, last = int(found[2][:6]), int(found[4][:6])
                for number in (first, last):
                    self.square(str(number), at)
                if last < first:
                    raise self.text.error(f"falling range {entry}", at)
                for number in range(first, last + 1):
                    self.put(piece, self.square(str(number), at), at)
            elif found := single.fullmatch(entry):
                self.put(letter.upper() if found[1] else letter, self.square(found[2], at), at)
            elif ghost := _GHOST.fullmatch(entry):
                self.square(ghost[1], at)  # taken already, gone once the capture is finished
            else:
                raise self.text.error(f"not a square: {entry[:12]!r}" if entry else "a square is missing", at)
            at += len(entry) + 1


def parse_fen(text: str, rules: Rules) -> Position:
    """Read a FEN (`W:W31-50:B1-20`), the value alone or the whole tag. Raises FenError.

    The side `?` is White. Boards with letters also take numbers, b8 = 1 as in Hub strings. A half-finished capture's
    ghosts are dropped; unknown colon fields are ignored. Nothing is asked about the position itself (see
    `hub_position.is_odd`), except that it needs two groups, or one with a piece.
    """
    if len(text) > MAX_TEXT:
        raise FenError("too long for a FEN", text[:80])
    source = _Text(text)
    head, colon, rest = source.chars.partition(":")
    if not colon:
        raise FenError("no colon: a FEN reads like W:W31-50:B1-20" if head else "empty FEN", text)
    if head[-1:] not in ("w", "b", "?"):
        raise source.error("the side to move must be W, B or ?", max(len(head) - 1, 0))
    side = Side.BLACK if head[-1] == "b" else Side.WHITE
    fields: list[tuple[str, int]] = []
    at = len(head) + 1
    for part in rest.split(":"):
        fields.append((part, at))
        at += len(part) + 1
    if fields[0][0] in ("w", "b") and any(part[:1] == fields[0][0] for part, _ in fields[1:]):
        side = Side.BLACK if fields[0][0] == "b" else Side.WHITE  # a doubled side token, the last one counts
        del fields[0]
    board = _Board(source, rules)
    colours = set()
    runs = None
    for part, at in fields:
        if part[:1] in ("w", "b"):
            colours.add(part[0])
            if len(part) > 1:
                board.read_list(part[0], part[1:], at + 1)
        elif found := _RUNS.fullmatch(part):
            runs = found
        elif len(colours) < 2 and not _COUNTS.fullmatch(part):
            raise source.error("a list of pieces must begin with W or B", at)
    if len(colours) < 2 and not any(board.pieces.values()):
        raise FenError("no list of pieces", text)
    pieces = board.pieces
    return Position(
        rules,
        side,
        pieces["w"],
        pieces["W"],
        pieces["b"],
        pieces["B"],
        _read_runs(runs, rules, (pieces["W"], pieces["B"])) if runs else (NO_RUN, NO_RUN),
    )


def _read_runs(found: re.Match[str], rules: Rules, kings: tuple[int, int]) -> tuple[KingRun, KingRun]:
    """Running king moves from `+w+b`; without squares they belong to the only king of the side, if it has just one."""
    runs = []
    for index, mask in enumerate(kings):
        count, name = int(found[2 * index + 1]), found[2 * index + 2]
        if name:
            number = int(name)
            square = rules.number_square(number) if 1 <= number <= rules.squares else 1
        else:
            square = mask.bit_length() if mask.bit_count() == 1 else 1
        runs.append(king_run(square, count, rules, mask))
    return runs[0], runs[1]


def format_fen(position: Position, *, ranges: bool = False) -> str:
    """The position as FEN: White's pieces first, squares ascending in the variant's numbering, both sides always.

    `ranges` joins three men or more in a row (`W31-50`); only boards with numbers have them. Running king moves
    follow as lidraughts writes them (`:+233+0`: two by the king on 33), only if there are any.
    """
    rules = position.rules
    groups: dict[str, list[tuple[int, str]]] = {"W": [], "B": []}
    for square, letter in position.pieces().items():
        mark = "K" if letter.isupper() else ""
        groups[letter.upper()].append((rules.square_number(square), mark + rules.square_name(square)))
    lists = []
    for colour, pieces in groups.items():
        pieces.sort()
        entries = _join_ranges(pieces) if ranges and not rules.algebraic else [name for _, name in pieces]
        lists.append(colour + ",".join(entries))
    text = f"{position.turn.letter}:{lists[0]}:{lists[1]}"
    if any(count for _, count in position.king_runs):
        text += ":" + "".join(
            f"+{count}{rules.square_number(square):02}" if count else "+0" for square, count in position.king_runs
        )
    return text


def _join_ranges(pieces: list[tuple[int, str]]) -> list[str]:
    """Names with runs of three men or more written as ranges."""
    joined: list[str] = []
    index = 0
    while index < len(pieces):
        end = index
        while (
            end + 1 < len(pieces)
            and pieces[end + 1][0] == pieces[end][0] + 1
            and "K" not in pieces[index][1] + pieces[end + 1][1]
        ):
            end += 1
        if end - index >= 2:
            joined.append(f"{pieces[index][1]}-{pieces[end][1]}")
        else:
            joined.extend(name for _, name in pieces[index : end + 1])
        index = end + 1
    return joined


def parse_position(text: str, rules: Rules) -> Position:
    """Read a position in any form: `startpos`, a Hub string or a FEN. Raises FenError."""
    word = text.strip()
    if word.lower() in ("startpos", "start"):
        return Position.start(rules)
    if _HUB.fullmatch(word):
        return parse_hub_position(word, rules)
    return parse_fen(text, rules)
