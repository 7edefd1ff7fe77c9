"""Makes training records by self-play: random balanced openings, a fixed number of nodes a move.

Games come in chunks of a hundred. A chunk depends on the seed, the settings and its number alone, and its file
appears whole or not at all, so a run may be killed at any moment and the same command goes on with what is missing.

Example: python scripts/train_games.py --variant russian --games 30000 --nodes 2000 --out games
Writes games/VARIANT/SLICE-NNNNN.npz (docs/training.md says what is in them), appends what each chunk cost to
games/VARIANT/SLICE.log, and prints one JSON line a variant.
"""

import argparse
import json
import sys
import time
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from engine import VARIANTS, DamierError
from training import weights
from training.chunks import CHUNK, Slice, play_chunk
from training.executors import Where, open_executor, results
from training.play import Settings
from training.records import RecordError, write


def deadline(text: str | None) -> float:
    """Seconds since the epoch of the next HH:MM, infinite for none."""
    if text is None:
        return float("inf")
    now = datetime.now()
    then = datetime.combine(now.date(), datetime.strptime(text, "%H:%M").time())
    return then.timestamp() + (86400 if then < now else 0)


def progress_bar() -> Progress:
    """A bar with the rate and the time left, on standard error."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def generate(work: Slice, games: int, folder: Path, where: Where, weights: bytes | None) -> None:
    """Play the missing chunks of a slice. Raises RecordError when it was begun with other settings."""
    missing = work.missing(folder, games)
    if not missing:
        return
    work.claim(folder)
    log = folder / work.variant / f"{work.name}.log"
    tasks = ((work, number, CHUNK, weights) for number in missing if time.time() < where.until)
    with open_executor(where) as (executor, size), progress_bar() as bar:
        total = -(-games // CHUNK) * CHUNK
        task = bar.add_task(f"{work.variant} {work.name}", total=total, completed=total - CHUNK * len(missing), rate="")
        started, played = time.monotonic(), 0
        for chunk in results(executor, size, play_chunk, tasks):
            write(work.file(folder, chunk.number), chunk.data)
            cost = {"chunk": chunk.number, "seconds": round(chunk.seconds, 3), "searching": round(chunk.searching, 3)}
            with log.open("a", encoding="utf-8") as out:
                print(json.dumps({**cost, **chunk.counts}), file=out)
            played += CHUNK
            bar.update(task, advance=CHUNK, rate=f"{played / (time.monotonic() - started):.1f} games/s")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The options that say how games are played."""
    usual = Settings()
    parser.add_argument("--nodes", type=int, default=usual.nodes, help="nodes a move (default: %(default)s)")
    parser.add_argument(
        "--plies", type=int, nargs=2, default=usual.plies, metavar=("FROM", "TO"), help="random plies of an opening"
    )
    parser.add_argument("--balance", type=int, default=usual.balance, help="centi-men that an opening may be off")
    parser.add_argument("--varied", type=float, default=usual.varied, help="part of the moves that are varied")
    parser.add_argument("--win", type=int, default=usual.win, help="centi-men that decide a game (%(default)s)")
    parser.add_argument("--row", type=int, default=usual.row, help="... for so many plies in a row (%(default)s)")
    parser.add_argument("--played-out", type=float, default=usual.played_out, help="part of the games not adjudicated")
    parser.add_argument("--cap", type=int, default=usual.cap, help="plies after which a game is a draw (%(default)s)")


def settings_of(options: argparse.Namespace) -> Settings:
    """What `add_settings` read."""
    return Settings(
        nodes=options.nodes,
        plies=tuple(options.plies),
        balance=options.balance,
        varied=options.varied,
        win=options.win,
        row=options.row,
        played_out=options.played_out,
        cap=options.cap,
    )


def main() -> int:
    """Make the records of each variant in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", action="append", choices=[*VARIANTS], required=True, help="may be repeated")
    parser.add_argument("--games", type=int, default=30000, help="games of each variant (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("games"), help="folder of the records")
    parser.add_argument("--slice", default="a", help="name of games made with the same settings (default: a)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--weights", default=weights.INSTALLED, help="both sides' weights: a file, a folder, installed or hand-made"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler instead of processes here")
    parser.add_argument("--until", metavar="HH:MM", help="begin no chunk after this time of the day")
    add_settings(parser)
    options = parser.parse_args()
    where = Where(options.workers, options.cluster, deadline(options.until))
    try:
        for variant in options.variant:
            source = weights.find(variant, options.weights)
            work = Slice.of(variant, options.slice, options.seed, settings_of(options), source)
            generate(work, options.games, options.out, where, source.data)
            print(json.dumps({"variant": variant, "slice": work.name, **work.counts(options.out)}), flush=True)
    except (DamierError, RecordError, OSError) as error:
        print(f"train_games: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
