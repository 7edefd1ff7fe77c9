"""What the DXP state machine asks of its session, and the settings that it is given: plain data, no
behaviour."""

from dataclasses import dataclass

from engine import Game, Move, Position, Side
from protocol.dxp_messages import AcceptCode


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How many seconds the other side may be silent; None stands for ever (dxp.md section 4 names no
    figures)."""

    accept: float | None = 10.0  # answer to a game request or to a take-back
    end: float | None = 5.0  # answer to the end of a game
    move: float | None = 60.0  # beyond the clock of the side to move
    idle: float | None = None  # a connection without a game


@dataclass(frozen=True, slots=True)
class Policy:
    """The choices that DXP leaves to a program."""

    name: str = "damier"
    take_back: bool = True  # go back on request; False answers that it is never done
    illegal_limit: int = 3  # illegal moves in a row after which our next turn ends the game
    complaint_limit: int = 10  # remarks on bad messages before they are dropped in silence
    junk_limit: int = 500  # bad messages without a game before the connection is closed
    time_grace: float | None = None  # seconds over the clock before a win on time is claimed; None: never
    timeouts: Timeouts = Timeouts()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A game that an initiator asks for; `side` is its own colour, `minutes` and `moves` as in
    GameRequest."""

    position: Position
    side: Side
    minutes: float = 5.0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game that has ended: `result` is White first (`1-0 1/2-1/2 0-1`) or `*`, `termination` says why."""

    side: Side  # ours
    white: str
    black: str
    start: Position
    moves: tuple[Move, ...]
    seconds: tuple[float, ...]  # measured for each move
    result: str
    termination: str
    minutes: float
    move_limit: int


@dataclass(frozen=True, slots=True)
class Send:
    """Write these bytes (one message with its NUL) in one piece."""

    data: bytes


@dataclass(frozen=True, slots=True)
class NewGame:
    """The next search has nothing to do with the last one."""


@dataclass(frozen=True, slots=True)
class Think:
    """Search `game` and hand the move back with `ticket`.

    `time` is what is left on our clock in seconds, `moves` how many moves it is for (0: all that come).
    """

    ticket: int
    game: Game
    time: float
    moves: int


@dataclass(frozen=True, slots=True)
class StopThinking:
    """Stop the search that runs; its move is not wanted."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a human may want to read: chat, faults of the other side."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A game is over."""

    record: GameRecord


@dataclass(frozen=True, slots=True)
class Refused:
    """The other side does not want the game that was proposed; None: it did not answer."""

    code: AcceptCode | None


@dataclass(frozen=True, slots=True)
class Close:
    """Send what is left, then close the connection."""

    reason: str


Action = Send | NewGame | Think | StopThinking | Notice | Finished | Refused | Close
