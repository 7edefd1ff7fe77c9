"""What each variant is: board, movement, precedence. One row a variant.

Squares are 1-based, left to right and top to bottom with White at the bottom. Directions are (columns to the
right, rows forward), "forward" being the mover's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

Direction = tuple[int, int]

FORWARD: tuple[Direction, ...] = ((-1, 1), (1, 1))
DIAGONAL: tuple[Direction, ...] = (*FORWARD, (-1, -1), (1, -1))
# On a board of dark squares the next dark square of a row or a column is two squares away.
ALONG_LINES: tuple[Direction, ...] = ((-2, 0), (2, 0), (0, 2), (0, -2))
TURKISH_MAN: tuple[Direction, ...] = ((0, 1), (-1, 0), (1, 0))
TURKISH_KING: tuple[Direction, ...] = (*TURKISH_MAN, (0, -1))


@dataclass(frozen=True)
class Capture:
    """One way of carrying out a capture, from its first hop to its end."""

    frm: int
    to: int
    taken: tuple[tuple[int, bool], ...]  # (square, was it a king), in the order of the hops
    by_king: bool  # the piece was a king before the move
    promoted: bool

    @property
    def kings_taken(self) -> int:
        return sum(king for _, king in self.taken)


Precedence = Callable[[Capture], tuple[object, ...]]


def free(capture: Capture) -> tuple[object, ...]:
    """Any capture may be chosen."""
    return ()


def most(capture: Capture) -> tuple[object, ...]:
    """The most pieces, kings and men alike."""
    return (len(capture.taken),)


def most_then_kings(capture: Capture) -> tuple[object, ...]:
    """The most pieces, then the most kings among them."""
    return (len(capture.taken), capture.kings_taken)


def italian(capture: Capture) -> tuple[object, ...]:
    """Most pieces; with a king; most kings; kings as early as possible, compared over the whole sequence."""
    return (
        len(capture.taken),
        capture.by_king,
        capture.kings_taken,
        tuple(king for _, king in capture.taken),
    )


def frisian(capture: Capture) -> tuple[object, ...]:
    """Highest value, n kings lying between 2n-1 and 2n men; on equal value with a king."""
    men = len(capture.taken) - capture.kings_taken
    return (2 * capture.kings_taken + men, -capture.kings_taken, capture.by_king)


def king_first(capture: Capture) -> tuple[object, ...]:
    """A capture by a king goes before one by a man."""
    return (capture.by_king,)


@dataclass(frozen=True)
class Spec:
    """One variant. `option` fields hold the other reading of a rule where the rules page names two."""

    name: str
    columns: int = 8
    rows: int = 8
    every_square: bool = False
    dark_left: bool = True  # the bottom-left corner is a playing square
    first: str = "w"
    text: str = "top"  # squares in texts: "top" as here, "bottom" from the other end, "letters" a1..
    home_rows: tuple[int, ...] = (0, 1, 2)  # own rows with men at the start, 0 being the back row
    man_moves: tuple[Direction, ...] = FORWARD
    man_captures: tuple[Direction, ...] = DIAGONAL
    king_moves: tuple[Direction, ...] = DIAGONAL
    king_captures: tuple[Direction, ...] = DIAGONAL
    flying: bool = True
    lands_behind: bool = False  # a capturing king lands directly behind its victim
    stops_behind_king: bool = False  # killer: so it does when the last victim is a king
    men_take_kings: bool = True
    removed_at_once: bool = False
    may_turn_back: bool = True  # False: no turn of 180 degrees between two captures
    promotion: str = "pass"  # a man on the last row in mid-capture: "pass" on, "stop" there, go on as "king"
    precedence: Precedence = free
    king_limit: bool = False  # at most three quiet moves in a row with one king
    breakthrough: bool = False
    loser_wins: bool = False
    must_capture: bool = True

    @cached_property
    def cells(self) -> dict[int, tuple[int, int]]:
        """Square -> (column, row), row 0 at the top."""
        bottom = self.rows - 1
        cells = [
            (column, row)
            for row in range(self.rows)
            for column in range(self.columns)
            if self.every_square or ((column + bottom - row) % 2 == 0) == self.dark_left
        ]
        return dict(enumerate(cells, start=1))

    @cached_property
    def squares(self) -> dict[tuple[int, int], int]:
        """(column, row) -> square."""
        return {cell: square for square, cell in self.cells.items()}

    @cached_property
    def rays(self) -> dict[tuple[str, int, Direction], tuple[int, ...]]:
        """(side, square, direction) -> the squares met on the way to the edge, nearest first."""
        rays = {}
        for side, forward in (("w", -1), ("b", 1)):
            for square, (column, row) in self.cells.items():
                for right, ahead in {
                    *self.man_moves,
                    *self.man_captures,
                    *self.king_moves,
                    *self.king_captures,
                }:
                    line = []
                    x, y = column + right, row + ahead * forward
                    while (x, y) in self.squares:
                        line.append(self.squares[x, y])
                        x, y = x + right, y + ahead * forward
                    rays[side, square, (right, ahead)] = tuple(line)
        return rays

    def on_last_row(self, side: str, square: int) -> bool:
        return self.cells[square][1] == (0 if side == "w" else self.rows - 1)

    def home(self, side: str) -> list[int]:
        """The squares of a side's men at the start."""
        rows = {self.rows - 1 - row if side == "w" else row for row in self.home_rows}
        return [square for square, (_, row) in self.cells.items() if row in rows]


