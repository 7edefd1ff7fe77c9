"""Self-play through the Python face: every move checked, every result by a named rule, lateness and memory measured.

Each game starts with random moves and goes on with the engine on both sides, a fixed time a move. Games run
in worker processes, or on the Dask cluster whose scheduler's address is given; the variants take turns.

Example: python scripts/selfplay.py --games 300 --ms 10 --out games.jsonl
Writes one JSON line a game and prints one JSON summary; exit code 1 if a game went wrong. A run that was broken off
goes on where it was when it is started again with the same settings and file; the summary counts all games of the file.
"""

import argparse
import collections
import itertools
import json
import math
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TextIO

from engine import VARIANTS, Control, Engine, Game, IllegalMoveError, Limits, Position

SIX = ("russian", "brazilian", "english", "italian", "pool", "international")
LONGEST = 2000  # plies; every variant's draw rules end a game long before
STATUS = Path("/proc/self/status")  # memory of the process, on Linux
TT_SIZE = 18


@dataclass(frozen=True)
class Task:
    """One game to play."""

    variant: str
    number: int
    seed: int
    ms: float
    random_plies: int


@dataclass
class Record:
    """One game played. Times are in milliseconds; `noise` holds the overruns of sleeps of the same length.

    `memory_mb` is what the process holds after the game, `private_mb` the part that is no file (Linux; 0 elsewhere).
    """

    task: Task
    start: str
    moves: list[str] = field(default_factory=list)
    score: str = "*"
    reason: str = ""
    error: str = ""
    overruns: list[float] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)
    process: str = ""  # of which the memory is; its number and when it started
    finished: float = 0.0  # seconds since 1970
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0
    private_mb: float = 0.0


STARTED = f"{os.getpid()}@{time.time():.0f}"
_engines: dict[str, Engine] = {}  # one a process and variant, kept over its games


def engine_for(variant: str) -> Engine:
    if variant not in _engines:
        engine = Engine()
        engine.set_param("tt-size", TT_SIZE)
        engine.set_param("book", False)
        engine.set_param("variant", variant)
        engine.prepare()
        _engines[variant] = engine
    return _engines[variant]


def open_game(task: Task) -> Game:
    """A game of some random plies that is not over yet."""
    chance = random.Random(f"{task.seed} {task.variant} {task.number}")
    while True:
        game = Game(Position.start(VARIANTS[task.variant]))
        for _ in range(task.random_plies):
            if not game.outcome:
                game.play(chance.choice(game.legal_moves()))
        if not game.outcome:
            return game


def memory() -> tuple[float, float]:
    """Megabytes that this process holds, and those of them that are no file."""
    if not STATUS.exists():
        return 0.0, 0.0
    fields = dict(line.split(":", 1) for line in STATUS.read_text(encoding="ascii").splitlines())
    resident, private = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))
    return resident, private


def play_game(task: Task) -> Record:
    """Play one game; what goes wrong stands in the record's `error`."""
    began = time.process_time()
    game = open_game(task)
    record = Record(task, game.start.fen(), [move.hub() for move in game.moves])
    try:
        play_out(game, record)
    except Exception as error:
        record.error = f"{type(error).__name__}: {error}"
    record.process = STARTED
    record.finished = time.time()
    record.cpu_seconds = time.process_time() - began
    record.memory_mb, record.private_mb = memory()
    return record


def play_out(game: Game, record: Record) -> None:
    """Play to the end. Raises DamierError and whatever else goes wrong."""
    task = record.task
    engine = engine_for(task.variant)
    engine.new_game()
    limits = Limits(move_time=task.ms / 1000)
    for _ in range(20):
        started = time.perf_counter()
        time.sleep(task.ms / 1000)
        record.noise.append(1000 * (time.perf_counter() - started) - task.ms)
    while not game.outcome:
        started = time.perf_counter()
        result = engine.search(game, limits, "think", lambda report: None, Control())
        record.overruns.append(1000 * (time.perf_counter() - started) - task.ms)
        if result.move is None or result.move not in game.legal_moves():
            raise IllegalMoveError(f"{result.move} is not legal after {len(game.moves)} plies")
        record.moves.append(game.play(result.move).hub())
        if len(game.moves) > LONGEST:
            record.error = f"no end after {LONGEST} plies"
            return
    record.score, record.reason = game.outcome.score, game.outcome.reason
    if not record.reason:
        record.error = "a result without a rule"


def read_records(file: Path) -> list[Record]:
    """The games of a file; a last line without an end is cut off, that game will be played again."""
    data = file.read_bytes() if file.exists() else b""
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.truncate(file, whole)
    records = []
    for line in data[:whole].splitlines():
        values = json.loads(line)
        records.append(Record(**values | {"task": Task(**values["task"])}))
    return records


