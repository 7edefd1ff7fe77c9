"""A real damier process and the client's end of its pipes."""

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Self

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60.0  # seconds; the machine may be busy and the core plain Python


class Peer:
    """Starts `damier ARGUMENTS` and speaks lines with it."""

    def __init__(self, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "protocol", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path, **(env or {})},
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin: IO[bytes] = self.process.stdin
        self.stdout: IO[bytes] = self.process.stdout
        self.lines: list[str] = []
        self._arrived: queue.Queue[str | None] = queue.Queue()
        self._reader: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        if self._reader is not None:
            self._reader.join()
        for pipe in (self.stdin, self.stdout, self.process.stderr):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def send(self, *lines: str) -> None:
        """Send lines in one write."""
        self.write("".join(line + "\n" for line in lines).encode())

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self.stdin.write(data)
        self.stdin.flush()

    def expect(self, start: str, patience: float = PATIENCE) -> list[str]:
        """Lines up to the first one that begins with `start`; fails at the end of output or after `patience`."""
        self.listen()
        seen: list[str] = []
        deadline = time.monotonic() + patience
        while True:
            try:
                line = self._arrived.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {start!r} within {patience} s after {seen}") from None
            assert line is not None, f"no {start!r} before the end of output: {seen}"
            seen.append(line)
            if line.startswith(start):
                return seen

    def rest(self) -> list[str]:
        """All lines up to the end of output."""
        self.listen()
        seen: list[str] = []
        while (line := self._arrived.get(timeout=PATIENCE)) is not None:
            seen.append(line)
        return seen

    def silent(self, seconds: float) -> bool:
        """Whether nothing comes for a while."""
        self.listen()
        try:
            line = self._arrived.get(timeout=seconds)
        except queue.Empty:
            return True
        self._arrived.put(line)
        return False

    def soonest(self, answer: str, *lines: str, within: float) -> float:
        """Seconds from sending lines to an answer: the first time that is `within` a limit, or the best of twenty.

        Other programs may hold up one try or some; a limit that is not kept is missed in all of them.
        """
        best = PATIENCE
        for _ in range(20):
            start = time.monotonic()
            self.send(*lines)
            self.expect(answer)
            best = min(best, time.monotonic() - start)
            if best <= within:
                break
        return best

    def ended(self, patience: float = PATIENCE) -> tuple[int, str]:
        """Wait for the exit; the code and what stands on standard error."""
        code = self.process.wait(patience)
        assert self.process.stderr is not None
        return code, self.process.stderr.read().decode()

    def listen(self) -> None:
        """Begin to read output."""
        if self._reader is None:
            self._reader = threading.Thread(target=self._read, daemon=True)
            self._reader.start()

    def _read(self) -> None:
        for line in self.stdout:
            text = line.decode().removesuffix("\n")
            self.lines.append(text)
            self._arrived.put(text)
        self._arrived.put(None)


def run(*arguments: str, text: str = "", patience: float = 5 * PATIENCE) -> subprocess.CompletedProcess[str]:
    """Run a command of damier to its end."""
    return subprocess.run(
        [sys.executable, "-m", "protocol", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=patience,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        check=False,
    )


def count(lines: Sequence[str], start: str) -> int:
    """How many lines begin so."""
    return sum(line.startswith(start) for line in lines)
