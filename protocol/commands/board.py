"""`damier board VARIANT`: a position as text, with its legal moves."""

import argparse

from engine import Game, Position, find_variant
from protocol.board_text import board_text

HELP = "print a position and its legal moves"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The variant and, optionally, a position."""
    parser.add_argument("variant", metavar="VARIANT", help="name, alias or GameType number")
    parser.add_argument("--fen", help="position; default: the start of the variant")


def run(args: argparse.Namespace) -> int:
    """Print the board. Raises RulesError, FenError."""
    rules = find_variant(args.variant)
    game = Game(Position.start(rules) if args.fen is None else Position.from_fen(args.fen, rules))
    print(board_text(game))
    return 0
