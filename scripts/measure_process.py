"""What a front end feels of the Hub process: start-up, memory, and the delay of `stop` and `ping`.

Example: python scripts/measure_process.py --starts 20 --stops 200
Prints one JSON object (milliseconds and megabytes); exit code 1 if a figure misses its target.
"""

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

TARGETS = {"start": 300.0, "init": 150.0, "memory": 130.0, "stop": 20.0, "ping": 5.0}


class Process:
    """A running engine; lines are read as they come."""

    def __init__(self, command: Sequence[str]) -> None:
        self.started = time.perf_counter()
        self.popen = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def send(self, *lines: str) -> float:
        """Write lines; the time just before."""
        assert self.popen.stdin
        now = time.perf_counter()
        self.popen.stdin.write("".join(line + "\n" for line in lines))
        self.popen.stdin.flush()
        return now

    def until(self, word: str) -> float:
        """Read up to the line that begins with `word`; the time then."""
        assert self.popen.stdout
        for line in self.popen.stdout:
            if line.split()[:1] == [word]:
                return time.perf_counter()
        raise EOFError(f"the engine ended before {word!r}")

    def resident(self) -> float:
        """Resident memory in megabytes (Linux)."""
        status = Path(f"/proc/{self.popen.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")) * 1024 / 1e6

    def __enter__(self) -> "Process":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.send("quit")
        else:
            self.popen.kill()
        self.popen.wait(5)


def distribution(times: Sequence[float]) -> dict[str, float]:
    """Minimum, median, 99th percentile and maximum of seconds, in milliseconds."""
    ordered = sorted(1000 * seconds for seconds in times)
    return {
        "minimum": ordered[0],
        "median": statistics.median(ordered),
        "p99": ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))],
        "maximum": ordered[-1],
    }


def measure_starts(command: Sequence[str], count: int) -> tuple[list[float], list[float]]:
    """Process start to `wait`, and `init` to `ready`."""
    starts, inits = [], []
    for _ in range(count):
        with Process(command) as process:
            process.send("hub")
            starts.append(process.until("wait") - process.started)
            sent = process.send("init")
            inits.append(process.until("ready") - sent)
    return starts, inits


def ready(process: Process) -> None:
    process.send("hub", "init", "pos start")
    process.until("ready")


def measure_memory(command: Sequence[str], seconds: float) -> float:
    """Resident megabytes after a search."""
    with Process(command) as process:
        ready(process)
        process.send(f"level move-time={seconds}", "go analyze")
        process.until("done")
        return process.resident()


def measure_stops(command: Sequence[str], count: int, seed: int) -> tuple[list[float], list[float]]:
    """`stop` to `done`, and `ping` to `pong` during the same searches."""
    chance = random.Random(seed)
    stops, pings = [], []
    with Process(command) as process:
        ready(process)
        for _ in range(count):
            process.send("level infinite", "go analyze")
            time.sleep(chance.uniform(0.02, 0.06))
            sent = process.send("ping")
            pings.append(process.until("pong") - sent)
            time.sleep(chance.uniform(0.0, 0.02))
            sent = process.send("stop")
            stops.append(process.until("done") - sent)
    return stops, pings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default=shutil.which("damier", path=str(Path(sys.executable).parent)))
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--stops", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0, help="search before the memory is read (default 5)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not options.engine:
        parser.error("no damier beside this Python; name it with --engine")
    command = [options.engine, "hub"]
    starts, inits = measure_starts(command, options.starts)
    memory = measure_memory(command, options.seconds)
    stops, pings = measure_stops(command, options.stops, options.seed)
    summary: dict[str, dict[str, float]] = {
        "start": distribution(starts),
        "init": distribution(inits),
        "memory": {"resident": memory},
        "stop": distribution(stops),
        "ping": distribution(pings),
    }
    reached = {
        "start": summary["start"]["minimum"],
        "init": summary["init"]["minimum"],
        "memory": memory,
        "stop": summary["stop"]["p99"],
        "ping": summary["ping"]["p99"],
    }
    misses = [name for name, value in reached.items() if value >= TARGETS[name]]
    print(json.dumps(summary | {"targets": TARGETS, "misses": misses}, indent=2))
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