_INTERNATIONAL = Spec("international", columns=10, rows=10, home_rows=(0, 1, 2, 3), precedence=most)
_FRISIAN = replace(
    _INTERNATIONAL,
    name="frisian",
    man_captures=(*DIAGONAL, *ALONG_LINES),
    king_captures=(*DIAGONAL, *ALONG_LINES),
    precedence=frisian,
    king_limit=True,
)
_RUSSIAN = Spec("russian", text="letters", promotion="king")
_ENGLISH = Spec("english", first="b", man_captures=FORWARD, flying=False, promotion="stop")
_SPANISH = Spec("spanish", dark_left=False, text="bottom", man_captures=FORWARD, precedence=most_then_kings)

_ROWS = (
    _INTERNATIONAL,
    _ENGLISH,
    replace(_ENGLISH, name="italian", first="w", dark_left=False, men_take_kings=False, precedence=italian),
    Spec("pool", first="b"),
    _SPANISH,
    _RUSSIAN,
    Spec("brazilian", text="letters", precedence=most),
    replace(_INTERNATIONAL, name="canadian", columns=12, rows=12, home_rows=(0, 1, 2, 3, 4)),
    replace(_SPANISH, name="portuguese"),
    Spec("czech", text="letters", man_captures=FORWARD, precedence=king_first),
    Spec(
        "turkish",
        every_square=True,
        text="letters",
        home_rows=(1, 2),
        man_moves=TURKISH_MAN,
        man_captures=TURKISH_MAN,
        king_moves=TURKISH_KING,
        king_captures=TURKISH_KING,
        removed_at_once=True,
        may_turn_back=False,
        precedence=most,
    ),
    Spec(
        "thai",
        first="b",
        text="bottom",
        home_rows=(0, 1),
        man_captures=FORWARD,
        lands_behind=True,
        removed_at_once=True,
        promotion="stop",
    ),
    _FRISIAN,
    replace(_FRISIAN, name="frysk", home_rows=(0,)),
    replace(_RUSSIAN, name="spantsiretti", columns=10),
    replace(_INTERNATIONAL, name="killer", stops_behind_king=True),
    replace(_INTERNATIONAL, name="breakthrough", breakthrough=True),
    replace(_INTERNATIONAL, name="antidraughts", loser_wins=True),
)

SPECS: dict[str, Spec] = {spec.name: spec for spec in _ROWS}


def losing(spec: Spec) -> Spec:
    """The same rules, but the side that cannot move has won."""
    return replace(spec, name=f"{spec.name}-losing", loser_wins=True)
