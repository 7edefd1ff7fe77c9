"""The ordering rules of every text protocol, in one place and without I/O.

A `TextMachine` takes bytes from the client and news from the search, and gives back actions for the session that runs
it. What a line means and how an answer looks is the business of its `Dialect`; when a line takes effect is decided
here (hub.md section 4, ucilike.md section 1):

* exactly one answer for each search, after its last report; no report outside a search;
* while a search runs, `stop`, `ponder-hit`, `ping` and their like are dealt with at once; any other command stops the
  search and waits for its answer; what the dialect does not know changes nothing;
* lines that arrive while the engine prepares wait for it; nothing is lost and answers keep the order of the questions;
* `quit` and the end of input leave at once, without an answer.

The phases and the ways between them are the table of `phases`.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from engine import DamierError, Game, Limits, Mode, Move, Param, Position, Report, Result
from engine.params import Value
from protocol.actions import Action, Compute, Configure, PonderHit, Prepare, Quit, Search, Stop, Write
from protocol.framing import LineFramer
from protocol.phases import TRANSITIONS, Phase, Step
from protocol.settings import SQUARE_ORDER, VARIANT, Settings

NO_RESULT = Result(None, None, None)


class Hold(Enum):
    """Until when an answer that is found early is held back (UCI demands it, Hub does not)."""

    NEVER = "never"
    PONDER = "until the ponder hit"
    ALWAYS = "until told to stop"


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a search as the client may see it: both moves are legal, None where there is none."""

    move: Move | None
    ponder: Move | None
    report: Report | None  # the search's last word
    reported: bool  # whether a report was written during the search


class Dialect(ABC):
    """One text protocol: reads lines, writes answers. It holds no state about the order of things."""

    def __init__(self, machine: "TextMachine") -> None:
        self.machine = machine

    @abstractmethod
    def is_quit(self, line: str) -> bool:
        """Whether the line asks to leave."""

    @abstractmethod
    def during_search(self, line: str) -> bool:
        """Deal with a line while a search runs. False: it has to wait until the search has ended."""

    @abstractmethod
    def execute(self, line: str, arrived: float) -> None:
        """Obey a line while idle."""

    @abstractmethod
    def write_report(self, report: Report) -> None:
        """Write the progress of the search."""

    @abstractmethod
    def write_answer(self, answer: Answer) -> None:
        """Write the end of a search."""

    @abstractmethod
    def write_error(self, message: str) -> None:
        """Tell the client, while idle, that something it asked for was not done."""

    @abstractmethod
    def write_prepared(self) -> None:
        """Write the answer to the command that asked to prepare."""

    def write_lines(self, lines: Sequence[str]) -> None:
        """Write the result of a computation."""
        for line in lines:
            self.machine.write(line)

    def search_ended(self) -> None:
        """Forget what belonged to the search that has just been answered."""
        return None

    def variant_changed(self) -> None:
        """Forget what was learned about the client under other rules."""
        return None


