"""Speed and memory of the PDN reader: parsing alone, parsing with every move checked, a large file.

    python scripts/bench_pdn.py FILE.pdn [--megabytes 1024] [--seconds 5]

Prints one line of JSON a measurement. The large file is made by repeating FILE in a temporary directory; its
reading shows peak memory after a tenth of it and at the end, which must be the same.
"""

import argparse
import json
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from engine.pdn import PdnGame
from engine.pdn_reader import read_games
from engine.pdn_replay import replay


def peak_megabytes() -> float:
    """Peak resident memory of this process."""
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20, 1)


def measure(name: str, data: bytes, seconds: float, each: Callable[[PdnGame], object]) -> dict[str, object]:
    """Read the file again and again until the time is over; the best pass counts."""
    best, games, moves, passes = 0.0, 0, 0, 0
    end = time.perf_counter() + seconds
    while passes == 0 or time.perf_counter() < end:
        started = time.perf_counter()
        games = moves = 0
        for game in read_games(data):
            each(game)
            games += 1
            moves += len(game.moves)
        best = max(best, games / (time.perf_counter() - started))
        passes += 1
    return {"what": name, "games": games, "moves": moves, "games_per_second": round(best), "passes": passes}


def check(game: PdnGame) -> None:
    """Every move must be legal."""
    done = replay(game)
    if not done.complete:
        raise SystemExit(f"game {game.number}: {done.faults}")


def large_file(data: bytes, megabytes: int) -> dict[str, object]:
    """Read a file of this size as a stream."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "large.pdn"
        with path.open("wb") as file:
            for _ in range(megabytes * 2**20 // len(data) + 1):
                file.write(data + b"\n")
        size = path.stat().st_size
        started = time.perf_counter()
        early, games = 0.0, 0
        stream: Iterable[PdnGame] = read_games(path)
        tenth = size // 10 // max(1, len(data) // max(1, sum(1 for _ in read_games(data))))
        for games, _ in enumerate(stream, 1):
            if games == tenth:
                early = peak_megabytes()
        return {
            "what": "large file",
            "bytes": size,
            "games": games,
            "seconds": round(time.perf_counter() - started, 1),
            "peak_mb_after_a_tenth": early,
            "peak_mb": peak_megabytes(),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--megabytes", type=int, default=0, help="size of the large file; 0: none")
    parser.add_argument("--seconds", type=float, default=5.0, help="time for each measurement")
    args = parser.parse_args()
    data = args.file.read_bytes()
    print(json.dumps({"file": args.file.name, "bytes": len(data), "machine": platform.machine(),
                      "python": platform.python_version()}))  # fmt: skip
    print(json.dumps(measure("parse", data, args.seconds, lambda game: None)))
    print(json.dumps(measure("parse and check every move", data, args.seconds, check)))
    if args.megabytes:
        print(json.dumps(large_file(data, args.megabytes)))


if __name__ == "__main__":
    main()
