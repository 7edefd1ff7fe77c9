"""The one owner of the engine's threads: searches and preparations, one at a time."""

import time
import traceback
from collections.abc import Callable
from typing import Protocol

import trio

from engine import Control, DamierError, Game, Limits, Mode, Report, Result
from protocol.actions import Search
from protocol.log import WireLog

clock = time.perf_counter
"""The clock on which commands are stamped when they are read."""


class SearchEngine(Protocol):
    """What a session needs of `engine.Engine`; all calls block, only `search` may take long."""

    def set_param(self, name: str, value: object) -> None:
        """Set a parameter. Raises OptionError."""

    def new_game(self) -> None:
        """Forget what earlier searches learned."""

    def prepare(self) -> None:
        """Allocate and load. Raises DamierError when something cannot be had; what was there before stays."""

    def take_problems(self) -> list[str]:
        """What could not be used although play goes on without it; each is told once."""

    def search(
        self, game: Game, limits: Limits, mode: Mode, on_report: Callable[[Report], None], control: Control
    ) -> Result:
        """Search; `on_report` is called from the same thread."""


class SearchWorker:
    """Runs the engine's blocking calls in a thread and brings their news back to the trio loop.

    The callbacks run in the loop, in the order in which things happened: every report before its result.
    """

    def __init__(self, engine: SearchEngine, nursery: trio.Nursery, log: WireLog | None = None) -> None:
        self._engine = engine
        self._nursery = nursery
        self._log = log or WireLog()
        self._control: Control | None = None
        self._limiter = trio.CapacityLimiter(1)
        self._token = trio.lowlevel.current_trio_token()

    async def wait_idle(self) -> None:
        """Return when no thread is at work."""
        async with self._limiter:
            pass

    def search(
        self, search: Search, on_report: Callable[[Report], None], on_end: Callable[[Result, str], None]
    ) -> None:
        """Start a search. `on_end` gets the result and, if the search broke, what happened."""
        control = self._control = Control()
        control.started = search.arrived  # the time limits count from when the command was read
        self._nursery.start_soon(self._search, search, control, on_report, on_end)

    def prepare(self, new_game: bool, on_end: Callable[[str, list[str]], None]) -> None:
        """Start a preparation. `on_end` gets what could not be done, empty if nothing, and what is done without."""
        self._nursery.start_soon(self._prepare, new_game, on_end)

    def compute(self, work: Callable[[], list[str]], on_end: Callable[[list[str]], None]) -> None:
        """Start some other work. `on_end` gets the lines it gives, or what went wrong as one line."""
        self._nursery.start_soon(self._compute, work, on_end)

    def stop(self) -> None:
        """End the search soon; one that has not begun yet ends after its first move."""
        if self._control is not None:
            self._control.stop()

    def ponder_hit(self) -> None:
        """The clock of the ponder search starts."""
        if self._control is not None:
            self._control.ponder_hit()

    async def _search(
        self,
        search: Search,
        control: Control,
        on_report: Callable[[Report], None],
        on_end: Callable[[Result, str], None],
    ) -> None:
        def post_report(report: Report) -> None:
            self._token.run_sync_soon(on_report, report)

        def work() -> Result:
            return self._engine.search(search.game, search.limits, search.mode, post_report, control)

        problem = ""
        try:
            result = await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except Exception as error:  # a fault of the search must not cost the game: the caller plays some legal move
            result, problem = Result(None, None, None), self._describe(error)
        on_end(result, problem)

    async def _prepare(self, new_game: bool, on_end: Callable[[str, list[str]], None]) -> None:
        def work() -> list[str]:
            if new_game:
                self._engine.new_game()
            self._engine.prepare()
            return self._engine.take_problems()

        problem = ""
        without: list[str] = []
        try:
            without = await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except DamierError as error:
            problem = str(error)
        except Exception as error:
            problem = self._describe(error)
        on_end(problem, without)

    async def _compute(self, work: Callable[[], list[str]], on_end: Callable[[list[str]], None]) -> None:
        try:
            lines = await trio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        except Exception as error:
            lines = [self._describe(error)]
        on_end(lines)

    def _describe(self, error: Exception) -> str:
        self._log.note("".join(traceback.format_exception(error)))
        return f"internal error: {type(error).__name__}: {error}"
