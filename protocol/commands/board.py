"""`damier board VARIANT`: a position as text with its legal moves, or as a picture."""

import argparse
from pathlib import Path

from engine import Game, Move, MoveError, Position, find_variant
from engine.errors import FormatError
from engine.fen import parse_position
from engine.notation import parse_move, read_squares
from engine.svg import Arrow, board_svg
from protocol.board_text import board_text

HELP = "print a position and its legal moves, or draw it"
EXAMPLES = """
damier board russian
damier board english --fen "B:W21-32:B1-12"
damier board international --svg board.svg --size 600 --arrow 32-28
damier board russian --fen "W:Wc3,e3:Bd4" --chosen c3 --svg capture.svg
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The variant, a position, what to draw."""
    parser.add_argument("variant", metavar="VARIANT", help="name, alias or GameType number")
    parser.add_argument("--fen", help="position (FEN or Hub string); default: the start of the variant")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="draw the board to this file instead")
    parser.add_argument("--size", type=int, default=400, help="width of the picture in pixels")
    parser.add_argument("--flip", action="store_true", help="Black below")
    parser.add_argument("--no-numbers", action="store_true", help="no names of squares")
    parser.add_argument("--chosen", metavar="SQUARE", help="show where the piece there may go and what it would take")
    parser.add_argument(
        "--arrow", metavar="MOVE", action="append", default=[], help="a move or two squares; repeatable"
    )


def run(args: argparse.Namespace) -> int:
    """Print or draw the board. Raises RulesError, FenError, FormatError, OSError."""
    rules = find_variant(args.variant)
    position = Position.start(rules) if args.fen is None else parse_position(args.fen, rules)
    if args.svg is None:
        print(board_text(Game(position)))
        return 0
    if not 10 <= args.size <= 10_000:
        raise FormatError("the size is 10 to 10000 pixels", str(args.size))
    picture = board_svg(
        position,
        size=args.size,
        flipped=args.flip,
        numbers=not args.no_numbers,
        chosen=None if args.chosen is None else rules.parse_square(args.chosen),
        arrows=[_arrow(text, position) for text in args.arrow],
    )
    args.svg.write_text(picture + "\n", encoding="utf-8", newline="\n")
    return 0


def _arrow(text: str, position: Position) -> Move | Arrow:
    """A legal move, or else any squares."""
    try:
        return parse_move(text, position)
    except MoveError:
        return Arrow(tuple(read_squares(text, position.rules)))
