"""A client that sends whatever it likes, an engine that answers whenever it likes: what the text protocols share."""

import re
from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from engine import Result
from protocol.machine import Dialect, TextMachine
from protocol.phases import Phase
from tests.protocol.driver import Driver


class AnyClient(RuleBasedStateMachine):
    """Lines wait in `pending` and arrive in pieces; subclasses say what is sent."""

    dialect: Callable[[TextMachine], Dialect]
    report: re.Pattern[str]  # what a report looks like
    answer: str  # how the answer to a `go` begins

    def __init__(self) -> None:
        super().__init__()
        self.driver = Driver(type(self).dialect, slow=True)
        self.goes = 0
        self.pending = b""

    def put(self, line: str) -> None:
        self.pending += line.encode() + b"\n"

    @property
    def answers(self) -> int:
        return sum(line.startswith(self.answer) for line in self.driver.lines)

    @rule(size=st.integers(1, 200))
    def deliver(self, size: int) -> None:
        self.driver.feed(self.pending[:size])
        self.pending = self.pending[size:]

    @precondition(lambda self: self.driver.preparing)
    @rule(problem=st.sampled_from(["", "no memory"]))
    def engine_prepared(self, problem: str) -> None:
        self.driver.prepare(problem)

    @precondition(lambda self: self.driver.running is not None)
    @rule()
    def engine_reports(self) -> None:
        assert all(self.report.match(line) for line in self.driver.report())

    @precondition(lambda self: self.driver.running is not None)
    @rule(broken=st.booleans())
    def engine_finishes(self, broken: bool) -> None:
        self.driver.finish(Result(None, None, None) if broken else None, "broken" if broken else "")

    def settle(self) -> None:
        """In the end everything has been answered, once."""
        driver = self.driver
        driver.feed(self.pending + b"\nstop\n")
        while driver.running is not None or driver.preparing:
            driver.prepare() if driver.preparing else driver.finish()
        assert driver.machine.phase is Phase.IDLE
        assert self.answers == self.goes
