"""Boards as SVG pictures, of any variant, with arrows and the moves of a chosen piece.

A picture is one self-contained text without scripts or style sheets, fit for files, web pages and notebooks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import hypot
from typing import TYPE_CHECKING

from engine.move import Move
from engine.paths import first_path
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.position import Position

CELL = 50  # width of a square in the picture's own units
EDGE = 24  # border that holds files and ranks of boards with letters
LIGHT, DARK = "#f0e2c4", "#a67c52"
GREEN, RED, YELLOW = "#2e8b57", "#c8372d", "#e8c33c"
_PIECES = {"w": ("#fffaf0", "#5b4632"), "b": ("#2f2a27", "#0d0b0a")}  # fill, rim
_CROWNS = {"w": "#b07d1f", "b": "#f0c75e"}
_CROWN = "M-13 9 L-15 -7 L-7 0 L0 -12 L7 0 L15 -7 L13 9 Z"


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line through the middle of squares, with a head on the last one."""

    squares: tuple[int, ...]
    colour: str = GREEN


class Layout:
    """Where squares lie in a picture."""

    def __init__(self, rules: Rules, flipped: bool, numbers: bool) -> None:
        self.rules = rules
        self.flipped = flipped
        self.edge = EDGE if numbers and rules.algebraic else 0
        self.width = rules.columns * CELL + 2 * self.edge
        self.height = rules.rows * CELL + 2 * self.edge

    def corner(self, column: int, row: int) -> tuple[int, int]:
        """Upper left corner of a place of the board."""
        if self.flipped:
            column, row = self.rules.columns - 1 - column, self.rules.rows - 1 - row
        return self.edge + column * CELL, self.edge + row * CELL

    def middle(self, square: int) -> tuple[int, int]:
        """Middle of a square."""
        x, y = self.corner(*self.rules.coordinates(square))
        return x + CELL // 2, y + CELL // 2


def board_svg(
    position: "Position",
    *,
    size: int = 400,
    flipped: bool = False,
    numbers: bool = True,
    arrows: Iterable[Arrow | Move | Sequence[int]] = (),
    marked: Iterable[int] = (),
    chosen: int | None = None,
) -> str:
    """The position as an SVG text, `size` pixels wide.

    `flipped` puts Black below. `arrows` are drawn in order: moves of this position along their route, or squares.
    `marked` squares are tinted. `chosen` is a square whose piece shows where it may go and what it would take.
    """
    layout = Layout(position.rules, flipped, numbers)
    parts = [_squares(layout, numbers)]
    parts += [_tint(layout, square, YELLOW) for square in marked]
    if chosen is not None:
        parts.append(_tint(layout, chosen, GREEN))
    parts += [_piece(layout, square, letter) for square, letter in position.pieces().items()]
    if chosen is not None:
        parts.append(_choices(layout, position, chosen))
    parts += [_arrow(layout, _as_arrow(arrow, position)) for arrow in arrows]
    height = round(size * layout.height / layout.width)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width} {layout.height}" '
        f'width="{size}" height="{height}" role="img" font-family="sans-serif">'
        f"<title>{escape(position.rules.title)}: {escape(position.fen())}</title>" + "".join(parts) + "</svg>"
    )


def _squares(layout: Layout, numbers: bool) -> str:
    """The empty board, with the names of its squares."""
    rules = layout.rules
    parts = [f'<rect width="{layout.width}" height="{layout.height}" fill="{LIGHT}"/>']
    for row in range(rules.rows):
        for column in range(rules.columns):
            square = rules.square_at(column, row)
            dark = square is not None and not (rules.all_squares and (column + row) % 2 == 0)
            x, y = layout.corner(column, row)
            if dark:
                parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{DARK}"/>')
            if numbers and square is not None and not rules.algebraic:
                parts.append(
                    f'<text x="{x + 3}" y="{y + 11}" font-size="10" fill="{LIGHT}">{rules.square_number(square)}</text>'
                )
    if layout.edge:
        parts += _letters(layout)
    parts.append(
        f'<rect x="{layout.edge}" y="{layout.edge}" width="{rules.columns * CELL}" height="{rules.rows * CELL}" '
        f'fill="none" stroke="#5b4632" stroke-width="2"/>'
    )
    return "".join(parts)


