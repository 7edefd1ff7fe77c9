"""Trains whole generations of weights unattended: games, fit, gate, installation, for one variant or all.

Each variant plays games against itself with the weights in use, fits new ones to all its games so far, and takes them
into use if they win the gate. Any kill is survived: the same command goes on where it was. Seeds follow from --seed,
the variant and the generation.

Example: python scripts/train_generation.py --variant all --out training --games 30000 --nodes 2000 --install
Everything lies in the folder --out (docs/training.md); generations.jsonl in it has one line a generation, which is
also printed as a table at the end. Exit code 0, or 1 if a variant failed (the others go on).
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from engine import VARIANTS, DamierError
from protocol.match.statistics import Sprt
from train_games import add_settings, deadline, generate, settings_of
from training import weights
from training.chunks import EngineError, Slice
from training.executors import Where
from training.gate import GateError, Match, play
from training.generations import Line, Log, Places, slice_name, table
from training.records import RecordError, write

FIT = Path(__file__).with_name("train_fit.py")


class Unfinished(Exception):
    """The time is over before the generation is."""


class FitError(RuntimeError):
    """The fit failed; says how."""


def fit(places: Places, variant: str, generation: int, start: weights.Source, options: argparse.Namespace) -> Line:
    """Fit weights to the games of all generations so far, unless that was done. Raises FitError."""
    done = places.fitted(variant, generation)
    out = places.weights(variant, generation)
    if not (done.exists() and out.exists()):
        out.parent.mkdir(parents=True, exist_ok=True)
        places.losses(variant, generation).unlink(missing_ok=True)
        command = [
            *(sys.executable, str(FIT), "--variant", variant, "--games", str(places.games / variant)),
            *("--out", str(out), "--seed", str(options.seed), "--log", str(places.losses(variant, generation))),
            *(word for number in range(1, generation + 1) for word in ("--slice", slice_name(number))),
            *(("--start", str(start.file)) if start.file else ()),
            *(("--quiet",) if options.quiet else ()),
        ]
        started = time.monotonic()
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if run.returncode:
            raise FitError(f"{variant}: the fit ended with code {run.returncode}")
        said = json.loads(run.stdout.splitlines()[-1])
        write(done, json.dumps({**said, "seconds": round(time.monotonic() - started, 1)}).encode())
    found: Line = json.loads(done.read_text(encoding="utf-8"))
    return found


def cost_of(log: Path) -> float:
    """Seconds of work that the chunks of a slice took; a chunk that was played twice counts once."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    chunks = {line["chunk"]: line["seconds"] for line in map(json.loads, lines)}
    return float(sum(chunks.values()))


def train(places: Places, log: Log, variant: str, options: argparse.Namespace, where: Where) -> Line:
    """Make the next generation of a variant. Raises Unfinished when the time is over."""
    generation = log.next_generation(variant)
    name = slice_name(generation)
    source = log.in_use(variant, options.begin)
    work = Slice.of(variant, name, options.seed, settings_of(options), source)
    generate(work, options.games, places.games, where, source.data)
    if work.missing(places.games, options.games) or time.time() >= where.until:
        raise Unfinished
    fitted = fit(places, variant, generation, source, options)
    out = places.weights(variant, generation)
    match = Match(
        variant=variant,
        games=options.gate_games,
        movetime=options.gate_movetime,
        nodes=options.gate_nodes,
        openings=options.gate_openings,
        sprt=Sprt(*options.gate_sprt) if options.gate_sprt else None,
        seed=options.seed,
    )
    new = weights.find(variant, str(out))
    verdict = play(match, new, source, places.gate(variant, generation), where, options.quiet)
    if verdict.accepted and options.install:
        place = weights.installed_place(variant)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(out, place)
    return {
        "variant": variant,
        "generation": generation,
        "seed": options.seed,
        "before": source.checksum,
        "weights": str(out.relative_to(places.folder)),
        "checksum": new.checksum,
        "games": work.counts(places.games),
        "settings": work.describe()["settings"],
        "fit": fitted,
        "gate": verdict.as_json(),
        "seconds": {
            "games": round(cost_of(places.games / variant / f"{name}.log"), 1),
            "fit": fitted["seconds"],
            "gate": verdict.seconds,
        },
        "finished": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", action="append", choices=[*VARIANTS, "all"], required=True, help="may be repeated")
    parser.add_argument("--out", type=Path, default=Path("training"), help="folder of everything (training)")
    parser.add_argument("--generations", type=int, default=1, help="train up to this generation (1)")
    parser.add_argument("--games", type=int, default=30000, help="new games of each generation (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--begin", default=weights.INSTALLED, metavar="WEIGHTS", help="before the first (installed)")
    parser.add_argument("--install", action="store_true", help="copy accepted weights into the engine")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler instead of processes here")
    parser.add_argument("--until", metavar="HH:MM", help="begin nothing after this time of the day")
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--table", action="store_true", help="only print the table of what has been done")
    gate = Match("")
    parser.add_argument("--gate-games", type=int, default=gate.games, help="games of the gate (%(default)s)")
    parser.add_argument("--gate-movetime", type=float, default=gate.movetime, help="seconds a move (%(default)s)")
    parser.add_argument("--gate-nodes", type=int, default=0, help="nodes a move instead of a time")
    parser.add_argument("--gate-openings", default=gate.openings, help="as for damier match (%(default)s)")
    parser.add_argument("--gate-sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop by a sequential test")
    add_settings(parser)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Make the generations that are asked for."""
    options = read_options(arguments)
    places = Places(options.out)
    log = Log(places.log)
    variants = weights.owners([*VARIANTS]) if "all" in options.variant else options.variant
    console = Console(width=None if sys.stdout.isatty() else 130)
    where = Where(options.workers, options.cluster, deadline(options.until))
    failed: dict[str, object] = {}
    for generation in range(1, options.generations + 1):
        for variant in variants:
            if variant in failed or log.next_generation(variant) > generation or options.table:
                continue
            try:
                log.add(train(places, log, variant, options, where))
                console.print(table(log.of(variant)[-1:]))
            except Unfinished:
                failed[variant] = "not finished in time; the same command goes on"
            except (DamierError, RecordError, GateError, FitError, EngineError, OSError) as error:
                failed[variant] = error
    console.print(table(log.lines))
    for variant, why in failed.items():
        print(f"train_generation: {variant}: {why}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
