"""What a PDN game means: its variant, its start, each move checked, its result (pdn.md sections 3 to 6)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from engine.errors import FenError, MoveError, RulesError
from engine.fen import parse_fen
from engine.game import Game
from engine.hub_position import has_man_on_last_row
from engine.move import Move
from engine.notation import Numbering, parse_move
from engine.pdn import UNKNOWN, Fault, Grade, PdnGame, PdnMove
from engine.pdn_results import plain, white_view
from engine.position import Position
from engine.rules import Objective, Rules
from engine.types import Side
from engine.variants import DEFAULT_VARIANT, VARIANTS, find_variant, variant_by_gametype

GAMETYPE = re.compile(
    r"\s*([0-9]{1,9})\s*(?:,\s*([WB])\s*,\s*[0-9]+\s*,\s*[0-9]+\s*,\s*([ANS])([0-3])\s*(?:,\s*([01]))?)?"
)
PRIVATE = 90  # GameTypes from here on are those of single sites, which always write them
NOT_DRAUGHTS = {0: "chess", 1: "xiangqi", 50: "Othello"}
# Corner of square 1 as its starting player sees it, for White and for Black.
_CORNERS = (
    ("bottom-left", "top-right"),
    ("bottom-right", "top-left"),
    ("top-left", "bottom-right"),
    ("top-right", "bottom-left"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to understand the squares of a game."""

    rules: Rules
    numbering: Numbering = "own"
    starts: Side | None = None  # side to move at the start, if not the variant's own
    mirrored: bool = False  # letters from the other side of the board
    odd: bool = False  # `rules` number the squares otherwise than the variant does

    def text(self, text: str) -> str:
        """A text of squares as this reading's `rules` take it."""
        if not self.mirrored:
            return text
        first, last = ord("a"), ord("a") + self.rules.columns - 1
        return re.sub(r"[a-j]", lambda m: chr(first + last - ord(m[0])), text)


