"""Iterative deepening: one search over one or more lines and threads, from its first iteration to its last report."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.aspiration import aspire
from engine.clock import Budget, Limits
from engine.egdb_supply import Supply
from engine.game import Game
from engine.move import Move
from engine.position import Position
from engine.report import Control, Mode, Report, Result
from engine.scores import DECIDED, INFINITE, WIN, WON
from engine.strength import handicap

if TYPE_CHECKING:
    from engine.search import Search
    from engine.table import Table

MAX_DEPTH = 100
REPORT_EVERY = 0.05  # seconds between reports, except the last one
ALARM = 25  # a drop of the score in one iteration, centi-men, that asks for more time
CERTAIN = 0.75  # part of the planned time that a move needs that was never in doubt


@dataclass(slots=True)
class Watch:
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


@dataclass(frozen=True, slots=True)
class Variation:
    """What a search found of one root move: the score, and the best line that begins with it."""

    score: int
    moves: list[int]  # by their index among the legal ones


class Run:
    """One search: iterative deepening over one or more lines and threads."""

    def __init__(
        self,
        game: Game,
        limits: Limits,
        mode: Mode,
        watch: Watch,
        on_report: Callable[[Report], None] | None,
        *,
        searches: "list[Search]",
        table: "Table",
        supply: Supply,
        multi_pv: int,
        strength: int,
        contempt: int,
        window: int,
    ) -> None:
        """`searches` are one a thread, on one `table`; the others are parameters of the engine and of its tuning."""
        self.table = table
        self.supply = supply
        self.searches = searches
        self.main = searches[0]
        self.position = game.position
        self.legal = game.legal_moves()
        self.limits = limits
        self.mode = mode
        self.watch = watch
        self.on_report = on_report
        self.window = window
        self.reports: list[Report] = []
        self.unsent = False
        self.last_sent = watch.control.started
        self.helpers_stop = False
        allowed = [i for i, move in enumerate(self.legal) if move in limits.search_moves]
        self.allowed = allowed or list(range(len(self.legal)))
        self.handicap = None if mode == "analyze" else handicap(strength)
        self.lines = min(len(self.allowed), max(multi_pv, self.handicap.lines if self.handicap else 1))
        self.shown = min(multi_pv, self.lines)
        self.contempt = 0 if mode == "analyze" else contempt
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
        best = lines[self.handicap.choose([line.score for line in lines])] if self.handicap else lines[0]
        # the last report speaks of the move that is played and of all that was searched
        if not self.reports or best is not lines[0] or self.main.stopped():
            depth = self.reports[0].depth if self.reports else 1
            self._note(depth, [best, *(line for line in lines if line is not best)])
        if self.unsent:
            self._send()
        return Result(self.legal[best.moves[0]], self._reply(best), self.reports[0])

    def _help(self, search: "Search", number: int) -> None:
        """A helper thread: the same iterations on the shared table, every second one deeper by one."""
        search.begin(lambda _nodes: self.helpers_stop or self.watch.control.stopped, 0, self.contempt)
        search.allow(self.allowed)
        for depth in range(1 + number % 2, MAX_DEPTH):
            search.think(depth, -INFINITE, INFINITE)
            if search.stopped() or self.helpers_stop:
                return

    def _deepen(self, last: int) -> list[Variation]:
        """Iterate to depth `last`; returns the lines of the last iteration, the best first."""
        lines = [Variation(0, [i]) for i in self.allowed[: self.lines]]
        doubt = 0.0  # grows when the best move changes or its score drops, and fades
        for depth in range(1, last + 1):
            best, before = lines[0].moves[0], lines[0].score
            lines, whole = self._iterate(depth, lines)
            if whole or lines[0].moves[0] != best:
                self._note(depth, lines)
            if not whole:
                break
            doubt = doubt / 2 + (lines[0].moves[0] != best) + (lines[0].score < before - ALARM)
            if self.mode == "analyze":
                continue
            if self.watch.enough(CERTAIN + doubt):
                break
            score = lines[0].score
            counting = self.watch.begin() is not None and not self.limits.infinite
            if counting and abs(score) > WON and WIN - abs(score) <= depth:
                break
        return lines

    def _iterate(self, depth: int, lines: list[Variation]) -> tuple[list[Variation], bool]:
        """Search every line to `depth`; what is not finished keeps its last value. Says whether all was finished."""
        found: list[Variation] = []
        for k in range(self.lines):
            taken = {line.moves[0] for line in found}
            self.main.allow([i for i in self.allowed if i not in taken])
            score = aspire(self.main, depth, lines[k].score, self.window)
            variation = self.main.principal()
            if self.main.stopped():
                if variation and k == 0 and len(lines) == 1:
                    found.append(Variation(lines[0].score, variation))
                taken = {line.moves[0] for line in found}
                found += [line for line in lines if line.moves[0] not in taken]
                return found[: max(1, len(lines))], False
            found.append(Variation(score, variation))
        found.sort(key=lambda line: -line.score)
        return found, True

    def _note(self, depth: int, lines: list[Variation]) -> None:
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

    def _line_of(self, line: Variation) -> tuple[Move, ...]:
        """The moves of a line; in analysis a win found in a database is shown to its end."""
        moves = self._moves(line.moves)
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

    def _reply(self, line: Variation) -> Move | None:
        moves = self._moves(line.moves[:2])
        return moves[1] if len(moves) > 1 else None
