"""The engine behind every protocol: parameters, and a search that runs in the caller's thread."""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from engine import pattern_weights
from engine.book_shelf import Answer, Shelf
from engine.clock import Limits, budget
from engine.deepening import Run, Watch
from engine.egdb_supply import Supply
from engine.errors import OptionError, RulesError, WeightsError
from engine.game import Game
from engine.moves import hot_module, is_compiled, is_wide
from engine.params import OWN, PARAMS, TRAINED, Value
from engine.report import Control, Mode, Report, Result
from engine.rules import Rules
from engine.strength import FULL_STRENGTH
from engine.tuning import tuned
from engine.variants import find_variant

if TYPE_CHECKING:
    from engine.search import Search
    from engine.table import Table


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
        watch = Watch(control, plan, mode == "ponder", forced)
        assert self._table is not None
        run = Run(
            game,
            limits,
            mode,
            watch,
            on_report,
            searches=self._searches,
            table=self._table,
            supply=self._supply,
            multi_pv=int(self.values["multi-pv"]),
            strength=int(self.values["strength"]),
            contempt=int(self.values["contempt"]),
            window=self.tuning["window"],
        )
        with self._supply.searching():
            return run.play()

    def _book_answer(self, game: Game, limits: Limits, mode: Mode) -> Answer | None:
        """A move of the book where one may be played: not in analysis and pondering, not without any limit, not
        where several lines or a weaker player are asked for."""
        values = self.values
        if mode != "think" or limits.infinite or values["multi-pv"] != 1 or values["strength"] != FULL_STRENGTH:
            return None
        return self._shelf.answer(game, limits, int(values["book-ply"]), int(values["book-margin"]))
