"""A record of everything that went over the wire, for bug reports."""

import time
from typing import IO, Self

from engine.version import VERSION


class WireLog:
    """Appends each line of both directions to a file: seconds since the start, `>` from the client, `<` to it.

    A file that cannot be written any more (a full disk) ends the record, not the session.
    """

    def __init__(self, file: IO[bytes] | None = None) -> None:
        self._file = file
        self._start = time.perf_counter()

    @classmethod
    def open(cls, path: str) -> Self:
        """Begin a record at the end of `path`. Raises OSError."""
        log = cls(open(path, "ab", buffering=0))  # noqa: SIM115 - lives as long as the session
        log._put(f"# damier {VERSION}, {time.strftime('%Y-%m-%d %H:%M:%S %z')}")
        return log

    def received(self, line: str) -> None:
        """A line came from the client."""
        self._put(f"{time.perf_counter() - self._start:10.4f} > {line}")

    def sent(self, line: str) -> None:
        """A line goes to the client."""
        self._put(f"{time.perf_counter() - self._start:10.4f} < {line}")

    def note(self, text: str) -> None:
        """Something that did not go over the wire, such as a traceback or how the session ended."""
        for line in text.splitlines():
            self._put(f"{time.perf_counter() - self._start:10.4f} # {line}")

    def close(self) -> None:
        """End the record."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _put(self, text: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(text.encode("utf-8", "replace") + b"\n")
        except OSError:
            self._file = None
