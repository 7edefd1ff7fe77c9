"""The engine behind every protocol: parameters, and a search that runs in the caller's thread."""

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine import pattern_weights
from engine.aspiration import aspire
from engine.book_shelf import Answer, Shelf
from engine.clock import Budget, Limits, budget
from engine.egdb_supply import Supply
from engine.errors import OptionError, RulesError, WeightsError
from engine.game import Game
from engine.move import Move
from engine.moves import hot_module, is_compiled, is_wide
from engine.params import OWN, PARAMS, TRAINED, Value
from engine.position import Position
from engine.rules import Rules
from engine.scores import DECIDED, INFINITE, WIN, WON
from engine.tuning import tuned
from engine.variants import find_variant

if TYPE_CHECKING:
    from engine.search import Search
    from engine.table import Table

Mode = Literal["think", "ponder", "analyze"]

MAX_DEPTH = 100
REPORT_EVERY = 0.05  # seconds between reports, except the last one
FULL_STRENGTH = 20
ALARM = 25  # a drop of the score in one iteration, centi-men, that asks for more time
CERTAIN = 0.75  # part of the planned time that a move needs that was never in doubt


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows after an iteration.

    `score` is in centi-men for the side to move; a win in N plies is 10000 - N. `time` is in seconds. With `book`
    nothing was searched: move and score come from an opening book.
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
    book: bool = False


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
    forced: bool  # there is nothing to choose: no thinking once the clock runs

    def begin(self) -> float | None:
        """Moment from which the plan counts, None while pondering."""
        return self.control.hit_at if self.pondering else self.control.started

    def spent(self) -> float | None:
        """Seconds of the plan used so far, None while pondering."""
        begin = self.begin()
        return None if begin is None else time.perf_counter() - begin

    def answers_at_once(self) -> bool:
        """Whether a forced move was pondered on and its time has come."""
        return self.forced and self.pondering and self.control.hit_at is not None

    def over(self, _nodes: int) -> bool:
        """Whether to break the search off."""
        if self.control.stopped or self.answers_at_once():
            return True
        if self.plan.hard is None:
            return False
        spent = self.spent()
        return spent is not None and spent >= self.plan.hard

    def enough(self, factor: float = 1.0) -> bool:
        """Whether to begin no further iteration."""
        if self.control.stopped or self.answers_at_once():
            return True
        spent = self.spent()
        return self.plan.soft is not None and spent is not None and spent >= self.plan.soft * factor


