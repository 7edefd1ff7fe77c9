"""What a text protocol's machine is doing, and every way from one phase to another, as one table.

The machine moves along this table alone, and the diagram in docs/protocols.md is drawn from it.
"""

from enum import Enum


class Phase(Enum):
    """What the machine is doing."""

    IDLE = "idle"
    PREPARING = "preparing"
    SEARCHING = "searching"
    STOPPING = "stopping"
    CLOSED = "closed"


class Step(Enum):
    """What takes it from one phase to the next; the value says so to people."""

    PREPARE = "something that takes long (init, new game, perft)"
    PREPARED = "it is done"
    SEARCH = "go, prepared first where it has to be"
    STOP = "stop, or a line that cannot wait"
    ANSWER = "the search has ended (done, bestmove)"
    CLOSE = "quit, end of input"


TRANSITIONS: dict[tuple[Phase, Step], Phase] = {
    (Phase.IDLE, Step.PREPARE): Phase.PREPARING,
    (Phase.PREPARING, Step.PREPARED): Phase.IDLE,
    (Phase.IDLE, Step.SEARCH): Phase.SEARCHING,
    (Phase.SEARCHING, Step.STOP): Phase.STOPPING,
    (Phase.SEARCHING, Step.ANSWER): Phase.IDLE,
    (Phase.STOPPING, Step.ANSWER): Phase.IDLE,
    (Phase.IDLE, Step.CLOSE): Phase.CLOSED,
    (Phase.PREPARING, Step.CLOSE): Phase.CLOSED,
    (Phase.SEARCHING, Step.CLOSE): Phase.CLOSED,
    (Phase.STOPPING, Step.CLOSE): Phase.CLOSED,
}
