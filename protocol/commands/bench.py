"""`damier bench`: search fixed positions to a fixed depth."""

import argparse

from engine import PARAMS, Rules, find_variant
from engine.params import TRAINED
from protocol import bench

HELP = "search fixed positions; the signature changes with the search, not with the machine"
EXAMPLES = """
damier bench                           # every variant; the signature names the search
damier bench --variant russian --depth 20
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which variant and how deep."""
    parser.add_argument("--variant", metavar="V", help="name, alias or GameType number; default: all, one by one")
    parser.add_argument("--depth", metavar="N", type=int, default=bench.DEPTH, help="plies (default: %(default)s)")
    parser.add_argument(
        "--evaluation", choices=PARAMS["evaluation"].values, default=TRAINED, help="default: as the engine plays"
    )


def run(args: argparse.Namespace) -> int:
    """Print nodes by variant, then `signature N` and, last, `nps N`. Raises RulesError, WeightsError."""
    variant = None if args.variant is None else find_variant(args.variant).name

    def show(rules: Rules, nodes: int) -> None:
        print(f"{rules.name} {nodes}", flush=True)

    total = bench.run(variant, max(1, args.depth), show, args.evaluation)
    print(f"signature {total.nodes}")
    print(f"nps {total.speed}")
    return 0
