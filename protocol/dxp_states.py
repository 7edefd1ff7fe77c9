"""Where a DXP connection stands, and every way from one state to another, as one table.

The machine moves along this table alone, and the diagram in docs/protocols.md is drawn from it.
"""

from enum import Enum


class State(Enum):
    """Where a connection stands."""

    IDLE = "idle"  # no game
    ASKED = "asked"  # GAMEREQ sent, GAMEACC awaited
    PLAY = "play"
    ENDING = "ending"  # GAMEEND sent, the answer awaited
    CLOSED = "closed"


class Step(Enum):
    """What takes it from one state to the next; the value says so to people."""

    ASK = "we send GAMEREQ"
    START = "GAMEACC with code 0, from either side"
    REFUSE = "GAMEACC with another code, GAMEEND"
    END = "our GAMEEND in place of a move"
    OVER = "GAMEEND of the other side, its next GAMEREQ, or no answer to ours"
    CLOSE = "stop code 1, lost connection, silence"


TRANSITIONS: dict[tuple[State, Step], State] = {
    (State.IDLE, Step.ASK): State.ASKED,
    (State.IDLE, Step.START): State.PLAY,
    (State.ASKED, Step.START): State.PLAY,
    (State.ASKED, Step.REFUSE): State.IDLE,
    (State.PLAY, Step.END): State.ENDING,
    (State.PLAY, Step.OVER): State.IDLE,
    (State.ENDING, Step.OVER): State.IDLE,
    (State.IDLE, Step.CLOSE): State.CLOSED,
    (State.ASKED, Step.CLOSE): State.CLOSED,
    (State.PLAY, Step.CLOSE): State.CLOSED,
    (State.ENDING, Step.CLOSE): State.CLOSED,
}
