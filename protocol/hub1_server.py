"""The Hub protocol, version 1 (hub.md section 8): positional arguments, times in whole milliseconds.

Used by older GUIs and by JoclyBoard, which sends `start`, `move` and `go` with no handshake at all.
"""

import re

from engine import DamierError, FenError, Game, Move, MoveError, OptionError, Position, Report
from engine.hub_position import parse_hub_position
from engine.notation import format_move, parse_move
from engine.version import VERSION
from protocol.hub_syntax import HubLine, read_integer
from protocol.levels import Level
from protocol.machine import Answer, Dialect, TextMachine

LONGEST_PV = 60
_COMMANDS = frozenset(
    (
        "hub",
        "set",
        "variant",
        "init",
        "new",
        "start",
        "pos",
        "move",
        "depth",
        "time",
        "level",
        "go",
        "ponder",
        "analyse",
        "ponder-hit",
        "stop",
        "ping",
        "quit",
    )
)
_ONLY_VERSION_1 = frozenset(("start", "set", "variant", "new", "move", "depth", "time", "ponder", "analyse"))
_POSITION = re.compile(r"[wbWB][wbWBe]{8,}")


def is_version_1(line: HubLine) -> bool:
    """Whether a line exists in version 1 alone: a command of its own, or `pos` and `level` with bare values."""
    if line.command in _ONLY_VERSION_1:
        return True
    if not line.arguments:
        return False
    name, value = line.arguments[0]
    if line.command == "level":
        return value is None and read_integer(name) is not None
    return line.command == "pos" and value is None and _POSITION.fullmatch(name) is not None


class Hub1Dialect(Dialect):
    """Hub v1."""

    def __init__(self, machine: TextMachine) -> None:
        super().__init__(machine)
        self._level = Level()
        machine.paced = False

    def is_quit(self, line: str) -> bool:
        return line.split()[:1] == ["quit"]

    def during_search(self, line: str) -> bool:
        words = line.split()
        match words[:1]:
            case ["ping"]:
                self.machine.write("pong")
            case ["stop"]:
                self.machine.stop()
            case ["ponder-hit"]:
                self.machine.ponder_hit()
            case [command]:
                return command not in _COMMANDS
        return True

    def execute(self, line: str, arrived: float) -> None:
        words = line.split()
        try:
            match words:
                case ["hub", *_]:
                    for answer in (f"name damier {VERSION}", "author the damier project", "country none", "wait"):
                        self.machine.write(answer)
                case ["set", name, *value]:
                    self.machine.assign(name, " ".join(value))
                case ["variant", name, *_]:
                    self.machine.assign("variant", name)
                case ["init", *_]:
                    self.machine.prepare(announce=True)
                case ["new", *_]:
                    self.machine.prepare(new_game=True)
                case ["start", *_]:
                    self._set_position(Position.start(self.machine.settings.rules))
                case ["pos", text, *_]:
                    self._set_position(parse_hub_position(text, self.machine.settings.rules))
                case ["move", text, *_]:
                    game = self.machine.game
                    game.play(parse_move(text, game.position, game.legal_moves(), prefer="captured", numbering="top"))
                case ["depth" | "time" | "level" as command, *numbers]:
                    self._set_level(command, [read_integer(number) for number in numbers])
                case ["go", *_]:
                    self.machine.start_search(self._level.limits(), "think", arrived)
                case ["ponder", *_]:
                    self.machine.start_search(self._level.limits(), "ponder", arrived)
                case ["analyse", *_]:
                    self.machine.start_search(self._level.limits(), "analyze", arrived)
                case ["ping", *_]:
                    self.machine.write("pong")
        except (FenError, MoveError, OptionError) as error:
            self.write_error(self._describe(error))

    @staticmethod
    def _describe(error: DamierError) -> str:
        if isinstance(error, FenError):
            return f"bad position: {error}"
        return f"illegal move: {error}" if isinstance(error, MoveError) else str(error)

    def _set_position(self, position: Position) -> None:
        self._level = Level()
        self.machine.game = Game(position)

    def _set_level(self, command: str, numbers: list[int | None]) -> None:
        match command, numbers:
            case "depth", [int() as depth, *_]:
                self._level.depth = depth
            case "time", [int() as milliseconds, *_]:
                self._level.move_time = milliseconds / 1000
            case "level", [int() as moves, int() as time, *rest]:
                self._level.moves = moves
                self._level.time = time / 1000
                self._level.inc = (rest[0] or 0) / 1000 if rest else 0.0

    def search_ended(self) -> None:
        self._level = Level()

    def _written(self, move: Move) -> str:
        return format_move(move, self.machine.game.position, style="hub")

    def write_report(self, report: Report) -> None:
        if report.multipv > 1:
            return
        millions = report.nodes / max(report.time, 0.001) / 1e6
        line = " ".join(self._written(move) for move in report.pv[:LONGEST_PV])
        self.machine.write(
            f"info {report.depth} {report.mean_depth:.1f} {report.score} {report.nodes}"
            f" {report.time:.2f} {millions:.1f} {line}".rstrip(),
            droppable=True,
        )

    def write_answer(self, answer: Answer) -> None:
        if answer.report is not None and not answer.reported and answer.move is not None:
            self.write_report(answer.report)
        moves = [self._written(move) for move in (answer.move, answer.ponder) if move is not None]
        self.machine.write(" ".join(["move", *moves]))

    def write_error(self, message: str) -> None:
        self.machine.write("error " + " ".join(message.split()))

    def write_prepared(self) -> None:
        self.machine.write("ready")
