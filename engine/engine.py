"""The engine behind every protocol: parameters, and a search that runs in the caller's thread."""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from engine.clock import Budget, Limits, budget
from engine.errors import OptionError
from engine.game import Game
from engine.move import Move
from engine.moves import hot_module, is_compiled, is_wide
from engine.params import OWN, PARAMS, Value
from engine.position import Position
from engine.rules import Rules
from engine.variants import find_variant

if TYPE_CHECKING:
    from engine.search import Search
    from engine.table import Table

Mode = Literal["think", "ponder", "analyze"]

WIN = 10000  # centi-men; a win in N plies is WIN - N
WON = 9500  # scores beyond are wins at a known distance
MAX_DEPTH = 100
INFINITE = 20000
REPORT_EVERY = 0.05  # seconds between reports, except the last one
WINDOW = 24  # first aspiration window, centi-men
FULL_WINDOW_DEPTH = 5


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows after an iteration.

    `score` is in centi-men for the side to move; a win in N plies is 10000 - N. `time` is in seconds.
    """

    depth: int
    seldepth: int
    mean_depth: float
    score: int
    nodes: int
    time: float
    pv: tuple[Move, ...]
    multipv: int = 1
    tbhits: int = 0
    hashfull: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a search: no move if the position has none; `ponder` is the expected reply."""

    move: Move | None
    ponder: Move | None = None
    report: Report | None = None


class Control:
    """The caller's hold on a search: `stop` and `ponder_hit` may come from any thread, also before it starts."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.stopped = False
        self.hit_at: float | None = None

    def stop(self) -> None:
        """End the search soon."""
        self.stopped = True

    def ponder_hit(self) -> None:
        """The expected move was played: the clock starts now."""
        if self.hit_at is None:
            self.hit_at = time.perf_counter()


@dataclass(slots=True)
class _Watch:
    """Decides when the search must end; asked by the searcher every few thousand nodes."""

    control: Control
    plan: Budget
    pondering: bool
    helpers: "list[Search]" = field(default_factory=list)

    def begin(self) -> float | None:
        """Moment from which the plan counts, None while pondering."""
        return self.control.hit_at if self.pondering else self.control.started

    def spent(self) -> float | None:
        """Seconds of the plan used so far, None while pondering."""
        begin = self.begin()
        return None if begin is None else time.perf_counter() - begin

    def over(self, _nodes: int) -> bool:
        """Whether to break the search off."""
        if self.control.stopped:
            return True
        if self.plan.hard is None:
            return False
        spent = self.spent()
        return spent is not None and spent >= self.plan.hard

    def enough(self, factor: float = 1.0) -> bool:
        """Whether to begin no further iteration."""
        if self.control.stopped:
            return True
        spent = self.spent()
        return self.plan.soft is not None and spent is not None and spent >= self.plan.soft * factor


class Engine:
    """A searcher with its parameters and table. One search at a time; all else may be called between searches."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {name: param.default for name, param in PARAMS.items()}
        self._rules: Rules | None = None
        self._table: Table | None = None
        self._searches: list[Search] = []

    # ------------------------------------------------------------------ parameters
    @property
    def rules(self) -> Rules:
        """The chosen variant under the chosen readings of its rules."""
        if self._rules is None:
            rules = find_variant(str(self.values["variant"]))
            chosen = {
                option.name: self.values[option.name]
                for option in rules.options
                if self.values[option.name] not in (OWN, PARAMS[option.name].default)
            }
            self._rules = rules.with_options(chosen)
        return self._rules

    @property
    def is_compiled(self) -> bool:
        """Whether the hot modules run compiled for the chosen variant."""
        return is_compiled(hot_module("search", is_wide(self.rules)))

    def set_param(self, name: str, value: object) -> None:
        """Set a parameter; nothing changes if the value is refused. Raises OptionError.

        A new `tt-size` takes effect at once; if the memory cannot be had, the old table stays.
        """
        param = PARAMS.get(name)
        if param is None:
            raise OptionError(f"unknown parameter {name!r}")
        checked = param.check(value)
        if checked == self.values[name]:
            return
        before = self.values[name]
        self.values[name] = checked
        if name == "tt-size" and self._table is not None:
            try:
                self._table = self._new_table()
            except MemoryError as error:
                self.values[name] = before
                raise OptionError(f"{name}: {error}") from None
            self._searches.clear()
        if name == "variant" or param.rule:
            self._rules = None
            self._searches.clear()
            self._table = None

    def _new_table(self) -> "Table":
        table: Table = hot_module("table", is_wide(self.rules)).Table(int(self.values["tt-size"]))
        return table

    def prepare(self) -> None:
        """Allocate what a search needs; cheap when nothing has changed. Raises OptionError if memory is short."""
        try:
            if self._table is None:
                self._table = self._new_table()
        except MemoryError as error:
            raise OptionError(f"tt-size: {error}") from None
        make = hot_module("search", is_wide(self.rules)).Search
        del self._searches[int(self.values["threads"]) :]
        while len(self._searches) < int(self.values["threads"]):
            self._searches.append(make(self.rules, self._table))

    def new_game(self) -> None:
        """The next search is unrelated to the last: forget the table and what ordering has learnt."""
        if self._table is not None:
            self._table.clear()
        for search in self._searches:
            search.forget()

    # ------------------------------------------------------------------ searching
    def search(
        self,
        game: Game,
        limits: Limits,
        mode: Mode = "think",
        on_report: Callable[[Report], None] | None = None,
        control: Control | None = None,
    ) -> Result:
        """Find the best move of the game's position; blocks until a limit or the control ends it.

        `on_report` is called in this thread, at most every 50 ms and once at the end. The game must be of the
        engine's variant. The draw rules count with the game's history.
        """
        control = control or Control()
        legal = game.legal_moves()
        if not legal:
            return Result(None)
        self.prepare()
        watch = _Watch(control, budget(limits, int(self.values["move-overhead"]) / 1000), mode == "ponder")
        run = _Run(self, game, limits, mode, watch, on_report)
        return run.play()


