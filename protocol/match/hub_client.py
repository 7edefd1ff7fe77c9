"""The client side of Hub v2, without input or output (hub.md sections 2 to 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.hub_position import format_wolf
from engine.move import Move
from engine.notation import parse_move
from engine.params import value_text
from engine.position import Position
from engine.rules import Rules
from protocol.hub_syntax import Argument, HubLine, format_line, parse_line
from protocol.match.client import Answer, Stage, TextClient, wire
from protocol.match.clock import SearchLimits
from protocol.match.record import EngineFault, Termination

SQUARE_ORDER = "square-order"
"""Some engines can be told that squares are counted from the top row in every variant."""


def seconds(value: float) -> str:
    """Seconds with at most three decimals: `5`, `0.05`, `-0.4`."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


def level(limits: SearchLimits) -> str:
    """The `level` line of a search; `time` excludes the increment of the coming move."""
    arguments: list[Argument] = []
    if limits.time is not None:
        if limits.moves:
            arguments.append(("moves", str(limits.moves)))
        arguments.append(("time", seconds(limits.time)))
        if limits.inc:
            arguments.append(("inc", seconds(limits.inc)))
    if limits.move_time is not None:
        arguments.append(("move-time", seconds(limits.move_time)))
    if limits.depth is not None:
        arguments.append(("depth", str(limits.depth)))
    if limits.nodes is not None:
        arguments.append(("nodes", str(limits.nodes)))
    return format_line("level", arguments or [("infinite", None)])


class HubClient(TextClient):
    """Speaks Hub v2 to an engine. Lines that are none of Hub's are ignored, as the protocol demands."""

    def hello(self) -> bytes:
        self.stage = Stage.DECLARING
        return wire("hub")

    def configure(self, rules: Rules, options: Mapping[str, str]) -> bytes:
        settings = {name: value_text(value) for name, value in rules.settings.items() if name in self.options}
        if SQUARE_ORDER in self.options:
            settings[SQUARE_ORDER] = "top"
        if "variant" not in options:
            settings["variant"] = self._variant(rules)
        settings.update(options)
        lines = [format_line("set-param", [("name", name), ("value", value)]) for name, value in settings.items()]
        self.stage = Stage.PREPARING
        return wire(*lines, "init")

    def _variant(self, rules: Rules) -> str:
        """The engine's word for the variant."""
        names = (rules.hub_name or rules.name, rules.name, *rules.aliases)
        declared = self.options.get("variant", {}).get("values", "").split()
        if not declared:
            return names[0]
        known = {name.lower(): name for name in declared}
        for name in names:
            if name.lower() in known:
                return known[name.lower()]
        raise EngineFault(Termination.PROTOCOL, f"it does not play {rules.name}; its variants: {', '.join(declared)}")

    def new_game(self) -> bytes:
        self.in_sync = False
        return wire("new-game", "ping")

    def go(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        arguments: list[Argument] = [("pos", start.hub())]
        if wolf := format_wolf(start):
            arguments.append(("wolf", wolf))
        if moves:
            arguments.append(("moves", " ".join(move.hub() for move in moves)))
        self._begin_search()
        return wire(format_line("pos", arguments), level(limits), "go think")

    def receive(self, line: str) -> None:
        parsed = parse_line(line)
        if parsed is None:
            return
        match parsed.command:
            case "id":
                words = (parsed.get("name"), parsed.get("version"))
                self.identity = " ".join(word for word in words if word)
            case "param":
                self._declare(parsed)
            case "wait" if self.stage is Stage.DECLARING:
                self.stage = Stage.DECLARED
            case "ready" if self.stage is Stage.PREPARING:
                self.stage = Stage.IDLE
            case "pong":
                self.in_sync = True
            case "info" if self.stage is Stage.SEARCHING:
                self._report(parsed)
            case "done":
                self._end_search(Answer(parsed.get("move") or None, parsed.get("ponder") or None))
            case "error":
                self.complaint = parsed.get("message") or line.strip()

    def _declare(self, line: HubLine) -> None:
        if name := line.get("name"):
            self.options[name] = {key: value or "" for key, value in line.arguments}

    def _report(self, line: HubLine) -> None:
        score = line.real("score")
        if score is not None:
            self.report.score = round(100 * score)
        for name in ("depth", "nodes"):
            if (number := line.integer(name)) is not None:
                setattr(self.report, name, number)

    def read_move(self, text: str, position: Position) -> Move:
        return parse_move(text, position, prefer="captured", numbering="top")
