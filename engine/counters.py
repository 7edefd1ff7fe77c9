"""Draw counters as data: which material starts a count, what resets it, when it ends the game."""

from dataclasses import dataclass
from enum import IntEnum, IntFlag


class Pattern(IntEnum):
    """Material patterns that switch a counter on. The values are known to the compiled board.

    "3v1" is three pieces with at least one king against a lone king; the road is the long diagonal through two
    playing corners.
    """

    ANY = 0
    THREE_V_ONE = 1  # KKK, KKm, Kmm v lone king
    UP_TO_THREE_V_ONE = 2  # 1-3 pieces with a king v lone king
    UP_TO_TWO_V_ONE = 3  # 1-2 pieces with a king v lone king
    KK_V_K = 4
    K_V_K = 5
    KKK_V_K = 6
    MANY_KINGS_V_K = 7  # three or more kings, no men, v lone king
    ROAD = 8  # 3v1, the lone king alone on the main road
    RIVER = 9  # KKK v K, the strong side has a king on the main road, the lone king has not
    BALANCE_4_5 = 10  # both sides have a king, 4-5 pieces in all
    BALANCE_6_7 = 11
    SMALL = 12  # each side 1-4 pieces with a king
    ONE_V_ONE = 13


class Event(IntFlag):
    """What a ply did: captured something, moved a man (also promoting or capturing), promoted a man."""

    NONE = 0
    CAPTURE = 1
    MAN = 2
    PROMOTION = 4


@dataclass(frozen=True, slots=True)
class Counter:
    """One draw rule that counts plies.

    An idle counter switches on at 0 when `start` holds after a ply, is dropped when `hold` fails, goes back to 0 on an
    event in `reset`, and ends the game when it reaches `limit` plies (of the strong side only if `strong_only`).
    A ply counts only while `tick_if` holds. Counters named in `off_while` keep it from firing while they are on; with
    `quiet` it fires only if the side to move has no capture.
    """

    id: str
    start: Pattern
    limit: int
    reset: Event = Event.NONE
    hold: Pattern | None = None
    strong_only: bool = False
    tick_if: Pattern = Pattern.ANY
    off_while: tuple[str, ...] = ()
    quiet: bool = False

    @property
    def holds(self) -> Pattern:
        """The pattern that keeps the counter on."""
        return self.start if self.hold is None else self.hold
