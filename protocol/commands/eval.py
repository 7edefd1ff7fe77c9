"""`damier eval VARIANT`: what the static score of a position is made of."""

import argparse
import dataclasses
import json

from rich import box
from rich.console import Console
from rich.table import Table

from engine import PARAMS, Position, Rules, Side, find_variant
from engine import pattern_weights as weights_files
from engine.explain import Explanation, explain
from engine.fen import parse_position
from engine.params import TRAINED

HELP = "show what the static score of a position is made of"
EXAMPLES = """
damier eval russian
damier eval english --fen "B:W18,24,27,28,K10:B12,16,20,K22" --evaluation hand-made
damier eval international --json
"""
WIDTH = 110
SIGNS = {"w": "o", "b": "x", "W": "O", "B": "X"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The position, and which evaluation."""
    parser.add_argument("variant", metavar="VARIANT", help="name, alias or GameType number")
    parser.add_argument("--fen", metavar="FEN", help="position (FEN or Hub string); default: the start of the variant")
    parser.add_argument("--evaluation", choices=PARAMS["evaluation"].values, default=TRAINED, help="%(default)s")
    parser.add_argument("--weights", metavar="PATH", default="", help="file or folder of trained weights")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")


def run(args: argparse.Namespace) -> int:
    """Print the parts. Raises RulesError, FenError, WeightsError."""
    rules = find_variant(args.variant)
    position = Position.start(rules) if args.fen is None else parse_position(args.fen, rules)
    weights = weights_files.chosen(rules, args.weights) if args.evaluation == TRAINED else None
    found = explain(position, weights)
    if args.json:
        names = {rules.square_name(square): change for square, change in found.pieces.items()}
        print(json.dumps(dataclasses.asdict(found) | {"fen": position.fen(), "pieces": names}))
        return 0
    console = Console(width=WIDTH, highlight=False)
    kind = "hand-made" if weights is None else f"trained weights {weights.checksum[:12]}"
    console.print(f"{rules.title}, {kind}; centi-men as White sees it")
    console.print(position.fen())
    console.print(_board(position, found))
    console.print(
        "o O White's men and kings, x X Black's; below: by how much the score would change without the piece\n"
    )
    console.print(_parts(found))
    if found.groups:
        console.print()
        console.print(_groups(rules, found))
    side = "White" if position.turn is Side.WHITE else "Black"
    if found.trained:
        console.print(f"\nphase: opening {found.opening:.0%}, ending {1 - found.opening:.0%}")
    console.print(f"score {found.white:+d} for White, {found.score:+d} for the side to move ({side})")
    return 0


def _board(position: Position, found: Explanation) -> Table:
    """The board with the worth of each piece."""
    rules = position.rules
    table = Table(box=box.SQUARE, show_header=False, show_lines=True, padding=0)
    for _ in range(rules.columns):
        table.add_column(justify="center", width=5)
    for row in range(rules.rows):
        cells = []
        for column in range(rules.columns):
            square = rules.square_at(column, row)
            if square is None:
                cells.append("[dim]:::::\n:::::[/]")
            elif square in found.pieces:
                colour = "bold" if position.piece(square) in "wW" else "bold red"
                cells.append(f"[{colour}]{SIGNS[position.piece(square)]}[/]\n{found.pieces[square]:+d}")
            else:
                cells.append(f"[dim]{rules.square_name(square)}[/]\n")
        table.add_row(*cells)
    return table


def _parts(found: Explanation) -> Table:
    """What is counted over the whole board, and the sum of all."""
    table = Table("part", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("White - Black", justify="right")
    table.add_column("score", justify="right")
    for part in found.parts:
        table.add_row(part.name, f"{part.count:+g}", f"{part.score:+.1f}")
    if found.groups:
        table.add_row("groups of squares", "", f"{sum(one.white - one.black for one in found.groups):+.1f}")
    table.add_section()
    table.add_row("sum", "", f"{found.sum:+.1f}")
    if abs(found.subdued) >= 1:
        table.add_row("few pieces, bounds", "", f"{found.subdued:+.1f}")
    return table


def _groups(rules: Rules, found: Explanation) -> Table:
    """Each group of squares from both sides, those that matter most first."""
    table = Table("group (for Black after a half turn)", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("White", "Black", "score"):
        table.add_column(name, justify="right")
    for one in sorted(found.groups, key=lambda one: -abs(one.white - one.black)):
        names = " ".join(rules.square_name(square) for square in one.squares)
        table.add_row(names, f"{one.white:+.1f}", f"{one.black:+.1f}", f"{one.white - one.black:+.1f}")
    return table