def play_all(tasks: Iterable[Task], executor: Executor, pending: int, spent: float, limit: float) -> Iterator[Record]:
    """Games as they end, `pending` at a time; none begins once they have cost `limit` CPU seconds."""
    todo = iter(tasks)
    running: set[Future[Record]] = set()
    while True:
        if spent < limit:
            running |= {executor.submit(play_game, task) for task in itertools.islice(todo, pending - len(running))}
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            record = future.result()
            spent += record.cpu_seconds
            yield record


@contextmanager
def open_executor(workers: int, cluster: str | None) -> Iterator[Executor]:
    """Worker processes here, or those of a Dask cluster."""
    with ExitStack() as stack:
        if cluster:
            from distributed import Client

            client = stack.enter_context(Client(cluster))
            yield stack.enter_context(client.get_executor())
        else:
            yield stack.enter_context(ProcessPoolExecutor(workers, mp_context=get_context("spawn")))


def distribution(values: Iterable[float]) -> dict[str, float]:
    ordered = sorted(values)
    if not ordered:
        return {}
    place = {"median": 0.5, "p99": 0.99, "p99.9": 0.999, "maximum": 1.0}
    return {name: round(ordered[min(len(ordered) - 1, int(p * len(ordered)))], 3) for name, p in place.items()}


def summarise(records: Sequence[Record]) -> dict[str, object]:
    """Results, lengths and lateness of one variant's games."""
    plies = [len(record.moves) for record in records]
    overruns = list(itertools.chain.from_iterable(record.overruns for record in records))
    return {
        "games": len(records),
        "errors": [f"game {record.task.number}: {record.error}" for record in records if record.error],
        "scores": dict(collections.Counter(record.score for record in records)),
        "reasons": dict(collections.Counter(record.reason for record in records)),
        "plies": {"mean": sum(plies) / len(plies), "longest": max(plies)},
        "moves": len(overruns),
        "overrun_ms": distribution(overruns),
        "overruns_above_30_ms": sum(overrun > 30 for overrun in overruns),
        "scheduling_noise_ms": distribution(itertools.chain.from_iterable(record.noise for record in records)),
    }


def summarise_memory(records: Iterable[Record]) -> list[dict[str, object]]:
    """What each process held, over time: samples a tenth of its games apart, from the first to the last."""
    series: dict[str, list[Record]] = {}
    for record in records:
        series.setdefault(record.process, []).append(record)
    rows: list[dict[str, object]] = []
    for process, played in series.items():
        played.sort(key=lambda record: record.finished)
        last = len(played) - 1
        samples = [played[place] for place in sorted({last * tenth // 10 for tenth in range(11)})]
        rows.append(
            {
                "process": process,
                "games": len(played),
                "minutes": [round((record.finished - played[0].finished) / 60, 1) for record in samples],
                "memory_mb": [round(record.memory_mb, 1) for record in samples],
                "private_mb": [round(record.private_mb, 1) for record in samples],
                "highest_mb": round(max(record.memory_mb for record in played), 1),
            }
        )
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", action="append", choices=[*VARIANTS], help="may be repeated (default: six)")
    parser.add_argument("--games", type=int, default=300, help="games of each variant (default 300)")
    parser.add_argument("--ms", type=float, default=10.0, help="milliseconds a move (default 10)")
    parser.add_argument("--random-plies", type=int, default=6, help="random moves at the start (default 6)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler instead of processes here")
    parser.add_argument("--core-hours", type=float, default=math.inf, help="begin no game once they have cost so much")
    parser.add_argument("--out", type=Path, help="file of one JSON line a game, gone on with if it is there")
    options = parser.parse_args()
    variants = options.variant or SIX
    tasks = [
        Task(variant, number, options.seed, options.ms, options.random_plies)
        for number in range(options.games)
        for variant in variants
    ]
    records = read_records(options.out) if options.out else []
    done = {record.task for record in records}
    if done - set(tasks):
        parser.error(f"{options.out} holds other games than these settings ask for")
    spent = sum(record.cpu_seconds for record in records)
    with ExitStack() as stack:
        file: TextIO | None = stack.enter_context(options.out.open("a", encoding="utf-8")) if options.out else None
        executor = stack.enter_context(open_executor(options.workers, options.cluster))
        remaining = [task for task in tasks if task not in done]
        pending = len(tasks) if options.cluster else 2 * options.workers
        for record in play_all(remaining, executor, pending, spent, 3600 * options.core_hours):
            records.append(record)
            if file:
                print(json.dumps(asdict(record)), file=file, flush=True)
    played = {variant: [record for record in records if record.task.variant == variant] for variant in variants}
    summary = {
        "games": len(records),
        "core_hours": round(sum(record.cpu_seconds for record in records) / 3600, 3),
        "errors": sum(bool(record.error) for record in records),
        "variants": {variant: summarise(games) for variant, games in played.items() if games},
        "memory": summarise_memory(records),
    }
    print(json.dumps(summary, indent=2))
    return 1 if summary["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