def _letters(layout: Layout) -> Iterable[str]:
    """Files below, ranks on the left."""
    rules = layout.rules
    style = 'font-size="15" fill="#5b4632" text-anchor="middle"'
    for column in range(rules.columns):
        x, _ = layout.corner(column, 0)
        yield f'<text x="{x + CELL // 2}" y="{layout.height - 7}" {style}>{chr(ord("a") + column)}</text>'
    for row in range(rules.rows):
        _, y = layout.corner(0, row)
        yield f'<text x="{layout.edge // 2}" y="{y + CELL // 2 + 5}" {style}>{rules.rows - row}</text>'


def _tint(layout: Layout, square: int, colour: str) -> str:
    x, y = layout.corner(*layout.rules.coordinates(square))
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{colour}" opacity="0.55"/>'


def piece_shapes(letter: str) -> str:
    """A piece around the point (0, 0): `w`, `b`, or `W`, `B` with a crown."""
    colour = letter.lower()
    fill, rim = _PIECES[colour]
    shapes = (
        f'<circle r="20" fill="{fill}" stroke="{rim}" stroke-width="2"/>'
        f'<circle r="15" fill="none" stroke="{rim if colour == "w" else "#6a605a"}" stroke-width="1.2" opacity="0.7"/>'
    )
    if letter.isupper():
        shapes += f'<path d="{_CROWN}" fill="{_CROWNS[colour]}" stroke="{rim}" stroke-width="1"/>'
    return shapes


def _piece(layout: Layout, square: int, letter: str) -> str:
    x, y = layout.middle(square)
    return f'<g transform="translate({x} {y})">{piece_shapes(letter)}</g>'


def _choices(layout: Layout, position: "Position", chosen: int) -> str:
    """Dots where the piece may go and rings around what it would take."""
    moves = [move for move in position.legal_moves() if move.frm == chosen]
    parts = []
    for square in sorted({move.to for move in moves}):
        x, y = layout.middle(square)
        parts.append(f'<circle cx="{x}" cy="{y}" r="9" fill="{GREEN}" opacity="0.9"/>')
    for square in sorted({square for move in moves for square in move.captured}):
        x, y = layout.middle(square)
        parts.append(f'<circle cx="{x}" cy="{y}" r="22" fill="none" stroke="{RED}" stroke-width="4"/>')
    return "".join(parts)


def _as_arrow(arrow: Arrow | Move | Sequence[int], position: "Position") -> Arrow:
    if isinstance(arrow, Arrow):
        return arrow
    if isinstance(arrow, Move):
        return Arrow(first_path(position, arrow))
    return Arrow(tuple(arrow))


def _arrow(layout: Layout, arrow: Arrow) -> str:
    points = [layout.middle(square) for square in arrow.squares]
    if len(points) < 2:
        return ""
    (x1, y1), (x2, y2) = points[-2:]
    length = hypot(x2 - x1, y2 - y1) or 1
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    points[-1] = (round(x2 - 16 * dx), round(y2 - 16 * dy))  # the head covers the rest
    line = " ".join(f"{x},{y}" for x, y in points)
    head = " ".join(
        f"{x2 - back * dx + side * dy:.1f},{y2 - back * dy - side * dx:.1f}"
        for back, side in ((-2, 0), (20, 11), (20, -11))
    )
    return (
        f'<g opacity="0.85"><polyline points="{line}" fill="none" stroke="{arrow.colour}" stroke-width="7" '
        f'stroke-linecap="round" stroke-linejoin="round"/><polygon points="{head}" fill="{arrow.colour}"/></g>'
    )