class TextMachine:
    """The server side of a text protocol: bytes and search news in, actions out."""

    def __init__(self, dialect: Callable[["TextMachine"], Dialect], params: Iterable[Param]) -> None:
        self.settings = Settings(params)
        self.game = Game(Position.start(self.settings.rules))
        self.paced = True  # put a pause between lines (hub.md 10.3)
        self._phase = Phase.IDLE
        self._framer = LineFramer()
        self._queue: deque[tuple[str, float]] = deque()
        self._actions: list[Action] = []
        self._unprepared = True
        self._confirmed: dict[str, Value] = dict(self.settings.values)
        self._announce = False
        self._leaving = False
        self._waiting: Search | None = None  # a search that waits for the engine to be prepared
        self._mode: Mode = "think"
        self._hold = Hold.NEVER
        self._held: Result | None = None
        self._reported = False
        self._refusals: list[str] = []  # what the engine would not have, not told yet
        self._pumping = False
        self.dialect = dialect(self)

    # ------------------------------------------------------------------ what the session tells
    @property
    def phase(self) -> Phase:
        """What the machine is doing."""
        return self._phase

    @property
    def backlog(self) -> int:
        """Lines that wait for the engine."""
        return len(self._queue)

    def receive(self, data: bytes, arrived: float = 0.0) -> list[Action]:
        """Bytes came from the client at time `arrived`."""
        for line in self._framer.feed(data):
            if self._phase is Phase.CLOSED or self._leaving:
                break
            if self.dialect.is_quit(line):
                self.close()
            else:
                self._queue.append((line, arrived))
                self._pump()
        return self._take()

    def end_of_input(self) -> list[Action]:
        """The client closed its side."""
        self.close()
        return self._take()

    def prepared(self, problem: str = "", without: Sequence[str] = ()) -> list[Action]:
        """The engine has dealt with `Prepare`; `problem` says why it could not do all of it, `without` what it does
        not need and cannot use."""
        if self._phase is Phase.PREPARING:
            if problem:
                self._restore_confirmed()
                self.dialect.write_error(problem)
            for lack in without:
                self.dialect.write_error(lack)
            self._confirmed = dict(self.settings.values)
            self._unprepared = False
            self._enter(Step.PREPARED)
            self._tell_refusals()
            if self._announce:
                self._announce = False
                self.dialect.write_prepared()
            if self._leaving:
                self._leaving = False
                self.close()
            elif self._waiting is not None:
                search, self._waiting = self._waiting, None
                self._begin(search)
            self._pump()
        return self._take()

    def computed(self, lines: list[str]) -> list[Action]:
        """The work of a `Compute` is done."""
        if self._phase is Phase.PREPARING:
            self._enter(Step.PREPARED)
            self._tell_refusals()
            self.dialect.write_lines(lines)
            if self._leaving:
                self._leaving = False
                self.close()
            self._pump()
        return self._take()

    def refused(self, asked: Configure, message: str) -> list[Action]:
        """The engine did not take the value of a parameter; the last good one holds. Told as soon as it is idle."""
        if self.settings.values[asked.name] == asked.value:
            self.settings.put(asked.name, asked.before)
        self._refusals.append(message)
        if self._phase is Phase.IDLE:
            self._tell_refusals()
        return self._take()

    def reported(self, report: Report) -> list[Action]:
        """The search made progress."""
        if self._phase in (Phase.SEARCHING, Phase.STOPPING) and self._held is None:
            self.dialect.write_report(report)
            self._reported = True
        return self._take()

    def finished(self, result: Result, problem: str = "") -> list[Action]:
        """The search has ended; `problem` says that it broke, the result then need not hold a move."""
        if self._phase is Phase.SEARCHING and self._must_hold():
            self._held = result
        elif self._phase in (Phase.SEARCHING, Phase.STOPPING):
            self._end(result, problem)
        return self._take()

    # ------------------------------------------------------------------ what the dialect asks for
    def write(self, line: str, *, droppable: bool = False) -> None:
        """Send a line to the client."""
        self._actions.append(Write(line, droppable))

    def assign(self, name: str, text: str) -> bool:
        """Set a parameter; False for a name that nobody knows. Raises OptionError for a bad value."""
        before = self.settings.values
        change = self.settings.assign(name, text)
        if change is None:
            return False
        if change.for_engine:
            self._unprepared = True
            self._actions.append(Configure(change.name, change.value, before[change.name]))
        if change.rules_changed:
            self._change_rules()
        return True

    def prepare(self, *, announce: bool = False, new_game: bool = False) -> None:
        """Let the engine allocate and load, or forget the last game; the lines behind wait for it."""
        if announce and not self._unprepared:
            self.dialect.write_prepared()
            return
        self._announce = announce
        self._enter(Step.PREPARE)
        self._actions.append(Prepare(new_game))

    def compute(self, work: Callable[[], list[str]]) -> None:
        """Do something that takes long in a thread, and write the lines that it gives; the lines behind wait."""
        self._enter(Step.PREPARE)
        self._actions.append(Compute(work))

    def start_search(self, limits: Limits, mode: Mode, arrived: float, *, hold: Hold = Hold.NEVER) -> None:
        """Search the position; `hold` says how long an answer that is found early has to wait."""
        self._mode = mode
        self._hold = hold
        search = Search(self.game, limits, mode, arrived)
        if not self.game.legal_moves():
            self._enter(Step.SEARCH)
            self._reported = False
            if self._must_hold():
                self._held = NO_RESULT
            else:
                self._end(NO_RESULT)
        elif self._unprepared:
            self._waiting = search
            self.prepare()
        else:
            self._begin(search)

    def stop(self) -> None:
        """End the search, if one runs."""
        if self._phase is not Phase.SEARCHING:
            return
        if self._held is not None:
            self._end(self._held)
        else:
            self._enter(Step.STOP)
            self._actions.append(Stop())

    def ponder_hit(self) -> None:
        """The move that was pondered on came; ignored unless a ponder search runs."""
        if self._phase is not Phase.SEARCHING or self._mode != "ponder":
            return
        self._mode = "think"
        if self._held is not None and not self._must_hold():
            self._end(self._held)
        elif self._held is None:
            self._actions.append(PonderHit())

    def close(self) -> None:
        """Leave; during preparation as soon as it is over, which the session limits."""
        if self._phase is Phase.CLOSED or self._leaving:
            return
        if self._phase is Phase.PREPARING and self._waiting is None:
            self._leaving = True
            self._queue.clear()
            self._actions.append(Quit(when_prepared=True))
            return
        if self._phase in (Phase.SEARCHING, Phase.STOPPING):
            self._actions.append(Stop())
        self._enter(Step.CLOSE)
        self._queue.clear()
        self._actions.append(Quit())

    # ------------------------------------------------------------------ inside
    def _take(self) -> list[Action]:
        actions, self._actions = self._actions, []
        return actions

    def _pump(self) -> None:
        """Obey queued lines as far as the phase allows. What it calls may end a search and come back here:
        then the loop that runs already goes on with the next line."""
        if self._pumping:
            return
        self._pumping = True
        while self._queue:
            line, arrived = self._queue[0]
            if self._phase is Phase.IDLE:
                self._queue.popleft()
                self.dialect.execute(line, arrived)
            elif self._phase is Phase.SEARCHING:
                if self.dialect.during_search(line):
                    self._queue.popleft()
                else:
                    self.stop()
            else:
                break
        self._pumping = False

    def _enter(self, step: Step) -> None:
        self._phase = TRANSITIONS[self._phase, step]

    def _begin(self, search: Search) -> None:
        self._enter(Step.SEARCH)
        self._reported = False
        self._actions.append(search)

    def _tell_refusals(self) -> None:
        messages, self._refusals = self._refusals, []
        for message in messages:
            self.dialect.write_error(message)

    def _must_hold(self) -> bool:
        return self._hold is Hold.ALWAYS or (self._hold is Hold.PONDER and self._mode == "ponder")

    def _end(self, result: Result, problem: str = "") -> None:
        answer = self._answer(result)
        self._held = None
        self._enter(Step.ANSWER)
        self.dialect.write_answer(answer)
        self.dialect.search_ended()
        if problem:
            self.dialect.write_error(problem)
        self._tell_refusals()
        self._pump()

    def _answer(self, result: Result) -> Answer:
        """Only legal moves leave the house, whatever the search says; a legal one if there is any."""
        legal = self.game.legal_moves()
        line = result.report.pv if result.report else ()
        move = result.move
        if move not in legal:
            move = line[0] if line and line[0] in legal else next(iter(legal), None)
        ponder = result.ponder
        if move is not None and ponder is not None:
            self.game.play(move)
            if self.game.outcome is not None or ponder not in self.game.legal_moves():
                ponder = None
            self.game.undo()
        return Answer(move, ponder if move is not None else None, result.report, self._reported)

    def _change_rules(self) -> None:
        """Another variant begins at its start position; another reading of the rules keeps the game if it can."""
        rules = self.settings.rules
        old = self.game
        if rules.name != old.position.rules.name:
            self.game = Game(Position.start(rules))
            self.dialect.variant_changed()
            return
        game = Game(replace(old.start, rules=rules))
        try:
            for move in old.moves:
                game.play(move)
        except DamierError:
            game = Game(replace(old.position, rules=rules))
        self.game = game

    def _restore_confirmed(self) -> None:
        """Take back what was asked of the engine since it was last prepared, except for the rules."""
        for name, value in self._confirmed.items():
            param = self.settings.params[name]
            before = self.settings.values[name]
            if before != value and name != VARIANT and not param.rule and name != SQUARE_ORDER.name:
                self.settings.put(name, value)
                self._actions.append(Configure(name, value, before))
