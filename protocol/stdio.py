"""Standard input and output as a session uses them: bytes in, whole lines out, nothing else on the wire."""

import os
import queue
import struct
import sys
import threading
import time
from collections.abc import Callable

import trio

if sys.platform != "win32":
    import fcntl
    import termios

# A client may see only one line for each of its reads (hub.md 10.3): a line waits until the one before it was read.
PAUSE = 0.001  # s between lines that follow each other, enough for a client that waits for them
PATIENCE = 0.025  # s that a line waits at most for a client that is busy
MOST_PENDING = 256  # lines; beyond it droppable ones are left out
FLUSH = 0.1  # s that leaving waits for the last lines to be taken


def claim() -> tuple[int, int]:
    """Take standard input and output for the protocol: two descriptors of our own.

    Whatever else writes to standard output goes to standard error from now on, and nothing else reads input.
    """
    null = os.open(os.devnull, os.O_RDWR)
    while null <= 2:  # one of the three was closed before we started: no file of ours may take its number
        null = os.open(os.devnull, os.O_RDWR)
    source, target = os.dup(0), os.dup(1)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return source, target


def unread(descriptor: int) -> int:
    """Bytes in a pipe that the other end has not taken yet; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    try:
        answer = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
    except OSError:
        return 0
    return int(struct.unpack("i", answer)[0])


class Reader:
    """Reads a descriptor in a thread of its own; a read that never returns does not hold up the exit."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._limiter = trio.CapacityLimiter(1)

    async def __call__(self) -> bytes:
        """The next bytes; none at the end of input."""
        try:
            return await trio.to_thread.run_sync(
                os.read, self._descriptor, 65536, abandon_on_cancel=True, limiter=self._limiter
            )
        except OSError:
            return b""


class Writer:
    """Writes lines to a descriptor in a thread, so that a client that does not read blocks nothing else.

    `on_closed` is called in that thread when nobody reads the other end any more.
    """

    def __init__(self, descriptor: int, on_closed: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_closed = on_closed
        self._prompt = True  # whether the client took the last line in time
        self._closing = False
        self._lines: queue.SimpleQueue[tuple[bytes, bool] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def put(self, line: str, *, droppable: bool, paced: bool) -> None:
        """Send a line soon, after all earlier ones."""
        if not (droppable and self._lines.qsize() > MOST_PENDING):
            self._lines.put((line.encode("utf-8", "replace") + b"\n", paced))

    def close(self) -> None:
        """Let the last lines out at once, if they are taken soon."""
        self._closing = True
        self._lines.put(None)
        self._thread.join(FLUSH)

    def _run(self) -> None:
        last = 0.0
        while (item := self._lines.get()) is not None:
            data, paced = item
            if paced and not self._closing:
                self._pace(last)
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                self._on_closed()
                return
            last = time.perf_counter()

    def _pace(self, last: float) -> None:
        """Wait until the client has read the line that was written at `last`; once it lets us wait in vain, hurry."""
        if time.perf_counter() - last < PAUSE:
            time.sleep(PAUSE)
        patience = PATIENCE if self._prompt else 0.0
        while (left := unread(self._descriptor)) and time.perf_counter() - last < patience and not self._closing:
            time.sleep(PAUSE / 4)
        self._prompt = not left


def leave(code: int) -> None:
    """End the process now if threads still run that may never end: a read, a write nobody takes, a search."""
    if threading.active_count() > 1:
        sys.stderr.flush()
        os._exit(code)


def write_all(data: bytes, descriptor: int = 1) -> None:
    """Write bytes as they are, all of them. Raises OSError, BrokenPipeError when nobody reads."""
    while data:
        data = data[os.write(descriptor, data) :]
