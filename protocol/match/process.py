"""An engine as a child process: lines in, lines out, nothing left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import trio

from protocol.match.engine_spec import EngineSpec
from protocol.match.guard import GUARD, kill_group
from protocol.match.record import EngineFault, Termination

LONGEST_LINE = 1 << 20
"""An engine that writes more bytes than this without a line end has failed."""

LONGEST_LOG = 1 << 20
"""Bytes of stderr kept in the log file for each start of an engine; the rest is read and dropped."""

KEPT_LINES = 5
QUIT_SECONDS = 1.0
TERMINATE_SECONDS = 0.5


class StderrTail:
    """The last lines of an engine's stderr, and the beginning of it in a file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._room = LONGEST_LOG
        self._partial = b""
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)

    def feed(self, data: bytes | bytearray) -> None:
        """Take what the engine wrote."""
        if self._path is not None and self._room > 0:
            kept = data[: self._room]
            self._room -= len(kept)
            with contextlib.suppress(OSError), self._path.open("ab") as file:
                file.write(kept if self._room else kept + b"\n[more is not kept]\n")
        *whole, rest = (self._partial + data[-(1 << 14) :]).split(b"\n")
        for line in whole[-KEPT_LINES:]:
            if line.strip():
                self.lines.append(line[-300:].decode("utf-8", "replace").strip())
        self._partial = rest[-300:]

    def text(self) -> str:
        """The last lines in one."""
        last = self._partial.decode("utf-8", "replace").strip()
        return " | ".join([*self.lines, last] if last else self.lines)


class EngineProcess:
    """A running engine. `receive` is called with every line and the time of its arrival.

    `failure` is set once the process can no longer be talked to: it ended, closed its output or wrote a line
    without end. `changed` is called after anything has happened.
    """

    def __init__(
        self,
        process: trio.Process,
        stderr: StderrTail,
        receive: Callable[[str, float], None],
        changed: Callable[[], None],
        line_end: bytes,
    ) -> None:
        self._line_end = line_end
        self._process = process
        self._receive = receive
        self._changed = changed
        self.stderr = stderr
        self.failure: EngineFault | None = None

    @classmethod
    async def start(
        cls,
        nursery: trio.Nursery,
        spec: EngineSpec,
        log: Path | None,
        receive: Callable[[str, float], None],
        changed: Callable[[], None],
        line_end: bytes = b"\n",
    ) -> EngineProcess:
        """Start the program in its own process group. Raises `EngineFault` when it cannot be started."""
        with trio.CancelScope(shield=True):  # a process that was started must become known to the guard
            try:
                process = await trio.lowlevel.open_process(
                    list(spec.command),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=PIPE,
                    cwd=spec.directory,
                    env={**os.environ, **spec.environment} if spec.environment else None,
                    start_new_session=sys.platform != "win32",
                )
            except (OSError, ValueError) as error:
                raise EngineFault(Termination.START, f"cannot run {spec.command[0]!r}: {error}") from None
            GUARD.watch(process.pid)
        engine = cls(process, StderrTail(log), receive, changed, line_end)
        nursery.start_soon(engine._read_output)
        nursery.start_soon(engine._read_stderr)
        return engine

    @property
    def pid(self) -> int:
        """The process, which leads the group of all its children."""
        return self._process.pid

    async def write(self, data: bytes) -> None:
        """Write lines. A process that is gone shows in `failure`."""
        assert self._process.stdin is not None
        try:
            await self._process.stdin.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            await self._gone("closed its input")

    async def _read_output(self) -> None:
        assert self._process.stdout is not None
        rest: bytes | bytearray = b""
        with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            while data := await self._process.stdout.receive_some(1 << 16):
                arrived = time.perf_counter()
                *lines, rest = (rest + data if rest else data).split(self._line_end)
                for line in lines:
                    self._receive(line.rstrip(b"\r").decode("utf-8", "replace"), arrived)
                if len(rest) > LONGEST_LINE:
                    self._fail(Termination.PROTOCOL, f"a line of more than {LONGEST_LINE} bytes without an end")
                    self.kill()
                    return
                if lines:
                    self._changed()
        await self._gone("closed its output")

    async def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
            while data := await self._process.stderr.receive_some(1 << 16):
                self.stderr.feed(data)

    async def _gone(self, what: str) -> None:
        """Say how the process ended, if it ended."""
        with trio.move_on_after(TERMINATE_SECONDS):
            await self._process.wait()
        code = self._process.returncode
        if code is None:
            self._fail(Termination.DISCONNECT, what)
        elif code < 0:
            self._fail(Termination.DISCONNECT, f"killed by {signal.Signals(-code).name}")
        else:
            self._fail(Termination.DISCONNECT, f"ended with exit code {code}")

    def _fail(self, termination: Termination, detail: str) -> None:
        if self.failure is None:
            self.failure = EngineFault(termination, detail)
        self._changed()

    def kill(self) -> None:
        """Kill the process and everything it started, at once."""
        kill_group(self._process.pid)

    async def close(self, farewell: bytes) -> None:
        """Let the engine quit, then make it: terminate, kill. Always kills what is left of its group."""
        try:
            if self._process.returncode is None and self.failure is None:
                with trio.move_on_after(QUIT_SECONDS):
                    await self.write(farewell)
                    await self._process.wait()
            if self._process.returncode is None:
                kill_group(self._process.pid, signal.SIGTERM)
                with trio.move_on_after(TERMINATE_SECONDS):
                    await self._process.wait()
        finally:
            self.kill()
            with trio.CancelScope(shield=True):
                await self._process.wait()
                GUARD.release(self._process.pid)
                for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                    if stream is not None:
                        await stream.aclose()
