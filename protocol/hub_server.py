"""The Hub protocol, version 2, as its server speaks it (hub.md): the meaning of lines and the form of answers.

Decisions where hub.md leaves a choice: a search that ends by itself in `go ponder` or `go analyze` answers at once,
and the `ponder-hit` or `stop` that comes later is swallowed; what is not understood is ignored without an answer.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from engine import (
    PARAMS,
    FenError,
    Game,
    IllegalMoveError,
    Mode,
    Move,
    MoveError,
    OptionError,
    Param,
    PdnError,
    Position,
    Report,
    Rules,
    find_variant,
)
from engine.fen import parse_fen
from engine.hub_position import check_playable, parse_hub_position
from engine.notation import Numbering, format_move, parse_move
from engine.params import value_text
from engine.version import VERSION
from protocol.hub1_server import is_version_1
from protocol.hub_syntax import Argument, HubLine, format_line, parse_line
from protocol.levels import Level
from protocol.machine import Answer, Dialect, TextMachine
from protocol.replay import Replayer, ReplayError, game_from_pdn, has_two_numberings, turned
from protocol.settings import VARIANT

IDENTITY: tuple[Argument, ...] = (
    ("name", "damier"),
    ("version", VERSION),
    ("author", "the damier project"),
    ("country", "none"),
)
SCAN_NAMES = ("normal", "killer", "bt", "frisian", "losing")  # clients know these, and look at the first ones
LONGEST_PV = 60  # moves; one line has to be enough
_COMMANDS = frozenset(
    (
        "hub",
        "set-param",
        "init",
        "new-game",
        "pos",
        "level",
        "go",
        "ponder-hit",
        "stop",
        "ping",
        "quit",
        "legal",
        "state",
    )
)
_TIMES = ("move-time", "time", "inc")


class HubDialect(Dialect):
    """Hub v2. With `version_1` a line that exists in version 1 alone hands over to that dialect."""

    def __init__(self, machine: TextMachine, version_1: Callable[[TextMachine], Dialect] | None = None) -> None:
        super().__init__(machine)
        self._version_1 = version_1
        self._replayer = Replayer()
        self._level = Level()
        self._numbering: Numbering = "top"
        self._inverted = False  # the client writes the other side's letter (hub.md section 5)

    # ------------------------------------------------------------------ lines
    def is_quit(self, line: str) -> bool:
        parsed = parse_line(line)
        return parsed is not None and parsed.command == "quit"

    def during_search(self, line: str) -> bool:
        parsed = parse_line(line)
        if parsed is None:
            return True
        match parsed.command:
            case "ping":
                self.machine.write("pong")
            case "stop":
                self.machine.stop()
            case "ponder-hit":
                self.machine.ponder_hit()
            case command:
                return command not in _COMMANDS and not self._is_version_1(parsed)
        return True

    def execute(self, line: str, arrived: float) -> None:
        parsed = parse_line(line)
        if parsed is None:
            return
        if self._is_version_1(parsed):
            assert self._version_1 is not None
            self.machine.dialect = self._version_1(self.machine)
            self.machine.dialect.execute(line, arrived)
            return
        match parsed.command:
            case "hub":
                self._declare()
            case "set-param":
                self._set_param(parsed)
            case "init":
                self.machine.prepare(announce=True)
            case "new-game":
                self.machine.prepare(new_game=True)
            case "pos":
                self._set_position(parsed)
            case "level":
                self._set_level(parsed)
            case "go":
                mode: Mode = "analyze" if "analyze" in parsed else "ponder" if "ponder" in parsed else "think"
                self.machine.start_search(self._level.limits(self._searched()), mode, arrived)
            case "ping":
                self.machine.write("pong")
            case "legal":
                moves = " ".join(self._written(move) for move in self.machine.game.legal_moves())
                self.machine.write(format_line("legal", [("moves", moves)]))
            case "state":
                self._write_state()

    def _is_version_1(self, line: HubLine) -> bool:
        return self._version_1 is not None and is_version_1(line)

    # ------------------------------------------------------------------ commands
    def _declare(self) -> None:
        self.machine.write(format_line("id", IDENTITY))
        settings = self.machine.settings
        for param in settings.params.values():
            if param.name == VARIANT:
                param = replace(param, values=variant_names())
                self.machine.write(declaration(param, hub_name(settings.rules)))
            else:
                self.machine.write(declaration(param, settings.values[param.name]))
        self.machine.write("wait")

    def _set_param(self, line: HubLine) -> None:
        self.machine.paced = False
        name, value = line.get("name"), line.get("value")
        if not name:
            return self.write_error("set-param without a name")
        if value is None:
            return self.write_error(f"set-param {name} without a value")
        try:
            self.machine.assign(name, value)
        except OptionError as error:
            self.write_error(str(error))
        if name == "square-order":
            order = self.machine.settings.square_order
            self._numbering = "pdn" if order == "pdn" else "top"

    def variant_changed(self) -> None:
        self._inverted = False
        if self.machine.settings.square_order == "auto":
            self._numbering = "top"

    def _set_level(self, line: HubLine) -> None:
        level = self._level
        for name in ("depth", "nodes", "moves"):
            if (count := line.integer(name)) is not None:
                setattr(level, name, count)
        for name in _TIMES:
            if (seconds := line.real(name)) is not None:
                setattr(level, name.replace("-", "_"), seconds)

        if (moves := line.get("search-moves")) is not None:
            level.search_moves = moves.split()

    def _searched(self) -> tuple[Move, ...]:
        """The root moves that `level search-moves` allows; those that cannot be played here are left out."""
        game = self.machine.game
        found = []
        for text in self._level.search_moves:
            with suppress(MoveError):
                found.append(parse_move(text, game.position, game.legal_moves(), numbering=self._numbering))
        return tuple(found)

    def search_ended(self) -> None:
        self._level = Level()

    # ------------------------------------------------------------------ positions
    def _set_position(self, line: HubLine) -> None:
        self._level = Level()
        rules = self.machine.settings.rules
        try:
            if (pdn := line.get("pdn")) is not None:
                self.machine.game = game_from_pdn(pdn, rules)
                return
            if (fen := line.get("fen")) is not None:
                position = parse_fen(fen, rules)
                check_playable(position, fen)
            elif (text := line.get("pos")) is not None:
                position = parse_hub_position(text, rules, line.get("wolf") or "")
            else:
                position = Position.start(rules)
        except (FenError, PdnError) as error:
            return self.write_error(f"bad position: {error}")
        except ReplayError as error:
            self.machine.game = error.game
            return self._write_replay_error(error)
        moves = (line.get("moves") or "").split()
        game, problem = self._replay(position, moves, from_hub="pos" in line)
        self.machine.game = game
        if problem is not None:
            self._write_replay_error(problem)

    def _replay(self, position: Position, moves: list[str], *, from_hub: bool) -> tuple[Game, ReplayError | None]:
        """Play the moves as the client means them, trying other readings of numbers and side letter (hub.md
        section 5). What is found out holds for the lines to come."""
        rules = position.rules
        if from_hub and not moves and rules.starts.letter == "B":
            self._inverted = self._looks_inverted(position)
        first: ReplayError | None = None
        for inverted, numbering in self._readings(position, from_hub=from_hub):
            try:
                game = self._replayer.replay(turned(position) if inverted else position, moves, numbering=numbering)
            except ReplayError as error:
                first = first or error
            else:
                self._numbering = numbering
                if from_hub:
                    self._inverted = inverted
                return game, None
        assert first is not None
        return first.game, first

    def _looks_inverted(self, position: Position) -> bool:
        """How to read the side letter where no move shows it: as before, and by default as it stands.

        A client that counts squares as PDN does (`square-order=pdn`) is the one that also inverts the letter.
        """
        if position == Position.start(position.rules):
            return False
        return self._inverted or self.machine.settings.square_order == "pdn"

    def _readings(self, position: Position, *, from_hub: bool) -> list[tuple[bool, Numbering]]:
        """Ways to read the side letter and the numbers, the most likely first."""
        rules = position.rules
        sides = [self._inverted, not self._inverted] if from_hub and rules.starts.letter == "B" else [False]
        orders: list[Numbering] = [self._numbering]
        if self.machine.settings.square_order == "auto" and has_two_numberings(rules):
            orders.append("pdn" if self._numbering == "top" else "top")
        return [(side, order) for side in sides for order in orders]

    def _write_replay_error(self, error: ReplayError) -> None:
        kind = "illegal move" if isinstance(error.cause, IllegalMoveError) else "bad move"
        self.write_error(f"{kind} {error.text[:40]} ({error.place()}): {error.reason}")

    def _write_state(self) -> None:
        game = self.machine.game
        outcome = game.outcome
        arguments: list[Argument] = [("turn", game.position.turn.letter), ("result", "*")]
        if outcome is not None:
            arguments[1] = ("result", outcome.score)
            arguments.append(("reason", reason_name(outcome.reason)))
        self.machine.write(format_line("state", arguments))

    # ------------------------------------------------------------------ answers
    def _written(self, move: Move) -> str:
        return format_move(move, self.machine.game.position, style="hub", numbering=self._numbering)

    def write_report(self, report: Report) -> None:
        self.machine.write(format_line("info", self._info(report)), droppable=True)

    def _info(self, report: Report) -> list[Argument]:
        """The fields in the one order that every client reads."""
        depth = max(1, report.depth)
        millions = report.nodes / max(report.time, 0.001) / 1e6
        fields: list[Argument] = [
            ("depth", str(depth)),
            ("mean-depth", f"{report.mean_depth or depth:.1f}"),
            ("score", f"{report.score / 100:.2f}"),
            ("nodes", str(report.nodes)),
            ("time", f"{max(report.time, 0.001):.3f}"),
        ]
        if millions >= 0.05:
            fields.append(("nps", f"{millions:.1f}"))
        if report.pv:
            fields.append(("pv", " ".join(self._written(move) for move in report.pv[:LONGEST_PV])))
        if self.machine.settings.values.get("multi-pv", 1) != 1:
            fields.append(("multipv", str(report.multipv)))
        if report.book:
            fields.append(("book", "true"))
        return fields

    def write_answer(self, answer: Answer) -> None:
        if answer.report is not None and not answer.reported and answer.move is not None:
            self.machine.write(format_line("info", self._info(answer.report)))
        arguments: list[Argument] = []
        if answer.move is not None:
            arguments.append(("move", self._written(answer.move)))
        if answer.ponder is not None:
            arguments.append(("ponder", self._written(answer.ponder)))
        self.machine.write(format_line("done", arguments))

    def write_error(self, message: str) -> None:
        self.machine.write(format_line("error", [("message", message.replace("=", " "))]))

    def write_prepared(self) -> None:
        self.machine.write("ready")


def reason_name(reason: str) -> str:
    """The name of an ended game's rule as one word; both ways to be without a move share one."""
    return "no-moves" if reason in ("no pieces", "blocked") else reason.replace(" ", "-")


def hub_name(rules: Rules) -> str:
    """The name under which a variant is declared."""
    return rules.hub_name or rules.name


def variant_names() -> tuple[str, ...]:
    """The declared names of all variants."""
    names = [hub_name(find_variant(name)) for name in PARAMS[VARIANT].values]
    return (*SCAN_NAMES, *(name for name in names if name not in SCAN_NAMES))


def declaration(param: Param, value: object) -> str:
    """The `param` line of a parameter."""
    arguments: list[Argument] = [("name", param.name), ("value", value_text(value)), ("type", param.type)]
    if param.type in ("int", "real"):
        arguments += [("min", value_text(param.minimum)), ("max", value_text(param.maximum))]
    elif param.type == "enum":
        arguments.append(("values", " ".join(param.values)))
    return format_line("param", arguments)
