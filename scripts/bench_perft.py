"""Speed of the compiled core against plain C on the same machine in the same run.

Perft of English checkers and Russian draughts alternates with the yardstick `perft_reference.c` (gcc -O3
-march=x86-64-v2); medians are compared. The search's nodes a second in each variant are set against the
yardstick's Russian leaves a second. Two searches in threads of one process are set against the same two in
two processes.

Example: python scripts/bench_perft.py --rounds 9 --seconds 3
Prints one JSON object; exit code 1 if a figure misses its target.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from engine import Control, Engine, Game, Limits, Position, Report

YARDSTICK = Path(__file__).with_name("perft_reference.c")
DEPTHS = {"english": 11, "russian": 11}  # 85 and 111 million leaves
SIX = ("russian", "brazilian", "english", "italian", "pool", "international")
PERFT_TARGET = 0.85
SEARCH_TARGET = 0.037
TRAINED_TARGET = 0.65  # of the nodes a second with the hand-made evaluation
THREADS_TARGET = 0.95  # of the speed of two processes


def build_yardstick(folder: Path) -> Path:
    """Compile the C program."""
    program = folder / "perft_reference"
    flags = ["-O3"] + (["-march=x86-64-v2"] if platform.machine().lower() in ("x86_64", "amd64") else [])
    subprocess.run(["gcc", *flags, "-o", str(program), str(YARDSTICK)], check=True)
    return program


def yardstick_speed(program: Path, variant: str, depth: int) -> tuple[int, float]:
    """Leaves, and leaves a second."""
    arguments = [str(program), "ru" if variant == "russian" else "en", str(depth), "1"]
    words = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
    fields = dict(word.split("=") for word in words if "=" in word)
    return int(fields["n"]), int(fields["n"]) / float(fields["t"])


def damier_speed(variant: str, depth: int) -> tuple[int, float]:
    """Leaves, and leaves a second, of `damier perft` in a process of its own."""
    command = [sys.executable, "-m", "protocol", "perft", variant, str(depth)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    fields = dict(line.split()[:2] for line in lines if line.startswith(("nps ", "nodes ")))
    return int(fields["nodes"]), float(fields["nps"])


def bench_perft(program: Path, variant: str, depth: int, rounds: int) -> dict[str, float]:
    """Alternate both programs; the medians and their ratio."""
    ours, theirs = [], []
    for _ in range(rounds):
        count, speed = yardstick_speed(program, variant, depth)
        theirs.append(speed)
        leaves, speed = damier_speed(variant, depth)
        ours.append(speed)
        if leaves != count:
            sys.exit(f"{variant} depth {depth}: {leaves} leaves, the yardstick counts {count}")
    return {
        "depth": depth,
        "leaves": count,
        "yardstick": statistics.median(theirs),
        "damier": statistics.median(ours),
        "ratio": statistics.median(ours) / statistics.median(theirs),
    }


def search_speed(variant: str, seconds: float, evaluation: str = "hand-made") -> float:
    """Nodes a second of one search from the start position."""
    engine = Engine()
    engine.set_param("variant", variant)
    engine.set_param("evaluation", evaluation)
    engine.prepare()
    reports: list[Report] = []
    engine.search(Game(Position.start(variant)), Limits(move_time=seconds), "analyze", reports.append, Control())
    return reports[-1].nodes / reports[-1].time


def two_threads(seconds: float) -> float:
    """Nodes a second of two searches in two threads of this process, together."""
    speeds: list[float] = []
    threads = [threading.Thread(target=lambda: speeds.append(search_speed("russian", seconds))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(speeds)


def two_processes(seconds: float) -> float:
    """The same in two processes."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(search_speed, ["russian"] * 2, [0.01] * 2))  # imports and page faults before the clock
        return sum(pool.map(search_speed, ["russian"] * 2, [seconds] * 2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="alternations of each comparison (default 7)")
    parser.add_argument("--seconds", type=float, default=3.0, help="length of each search (default 3)")
    parser.add_argument("--depth", type=int, help="perft depth instead of 11")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build_yardstick(Path(folder))
        perft = {
            variant: bench_perft(program, variant, options.depth or depth, options.rounds)
            for variant, depth in DEPTHS.items()
        }
    yardstick = perft["russian"]["yardstick"]
    search = {}
    for variant in SIX:
        speeds = [
            [search_speed(variant, options.seconds, evaluation) for evaluation in ("hand-made", "trained")]
            for _ in range(3)
        ]
        nps, trained = (statistics.median(column) for column in zip(*speeds, strict=True))
        search[variant] = {"nps": nps, "ratio": nps / yardstick, "trained": trained, "trained_share": trained / nps}
    pairs = [(two_threads(options.seconds), two_processes(options.seconds)) for _ in range(3)]
    threads = statistics.median(pair[0] for pair in pairs)
    processes = statistics.median(pair[1] for pair in pairs)
    misses = [f"perft {name}" for name, row in perft.items() if row["ratio"] < PERFT_TARGET]
    misses += [f"search {name}" for name, row in search.items() if row["ratio"] < SEARCH_TARGET]
    misses += [f"trained {name}" for name, row in search.items() if row["trained_share"] < TRAINED_TARGET]
    if threads < THREADS_TARGET * processes:
        misses.append("threads")
    summary = {
        "perft": perft,
        "search": search,
        "two_threads": {"threads": threads, "processes": processes, "ratio": threads / processes},
        "misses": misses,
    }
    print(json.dumps(summary, indent=2))
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
