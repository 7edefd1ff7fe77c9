"""Protocol machines that are fed whatever comes, with an engine that does things at random times."""

from collections.abc import Callable, Sequence

from engine import PARAMS, Report, Result, find_variant
from fuzzing.corpus import Source
from protocol.actions import Action, Compute, Configure, PonderHit, Prepare, Quit, Search, Stop, Write
from protocol.dxp import DxpMachine
from protocol.dxp_actions import Action as DxpAction
from protocol.dxp_actions import Close, Finished, Policy, Refused, Send, StopThinking, Think, Timeouts
from protocol.dxp_messages import decode
from protocol.hub1_server import Hub1Dialect
from protocol.hub_server import HubDialect
from protocol.machine import Dialect, TextMachine
from protocol.phases import Phase
from protocol.uci_server import UciDialect

DIALECTS: dict[str, Callable[[TextMachine], Dialect]] = {"hub": HubDialect, "hub1": Hub1Dialect, "uci": UciDialect}
ANSWERS = {"hub": "done", "hub1": "move", "uci": "bestmove"}
ECHO = {"hub": ("ping", "pong"), "hub1": ("ping", "pong"), "uci": ("isready", "readyok")}
LIFE = 500  # lines before a machine is checked to the end and replaced


class Fault(Exception):
    """A promise that was broken."""


def expect(condition: bool, text: str) -> None:
    if not condition:
        raise Fault(text)


# ---- machines of the text protocols


class TextRun:
    """One text machine after the other, with an engine that does things at random times."""

    def __init__(self, protocol: str, source: Source) -> None:
        self.protocol = protocol
        self.source = source
        self.answers = self.machines = 0
        self._renew()

    def _renew(self) -> None:
        self.machine = TextMachine(DIALECTS[self.protocol], PARAMS.values())
        self.running: Search | None = None
        self.preparing = self.stopping = self.gone = False
        self.computing = False
        self.asked = self.answered = 0
        self.echoes = 0
        self.lines = 0
        self.machines += 1

    def step(self) -> None:
        """One line, in pieces, and whatever the engine does meanwhile."""
        line = self.source.next()
        self.asked += line.count(b"go") + line.count(b"ponder") + line.count(b"analy")
        for piece in self.source.chunks(line + b"\n"):
            self._do(self.machine.receive(piece, 1.0))
            self._engine(0.5)
        self.lines += 1
        if self.gone or self.lines >= LIFE:
            self.finish()

    def _engine(self, chance: float) -> None:
        rnd = self.source.random
        if self.gone:
            return
        if self.computing and rnd.random() < chance:
            self.computing = False
            self._do(self.machine.computed([]))
        elif self.preparing and rnd.random() < chance:
            self.preparing = False
            self._do(self.machine.prepared("no memory" if rnd.random() < 0.05 else ""))
        elif self.running is not None and rnd.random() < (0.8 if self.stopping else 0.1) * chance:
            game = self.running.game
            self.running = None
            self.stopping = False
            move = rnd.choice(game.legal_moves()) if rnd.random() < 0.9 else None
            self._do(self.machine.finished(Result(move, None, None), "" if move else "broken"))
        elif self.running is not None and rnd.random() < 0.3 * chance:
            move = rnd.choice(self.running.game.legal_moves())
            self._do(self.machine.reported(Report(1, 2, 1.5, rnd.randrange(-10000, 10001), 9, 0.1, (move,))))

    def finish(self) -> None:
        """Whatever has been said, the machine must come to rest and answer one more search once."""
        if not self.gone:
            question, answer = ECHO[self.protocol]
            self._do(self.machine.receive(b"\nstop\n", 1.0))
            self._settle()
            expect(self.machine.phase is Phase.IDLE, f"{self.machine.phase} after stop")
            before = self.answered
            self._do(self.machine.receive(f"go\nstop\n{question}\n".encode(), 1.0))
            self._settle()
            expect(self.answered == before + 1, f"{self.answered - before} answers to one go")
            expect(self.echoes > 0, f"no {answer}")
        expect(self.answered <= self.asked + 1, "more answers than questions")
        self.answers += self.answered
        self._renew()

    def _settle(self) -> None:
        for _ in range(100_000):
            if not (self.preparing or self.computing or self.running is not None) or self.gone:
                return
            self._engine(1.0)
            if self.running is not None and not self.stopping:
                self._do(self.machine.receive(b"stop\n", 1.0))
        raise Fault("the machine never comes to rest")

    def _do(self, actions: list[Action]) -> None:
        for action in actions:
            expect(not self.gone, f"{action} after the end")
            match action:
                case Write(line):
                    self._written(line)
                case Prepare() | Compute():
                    expect(not (self.preparing or self.computing or self.running), f"{action} at the wrong time")
                    self.preparing = isinstance(action, Prepare)
                    self.computing = isinstance(action, Compute)
                case Search(game):
                    expect(not (self.preparing or self.computing or self.running), "two searches")
                    expect(bool(game.legal_moves()), "a search without a move")
                    self.running = action
                case Stop() | PonderHit():
                    expect(self.running is not None, f"{action} without a search")
                    self.stopping = self.stopping or isinstance(action, Stop)
                case Configure(name, _):
                    expect(name in PARAMS, f"unknown parameter {name}")
                case Quit(when_prepared):
                    self.gone = not when_prepared

    def _written(self, line: str) -> None:
        expect("\n" not in line and "\r" not in line, f"bad line {line!r}")
        word = line.split(" ", 1)[0]
        self.answered += word == ANSWERS[self.protocol]
        self.echoes += word == ECHO[self.protocol][1]


