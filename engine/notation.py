"""Texts of moves, in and out: PDN, Hub, the UCI dialect, landing squares, chess-like coordinates.

A text names squares; which of the legal moves it means is decided here (`parse_move`). The numbers after the second
square are captured squares to Hub and landing squares to PDN; both readings are tried and the caller says which one
goes first (hub.md section 6, pdn.md section 5, ucilike.md section 3).
"""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from engine.errors import IllegalMoveError, MoveError
from engine.move import Move
from engine.paths import first_path, lands_on, passes_over
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.position import Position

Style = Literal["pdn", "hub", "short", "path", "coordinate"]
Reading = Literal["captured", "path"]
# What a number means: the variant's PDN square (boards with letters: Hub number), the Hub number in every variant,
# or the PDN number also on boards with letters (a1 = 1 upwards), as pydraughts 0.6 counts.
Numbering = Literal["own", "top", "pdn"]

_SIGNS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-") | {"\u00d7": "x", "\u00a0": " "})
_SIMPLE = re.compile(r"([0-9]{1,3}|[a-j][0-9]{1,2})[-x:]([0-9]{1,3}|[a-j][0-9]{1,2})")
_SUFFIX = re.compile(r"(?:[!?*\u25a1\u2a00]|\(\s*[!?]+\s*\))+$")  # one sign a round: runs of them are tried once
_COUNT = re.compile(r"\(\s*[+x]?\s*([0-9]{1,2})\s*\)$")
_SQUARE = re.compile(r"[0-9]+|[a-j][0-9]{1,2}")
_SEPARATED = re.compile(r"(?:[0-9]+|[a-j][0-9]{1,2})(?:\s*[-x:]\s*(?:[0-9]+|[a-j][0-9]{1,2}))+")
_JOINED = re.compile(r"(?:[0-9]{2}){2,}|(?:[a-j][0-9]{1,2}){2,}")
_PAIRS = re.compile(r"[0-9]{2}|[a-j][0-9]{1,2}")
MAX_TEXT = 400  # a move of any variant is far shorter


def parse_move(
    text: str,
    position: "Position",
    legal: Sequence[Move] | None = None,
    *,
    prefer: Reading = "captured",
    numbering: Numbering = "own",
) -> Move:
    """The legal move that `text` means in `position`.

    `legal` saves generating the moves again. `prefer` decides when one text names two moves, one by its captured
    squares and one by its landing squares. Separators may be `-`, `x`, `:` or none (`3228`, `c3e5g7`), marks such as
    `!?` are ignored, and fewer squares than needed are enough where the move stays unique.

    Raises MoveError for a text that is no move and IllegalMoveError for one that is not legal here or ambiguous.
    """
    squares, count = _read_squares(text, position.rules, numbering)
    moves = position.legal_moves() if legal is None else legal
    frm, to = squares[0], squares[1]
    if len(squares) == 2:
        found = [move for move in moves if move.frm == frm and move.to == to]
        if count is not None:
            found = [move for move in found if len(move.captured) == count]
        if len(found) == 1:
            return found[0]
        if found:  # a single capture is written by its ends, even beside longer ones
            exact = [move for move in found if lands_on(position, move, ())]
            if len(exact) == 1:
                return exact[0]
    else:
        found = _resolve(squares, position, moves, prefer)
        if len(found) == 1:
            return found[0]
    if found:
        names = ", ".join(format_move(move, position, moves) for move in found[:4])
        raise IllegalMoveError(f"ambiguous move, it may be {names}", text)
    raise IllegalMoveError("illegal move", text)


def _resolve(squares: list[int], position: "Position", moves: Sequence[Move], prefer: Reading) -> list[Move]:
    """Moves that a text of three squares or more can mean: those of the first reading that finds any."""
    frm, to, extra = squares[0], squares[1], set(squares[2:])
    last, middle = squares[-1], squares[1:-1]
    captures = [move for move in moves if move.frm == frm and move.captured]
    by_set = [move for move in captures if move.to == to]
    by_path = [move for move in captures if move.to == last]

    def same_set() -> list[Move]:
        return [move for move in by_set if extra == set(move.captured)]

    def part_of_set() -> list[Move]:
        return [move for move in by_set if extra <= set(move.captured)]

    def same_path() -> list[Move]:
        return [move for move in by_path if lands_on(position, move, middle)]

    def part_of_path() -> list[Move]:
        return [move for move in by_path if passes_over(position, move, middle)]

    readings: tuple[Callable[[], list[Move]], ...] = (same_set, same_path, part_of_set, part_of_path)
    if prefer == "path":
        readings = (same_path, part_of_path, same_set, part_of_set)
    for reading in readings:
        if found := reading():
            return found
    return []


