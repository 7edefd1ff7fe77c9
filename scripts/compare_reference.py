"""Compare the legal moves of the product with the slow reference of the tests on many random positions.

    python scripts/compare_reference.py --positions 100000 --out comparison.json

Positions are reached by random play from the start and from random set-ups full of kings, in every variant and every
reading of a rule that changes the moves. Where the reference would need too many hops the position is skipped and
counted. Exit code 1 if anything differs.
"""

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.reference.compare import Pair, Tally, compare, pairs


def part(index: int, count: int, seed: int) -> Tally:
    """One chunk of the work; the pair is named by its index, since rules hold functions that do not travel."""
    return compare(pairs()[index], count, seed)


def merge(tallies: list[Tally]) -> dict[str, object]:
    """The sum over all chunks of a pair."""
    return {
        "positions": sum(tally.positions for tally in tallies),
        "with_captures": sum(tally.captures for tally in tallies),
        "moves": sum(tally.moves for tally in tallies),
        "skipped": sum(tally.skipped for tally in tallies),
        "differences": [text for tally in tallies for text in tally.differences],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="compare the product with the slow reference")
    parser.add_argument("--positions", type=int, default=10_000, help="positions per variant")
    parser.add_argument("--chunk", type=int, default=5000, help="positions per task")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--variant", action="append", help="only this one (may be repeated)")
    parser.add_argument("--out", type=Path, help="where to write the summary as JSON")
    args = parser.parse_args()

    chosen: list[tuple[int, Pair]] = [
        (index, pair) for index, pair in enumerate(pairs()) if not args.variant or pair.rules.name in args.variant
    ]
    begun = time.monotonic()
    summary: dict[str, dict[str, object]] = {}
    with ProcessPoolExecutor(args.processes) as pool:
        tasks = {}
        for index, pair in chosen:
            for chunk, at in enumerate(range(0, args.positions, args.chunk)):
                count = min(args.chunk, args.positions - at)
                tasks[pool.submit(part, index, count, args.seed * 1_000_000 + chunk)] = str(pair)
        left = {name: list(tasks.values()).count(name) for name in tasks.values()}
        tallies: dict[str, list[Tally]] = {name: [] for name in left}
        for task in as_completed(tasks):
            name = tasks[task]
            tallies[name].append(task.result())
            if len(tallies[name]) == left[name]:
                summary[name] = merge(tallies[name])
                differences = summary[name]["differences"]
                assert isinstance(differences, list)
                print(f"{name}: {summary[name]['positions']} positions, {len(differences)} differences", flush=True)
    failed = any(row["differences"] for row in summary.values())
    result = {
        "seed": args.seed,
        "seconds": round(time.monotonic() - begun, 1),
        "variants": {name: summary[name] for _, pair in chosen if (name := str(pair))},
    }
    text = json.dumps(result, indent=1)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
