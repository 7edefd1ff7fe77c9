"""Fits the weights of a variant's evaluation to records of games, and writes the file that the engine reads.

Positions are those without a capture to make or to fear. One game in ten is held out. The fit stops when the loss on
the held-out games has not improved for some iterations, and keeps the best weights. The last line printed is a JSON
object. Needs the extra damier[train].

Example: python scripts/train_fit.py --variant russian --games games/russian --out engine/weights/russian.weights
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engine import DamierError, find_variant
from engine.pattern_groups import groups, states
from engine.pattern_weights import UNIT, Header, Weights, family, features, load, parse, write
from engine.rules import Rules
from training.fitting import Array, Fit, Step, entropy, fit, scale_of
from training.records import RecordError
from training.samples import Data, read

LIMIT = 32767
FEW = 0  # pieces at which the ending's weights would count alone
MANY = 1 / 2  # part of the pieces of the start position from which on the opening's do


def main(argv: Sequence[str] | None = None) -> int:
    """Read, fit, write; returns the exit code: 0 when the file is written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", required=True, help="name, alias or GameType number")
    parser.add_argument("--games", type=Path, required=True, metavar="FOLDER", help="records, all files of the folder")
    parser.add_argument("--slice", action="append", default=[], metavar="NAME", help="only these slices; repeatable")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the weights")
    parser.add_argument("--start", type=Path, metavar="FILE", help="weights to go on from")
    parser.add_argument(
        "--blend", type=float, default=1.0, help="share of the search's score in the target (%(default)s)"
    )
    parser.add_argument("--l2", type=float, default=3.0, help="penalty of weights, in positions (%(default)s)")
    parser.add_argument("--iterations", type=int, default=100, help="at most (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the games held out (%(default)s)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="losses of each iteration as JSON lines")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="picture of the losses (needs matplotlib)")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args(argv)
    try:
        print(json.dumps(run(args)))
    except (DamierError, RecordError, OSError) as error:
        print(f"train_fit: {error}", file=sys.stderr)
        return 2
    return 0


def run(args: argparse.Namespace) -> dict[str, Any]:
    """All of it; returns what is printed. Raises DamierError, RecordError, OSError."""
    began = time.perf_counter()
    rules = find_variant(args.variant)
    start = None if args.start is None else load(args.start, rules)
    header = fresh_header(rules) if start is None else start.header
    data = read(args.games, rules, header, args.seed, tuple(args.slice))
    scale = scale_of(data.train)
    penalty = penalties(header, rules, args.l2 / max(1, len(data.train)))
    centre = None if start is None else logits(start, scale)
    log = None if args.log is None else args.log.open("w", encoding="utf-8")
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        console=Console(stderr=True), disable=args.quiet,
    )  # fmt: skip
    with bar:
        task = bar.add_task("fit", total=args.iterations)

        def note(step: Step) -> None:
            bar.update(task, completed=step.iteration, description=f"held-out loss {step.heldout_loss:.5f}")
            if log is not None:
                print(json.dumps(asdict(step)), file=log, flush=True)

        found = fit(data, penalty, args.blend, scale, args.iterations, centre, note)
    if log is not None:
        log.close()
    if args.plot is not None:
        plot(args.plot, found, f"{rules.title}: {data.games} games, {len(data.train)} positions")
    report = summary(args, data, found, scale) | {"seconds": round(time.perf_counter() - began, 1)}
    origin = {key: value for key, value in report.items() if key not in ("variant", "out", "seconds")}
    values = np.clip(np.rint(found.weights * scale * UNIT), -LIMIT, LIMIT).astype(int).ravel().tolist()
    made = Header(header.variant, header.groups, header.features, header.few, header.many, origin)
    write(args.out, made, values)
    return report | {"checksum": parse(args.out.read_bytes(), rules).checksum}


def fresh_header(rules: Rules) -> Header:
    """The header of weights that begin with nothing."""
    return Header(family(rules), groups(rules), features(rules), FEW, round(2 * rules.men * MANY))


def penalties(header: Header, rules: Rules, l2: float) -> Array:
    """The penalty of each weight: the features of the whole board are well known and hardly need one."""
    return np.concatenate(
        [
            np.full(sum(states(squares) for squares in header.groups), l2),
            np.full(len(features(rules)), l2 / 100),
        ]
    )


def logits(weights: Weights, scale: float) -> Array:
    """Weights of a file as the fit takes them."""
    found: Array = np.asarray(weights.values, np.float64).reshape(-1, 2) / (scale * UNIT)
    return found


def summary(args: argparse.Namespace, data: Data, found: Fit, scale: float) -> dict[str, Any]:
    """What the fit was made from and what it reached."""
    held = data.held_out
    return {
        "variant": args.variant,
        "out": str(args.out),
        "games": data.games,
        "positions": data.positions,
        "quiet": len(data.train) + len(held),
        "seed": args.seed,
        "blend": args.blend,
        "l2": args.l2,
        "scale": round(scale, 2),
        "iterations": found.best.iteration,
        "train_loss": round(found.best.train_loss, 5),
        "heldout_loss": round(found.best.heldout_loss, 5),
        "heldout_result_loss": round(found.best.heldout_result_loss, 5),
        "search_result_loss": round(entropy(held.score / scale, held.result), 5),
        "start": None if args.start is None else load(args.start, find_variant(args.variant)).checksum,
    }


def plot(file: Path, found: Fit, title: str) -> None:
    """Draw the losses by iteration."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    numbers = [step.iteration for step in found.steps]
    axes.plot(numbers, [step.train_loss for step in found.steps], label="trained on")
    axes.plot(numbers, [step.heldout_loss for step in found.steps], label="held out")
    axes.set_xlabel("iteration")
    axes.set_ylabel("cross entropy")
    axes.set_title(title)
    axes.legend()
    figure.savefig(file, dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    sys.exit(main())
