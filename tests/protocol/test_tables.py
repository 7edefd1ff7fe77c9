"""The tables of phases and states: the machines walk every row of them, and there is no way out of the end."""

from collections.abc import Iterator
from enum import Enum

import pytest

from engine import Position, Side, find_variant
from protocol import dxp, dxp_states, machine, phases
from protocol.dxp_actions import Proposal
from protocol.dxp_messages import EndReason
from protocol.phases import Phase
from protocol.uci_server import UciDialect
from tests.protocol.driver import Driver
from tests.protocol.dxp_desk import Desk, request

ACCEPT = b"A" + b"Tester".ljust(32) + b"0"
TABLES = [phases.TRANSITIONS, dxp_states.TRANSITIONS]


class Walked(dict[tuple[Enum, Enum], Enum]):
    """A table that notes which of its rows were used."""

    def __init__(self, table: object) -> None:
        super().__init__(table)  # type: ignore[call-overload]
        self.used: set[tuple[Enum, Enum]] = set()

    def __getitem__(self, key: tuple[Enum, Enum]) -> Enum:
        self.used.add(key)
        return super().__getitem__(key)


@pytest.fixture
def text_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Walked]:
    walked = Walked(phases.TRANSITIONS)
    monkeypatch.setattr(machine, "TRANSITIONS", walked)
    yield walked
    assert walked.used == set(walked)


@pytest.fixture
def dxp_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[Walked]:
    walked = Walked(dxp_states.TRANSITIONS)
    monkeypatch.setattr(dxp, "TRANSITIONS", walked)
    yield walked
    assert walked.used == set(walked)


@pytest.mark.parametrize("table", TABLES)
def test_the_end_is_the_end(table: dict[tuple[Enum, Enum], Enum]) -> None:
    ends = set(table.values()) - {before for before, _ in table}
    assert {end.name for end in ends} == {"CLOSED"}
    assert all((before, step) in table for before, _ in table for _, step in table if step.name == "CLOSE")


def test_text_protocols_walk_the_whole_table(text_table: Walked) -> None:
    for lines in (
        ("quit",),
        ("hub", "init", "pos start", "go think", "quit"),
        ("hub", "init", "pos start", "go think", "stop", "quit"),
    ):
        driver = Driver(slow=True)
        for line in lines:
            driver.send(line)
            if line == "init":
                assert driver.machine.phase is Phase.PREPARING
                driver.prepare()
        assert driver.machine.phase is Phase.CLOSED
    driver = Driver(slow=True)
    driver.send("init", "quit")
    assert driver.machine.phase is Phase.PREPARING  # leaves when prepared, which the session limits
    driver.prepare()
    assert driver.machine.phase is Phase.CLOSED
    driver = Driver(slow=True)
    driver.send("go think", "quit")  # a search that waits for the preparation does not hold anybody up
    driver.eof()
    assert driver.machine.phase is Phase.CLOSED
    driver = Driver(UciDialect)
    driver.send("uci", "isready", "perft 1", "go infinite", "stop", "go depth 1")
    driver.finish()
    assert driver.machine.phase is Phase.IDLE


def test_dxp_walks_the_whole_table(dxp_table: Walked) -> None:
    for ending in (b"E00", b"E01"):  # PLAY by their GAMEEND, to IDLE and to CLOSED
        desk = Desk()
        desk.get(request("Z"))
        desk.get(ending)
    for answer in (b"E00", b"E01"):  # ENDING by the answer to ours
        desk = Desk()
        desk.get(request("W"))
        desk.handle(desk.machine.end(EndReason.I_LOSE, False, desk.now))
        desk.get(answer)
    for answer in (ACCEPT, ACCEPT[:-1] + b"2", b"E01"):
        desk = Desk()
        proposal = Proposal(Position.start(find_variant("international")), Side.WHITE)
        desk.handle(desk.machine.propose(proposal, desk.now))
        desk.get(answer)
    desk = Desk()
    desk.handle(desk.machine.propose(proposal, desk.now))
    desk.handle(desk.machine.receive(b"", desk.now))
    assert desk.closed
    desk = Desk()
    desk.handle(desk.machine.receive(b"", desk.now))
    assert desk.closed
