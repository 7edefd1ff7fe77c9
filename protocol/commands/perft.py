"""`damier perft VARIANT DEPTH`: count the move sequences of a position."""

import argparse
import re
import time

from engine import FormatError, Position, find_variant
from engine.fen import parse_position
from engine.moves import perft
from engine.notation import format_move

HELP = "count the move sequences of a given length"
EXAMPLES = """
damier perft russian 8
damier perft english 6 --divide
damier perft international 5 --fen "W:WK28,31-40:B7-20"
"""
DEEPEST = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Variant, depth and position."""
    parser.add_argument("variant", metavar="VARIANT", help="name, alias or GameType number")
    parser.add_argument("depth", metavar="DEPTH", help="plies")
    parser.add_argument("--fen", help="position (FEN or Hub string); default: the start of the variant")
    parser.add_argument("--divide", action="store_true", help="also the count behind each first move")


def run(args: argparse.Namespace) -> int:
    """Print `nps N` and, last, `nodes N`. Raises RulesError, FenError, FormatError."""
    rules = find_variant(args.variant)
    position = Position.start(rules) if args.fen is None else parse_position(args.fen, rules)
    if not re.fullmatch("[0-9]{1,9}", args.depth) or int(args.depth) > DEEPEST:
        raise FormatError(f"depth is a number from 0 to {DEEPEST}", args.depth)
    depth = int(args.depth)
    start = time.perf_counter()
    if args.divide and depth > 0:
        nodes = 0
        moves = position.legal_moves()
        for move in moves:
            count = perft(position.play(move), depth - 1)
            print(f"{format_move(move, position, moves, 'path')}: {count}")
            nodes += count
    else:
        nodes = perft(position, depth)
    print(f"nps {nodes / max(time.perf_counter() - start, 1e-9):.0f}")
    print(f"nodes {nodes}")
    return 0
