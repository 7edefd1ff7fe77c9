"""The protocol of a client that has not said which one it speaks: its first line tells."""

from collections.abc import Callable

from engine import Report
from protocol.hub1_server import Hub1Dialect, is_version_1
from protocol.hub_server import HubDialect
from protocol.hub_syntax import parse_line
from protocol.machine import Answer, Dialect, TextMachine
from protocol.uci_server import COMMANDS as UCI_COMMANDS
from protocol.uci_server import UciDialect

_UCI = UCI_COMMANDS - {"go", "stop", "quit", "variant"}  # `variant` is also JoclyBoard's word over Hub v1
_GO = {"wtime", "btime", "movetime", "depth", "nodes", "mate", "infinite", "searchmoves", "perft"}
_HUB = frozenset(("hub", "set-param", "init", "pos", "level", "new-game", "go", "ping", "legal", "state"))


def hub_or_version_1(machine: TextMachine) -> Dialect:
    """Hub v2 until a line comes that exists in version 1 alone."""
    return HubDialect(machine, version_1=Hub1Dialect)


class AutoDialect(Dialect):
    """Waits silently for a line that names a protocol, then hands over to it."""

    def is_quit(self, line: str) -> bool:
        return line.split()[:1] == ["quit"]

    def during_search(self, line: str) -> bool:
        return True

    def execute(self, line: str, arrived: float) -> None:
        choice = choose(line)
        if choice is not None:
            self.machine.dialect = choice(self.machine)
            self.machine.dialect.execute(line, arrived)

    def write_report(self, report: Report) -> None:
        """No search runs before a protocol is chosen."""

    def write_answer(self, answer: Answer) -> None:
        """No search runs before a protocol is chosen."""

    def write_error(self, message: str) -> None:
        """Nothing may be written before the protocol is known."""

    def write_prepared(self) -> None:
        """Nothing is prepared before a protocol is chosen."""


def choose(line: str) -> Callable[[TextMachine], Dialect] | None:
    """The dialect that a first line belongs to; None when it belongs to none."""
    parsed = parse_line(line)
    if parsed is None:
        return None
    words = {name for name, _ in parsed.arguments}
    if parsed.command in _UCI or (parsed.command == "go" and words & _GO):
        return UciDialect
    if is_version_1(parsed):
        return Hub1Dialect
    return hub_or_version_1 if parsed.command in _HUB else None
