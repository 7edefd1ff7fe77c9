"""The speed of two or more builds of damier, as ratios within one run.

Example: python scripts/compare_builds.py build/before . --rounds 9

Each tree is a checkout compiled in place (`python setup.py build_ext --inplace`). Its `damier bench` runs in turn with
those of the others; nodes a second of CPU time are compared, since other work on the machine hardly touches these.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path


def nodes_a_second(tree: Path, variant: str, depth: int) -> float:
    """Nodes a CPU second of one bench; the start of the process counts too."""
    command = [sys.executable, "-m", "protocol.cli", "bench", "--variant", variant, "--depth", str(depth)]
    environment = os.environ | {"PYTHONPATH": str(tree.resolve()), "DAMIER_EGDB": "off"}
    before = os.times()
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    after = os.times()
    nodes = re.search(r"^signature (\d+)$", done.stdout, re.M)
    assert nodes is not None, done.stdout
    return int(nodes[1]) / (after.children_user - before.children_user + after.children_system - before.children_system)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE", help="the first one is what others compare with")
    parser.add_argument("--variant", default="russian")
    parser.add_argument("--depth", type=int, default=20, help="plies (%(default)s)")
    parser.add_argument("--rounds", type=int, default=9, help="runs of each tree (%(default)s)")
    options = parser.parse_args()
    speeds: dict[Path, list[float]] = {tree: [] for tree in options.trees}
    for _ in range(options.rounds):
        for tree, found in speeds.items():
            found.append(nodes_a_second(tree, options.variant, options.depth))
    first = speeds[options.trees[0]]
    for tree, found in speeds.items():
        ratio = statistics.median(one / base for one, base in zip(found, first, strict=True))
        spread = f"{min(found) / 1e6:.2f} to {max(found) / 1e6:.2f}"
        print(f"{tree}: {statistics.median(found) / 1e6:.2f} million nodes a CPU second ({spread}), ratio {ratio:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
