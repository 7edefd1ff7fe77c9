"""Self-play through the Python face: every move checked, every result by a named rule, lateness measured.

Each game starts with random moves and goes on with the engine on both sides, a fixed time a move. Games run
in worker processes, or on the Dask cluster whose scheduler's address is given.

Example: python scripts/selfplay.py --games 300 --ms 10 --out games.jsonl
Writes one JSON line a game and prints one JSON summary; exit code 1 if a game went wrong.
"""

import argparse
import collections
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context

from engine import VARIANTS, Control, DamierError, Engine, Game, Limits, Position

SIX = ("russian", "brazilian", "english", "italian", "pool", "international")
LONGEST = 2000  # plies; every variant's draw rules end a game long before
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
    """One game played. Times are in milliseconds; `noise` holds the overruns of sleeps of the same length."""

    variant: str
    number: int
    start: str
    moves: list[str] = field(default_factory=list)
    score: str = "*"
    reason: str = ""
    error: str = ""
    overruns: list[float] = field(default_factory=list)
    noise: list[float] = field(default_factory=list)


_engines: dict[str, Engine] = {}  # one a process and variant, kept over its games


def engine_for(variant: str) -> Engine:
    if variant not in _engines:
        engine = Engine()
        engine.set_param("tt-size", TT_SIZE)
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


def play_game(task: Task) -> Record:
    """Play one game; what goes wrong stands in the record's `error`."""
    game = open_game(task)
    record = Record(task.variant, task.number, game.start.fen(), [move.hub() for move in game.moves])
    engine = engine_for(task.variant)
    engine.new_game()
    limits = Limits(move_time=task.ms / 1000)
    for _ in range(20):
        started = time.perf_counter()
        time.sleep(task.ms / 1000)
        record.noise.append(1000 * (time.perf_counter() - started) - task.ms)
    while not game.outcome:
        started = time.perf_counter()
        try:
            result = engine.search(game, limits, "think", lambda report: None, Control())
            record.overruns.append(1000 * (time.perf_counter() - started) - task.ms)
            if result.move is None or result.move not in game.legal_moves():
                record.error = f"{result.move} is not legal after {len(game.moves)} plies"
                return record
            record.moves.append(game.play(result.move).hub())
        except DamierError as error:
            record.error = f"{type(error).__name__}: {error}"
            return record
        if len(game.moves) > LONGEST:
            record.error = f"no end after {LONGEST} plies"
            return record
    record.score, record.reason = game.outcome.score, game.outcome.reason
    if not record.reason:
        record.error = "a result without a rule"
    return record


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
        "errors": [f"game {record.number}: {record.error}" for record in records if record.error],
        "scores": dict(collections.Counter(record.score for record in records)),
        "reasons": dict(collections.Counter(record.reason for record in records)),
        "plies": {"mean": sum(plies) / len(plies), "longest": max(plies)},
        "moves": len(overruns),
        "overrun_ms": distribution(overruns),
        "overruns_above_30_ms": sum(overrun > 30 for overrun in overruns),
        "scheduling_noise_ms": distribution(itertools.chain.from_iterable(record.noise for record in records)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", action="append", choices=[*VARIANTS], help="may be repeated (default: six)")
    parser.add_argument("--games", type=int, default=300, help="games of each variant (default 300)")
    parser.add_argument("--ms", type=float, default=10.0, help="milliseconds a move (default 10)")
    parser.add_argument("--random-plies", type=int, default=6, help="random moves at the start (default 6)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cluster", metavar="ADDRESS", help="a Dask scheduler instead of processes here")
    parser.add_argument("--out", type=argparse.FileType("w", encoding="utf-8"), help="file of one JSON line a game")
    options = parser.parse_args()
    variants = options.variant or SIX
    tasks = [
        Task(variant, number, options.seed, options.ms, options.random_plies)
        for variant in variants
        for number in range(options.games)
    ]
    records: dict[str, list[Record]] = {variant: [] for variant in variants}
    with open_executor(options.workers, options.cluster) as executor:
        for future in as_completed([executor.submit(play_game, task) for task in tasks]):
            record = future.result()
            records[record.variant].append(record)
            if options.out:
                options.out.write(json.dumps(asdict(record)) + "\n")
    summary = {variant: summarise(played) for variant, played in records.items()}
    print(json.dumps(summary, indent=2))
    return 1 if any(record.error for played in records.values() for record in played) else 0


if __name__ == "__main__":
    sys.exit(main())
