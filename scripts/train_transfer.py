"""Takes a variant's weights over to another variant that is played with the same pieces on the same squares.

A start for variants with few games of their own, to be judged by the gate and trained further like any other weights.

Example: python scripts/train_transfer.py --source international --variant killer --out killer.weights
Prints one JSON line.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from engine import VARIANTS, DamierError, WeightsError
from engine.pattern_weights import Header, Weights, check, family, load, parse, write
from engine.rules import Rules
from training import weights


def transferred(source: Rules, found: Weights, rules: Rules) -> Header:
    """The header with which the weights of `source` serve `rules`. Raises WeightsError if the boards differ."""
    places = [[each.coordinates(square) for square in range(1, each.squares + 1)] for each in (source, rules)]
    if places[0] != places[1]:
        raise WeightsError(f"{source.title} and {rules.title} are not played on the same squares")
    origin = {"taken from": source.name, "checksum": found.checksum} | found.header.origin
    header = replace(found.header, variant=family(rules), origin=origin)
    check(header, rules)
    return header


def main(arguments: list[str] | None = None) -> int:
    """Read, change the header, write; returns the exit code: 0 when the file is written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", choices=[*VARIANTS], required=True, help="the variant whose weights are taken")
    parser.add_argument("--weights", default=weights.INSTALLED, metavar="FILE", help="its weights (installed)")
    parser.add_argument("--variant", choices=[*VARIANTS], required=True, help="the variant that they are to serve")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the weights")
    options = parser.parse_args(arguments)
    source, rules = VARIANTS[options.source], VARIANTS[options.variant]
    try:
        file = weights.find(options.source, options.weights).file
        if file is None:
            raise WeightsError(f"{source.title} has no weights")
        found = load(file, source)
        write(options.out, transferred(source, found, rules), found.values)
    except (DamierError, OSError) as error:
        print(f"train_transfer: {error}", file=sys.stderr)
        return 2
    made = parse(options.out.read_bytes(), rules)
    print(json.dumps({"variant": rules.name, "out": str(options.out), "checksum": made.checksum}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
