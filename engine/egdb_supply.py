"""Gives an engine's searches their databases, and has small ones built while the engine does nothing else.

What reads and builds databases is imported when it is needed: a client waits for the engine's start.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import DatabaseError, OptionError
from engine.moves import hot_module, is_compiled, is_wide
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.egdb import Databases
    from engine.move import Move
    from engine.position import Position
    from engine.search import Search

DELAY = 0.3  # seconds that a build in the background waits, so that the engine can say first that it is ready
LOCK = "building"
LONGEST_LINE = 60  # plies of best play that are shown
KEPT_LINES = 64
NICE = 10  # added to the priority value of the thread that builds, where threads have one
DEAD = 60  # seconds without a sign of life after which another process's build is given up


class Supply:
    """The databases of one engine. Called by the thread that searches; the build has a thread of its own."""

    def __init__(self, background: bool) -> None:
        self.background = background
        self._databases: Databases | None = None
        self._size = 0
        self._lines: dict[Position, tuple[Move, ...]] = {}
        self._idle = threading.Event()
        self._idle.set()
        self._jobs: dict[Path, Background] = {}
        self._news = 0

    def connect(self, searches: "list[Search]", rules: Rules, size: int, path: str) -> None:
        """See to it that the searches have all databases up to `size` pieces that are there; cheap without news.

        An empty path is this user's folder. Raises OptionError for a path that is not a folder.
        """
        if size < 2:
            self._give(searches, None, 0)
            return
        from engine.egdb import Databases, default_folder, family

        folder = Path(path).expanduser() if path else default_folder()
        if folder is None:
            self._give(searches, None, 0)
            return
        if folder.exists() and not folder.is_dir():
            raise OptionError(f"bb-path: {folder} is not a folder")
        place = folder / family(rules)
        if self._databases is None or self._databases.folder != place:
            self._databases = Databases(rules, folder)
        self._give(searches, self._databases, size)
        if self.background and place not in self._jobs and is_compiled(hot_module("egdb_solver", is_wide(rules))):
            self._jobs[place] = Background(Databases(rules, folder), size, self._wait, self._built)
            self._jobs[place].start()

    def _give(self, searches: "list[Search]", databases: "Databases | None", size: int) -> None:
        self._size = size
        tag = None if databases is None else (databases.folder, size, self._news)
        for search in searches:
            if search.databases.tag == tag:
                continue
            if databases is None:
                search.databases.probe.close()
            else:
                databases.connect(search.databases.probe, size)
            search.databases.tag = tag

    def best_line(self, position: "Position") -> "tuple[Move, ...]":
        """How a position that is decided in a database goes on to its end; empty for any other."""
        if self._databases is None or len(position.pieces()) > self._size:
            return ()
        if position not in self._lines:
            if len(self._lines) > KEPT_LINES:
                self._lines.clear()
            self._lines[position] = self._databases.best_line(position, LONGEST_LINE)
        return self._lines[position]

    @contextmanager
    def searching(self) -> Iterator[None]:
        """While the engine searches, builds in the background pause."""
        self._idle.clear()
        try:
            yield
        finally:
            self._idle.set()

    def _wait(self) -> None:
        self._idle.wait()

    def _built(self) -> None:
        self._news += 1


class Background:
    """One build of the small databases of one variant, in a thread that ends with the process."""

    def __init__(
        self, databases: "Databases", pieces: int, wait: Callable[[], None], on_built: Callable[[], None]
    ) -> None:
        """`wait` is called between two pieces of work and may block; `on_built` when there are new files."""
        self.databases = databases
        self.pieces = pieces
        self.wait = wait
        self.on_built = on_built
        self.thread = threading.Thread(target=self._run, name="egdb", daemon=True)

    def start(self) -> None:
        """Begin in a moment."""
        self.thread.start()

    def _run(self) -> None:
        time.sleep(DELAY)
        if sys.platform == "linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        from engine.egdb import automatic_pieces

        self.pieces = min(self.pieces, automatic_pieces(self.databases.rules))
        try:
            if self.databases.is_complete(self.pieces):
                return
            self.databases.prepare_folder(self.pieces)
            lock = self.databases.folder / LOCK
            if not _take(lock):
                return  # another process is at it
            try:
                self._build(lock)
            finally:
                lock.unlink(missing_ok=True)
        except (OSError, DatabaseError):
            return  # no place for databases: play without

    def _build(self, lock: Path) -> None:
        def pause() -> None:
            self.wait()
            os.utime(lock)

        from engine.egdb_build import Builder

        with Builder(self.databases, wait=pause) as builder:
            if builder.build(self.pieces):
                self.on_built()


def _take(lock: Path) -> bool:
    """Take the lock of a folder unless somebody holds it who has lately given a sign of life."""
    try:
        if time.time() - lock.stat().st_mtime < DEAD:
            return False
        lock.unlink(missing_ok=True)
    except FileNotFoundError:
        pass
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