@dataclass(slots=True)
class Replay:
    """A game played through."""

    reading: Reading | None  # None: no variant found
    game: Game | None = None  # the main line up to its end or its first illegal move
    # Position before each known move, and the move, by id of the PdnMove; several texts can be one move (None).
    known: dict[int, tuple[Position, Move | None]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    plies: int = 0  # moves of the main line that are legal
    complete: bool = False  # the whole main line is known

    @property
    def rules(self) -> Rules | None:
        return self.reading.rules if self.reading else None

    @property
    def winner(self) -> Side | None:
        """The winner if the last position is won by the rules."""
        if self.game is None or not self.complete or self.game.legal_moves():
            return None
        turn = self.game.position.turn
        return turn if self.game.start.rules.objective is Objective.LOSE else turn.other

    def note(self, position: Position, move: Move, step: PdnMove, joined: list[PdnMove]) -> None:
        """Keep a move of a position; it stands in `step`, and the steps `joined` go on with its capture."""
        self.known[id(step)] = (position, move)
        for more in joined:
            self.known[id(more)] = (position, None)

    def result(self, game: PdnGame, *, white_first: bool = False) -> str:
        """The game's result with White's points first."""
        return white_view(game.result, self.rules, self.winner, white_first=white_first)


def replay(game: PdnGame, rules: Rules | None = None, *, variations: bool = False) -> Replay:
    """Play a game through under its own GameType, or under `rules`.

    Every reading that its tags allow is tried until one has no illegal move; faults of the best one are listed in the
    result, those of the text itself stay in `game.faults`. `variations` also checks the moves in brackets.
    """
    faults: list[Fault] = []
    readings = _readings(game, rules, faults)
    best = Replay(None, faults=faults)
    for reading in readings:
        one = _play(game, reading)
        if best.reading is None or one.plies > best.plies or (one.complete and not best.complete):
            best = one
        if one.complete:
            break
    if best.reading is None:
        return best
    best.faults[:0] = faults
    if variations:
        _Variations(game, best).walk(game.moves)
    if best.reading.odd:
        _renumber(best)
    if best.complete:
        _check_result(game, best)
    return best


# ---------------------------------------------------------------------------------------------- variants
def _readings(game: PdnGame, rules: Rules | None, faults: list[Fault]) -> list[Reading]:
    """Readings to try, the likeliest first."""
    tag = GAMETYPE.fullmatch(game.tag("GameType"))
    if rules is None:
        rules = _named(game, tag, faults)
    if rules is not None:
        return _variants_of(rules, tag, game)
    return [reading for rules in _guess(game) for reading in _variants_of(rules, None, game)]


def _named(game: PdnGame, tag: re.Match[str] | None, faults: list[Fault]) -> Rules | None:
    """The variant that the tags name."""
    if variant := game.tag("Variant"):
        try:
            return find_variant(variant)
        except RulesError as error:
            faults.append(_tag_fault(game, "Variant", str(error), Grade.NOTE))
    value = game.tag("GameType")
    if not value:
        return None
    if tag is None:
        faults.append(_tag_fault(game, "GameType", f"not a GameType: {value}"))
        return None
    number = int(tag[1])
    try:
        return variant_by_gametype(number)
    except RulesError as error:
        what = f"GameType {number} is {NOT_DRAUGHTS[number]}" if number in NOT_DRAUGHTS else str(error)
        faults.append(_tag_fault(game, "GameType", what))
        return None


def _variants_of(rules: Rules, tag: re.Match[str] | None, game: PdnGame) -> list[Reading]:
    """The variant's own reading and those that its GameType value or its texts suggest."""
    readings = [Reading(rules)]
    if rules.algebraic and not rules.all_squares and any(m.text[:1].isdigit() for m in game.moves[:4]):
        readings.append(Reading(rules, "pdn"))
    if tag is None or tag[2] is None:
        return readings
    side = Side.BLACK if tag[2] == "B" else Side.WHITE
    starts = side if side is not rules.starts and not game.tag("FEN") else None
    mirrored = tag[3] == "A" and tag[5] is not None and (tag[5] == "1") is rules.left_dark
    if starts is not None or mirrored:
        readings.append(Reading(rules, starts=starts, mirrored=mirrored))
    corner = _CORNERS[int(tag[4])][side]
    if tag[3] == "N" and corner != rules.first_square and corner != "top-right" and rules.columns == 8:
        # Only the numbering changes, never the board: positions of both are the same.
        readings.append(Reading(replace(rules, algebraic=False, first_square=corner), starts=starts, odd=True))
    return readings


def _guess(game: PdnGame) -> list[Rules]:
    """Variants that a game without GameType may be: those that have its squares, the smallest board first."""
    texts = [move.text for move in game.moves if move.text not in ("", UNKNOWN)]
    fen = game.tag("FEN").lower()
    names = " ".join([*texts, *re.findall(r"(?<=[wb,])k?([a-j][0-9])", fen)])
    known = [rules for rules in VARIANTS.values() if rules.gametype is not None and rules.gametype < PRIVATE]
    if letters := re.findall("([a-j])[0-9]", names):
        columns = ord(max(letters)) - ord("a") + 1
        return sorted((r for r in known if r.algebraic and r.columns >= columns), key=lambda rules: rules.squares)
    numbers = [int(number) for number in re.findall("[0-9]{1,2}", f"{names} {fen.partition('.')[0]}")]
    fitting = [rules for rules in known if rules.squares >= max(numbers, default=0) and not rules.all_squares]
    if not numbers or not fitting:
        return [find_variant(DEFAULT_VARIANT)]
    return sorted(fitting, key=lambda rules: (rules.algebraic, rules.squares))


def start_position(game: PdnGame, reading: Reading) -> Position:
    """The position that a game starts from. Raises FenError for a bad FEN tag."""
    if fen := game.tag("FEN"):
        if reading.mirrored:
            fen = re.sub(r"[a-j](?=[0-9])", lambda m: reading.text(m[0]), fen.replace("W", "w").replace("B", "b"))
        return parse_fen(fen, reading.rules)
    start = Position.start(reading.rules)
    return start if reading.starts is None else replace(start, turn=reading.starts)


# ---------------------------------------------------------------------------------------------- moves
def _play(game: PdnGame, reading: Reading) -> Replay:
    """The main line under one reading."""
    done = Replay(reading)
    try:
        start = start_position(game, reading)
    except FenError as error:
        done.faults.append(_tag_fault(game, "FEN", error.reason))
        return done
    if has_man_on_last_row(start):
        done.faults.append(_tag_fault(game, "FEN", "a man on its promotion row; it stays a man", Grade.NOTE))
    board = Game(start)
    done.game = board
    steps = _Steps(game.moves)
    while (step := next(steps, None)) is not None:
        if step.text == UNKNOWN:
            if not any(later.setup for later in steps.rest()):
                return done
            steps.skip_to_setup()
            continue
        if not step.text:
            position = _set_up(step.setup, board.position, reading)
            if isinstance(position, FenError):
                done.faults.append(_fault(game, step, f"bad set-up: {position.reason}"))
                return done
            board = done.game = Game(position)
            continue
        position, legal = board.position, board.legal_moves()
        found = _read_move(step, steps, position, legal, reading)
        if isinstance(found, MoveError):
            reason = f"{found.reason}: {step.text} in {position.fen()}"
            done.faults.append(_fault(game, step, reason))
            return done
        move, joined = found
        done.note(position, move, step, joined)
        board.play(move)
        done.plies += 1 + len(joined)
    done.complete = True
    return done


class _Steps(Iterator[PdnMove]):
    """The steps of a line, with a look at those to come."""

    def __init__(self, line: list[PdnMove]) -> None:
        self.line = line
        self.index = 0

    def __next__(self) -> PdnMove:
        if self.index == len(self.line):
            raise StopIteration
        self.index += 1
        return self.line[self.index - 1]

    def rest(self) -> list[PdnMove]:
        return self.line[self.index :]

    def skip_to_setup(self) -> None:
        while not self.line[self.index].setup:
            self.index += 1


def _read_move(
    step: PdnMove, steps: _Steps, position: Position, legal: tuple[Move, ...], reading: Reading
) -> tuple[Move, list[PdnMove]] | MoveError:
    """The move of a step, with the steps that continue its capture (`11x18 18x25`)."""
    text = reading.text(step.text)
    try:
        return parse_move(text, position, legal, prefer="path", numbering=reading.numbering), []
    except MoveError as error:
        problem = error
    joined: list[PdnMove] = []
    for more in steps.rest():
        ahead = re.split("[-x:]", reading.text(more.text))
        if len(ahead) < 2 or ahead[0] != re.split("[-x:]", text)[-1]:
            break
        text = "x".join([text, *ahead[1:]])
        joined.append(more)
        try:
            move = parse_move(text, position, legal, prefer="path", numbering=reading.numbering)
        except MoveError:
            continue
        steps.index += len(joined)
        return move, joined
    return problem


def _set_up(fen: str, position: Position, reading: Reading) -> Position | FenError:
    """The position after a set-up; `B::` only gives the move to Black."""
    if re.fullmatch(r"\s*[WB]\s*::\s*", fen):
        return replace(position, turn=Side.BLACK if fen.strip()[0] == "B" else Side.WHITE)
    try:
        return parse_fen(reading.text(fen) if reading.mirrored else fen, reading.rules)
    except FenError as error:
        return error


class _Variations:
    """Checks the moves in brackets, line by line, down to their own variations."""

    def __init__(self, game: PdnGame, done: Replay) -> None:
        self.game = game
        self.done = done
        assert done.reading is not None
        self.reading = done.reading

    def walk(self, line: list[PdnMove]) -> None:
        for step in line:
            if step.variations and (here := self.done.known.get(id(step))):
                for variation in step.variations:
                    self.play(variation, here[0])
                    self.walk(variation)

    def play(self, line: list[PdnMove], position: Position) -> None:
        steps = _Steps(line)
        for step in steps:
            if step.text == UNKNOWN:
                return
            if not step.text:
                set_up = _set_up(step.setup, position, self.reading)
                if isinstance(set_up, FenError):
                    return
                position = set_up
                continue
            legal = position.legal_moves()
            found = _read_move(step, steps, position, legal, self.reading)
            if isinstance(found, MoveError):
                reason = f"in a variation: {found.reason}: {step.text} in {position.fen()}"
                self.done.faults.append(_fault(self.game, step, reason))
                return
            move, joined = found
            self.done.note(position, move, step, joined)
            position = position.play(move)


def _renumber(done: Replay) -> None:
    """Positions of a reading with other square numbers, with those of the variant."""
    assert done.reading is not None
    rules = find_variant(done.reading.rules.name)
    done.reading = replace(done.reading, rules=rules, odd=False)
    done.known = {key: (replace(position, rules=rules), move) for key, (position, move) in done.known.items()}
    if done.game is not None:
        moves = done.game.moves
        done.game = Game(replace(done.game.start, rules=rules))
        for move in moves:
            done.game.play(move)


# ---------------------------------------------------------------------------------------------- faults
def _check_result(game: PdnGame, done: Replay) -> None:
    """A Result tag, a terminator and a last position that contradict each other."""
    tag, end = plain(game.tag("Result")), plain(game.terminator)
    if tag != end and "*" not in (tag, end):
        done.faults.append(
            _tag_fault(game, "Result", f"Result {tag} and {end} behind the moves; the tag counts", Grade.NOTE)
        )


def _fault(game: PdnGame, step: PdnMove, reason: str) -> Fault:
    return Fault(*game.place(max(step.at, 0)), reason)


def _tag_fault(game: PdnGame, name: str, reason: str, grade: Grade = Grade.ERROR) -> Fault:
    found = re.search(rf"\[\s*{name}\b", game.source, re.IGNORECASE)
    return Fault(*game.place(found.start() if found else 0), reason, grade)
