"""The client side of the UCI dialect, without input or output (ucilike.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.move import Move
from engine.notation import format_move, parse_move
from engine.params import value_text
from engine.position import Position
from engine.rules import Rules
from engine.scores import WIN
from engine.types import Side
from protocol.match.client import Answer, Stage, TextClient, milliseconds, wire
from protocol.match.clock import SearchLimits
from protocol.match.record import EngineFault, Termination

VARIANT = "UCI_Variant"


def go_command(limits: SearchLimits, side: Side) -> str:
    """The `go` line of a search by `side`; the time includes the increment of the coming move."""
    words = ["go"]
    if limits.time is not None:
        colour = "wb"[side]
        words += [f"{colour}time", str(milliseconds(limits.time + limits.inc))]
        if limits.inc:
            words += [f"{colour}inc", str(milliseconds(limits.inc))]
        if limits.moves:
            words += ["movestogo", str(limits.moves)]
    for name, value in (("depth", limits.depth), ("nodes", limits.nodes)):
        if value is not None:
            words += [name, str(value)]
    if limits.move_time is not None:
        words += ["movetime", str(milliseconds(limits.move_time))]
    return " ".join(words) if len(words) > 1 else "go infinite"


class UciClient(TextClient):
    """Speaks the UCI dialect to an engine. Unknown words are ignored, as the protocol demands."""

    def hello(self) -> bytes:
        self.stage = Stage.DECLARING
        return wire("uci")

    def configure(self, rules: Rules, options: Mapping[str, str]) -> bytes:
        settings: dict[str, str] = {}
        if VARIANT not in options:
            settings[VARIANT] = self._variant(rules)
        settings |= {name: value_text(value) for name, value in rules.settings.items() if name in self.options}
        settings.update(options)
        self.stage = Stage.PREPARING
        return wire(
            *(f"setoption name {name} value {value or '<empty>'}" for name, value in settings.items()), "isready"
        )

    def _variant(self, rules: Rules) -> str:
        """The engine's word for the variant."""
        declared = self.options.get(VARIANT, {}).get("var", "").split()
        known = {name.lower(): name for name in declared}
        for name in (rules.name, *rules.aliases):
            if name.lower() in known:
                return known[name.lower()]
        if not declared:
            return rules.name
        raise EngineFault(Termination.PROTOCOL, f"it does not play {rules.name}; its variants: {', '.join(declared)}")

    def new_game(self) -> bytes:
        self.in_sync = False
        return wire("ucinewgame", "isready")

    def go(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        words = ["position"]
        words += ["startpos"] if start == Position.start(start.rules) else ["fen", start.fen()]
        position = start
        texts = []
        for move in moves:
            texts.append(format_move(move, position, style="short"))
            position = position.play(move)
        if texts:
            words += ["moves", *texts]
        self._begin_search()
        return wire(" ".join(words), go_command(limits, position.turn))

    def receive(self, line: str) -> None:
        words = line.split()
        match words[:1]:
            case ["id"] if words[1:2] == ["name"]:
                self.identity = " ".join(words[2:])
            case ["option"]:
                self._declare(words[1:])
            case ["uciok"] if self.stage is Stage.DECLARING:
                self.stage = Stage.DECLARED
            case ["readyok"]:
                self.in_sync = True
                if self.stage is Stage.PREPARING:
                    self.stage = Stage.IDLE
            case ["info"] if words[1:2] == ["string"]:
                if words[2:3] == ["error:"]:
                    self.complaint = " ".join(words[3:])
            case ["info"] if self.stage is Stage.SEARCHING:
                self._report(words[1:])
            case ["bestmove"]:
                move = words[1] if len(words) > 1 and words[1] not in ("(none)", "NULL", "0000") else None
                ponder = words[3] if words[2:3] == ["ponder"] and len(words) > 3 else None
                self._end_search(Answer(move, ponder))

    def _declare(self, words: list[str]) -> None:
        """`name N type T default D min A max B var V...`; N may hold blanks."""
        fields: dict[str, list[str]] = {}
        key = ""
        for word in words:
            if word in ("name", "type", "default", "min", "max", "var") and not (key == "name" and not fields[key]):
                key = word
                fields.setdefault(key, [])
            elif key:
                fields[key].append(word)
        if fields.get("name"):
            self.options[" ".join(fields["name"])] = {name: " ".join(value) for name, value in fields.items()}

    def _report(self, words: list[str]) -> None:
        """Take depth, nodes and score of the first line of play."""
        found: dict[str, int] = {}
        for name, text in pairwise(words):
            if name == "pv":
                break
            if name in ("depth", "nodes", "multipv", "cp", "mate"):
                try:
                    found[name] = int(text)
                except ValueError:
                    return
        if found.get("multipv", 1) != 1:
            return
        self.report.depth = found.get("depth", self.report.depth)
        self.report.nodes = found.get("nodes", self.report.nodes)
        if "lowerbound" in words or "upperbound" in words:
            return
        if "cp" in found:
            self.report.score = found["cp"]
        elif "mate" in found:
            mate = found["mate"]
            self.report.score = WIN - (2 * mate - 1) if mate > 0 else -WIN - 2 * mate

    def read_move(self, text: str, position: Position) -> Move:
        return parse_move(text, position, prefer="captured")