def read_squares(text: str, rules: Rules, numbering: Numbering = "own") -> list[int]:
    """The Hub squares that a move text names, at least two. Raises MoveError."""
    return _read_squares(text, rules, numbering)[0]


def _read_squares(text: str, rules: Rules, numbering: Numbering) -> tuple[list[int], int | None]:
    """Hub squares of a move text, and how many pieces it says are taken (`26x17(2)`), if it says so."""
    if found := _SIMPLE.fullmatch(text):
        return [_square(found[i], rules, numbering, text, found.start(i)) for i in (1, 2)], None
    if len(text) > MAX_TEXT:
        raise MoveError("too long for a move", text)
    body = text.translate(_SIGNS).lower().rstrip()
    body = _SUFFIX.sub("", body).rstrip()
    count = None
    if counted := _COUNT.search(body):
        count = int(counted[1])
        body = body[: counted.start()].rstrip()
    start = len(body) - len(body.lstrip())
    if _SEPARATED.fullmatch(body, start):
        pattern = _SQUARE
    elif _JOINED.fullmatch(body, start):
        pattern = _PAIRS
    else:
        raise MoveError("not a move", text)
    return [_square(m[0], rules, numbering, text, m.start()) for m in pattern.finditer(body, start)], count


def _square(name: str, rules: Rules, numbering: Numbering, text: str, at: int) -> int:
    """One square of a move text. Raises MoveError with its place."""
    if name[0].isalpha():
        square = rules.square_at(ord(name[0]) - ord("a"), rules.rows - int(name[1:]))
        if square is None:
            raise MoveError(f"{name} is not a playable square", text, at)
        return square
    number = int(name) if len(name) <= 4 else 0
    if not 1 <= number <= rules.squares:
        raise MoveError(f"no square {name[:12]} on a board of {rules.squares} squares", text, at)
    if numbering == "top" or (numbering == "own" and rules.algebraic):
        return number
    return rules.number_square(number)


def format_move(
    move: Move,
    position: "Position",
    legal: Sequence[Move] | None = None,
    style: Style = "pdn",
    *,
    numbering: Numbering = "top",
) -> str:
    """A legal move as text.

    `pdn`: ends, and the whole route only where they are ambiguous, with the variant's capture sign. `hub`: numbers,
    always with all captured squares. `short`: ends, with captured squares where they are ambiguous. `path`: the whole
    route. `coordinate`: the whole route as `c3e5g7` (boards of more than nine rows: as `path`).
    `numbering` counts for `hub` only: Hub squares, or PDN numbers for clients that count so.
    """
    rules = position.rules
    if style == "hub":
        return _hub(move, rules, numbering)
    if style == "coordinate" and rules.rows <= 9:
        return "".join(map(rules.file_and_rank, _route(move, position)))
    name = rules.square_name
    if not move.captured:
        return f"{name(move.frm)}-{name(move.to)}"
    if style == "pdn":
        sign = rules.capture_sign
        squares = _route(move, position) if _ambiguous(move, position, legal) else (move.frm, move.to)
        return sign.join(map(name, squares))
    if style == "short":
        squares = (move.frm, move.to)
        if _ambiguous(move, position, legal):
            squares += move.captured if rules.algebraic else tuple(sorted(move.captured, key=rules.square_number))
        return "x".join(map(name, squares))
    return "x".join(map(name, _route(move, position)))


def _route(move: Move, position: "Position") -> tuple[int, ...]:
    return first_path(position, move) if len(move.captured) > 1 else (move.frm, move.to)


def _ambiguous(move: Move, position: "Position", legal: Sequence[Move] | None) -> bool:
    """Whether another legal move has the same ends."""
    moves = position.legal_moves() if legal is None else legal
    return any(other.frm == move.frm and other.to == move.to and other != move for other in moves)


def _hub(move: Move, rules: Rules, numbering: Numbering) -> str:
    if numbering != "pdn" or rules.first_square == "top-left":
        return move.hub()
    number = rules.square_number
    if not move.captured:
        return f"{number(move.frm)}-{number(move.to)}"
    return "x".join(map(str, (number(move.frm), number(move.to), *sorted(map(number, move.captured)))))
