"""The match: takes files and workers, gives out pairs, keeps the results, and knows when to stop."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import Any

from engine.errors import OptionError
from protocol.match.config import MatchConfig
from protocol.match.display import Display
from protocol.match.journal import Journal, JournalContent, read_journal, settings_hash
from protocol.match.locks import FileLock
from protocol.match.openings import (
    Numbered,
    Opening,
    Selection,
    balance_judge,
    enumerate_openings,
    ordered,
    read_openings,
    select,
    start_opening,
)
from protocol.match.pdn_output import PdnOutput
from protocol.match.pool import LocalPool, OnGame, Pool, UnitFuture, WorkerLost
from protocol.match.record import GameRecord, Termination
from protocol.match.report import data_report, replace_file, text_report, write_report
from protocol.match.schedule import Slot, make_schedule
from protocol.match.statistics import Decision
from protocol.match.tables import Tally
from protocol.match.unit import Unit

MOST_LOSSES = 20
"""A unit whose workers die this often is not tried again."""


class ExitCode(IntEnum):
    """How a match ended."""

    FINISHED = 0
    USAGE = 1
    START_FAILURE = 2
    INTERRUPTED = 3


PoolFactory = Callable[[MatchConfig, OnGame], Pool]


def make_pool(config: MatchConfig, on_game: OnGame) -> Pool:
    """The workers that a configuration asks for."""
    if config.cluster is not None:
        from protocol.match.cluster import ClusterPool

        return ClusterPool(config.cluster, config.concurrency, config.setting(), on_game)
    return LocalPool(config.workers, config.setting(), on_game, pin=config.pin)


@dataclass(frozen=True, slots=True)
class _Done:
    """A unit came back, with its records or an exception."""

    unit: Unit
    future: UnitFuture


class MatchRunner:
    """Plays one match as configured. `run` returns the exit code; a refusal raises `OptionError`."""

    def __init__(self, config: MatchConfig, display: Display, pool_factory: PoolFactory = make_pool) -> None:
        self.config = config
        self.display = display
        self.schedule = make_schedule(
            config.format, len(config.engines), config.games, rounds=config.rounds, seeds=config.seeds
        )
        self.names = [engine.name for engine in config.engines]
        self.tally = Tally(self.names)
        self.records: dict[tuple[int, int], GameRecord] = {}
        self._pool_factory = pool_factory
        self._openings: list[Numbered] = []
        self._journal: Journal | None = None
        self._pdn: PdnOutput | None = None
        self._events: queue.SimpleQueue[GameRecord | _Done] = queue.SimpleQueue()
        self._running: set[int] = set()
        self._losses: dict[int, int] = {}
        self._proved: set[str] = set()
        self._scores: dict[int, list[float]] = {}
        self._first_open = 0
        self._signals = 0
        self._exit: ExitCode | None = None

    # ------------------------------------------------------------------------------------- the match
    def run(self) -> ExitCode:
        """Play until the end, a decision, a failure or an interrupt."""
        with self._signal_handlers(), self._files():
            self.display.begin(self)
            pool = self._pool_factory(self.config, self._events.put)
            try:
                self._play(pool)
            finally:
                pool.abort()
                pool.close()
                self.display.end(self)
            self._report()
        return ExitCode.FINISHED if self._exit is None else self._exit

    def _play(self, pool: Pool) -> None:
        stopping = False
        told = 0
        while True:
            if self._exit is None and self._signals:
                self._exit = ExitCode.INTERRUPTED
            stopping = stopping or self._exit is not None or self.decision is not Decision.CONTINUE
            if stopping and told < 1:
                pool.finish()
                told = 1
                self.display.note("no further games are started; the running ones are finished")
            if told < 2 and (self._signals > 1 or self._exit is ExitCode.START_FAILURE):
                pool.abort()
                told = 2
            if not stopping:
                self._give_out(pool)
            if not self._running:
                return
            try:
                event = self._events.get(timeout=0.2)
            except queue.Empty:
                self.display.refresh(self)
                continue
            if isinstance(event, GameRecord):
                self._keep(event)
            else:
                self._settle(event)
            self.display.refresh(self)

    def _give_out(self, pool: Pool) -> None:
        """Give units to idle workers."""
        if len(self._running) >= pool.size:
            return
        slots = self.schedule.slots(self.points())
        while self._first_open < len(slots) and len(self._scores.get(slots[self._first_open].pair, ())) == 2:
            self._first_open += 1
        for slot in slots[self._first_open :]:
            missing = tuple(game for game in (1, 2) if (slot.pair, game) not in self.records)
            if not missing or slot.pair in self._running:
                continue
            self._submit(pool, self._unit(slot, missing))
            if len(self._running) >= pool.size:
                return

    def _unit(self, slot: Slot, games: tuple[int, ...]) -> Unit:
        numbered = self._openings[slot.opening % len(self._openings)]
        first, second = self.config.engines[slot.first], self.config.engines[slot.second]
        return Unit(slot.pair, slot.round, numbered.index, numbered.opening, first, second, games)

    def _submit(self, pool: Pool, unit: Unit) -> None:
        self._running.add(unit.pair)
        future = pool.submit(unit)
        future.add_done_callback(lambda done: self._events.put(_Done(unit, done)))

    def _settle(self, done: _Done) -> None:
        """A unit came back: what it holds is kept, what it misses is given out again by the schedule."""
        self._running.discard(done.unit.pair)
        error = done.future.exception()
        if error is None:
            for record in done.future.result():
                self._keep(record)
        elif isinstance(error, WorkerLost):
            losses = self._losses[done.unit.pair] = self._losses.get(done.unit.pair, 0) + 1
            self.display.note(f"pair {done.unit.pair}: {error}; it is given out again")
            if losses >= MOST_LOSSES:
                raise OptionError(f"pair {done.unit.pair}: {losses} workers died over it; last: {error}")
        else:
            raise error

    def _keep(self, record: GameRecord) -> None:
        """Take a finished game, unless it was taken before."""
        if record.key in self.records:
            return
        if record.termination is Termination.START and record.fault not in self._proved:
            self.display.note(f"{record.fault}: {record.reason}")
            self._exit = ExitCode.START_FAILURE
            return
        self._count(record)
        if self._journal is not None:
            self._journal.add(record)
        if self._pdn is not None:
            self._pdn.add(record)
        self.display.game(self, record)
        if self.config.stop_on_fault and record.termination.is_fault and self._exit is None:
            self.display.note(f"{record.fault}: {record.termination}: {record.reason}; the match stops")
            self._exit = ExitCode.INTERRUPTED

    def _count(self, record: GameRecord) -> None:
        self.records[record.key] = record
        self.tally.add(record)
        first = record.white if record.game == 1 else record.black
        self._scores.setdefault(record.pair, []).append(record.score_of(first))
        for engine, identity in zip((record.white, record.black), record.engines, strict=True):
            if identity:  # it was ready once
                self._proved.add(engine)

    # -------------------------------------------------------------------------------------- its state
    @property
    def decision(self) -> Decision:
        """What the sequential test says, by the complete pairs."""
        if self.config.sprt is None or not self.tally.meetings:
            return Decision.CONTINUE
        (meeting,) = self.tally.meetings.values()
        return self.config.sprt.decide(meeting.pentanomial())

    @property
    def running(self) -> int:
        """Pairs being played."""
        return len(self._running)

    def points(self) -> dict[int, float]:
        """Points of the first engine in each complete pair."""
        return {pair: sum(scores) for pair, scores in self._scores.items() if len(scores) == 2}

    def byes(self) -> dict[str, float]:
        """Points that engines got without playing."""
        return {self.names[engine]: points for engine, points in self.schedule.byes(self.points()).items()}

    # -------------------------------------------------------------------------------------- its files
    @contextmanager
    def _files(self) -> Iterator[None]:
        """Take the locks, read the journal, prepare all files."""
        config = self.config
        locks: list[FileLock] = []
        try:
            for file in filter(None, (config.journal, config.pdn, config.report)):
                locks.append(FileLock(file))  # noqa: PERF401 - those taken are released when one fails
            if config.log_directory is not None:
                config.log_directory.mkdir(parents=True, exist_ok=True)
            settings = config.settings()
            resumed = self._resume(settings)
            if resumed is None:
                _refuse_existing(None if config.resume else config.journal, config)
                _refuse_existing(config.pdn, config)
                selection = self._select_openings()
                self._openings = selection.chosen
                if config.journal is not None:
                    self._journal = Journal(config.journal)
                    self._journal.begin(settings, self._openings)
            if config.pdn is not None:
                slots = self.schedule.total
                order = [(pair, game) for pair in range(1, slots + 1) for game in (1, 2)]
                self._pdn = PdnOutput(config.pdn, config.rules, config.event, order if config.pdn_in_order else None)
                self._pdn.begin(self.records.values())
            yield
        finally:
            if self._pdn is not None:
                self._pdn.close()
            if self._journal is not None:
                self._journal.close()
            for lock in locks:
                lock.release()

    def _resume(self, settings: dict[str, Any]) -> JournalContent | None:
        """Go on from the journal; None to begin a match."""
        path = self.config.journal
        if not self.config.resume or path is None or not path.exists():
            return None
        content, length = read_journal(path)
        if content is None:  # killed before the first line was whole
            return None
        changed = settings_hash(content.settings) != settings_hash(settings)
        if changed and not self.config.force:
            names = sorted(n for n in settings if content.settings.get(n) != settings[n])
            raise OptionError(
                f"journal {path}: it belongs to a match with other settings ({', '.join(names)}); "
                "--force goes on all the same"
            )
        self._journal = Journal(path, length)
        self._openings = content.openings
        if changed:
            self._openings = self._select_openings().chosen
            self._journal.begin(settings, self._openings)
        known = set(self.names)
        for record in content.records.values():
            if not {record.white, record.black} <= known:
                raise OptionError(f"journal {path}: pair {record.pair} was played by other engines")
            self._count(record)
        self.display.note(f"{len(self.records)} games are in the journal already")
        return content

    def _select_openings(self) -> Selection:
        source, rules = self.config.openings, self.config.rules
        if source.text == "start":
            openings: list[Opening] = start_opening(rules)
        elif source.text.startswith("ply="):
            openings = enumerate_openings(rules, int(source.text.removeprefix("ply=")))
        else:
            openings = read_openings(Path(source.text), rules, source.plies)
        if source.first >= len(openings):
            raise OptionError(f"opening-start={source.first}: there are only {len(openings)} openings")
        judge = None if source.balance is None else balance_judge(rules, source.depth, source.balance)
        candidates = ordered(openings, shuffle=source.shuffle, seed=source.seed, first=source.first)
        selection = select(candidates, rules, self.schedule.openings, judge)
        dropped = ", ".join(f"{number} {reason}" for reason, number in selection.dropped.items())
        if not selection.chosen:
            raise OptionError(f"openings {source.text}: none of {len(openings)} can be used ({dropped})")
        note = f"{len(selection.chosen)} of {len(openings)} openings"
        self.display.note(note + (f"; dropped: {dropped}" if dropped else ""))
        return selection

    def _report(self) -> None:
        """Write the report file and show the text."""
        config = self.config
        given: dict[str, Any] = {
            "title": f"{config.event}: {config.rules.name}",
            "kind": config.format,
            "sprt": config.sprt,
            "byes": self.byes(),
        }
        text = text_report(self.tally, **given)
        if config.report is not None and config.report.suffix in (".html", ".htm"):
            from protocol.match.html_report import html_report

            records = list(self.records.values())
            page = html_report(self.tally, records, config.rules, pdn=config.pdn, **given)
            replace_file(config.report, page.encode())
        elif config.report is not None:
            write_report(config.report, text, data_report(self.tally, **given))
        self.display.report(text)

    # ------------------------------------------------------------------------------------ its signals
    @contextmanager
    def _signal_handlers(self) -> Iterator[None]:
        """The first interrupt lets running games end, the second breaks them off; both can be resumed."""

        def note(number: int, frame: FrameType | None) -> None:
            self._signals += 1 if number == signal.SIGINT else 2

        numbers = [number for name in ("SIGINT", "SIGTERM") if (number := getattr(signal, name, None))]
        before = {number: signal.signal(number, note) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _refuse_existing(path: Path | None, config: MatchConfig) -> None:
    """A new match does not overwrite what is there."""
    if path is not None and path.exists() and path.stat().st_size and not config.overwrite:
        hint = "--resume goes on with it, " if path == config.journal else ""
        raise OptionError(f"{path}: the file exists already; {hint}--overwrite replaces it")


def warn_about_load(config: MatchConfig, cores: int) -> str | None:
    """A warning when more threads would be busy than there are cores."""
    busy = config.workers * config.threads
    if config.cluster is None and busy > cores:
        return f"{config.workers} games of {config.threads} threads at once on {cores} cores: times will suffer"
    return None