class Engine:
    """A searcher with its parameters and table. One search at a time; all else may be called between searches."""

    def __init__(self, tuning: Mapping[str, int] | None = None, background: bool = False) -> None:
        """With `background` small endgame databases that are missing are built while the engine is idle."""
        self.tuning = tuned(tuning)
        self._supply = Supply(background)
        self._shelf = Shelf()
        self.values: dict[str, Value] = {name: param.default for name, param in PARAMS.items()}
        self._rules: Rules | None = None
        self._table: Table | None = None
        self._searches: list[Search] = []
        self._weights: pattern_weights.Weights | None = None
        self._weights_of: tuple[Rules, Value, Value] | None = None  # what the weights were looked for
        self._problems: list[str] = []

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
        """Allocate and load what a search needs; cheap when nothing has changed. Raises OptionError if memory is short.

        What cannot be used although play goes on without it is told by `take_problems`.
        """
        try:
            if self._table is None:
                self._table = self._new_table()
        except MemoryError as error:
            raise OptionError(f"tt-size: {error}") from None
        make = hot_module("search", is_wide(self.rules)).Search
        del self._searches[int(self.values["threads"]) :]
        while len(self._searches) < int(self.values["threads"]):
            self._searches.append(make(self.rules, self._table, self.tuning))
        self._load_weights()
        for search in self._searches:
            search.evaluation.use(self._weights)
        self._supply.connect(self._searches, self.rules, int(self.values["bb-size"]), str(self.values["bb-path"]))
        if self.values["book"]:
            self._shelf.open(self.rules, str(self.values["book-file"]))
        else:
            self._shelf.close()

    def take_problems(self) -> list[str]:
        """What `prepare` could not use although play goes on without it, such as a bad book or weights; each once."""
        problems = self._problems + self._shelf.problems
        self._problems, self._shelf.problems = [], []
        return problems

    def seed_book(self, seed: int) -> None:
        """Make the choices among book moves repeatable; without it they differ in each process."""
        self._shelf.chance.seed(seed)

    def _load_weights(self) -> None:
        """The weights that are chosen, or none; scores of others must not stay in the table."""
        wanted = (self.rules, self.values["evaluation"], self.values["weights-path"])
        if wanted == self._weights_of:
            return
        before, self._weights, self._weights_of = self._weights, None, wanted
        try:
            if wanted[1] == TRAINED:
                self._weights = pattern_weights.chosen(self.rules, str(wanted[2]))
        except WeightsError as error:
            self._problems.append(str(error))
        if self._weights is not before and self._table is not None:
            self._table.clear()

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
        engine's variant and rules, else RulesError is raised. The draw rules count with the game's history.
        """
        if game.start.rules != self.rules:
            same = ", in another reading of its rules" if game.start.rules.name == self.rules.name else ""
            raise RulesError(f"the game is {game.start.rules.name}, the engine is set to {self.rules.name}{same}")
        control = control or Control()
        legal = game.legal_moves()
        if not legal:
            return Result(None)
        self.prepare()
        if (answer := self._book_answer(game, limits, mode)) is not None:
            report = Report(1, 1, 1.0, answer.score, 0, time.perf_counter() - control.started, answer.line, book=True)
            if on_report:
                on_report(report)
            return Result(answer.line[0], answer.ponder, report)
        plan = budget(limits, int(self.values["move-overhead"]) / 1000)
        forced = len(legal) == 1 and not limits.infinite
        watch = _Watch(control, plan, mode == "ponder", forced)
        run = _Run(self, game, limits, mode, watch, on_report)
        with self._supply.searching():
            return run.play()

    def _book_answer(self, game: Game, limits: Limits, mode: Mode) -> Answer | None:
        """A move of the book where one may be played: not in analysis and pondering, not without any limit, not
        where several lines or a weaker player are asked for."""
        values = self.values
        if mode != "think" or limits.infinite or values["multi-pv"] != 1 or values["strength"] != FULL_STRENGTH:
            return None
        return self._shelf.answer(game, limits, int(values["book-ply"]), int(values["book-margin"]))


@dataclass(frozen=True, slots=True)
class _Line:
    """One searched variation: its score and its moves as indices."""

    score: int
    variation: list[int]


class _Run:
    """One search: iterative deepening over one or more lines and threads."""

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
        self.supply = engine._supply
        self.searches = engine._searches
        self.main = self.searches[0]
        self.position = game.position
        self.legal = game.legal_moves()
        self.limits = limits
        self.mode = mode
        self.watch = watch
        self.on_report = on_report
        self.window = engine.tuning["window"]
        self.reports: list[Report] = []
        self.unsent = False
        self.last_sent = watch.control.started
        self.helpers_stop = False
        allowed = [i for i, move in enumerate(self.legal) if move in limits.search_moves]
        self.allowed = allowed or list(range(len(self.legal)))
        self.handicap = None if mode == "analyze" else handicap(int(engine.values["strength"]))
        lines = int(engine.values["multi-pv"])
        self.lines = min(len(self.allowed), max(lines, self.handicap.lines if self.handicap else 1))
        self.shown = min(lines, self.lines)
        self.contempt = 0 if mode == "analyze" else int(engine.values["contempt"])
        self.table.new_search()
        for search in self.searches:
            game.replay(search.line)

    def play(self) -> Result:
        """Run to the end."""
        depth = min(self.limits.depth or MAX_DEPTH, MAX_DEPTH)
        nodes = self.limits.nodes or 0
        if self.watch.forced and self.mode == "think":
            depth = 1
        if self.handicap:
            depth = min(depth, self.handicap.depth)
            nodes = min(nodes or self.handicap.nodes, self.handicap.nodes)
        self.main.begin(self.watch.over, nodes, self.contempt)
        helpers = [
            threading.Thread(target=self._help, args=(search, number), daemon=True)
            for number, search in enumerate(self.searches[1:], 1)
        ]
        for thread in helpers:
            thread.start()
        try:
            lines = self._deepen(depth)
        finally:
            self.helpers_stop = True
            for thread in helpers:
                thread.join()
        best = self.handicap.choose(lines) if self.handicap else lines[0]
        # the last report speaks of the move that is played and of all that was searched
        if not self.reports or best is not lines[0] or self.main.stopped():
            depth = self.reports[0].depth if self.reports else 1
            self._note(depth, [best, *(line for line in lines if line is not best)])
        if self.unsent:
            self._send()
        return Result(self.legal[best.variation[0]], self._reply(best), self.reports[0])

    def _help(self, search: "Search", number: int) -> None:
        """A helper thread: the same iterations on the shared table, every second one deeper by one."""
        search.begin(lambda _nodes: self.helpers_stop or self.watch.control.stopped, 0, self.contempt)
        search.allow(self.allowed)
        for depth in range(1 + number % 2, MAX_DEPTH):
            search.think(depth, -INFINITE, INFINITE)
            if search.stopped() or self.helpers_stop:
                return

    def _deepen(self, last: int) -> list[_Line]:
        """Iterate to depth `last`; returns the lines of the last iteration, the best first."""
        lines = [_Line(0, [i]) for i in self.allowed[: self.lines]]
        doubt = 0.0  # grows when the best move changes or its score drops, and fades
        for depth in range(1, last + 1):
            best, before = lines[0].variation[0], lines[0].score
            lines, whole = self._iterate(depth, lines)
            if whole or lines[0].variation[0] != best:
                self._note(depth, lines)
            if not whole:
                break
            doubt = doubt / 2 + (lines[0].variation[0] != best) + (lines[0].score < before - ALARM)
            if self.mode == "analyze":
                continue
            if self.watch.enough(CERTAIN + doubt):
                break
            score = lines[0].score
            counting = self.watch.begin() is not None and not self.limits.infinite
            if counting and abs(score) > WON and WIN - abs(score) <= depth:
                break
        return lines

    def _iterate(self, depth: int, lines: list[_Line]) -> tuple[list[_Line], bool]:
        """Search every line to `depth`; what is not finished keeps its last value. Says whether all was finished."""
        found: list[_Line] = []
        for k in range(self.lines):
            taken = {line.variation[0] for line in found}
            self.main.allow([i for i in self.allowed if i not in taken])
            score = aspire(self.main, depth, lines[k].score, self.window)
            variation = self.main.principal()
            if self.main.stopped():
                if variation and k == 0 and len(lines) == 1:
                    found.append(_Line(lines[0].score, variation))
                taken = {line.variation[0] for line in found}
                found += [line for line in lines if line.variation[0] not in taken]
                return found[: max(1, len(lines))], False
            found.append(_Line(score, variation))
        found.sort(key=lambda line: -line.score)
        return found, True

    def _note(self, depth: int, lines: list[_Line]) -> None:
        """Make the reports of an iteration and send them unless some were sent just before."""
        now = time.perf_counter()
        nodes, seldepth, mean = self.main.statistics()
        for search in self.searches[1:]:
            nodes += search.statistics()[0]
        full = self.table.fullness()
        hits = sum(search.databases.found() for search in self.searches)
        self.reports = [
            Report(
                depth=depth,
                seldepth=max(seldepth, depth),
                mean_depth=mean,
                score=line.score,
                nodes=nodes,
                time=now - self.watch.control.started,
                pv=self._line_of(line),
                multipv=k,
                tbhits=hits,
                hashfull=full,
            )
            for k, line in enumerate(lines[: self.shown], 1)
        ]
        self.unsent = True
        if now - self.last_sent >= REPORT_EVERY:
            self.last_sent = now
            self._send()

    def _send(self) -> None:
        self.unsent = False
        if self.on_report:
            for report in self.reports:
                self.on_report(report)

    def _line_of(self, line: _Line) -> tuple[Move, ...]:
        """The moves of a line; in analysis a win found in a database is shown to its end."""
        moves = self._moves(line.variation)
        if self.mode != "analyze" or abs(line.score) <= DECIDED:
            return moves
        position = self.position
        for move in moves:
            position = position.play(move)
        return moves + self.supply.best_line(position)

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

    def _reply(self, line: _Line) -> Move | None:
        moves = self._moves(line.variation[:2])
        return moves[1] if len(moves) > 1 else None


@dataclass(frozen=True, slots=True)
class _Handicap:
    """How a weaker player is made: a short look ahead over some lines, and a bounded error in their scores."""

    depth: int
    nodes: int
    lines: int
    noise: int

    def choose(self, lines: list[_Line]) -> _Line:
        """The line that looks best with the error added; a line found lost or won is seen as such."""
        return max(lines, key=lambda line: line.score + (random.uniform(0, self.noise) if abs(line.score) < WON else 0))


def handicap(strength: int) -> _Handicap | None:
    """The handicap of a strength from 1 to 20; none at 20."""
    if strength >= FULL_STRENGTH:
        return None
    return _Handicap(1 + strength * 3 // 4, 40 * 2 ** (strength * 3 // 4), 4, (FULL_STRENGTH - strength) * 5)
