"""Writes the bench signatures that the tests compare: nodes of every variant at two depths, with the hand-made
evaluation, so that new weights do not change them.

A change of the search changes them, and says so in its commit; any other change must not.

Example: python scripts/write_signatures.py
Writes tests/data/signatures.json.
"""

import argparse
import json
import sys
from pathlib import Path

from engine import VARIANTS
from engine.params import HAND_MADE
from protocol import bench

FILE = Path(__file__).resolve().parent.parent / "tests" / "data" / "signatures.json"
SMALL_DEPTH = 4  # quick enough for the plain core


def main() -> int:
    """Search the bench positions and write the file."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    signatures = {
        str(depth): {variant: bench.run(variant, depth, evaluation=HAND_MADE).nodes for variant in VARIANTS}
        for depth in (SMALL_DEPTH, bench.DEPTH)
    }
    FILE.write_text(json.dumps(signatures, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
