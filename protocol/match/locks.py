"""Files that belong to one match: whoever comes second is refused."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from engine.errors import OptionError


class FileLock:
    """A lock on a file by means of `FILE.lock` beside it. The system drops it when the process ends, however."""

    def __init__(self, path: Path) -> None:
        """Take the lock. Raises `OptionError` when another match has it or the directory cannot be written."""
        self.path = path.with_name(path.name + ".lock")
        while True:
            try:
                self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise OptionError(f"{path}: cannot be written: {error.strerror or error}") from None
            try:
                _lock(self._descriptor)
            except OSError:
                os.close(self._descriptor)
                raise OptionError(f"{path}: another match is writing this file") from None
            if self._is_current():
                return
            os.close(self._descriptor)

    def _is_current(self) -> bool:
        """Whether the file locked is still the one with the name: its last owner may just have removed it."""
        try:
            return os.path.samestat(os.fstat(self._descriptor), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the file free and remove the lock file."""
        with contextlib.suppress(OSError):
            self.path.unlink()
        os.close(self._descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
