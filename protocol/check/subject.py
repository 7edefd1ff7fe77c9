"""The engine under examination: a child process, with a record of every byte exchanged."""

import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from subprocess import PIPE

import trio

from protocol.framing import LineFramer

LONGEST_RECORD = 400  # lines of one exchange that are kept
Pattern = str | re.Pattern[str]


class CheckFailed(Exception):
    """What the engine did wrong, in one sentence."""


class Subject:
    """A running engine. All times are in seconds."""

    def __init__(self, process: trio.Process, patience: float) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._framer = LineFramer()
        self._pending: list[str] = []
        self._start = time.perf_counter()
        self.patience = patience
        self.record: list[str] = []
        self.errors = bytearray()  # standard error
        self.chunks: list[int] = []  # lines that came with each read

    # ------------------------------------------------------------------ to the engine
    async def send(self, *lines: str) -> None:
        """Send lines in one write."""
        await self.raw("".join(line + "\n" for line in lines).encode())

    async def raw(self, data: bytes) -> None:
        """Send bytes. Raises CheckFailed if the engine does not take them."""
        shown = data if len(data) <= 2000 else data[:2000] + b" [...]"
        for line in shown.decode("utf-8", "replace").splitlines():
            self._note(">", line)
        try:
            with trio.fail_after(self.patience):
                await self._stdin.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise CheckFailed("the engine has closed its input") from None
        except trio.TooSlowError:
            raise CheckFailed("the engine does not read its input") from None

    async def close_input(self) -> None:
        """End the engine's input."""
        self._note(">", "<end of input>")
        await self._stdin.aclose()

    # ------------------------------------------------------------------ from the engine
    async def expect(self, pattern: Pattern, within: float | None = None) -> list[str]:
        """The lines up to the first that matches. Raises CheckFailed at the end of output or after `within`."""
        wanted = re.compile(pattern)
        limit = self.patience if within is None else within
        seen: list[str] = []
        with trio.move_on_after(limit):
            while True:
                line = await self._line()
                if line is None:
                    raise CheckFailed(f"the output ended before a line {wanted.pattern!r}")
                seen.append(line)
                if wanted.match(line):
                    return seen
        raise CheckFailed(f"no line {wanted.pattern!r} within {limit:g} s")

    async def quiet(self, seconds: float = 0.2) -> None:
        """Raises CheckFailed if a line comes."""
        with trio.move_on_after(seconds):
            line = await self._line()
            raise CheckFailed("the output ended" if line is None else f"an answer that nothing asked for: {line!r}")

    async def ended(self, within: float = 1.0) -> list[str]:
        """Wait for the exit; returns the last lines. Raises CheckFailed if it takes longer or fails."""
        seen: list[str] = []
        with trio.move_on_after(within):
            while (line := await self._line()) is not None:
                seen.append(line)
            code = await self._process.wait()
            self._note("<", f"<exit {code}>")
            if code != 0:
                raise CheckFailed(f"exit code {code}")
            return seen
        raise CheckFailed(f"the process still lives after {within:g} s")

    async def _line(self) -> str | None:
        while not self._pending:
            data = bytes(await self._stdout.receive_some())
            if not data:
                return None
            lines = self._framer.feed(data)
            self.chunks.append(len(lines))
            for line in lines:
                self._note("<", line)
            self._pending += lines
        return self._pending.pop(0)

    def _note(self, direction: str, line: str) -> None:
        if len(self.record) < LONGEST_RECORD:
            self.record.append(f"{time.perf_counter() - self._start:8.3f} {direction} {line}")
        elif len(self.record) == LONGEST_RECORD:
            self.record.append("[...]")


def elapsed_since(start: float) -> float:
    """Seconds since a `time.perf_counter()`."""
    return time.perf_counter() - start


def require(truth: object, message: str) -> None:
    """Raises CheckFailed unless `truth`."""
    if not truth:
        raise CheckFailed(message)


@asynccontextmanager
async def running(command: Sequence[str], patience: float) -> AsyncIterator[Subject]:
    """Start the engine; it is killed at the end. Raises OSError if it cannot be started."""
    process = await trio.lowlevel.open_process(list(command), stdin=PIPE, stdout=PIPE, stderr=PIPE)
    subject = Subject(process, patience)

    async def drain() -> None:
        assert process.stderr is not None
        with trio.CancelScope():
            async for data in process.stderr:
                subject.errors += data[: 4096 - len(subject.errors)]

    async with trio.open_nursery() as nursery:
        nursery.start_soon(drain)
        try:
            yield subject
        finally:
            nursery.cancel_scope.cancel()
            with trio.CancelScope(shield=True):
                process.kill()
                await process.wait()
                for stream in (process.stdin, process.stdout, process.stderr):
                    if stream is not None:
                        await trio.aclose_forcefully(stream)
