"""`damier book VARIANT`: what the opening book says of a position."""

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

from engine import BookError, Position, find_variant
from engine.book import Book, packaged_book
from engine.fen import parse_position
from engine.notation import format_move

HELP = "show the opening book's moves in a position"
EXAMPLES = """
damier book russian
damier book international --fen "B:W28,31,33-50:B1-20"
damier book english --file my.book
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which book, which position."""
    parser.add_argument("variant", metavar="VARIANT", help="name, alias or GameType number")
    parser.add_argument("--fen", metavar="FEN", help="the position, as FEN or Hub string (default: the start position)")
    parser.add_argument("--file", metavar="FILE", type=Path, help="another book (default: damier's own)")


def run(args: argparse.Namespace) -> int:
    """Print a table of moves; 1 if the position is not in the book. Raises RulesError, FenError, BookError."""
    rules = find_variant(args.variant)
    file = args.file or packaged_book(rules.name)
    if args.file is None and not file.exists():
        raise BookError(f"no opening book of {rules.name} comes with damier")
    book = Book.load(file, rules.name)
    position = Position.start(rules) if args.fen is None else parse_position(args.fen, rules)
    console = Console(width=110, highlight=False)
    console.print(f"{rules.title}: {book.header['positions']} positions, {book.header['moves']} moves in {file}")
    console.print(position.fen())
    moves = book.moves(position)
    if not moves:
        console.print("not in the book")
        return 1
    table = Table("move", "score", "best line", box=None)
    legal = position.legal_moves()
    for one in moves:
        line, after = [], position.play(one.move)
        for reply in book.line(after):
            line.append(format_move(reply, after))
            after = after.play(reply)
        table.add_row(format_move(one.move, position, legal), f"{one.score / 100:+.2f}", " ".join(line))
    console.print(table)
    return 0