# ---- the DXP machine


class DxpRun:
    """One connection after the other; the other side makes a legal move now and then."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rules = find_variant("international")
        self.games = self.machines = self.moves = 0
        self.now = 0.0
        self._renew()

    def _renew(self) -> None:
        timeouts = Timeouts(idle=1e6, move=1e6)
        self.machine = DxpMachine(self.rules, Policy(timeouts=timeouts, illegal_limit=50), self.now)
        self.thought: Think | None = None
        self.accepted = self.finished = 0
        self.machines += 1

    def step(self) -> None:
        rnd = self.source.random
        self.now += rnd.random()
        for piece in self.source.chunks(self._legal() or self.source.next() + b"\0"):
            self._do(self.machine.receive(piece, self.now))
        if self.thought is not None and rnd.random() < 0.5:
            thought, self.thought = self.thought, None
            move = rnd.choice(thought.game.legal_moves()) if rnd.random() < 0.95 else None
            self._do(self.machine.moved(thought.ticket, move, self.now))
        if self.machine.deadline is not None and self.machine.deadline <= self.now:
            self._do(self.machine.timeout(self.now))
        if self.machine.closed:
            expect(self.finished == self.accepted, "a game was lost")
            self.games += self.finished
            self._renew()

    def _legal(self) -> bytes | None:
        game = self.machine.game
        if game is None or game.our_turn or self.source.random.random() > 0.3:
            return None
        legal = game.board.legal_moves()
        if not legal:
            return b"E10\0"
        move = self.source.random.choice(legal)
        taken = "".join(f"{square:02}" for square in reversed(move.captured))
        self.moves += 1
        return f"M0000{move.frm:02}{move.to:02}{len(move.captured):02}{taken}\0".encode()

    def _do(self, actions: Sequence[DxpAction]) -> None:
        closed = False
        for action in actions:
            expect(not closed, f"{action} after the end")
            match action:
                case Send(data):
                    expect(data.endswith(b"\0") and data.count(b"\0") == 1 and len(data) <= 128, f"bad frame {data!r}")
                    decode(data[:-1])
                    self.accepted += data.startswith(b"A") and data.endswith(b"0\0")
                case Think():
                    expect(self.thought is None, "two searches")
                    self.thought = action
                case StopThinking():
                    expect(self.thought is not None, "nothing to stop")
                    self.thought = None
                case Finished():
                    self.finished += 1
                case Refused():
                    raise Fault("refused without asking")
                case Close():
                    expect(self.thought is None, "a search runs on")
                    closed = True
        expect(self.machine.playing or self.thought is None, "a search without a game")
