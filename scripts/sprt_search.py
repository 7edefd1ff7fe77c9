"""Tests a change of the searcher's figures (engine/tuning.py) by a sequential test over games.

Both sides are the same engine with other figures, without databases and book, at a fixed number of nodes a move, or
with --ms a fixed time, for changes that cost or save time. Pairs of games from balanced openings with the sides
changed; the test is that of `damier match --sprt` on pairs, in normalized Elo.

Example: python scripts/sprt_search.py --variant russian --new probcut-depth=5
Example: python scripts/sprt_search.py --variant russian --old futility-depth=0
Example: python scripts/sprt_search.py --variant russian --old table-depth=1 --ms 10
Figures that are not named keep their defaults. Prints one JSON line; at fixed nodes the same command gives the same
games.
"""

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from rich.progress import Progress

from engine import VARIANTS, Limits, OptionError
from engine.tuning import tuned
from protocol.match.statistics import Decision, Sample, Sprt, elo, normalized_elo
from tune_spsa import Pair, play_pair

BATCH = 16  # pairs between two looks at the test


def figures(settings: list[str]) -> dict[str, int]:
    """NAME=VALUE texts as figures. Raises OptionError for what the searcher does not take."""
    found: dict[str, int] = {}
    for text in settings:
        name, _, value = text.partition("=")
        try:
            found[name] = int(value)
        except ValueError:
            raise OptionError(f"tunable {text!r}: expected NAME=NUMBER") from None
    tuned(found)
    return found


def test(variant: str, new: dict[str, int], old: dict[str, int], options: argparse.Namespace) -> dict[str, object]:
    """Play until the test decides or the games are used up."""
    sprt = Sprt(*options.bounds)
    limits = Limits(move_time=options.ms / 1000) if options.ms else Limits(nodes=options.nodes)
    counts = [0] * 5
    decision = Decision.CONTINUE
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool, Progress() as progress:
        task = progress.add_task(variant, total=options.games)
        for first in range(0, options.games // 2, BATCH):
            seeds = range(first, min(first + BATCH, options.games // 2))
            pairs = [Pair(variant, 1000003 * options.seed + seed, limits, new, old) for seed in seeds]
            for score in pool.map(play_pair, pairs):
                counts[round(2 * score)] += 1
            decision = sprt.decide(Sample.pentanomial(counts))
            progress.update(task, advance=2 * len(pairs), description=f"{variant} {counts}")
            if decision is not Decision.CONTINUE:
                break
    sample = Sample.pentanomial(counts)
    shown = {"elo": elo(sample), "nelo": normalized_elo(sample)}
    return {
        "variant": variant,
        "new": new,
        "old": old,
        **({"ms": options.ms} if options.ms else {"nodes": options.nodes}),
        "games": 2 * sum(counts),
        "pairs": counts,
        **{name: [round(estimate.value, 1), round(estimate.error, 1)] for name, estimate in shown.items()},
        "llr": round(sprt.llr(sample), 2),
        "decision": str(decision),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=VARIANTS, default="russian")
    parser.add_argument("--new", nargs="+", default=[], metavar="NAME=VALUE", help="figures of the new searcher")
    parser.add_argument("--old", nargs="+", default=[], metavar="NAME=VALUE", help="figures of the old one")
    parser.add_argument("--bounds", type=float, nargs=2, default=(0, 15), metavar="ELO", help="(default: 0 15)")
    parser.add_argument("--games", type=int, default=1000, help="at most so many (default: %(default)s)")
    parser.add_argument("--nodes", type=int, default=5000, help="nodes a move (default: %(default)s)")
    parser.add_argument("--ms", type=float, help="milliseconds a move instead")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        new, old = figures(options.new), figures(options.old)
    except OptionError as error:
        print(f"sprt_search: {error}", file=sys.stderr)
        return 2
    print(json.dumps(test(options.variant, new, old, options)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