class _Run:
    """One search: iterative deepening over one or more threads."""

    def __init__(
        self,
        engine: Engine,
        game: Game,
        limits: Limits,
        mode: Mode,
        watch: _Watch,
        on_report: Callable[[Report], None] | None,
    ) -> None:
        assert engine._table is not None
        self.table = engine._table
        self.searches = engine._searches
        self.main = self.searches[0]
        self.position = game.position
        self.legal = game.legal_moves()
        self.limits = limits
        self.mode = mode
        self.watch = watch
        self.on_report = on_report
        self.report: Report | None = None
        self.sent: Report | None = None
        self.last_sent = watch.control.started
        self.helpers_stop = False
        self.allowed = [i for i, move in enumerate(self.legal) if move in limits.search_moves] or None
        self.table.new_search()
        for search in self.searches:
            game.replay(search.line)

    def play(self) -> Result:
        """Run to the end."""
        depth = min(self.limits.depth or MAX_DEPTH, MAX_DEPTH)
        if len(self.legal) == 1 and self.mode == "think" and not self.limits.infinite:
            depth = 1
        self.main.begin(self.watch.over, self.limits.nodes or 0)
        if self.allowed:
            self.main.allow(self.allowed)
        helpers = [
            threading.Thread(target=self._help, args=(search, number), daemon=True)
            for number, search in enumerate(self.searches[1:], 1)
        ]
        for thread in helpers:
            thread.start()
        try:
            best = self._deepen(depth)
        finally:
            self.helpers_stop = True
            for thread in helpers:
                thread.join()
        if self.report is not None and self.report is not self.sent and self.on_report:
            self.on_report(self.report)
        return Result(self.legal[best[0]], self._ponder_move(best), self.report)

    def _help(self, search: "Search", number: int) -> None:
        """A helper thread: the same iterations on the shared table, every second one deeper by one."""
        search.begin(lambda _nodes: self.helpers_stop or self.watch.control.stopped, 0)
        if self.allowed:
            search.allow(self.allowed)
        for depth in range(1 + number % 2, MAX_DEPTH):
            search.think(depth, -INFINITE, INFINITE)
            if search.stopped() or self.helpers_stop:
                return

    def _deepen(self, last: int) -> list[int]:
        """Iterate to depth `last`; returns the best variation as move indices."""
        best = [self.allowed[0] if self.allowed else 0]
        score = 0
        for depth in range(1, last + 1):
            score = self._aspire(depth, score)
            variation = self.main.principal()
            if variation:
                best = variation
            if self.main.stopped():
                if variation and self.report is not None:
                    self._note(depth, self.report.score, best, final=True)
                break
            self._note(depth, score, best)
            if self.mode == "analyze":
                continue
            if self.watch.enough():
                break
            if abs(score) > WON and WIN - abs(score) <= depth and self.mode == "think" and not self.limits.infinite:
                break
        return best

    def _aspire(self, depth: int, score: int) -> int:
        """One iteration with a window around the last score, widened until the score lies inside."""
        if depth < FULL_WINDOW_DEPTH or abs(score) > WON:
            return self.main.think(depth, -INFINITE, INFINITE)
        window = WINDOW
        alpha, beta = score - window, score + window
        while True:
            score = self.main.think(depth, alpha, beta)
            if self.main.stopped() or alpha < score < beta:
                return score
            window *= 4
            if score <= alpha:
                alpha = score - window if window < 2000 else -INFINITE
            else:
                beta = score + window if window < 2000 else INFINITE

    def _note(self, depth: int, score: int, variation: list[int], final: bool = False) -> None:
        """Make the report of an iteration and send it unless one was sent just before."""
        now = time.perf_counter()
        nodes, seldepth, mean = self.main.statistics()
        for search in self.searches[1:]:
            nodes += search.statistics()[0]
        self.report = Report(
            depth=depth,
            seldepth=max(seldepth, depth),
            mean_depth=mean,
            score=score,
            nodes=nodes,
            time=now - self.watch.control.started,
            pv=self._moves(variation),
            hashfull=self.table.fullness(),
        )
        if self.on_report and not final and now - self.last_sent >= REPORT_EVERY:
            self.last_sent = now
            self.sent = self.report
            self.on_report(self.report)

    def _moves(self, variation: list[int]) -> tuple[Move, ...]:
        """A variation of move indices as moves."""
        position: Position = self.position
        legal = self.legal
        moves: list[Move] = []
        for i in variation:
            if i >= len(legal):
                break
            moves.append(legal[i])
            position = position.play(legal[i])
            legal = position.legal_moves()
        return tuple(moves)

    def _ponder_move(self, variation: list[int]) -> Move | None:
        moves = self._moves(variation[:2])
        return moves[1] if len(moves) > 1 else None


def prefer_short_switches() -> None:
    """Let waiting threads run soon where the search is plain Python and holds the GIL (a millisecond, not five)."""
    sys.setswitchinterval(0.001)
