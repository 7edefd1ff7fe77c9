"""The client side of Hub version 1, without input or output: positional words, milliseconds (hub.md section 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.move import Move
from engine.notation import parse_move
from engine.position import Position
from engine.rules import Rules
from protocol.match.client import Answer, Stage, TextClient, milliseconds, wire
from protocol.match.clock import SearchLimits


def limit_lines(limits: SearchLimits) -> list[str]:
    """The lines that limit a search. There is no limit of nodes; the clock excludes the move's increment."""
    lines = []
    if limits.depth is not None:
        lines.append(f"depth {limits.depth}")
    if limits.move_time is not None:
        lines.append(f"time {milliseconds(limits.move_time)}")
    if limits.time is not None:
        lines.append(f"level {limits.moves} {milliseconds(limits.time)} {milliseconds(limits.inc)}")
    return lines


class Hub1Client(TextClient):
    """Speaks Hub version 1. Lines before the first answer (a banner) and unknown ones are ignored."""

    def hello(self) -> bytes:
        self.stage = Stage.DECLARING
        return wire("hub")

    def configure(self, rules: Rules, options: Mapping[str, str]) -> bytes:
        settings = {"variant": rules.hub_name or rules.name, **options}
        self.stage = Stage.PREPARING
        return wire(*(f"set {name} {value}" for name, value in settings.items()), "init")

    def new_game(self) -> bytes:
        self.in_sync = False
        return wire("new", "ping")

    def go(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        text = start.hub()
        self._begin_search()
        return wire(
            f"pos {text[0].lower()}{text[1:]}", *(f"move {move.hub()}" for move in moves), *limit_lines(limits), "go"
        )

    def receive(self, line: str) -> None:
        words = line.split()
        match words:
            case ["name", *rest] if self.stage is Stage.DECLARING:
                self.identity = " ".join(rest)
            case ["wait"] if self.stage is Stage.DECLARING:
                self.stage = Stage.DECLARED
            case ["ready"] if self.stage is Stage.PREPARING:
                self.stage = Stage.IDLE
            case ["pong"]:
                self.in_sync = True
            case ["info", depth, _, score, nodes, *_] if self.stage is Stage.SEARCHING:
                for name, text in (("depth", depth), ("score", score), ("nodes", nodes)):
                    if text.removeprefix("-").isdecimal():
                        setattr(self.report, name, int(text))
            case ["move", *rest]:
                self._end_search(Answer(*[*rest, None, None][:2]))
            case ["error", *rest]:
                self.complaint = " ".join(rest)

    def read_move(self, text: str, position: Position) -> Move:
        return parse_move(text, position, prefer="captured", numbering="top")
