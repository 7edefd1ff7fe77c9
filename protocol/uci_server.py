"""The UCI dialect for draughts, server side (ucilike.md): chess UCI with draughts FENs, moves and variant names.

An answer that is found early in `go infinite` or `go ponder` is held back until `stop` or `ponderhit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine import FenError, Game, Limits, Mode, Move, MoveError, OptionError, Position, Report, Side
from engine.fen import parse_position
from engine.hub_position import check_playable
from engine.notation import Numbering, Reading, Style, format_move, parse_move
from engine.scores import DATABASE_WIN, DECIDED, WIN, WON
from engine.version import VERSION
from protocol.board_text import board_text
from protocol.hub_syntax import read_integer
from protocol.levels import Level
from protocol.machine import Answer, Dialect, Hold, TextMachine
from protocol.replay import Replayer, ReplayError, has_two_numberings
from protocol.uci_extras import bench, perft, static
from protocol.uci_options import FORMATS, OVERHEAD, Local, declarations, from_mib, shared_name

NAME = f"damier {VERSION}"
AUTHOR = "the damier project"
ABOUT = f"{NAME}, a draughts engine in Python by {AUTHOR}"
BITBASE_CP = 20000  # what the nearest win in a database of unknown length is called
LONGEST_PV = 60
FALLBACK = 1.0  # s for a `go` whose limits are all unknown

COMMANDS = frozenset(
    (
        *("uci", "isready", "debug", "setoption", "register", "ucinewgame", "position", "go", "stop", "ponderhit"),
        *("quit", "d", "fen", "eval", "perft", "legalmoves", "bench", "variant"),
    )
)
_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft")


@dataclass(slots=True)
class Go:
    """The words of a `go` line."""

    numbers: dict[str, int] = field(default_factory=dict)
    search_moves: list[str] = field(default_factory=list)
    ponder: bool = False
    infinite: bool = False
    empty: bool = True

    @classmethod
    def read(cls, words: Sequence[str]) -> "Go":
        """Read the words behind `go`, in any order; unknown ones are skipped."""
        go = cls(empty=not words)
        index = 0
        while index < len(words):
            word = words[index]
            index += 1
            if word in _NUMBERS:
                number = read_integer(words[index]) if index < len(words) else None
                if number is not None:
                    go.numbers[word] = number
                    index += 1
            elif word == "searchmoves":
                while index < len(words) and words[index] not in (*_NUMBERS, "ponder", "infinite"):
                    go.search_moves.append(words[index])
                    index += 1
            elif word in ("ponder", "infinite"):
                setattr(go, word, True)
        return go


class UciDialect(Dialect):
    """The UCI dialect."""

    def __init__(self, machine: TextMachine) -> None:
        super().__init__(machine)
        self.local = Local()
        self._replayer = Replayer()
        machine.paced = False
        overhead = machine.settings.params.get("move-overhead")
        if overhead is not None and machine.settings.values[overhead.name] == overhead.default:
            machine.assign(overhead.name, str(OVERHEAD))

    # ------------------------------------------------------------------ lines
    @staticmethod
    def _words(line: str) -> list[str]:
        """The words from the first known command on; none if there is none."""
        words = line.split()
        return next((words[index:] for index, word in enumerate(words) if word in COMMANDS), [])

    def is_quit(self, line: str) -> bool:
        return self._words(line)[:1] == ["quit"]

    def during_search(self, line: str) -> bool:
        match self._words(line):
            case ["isready", *_]:
                self.machine.write("readyok")
            case ["stop", *_]:
                self.machine.stop()
            case ["ponderhit", *_]:
                self.machine.ponder_hit()
            case [] | ["debug", *_]:
                pass
            case _:
                return False
        return True

    def execute(self, line: str, arrived: float) -> None:
        words = self._words(line)
        match words:
            case []:
                if line.split():
                    self.machine.write(f"info string unknown command: {' '.join(line.split())[:80]}")
            case ["uci", *_]:
                self._declare()
            case ["isready", *_]:
                self.machine.prepare(announce=True)
            case ["debug", *_]:
                pass
            case ["setoption", *rest]:
                self._set_option(rest)
            case ["variant", *rest]:  # JoclyBoard's own
                self._set_option(["name", "UCI_Variant", "value", *rest])
            case ["ucinewgame", *_]:
                self.machine.prepare(new_game=True)
            case ["position", *rest]:
                self._set_position(rest)
            case ["go", "perft", number, *_]:
                self._perft(number)
            case ["go", *rest]:
                self._go(rest, arrived)
            case ["perft", *rest]:
                self._perft(rest[0] if rest else "")
            case ["bench", *rest]:
                depth = read_integer(rest[0]) if rest else None
                variant = self.machine.settings.rules.name
                self.machine.compute(lambda: bench(variant, depth))
            case [command, *_]:
                self._show(command)

    # ------------------------------------------------------------------ options
    def _declare(self) -> None:
        self.machine.write(f"id name {NAME}")
        self.machine.write(f"id author {AUTHOR}")
        for line in declarations(self.machine.settings, self.local, ABOUT):
            self.machine.write(line)
        self.machine.write("uciok")

    def _set_option(self, words: list[str]) -> None:
        """`name N [value V]`; both may hold blanks."""
        if words[:1] != ["name"]:
            return self.write_error("setoption without a name")
        cut = words.index("value") if "value" in words[1:] else len(words)
        name, value = " ".join(words[1:cut]), " ".join(words[cut + 1 :])
        try:
            self._assign(name, "" if value == "<empty>" else value)
        except OptionError as error:
            self.write_error(str(error))

    def _assign(self, name: str, value: str) -> None:
        """Set an option. Raises OptionError."""
        settings, local = self.machine.settings, self.local
        match name.lower():
            case "clear hash":
                self.machine.prepare(new_game=True)
            case "uci_analysemode":
                local.analyse = _switch(name, value)
            case "uci_moveformat":
                if value.lower() not in FORMATS:
                    raise OptionError(f"{name}: {value!r} is not one of {', '.join(FORMATS)}")
                local.format = value.lower()
            case "uci_opponent" | "uci_engineabout":
                return
            case "hash":
                mib = read_integer(value)
                if mib is None:
                    raise OptionError(f"{name}: {value!r} is not a number")
                self.machine.assign("tt-size", str(from_mib(mib)))
            case _:
                shared = shared_name(settings, name)
                if shared is None or not self.machine.assign(shared, value):
                    raise OptionError(f"unknown option {name}")
                if shared == "variant":
                    self.machine.game = Game(Position.start(settings.rules))

    # ------------------------------------------------------------------ positions
    def _set_position(self, words: list[str]) -> None:
        rules = self.machine.settings.rules
        cut = words.index("moves") if "moves" in words else len(words)
        kind, text, moves = words[:1], " ".join(words[1:cut]), words[cut + 1 :]
        try:
            if kind == ["startpos"]:
                position = Position.start(rules)
            elif kind == ["fen"]:
                position = parse_position(text, rules)
                check_playable(position, text)
            else:
                return self.write_error("position takes startpos or fen")
        except FenError as error:
            return self.write_error(f"bad fen {error}")
        first: ReplayError | None = None
        for numbering in self._numberings():
            try:
                self.machine.game = self._replayer.replay(position, moves, numbering=numbering, prefer=self._reading())
                return
            except ReplayError as error:
                first = first or error
        assert first is not None
        self.machine.game = first.game
        self.write_error(f"illegal move {first.text[:40]} ({first.index + 1}): {first.reason}")

    def _numberings(self) -> list[Numbering]:
        """How numbers are read, the likely way first."""
        orders: list[Numbering] = ["own", "top"]
        if self.local.format == "hub":
            orders.reverse()
        return orders if has_two_numberings(self.machine.settings.rules) else orders[:1]

    def _reading(self) -> Reading:
        return "path" if self.local.format == "path" else "captured"

    def _style(self) -> Style:
        return self.local.format  # type: ignore[return-value]

    def _written(self, moves: Sequence[Move]) -> str:
        """A line of moves from the position on the board, each written where it is played."""
        game = self.machine.game
        position, legal = game.position, game.legal_moves()
        words = []
        for move in moves:
            words.append(format_move(move, position, legal, self._style()))
            position = position.play(move)
            legal = position.legal_moves()
        return " ".join(words)

    # ------------------------------------------------------------------ searching
    def _go(self, words: list[str], arrived: float) -> None:
        go = Go.read(words)
        limits = self._limits(go)
        mode: Mode = "think"
        if go.ponder:
            mode = "ponder"
        elif limits.infinite or go.infinite or self.local.analyse:
            mode = "analyze"
        hold = Hold.ALWAYS if limits.infinite or go.infinite else Hold.PONDER
        self.machine.start_search(limits, mode, arrived, hold=hold)

    def _limits(self, go: Go) -> Limits:
        """The limits of a `go`. The clock of UCI holds this move's increment already, the engine's does not."""
        numbers = go.numbers
        level = Level(depth=numbers.get("depth"), nodes=numbers.get("nodes"), moves=numbers.get("movestogo", 0))
        if (movetime := numbers.get("movetime")) is not None:
            level.move_time = movetime / 1000
        if (mate := numbers.get("mate")) is not None:
            level.depth = min(level.depth or 10**6, 2 * max(1, mate) + 5)  # a little deeper: reductions may hide it
        own, other = ("w", "b") if self.machine.game.position.turn is Side.WHITE else ("b", "w")
        if (time := numbers.get(f"{own}time")) is not None:
            level.inc = max(0, numbers.get(f"{own}inc", 0)) / 1000
            level.time = time / 1000 - level.inc
        elif (time := numbers.get(f"{other}time")) is not None:
            self.machine.write(f"info string no {own}time: thinking for a thirtieth of {other}time")
            level.move_time = min(level.move_time or 1e9, max(0, time) / 30000)
        limits = level.limits(self._search_moves(go.search_moves))
        if limits.infinite and not (go.empty or go.infinite or go.ponder or go.search_moves):
            self.machine.write(f"info string no usable limit: thinking for {FALLBACK} s")
            level.move_time = FALLBACK
            limits = level.limits(limits.search_moves)
        return limits

    def _search_moves(self, texts: list[str]) -> tuple[Move, ...]:
        """The legal moves among those named."""
        moves = []
        for text in texts:
            try:
                moves.append(self._read_move(text))
            except MoveError as error:
                self.machine.write(f"info string searchmoves: {error}")
        return tuple(moves)

    def _read_move(self, text: str) -> Move:
        """The legal move that a text means, its numbers read in the likely way first. Raises MoveError."""
        game = self.machine.game
        first: MoveError | None = None
        for numbering in self._numberings():
            try:
                return parse_move(text, game.position, game.legal_moves(), prefer=self._reading(), numbering=numbering)
            except MoveError as error:
                first = first or error
        assert first is not None
        raise first

    def write_report(self, report: Report) -> None:
        if report.book:
            self.machine.write("info string book move", droppable=True)
        speed = round(report.nodes / max(report.time, 0.001))
        line = (
            f"info depth {max(1, report.depth)} seldepth {max(1, report.seldepth)} multipv {report.multipv}"
            f" score {score_text(report.score)} nodes {report.nodes} nps {speed} hashfull {report.hashfull}"
            f" tbhits {report.tbhits} time {round(report.time * 1000)}"
        )
        pv = self._written(report.pv[:LONGEST_PV])
        self.machine.write(f"{line} pv {pv}" if pv else line, droppable=True)

    def write_answer(self, answer: Answer) -> None:
        if answer.move is None:
            outcome = self.machine.game.outcome
            won = outcome is not None and outcome.winner is self.machine.game.position.turn
            self.machine.write(f"info depth 0 score {f'cp {BITBASE_CP}' if won else 'mate 0'}")
            self.machine.write("bestmove (none)")
            return
        if not answer.reported:
            self.write_report(answer.report or Report(1, 1, 1.0, 0, 1, 0.0, (answer.move,)))
        moves = (answer.move,) if answer.ponder is None else (answer.move, answer.ponder)
        self.machine.write("bestmove " + " ponder ".join(self._written(moves).split()))

    def write_error(self, message: str) -> None:
        self.machine.write("info string error: " + " ".join(message.split()))

    def write_prepared(self) -> None:
        self.machine.write("readyok")

    # ------------------------------------------------------------------ extensions
    def _show(self, command: str) -> None:
        game = self.machine.game
        match command:
            case "d":
                self.write_lines([*board_text(game).splitlines(), f"hub: {game.position.hub()}"])
            case "fen":
                self.write_lines([game.position.fen()])
            case "legalmoves":
                legal = game.legal_moves()
                self.write_lines([" ".join(format_move(move, game.position, legal, self._style()) for move in legal)])
            case "eval":
                self.write_lines(static(game))

    def write_lines(self, lines: Sequence[str]) -> None:
        """Plain lines and the empty one that ends them."""
        for line in lines:
            if line:
                self.machine.write(line)
        self.machine.write("")

    def _perft(self, number: str) -> None:
        depth = read_integer(number)
        if depth is None or not 0 <= depth <= 100:
            return self.write_error("perft takes a depth")
        position = self.machine.game.position
        self.machine.compute(lambda: perft(position, depth))


def score_text(score: int) -> str:
    """`cp N`, or `mate N` in full moves of the winner for a forced end whose length is known."""
    size, sign = abs(score), 1 if score > 0 else -1
    if size > WON:
        return f"mate {sign * max(1, (WIN - size + 1) // 2)}"
    if size > DECIDED:
        return f"cp {sign * (BITBASE_CP - (DATABASE_WIN - size))}"
    return f"cp {score}"


def _switch(name: str, value: str) -> bool:
    """Read the value of a check option. Raises OptionError."""
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise OptionError(f"{name}: {value!r} is not true or false")
