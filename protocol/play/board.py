"""The board as a player sees it in a terminal."""

from collections.abc import Collection

from rich.text import Text

from engine import Position

GLYPHS = {"w": "●", "b": "●", "W": "♛", "B": "♛", "e": " "}
LETTERS = {"w": "w", "b": "b", "W": "W", "B": "B", "e": "."}
PIECE_STYLES = {"w": "bold #ffffff", "W": "bold #ffffff", "b": "bold #000000", "B": "bold #000000", "e": ""}
DARK = ("#9c6f44", "#a87b50")  # two tones, for boards on which every square is played on
LIGHT = "#ecd9b9"
MARKED = "#b59a2c"
LABEL = "#dcc6a6"


def draw(position: Position, *, flipped: bool = False, marked: Collection[int] = (), colours: bool = True) -> Text:
    """The board with White below, or Black if `flipped`; squares have the names that moves are written with.

    Pieces are coloured discs and crowns, or without `colours` the letters `w` `b` (men), `W` `B` (kings) and `.` for
    an empty square. `marked` squares, those of the last move, have a colour of their own, or brackets.
    """
    rules = position.rules
    rows, columns = list(range(rules.rows)), list(range(rules.columns))
    if flipped:
        rows.reverse()
        columns.reverse()
    text = Text()
    for row in rows:
        if rules.algebraic:
            text.append(f"{rules.rows - row:>2} ")
        for column in columns:
            square = rules.square_at(column, row)
            if square is None:
                text.append(" " * (3 if rules.algebraic else 5), f"on {LIGHT}" if colours else "")
            else:
                _square(text, position, square, square in marked, colours)
        text.append("\n")
    if rules.algebraic:
        text.append("   " + "".join(f" {chr(ord('a') + column)} " for column in columns) + "\n")
    return text


def _square(text: Text, position: Position, square: int, marked: bool, colours: bool) -> None:
    """One playing square: its piece, and its number where squares have numbers."""
    rules = position.rules
    piece = position.piece(square)
    column, row = rules.coordinates(square)
    ground = f"on {MARKED if marked else DARK[(column + row) % 2 if rules.all_squares else 0]}" if colours else ""
    before, behind = "[]" if marked and not colours else "  "
    glyph = (GLYPHS if colours else LETTERS)[piece]
    text.append(before, ground)
    text.append(glyph, f"{PIECE_STYLES[piece]} {ground}" if colours else "")
    if not rules.algebraic:
        text.append(f"{rules.square_name(square):<2}", f"{LABEL} {ground}" if colours else "")
    text.append(behind, ground)
