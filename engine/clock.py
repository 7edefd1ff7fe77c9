"""How long to think: pure functions of the limits, without a clock of their own."""

from dataclasses import dataclass

from engine.move import Move

EXPECTED_MOVES = 28  # moves still to come when no control is announced
SHARE_OF_REST = 0.35  # at most this part of the time left goes into one move of a whole-game control
RESERVE = 0.01  # part of the time left that is never touched
STRETCH = 4.0  # the hard limit against the plan
LEAST = 0.001  # seconds; enough for a legal move


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one search; all given ones apply and the first reached ends it.

    `time` is what is left in seconds without this move's increment, as Hub counts it, and may be negative; `moves` is
    the number of moves to the next control, 0 for the rest of the game. `move_time` is used up, `time` is planned.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: float | None = None
    time: float | None = None
    inc: float = 0.0
    moves: int = 0
    infinite: bool = False
    search_moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """Seconds after which no new iteration begins (`soft`) and after which the search is broken off (`hard`)."""

    soft: float | None = None
    hard: float | None = None


def budget(limits: Limits, overhead: float) -> Budget:
    """The time plan of a search; `overhead` seconds a move are lost outside the engine."""
    plans = []
    if limits.move_time is not None:
        hard = max(limits.move_time - min(overhead, limits.move_time / 10), LEAST)
        plans.append(Budget(hard, hard))
    if limits.time is not None:
        usable = limits.time + limits.inc - max(overhead, RESERVE * limits.time)
        if usable <= 0:
            plans.append(Budget(LEAST, LEAST))
        else:
            moves = limits.moves if limits.moves > 0 else EXPECTED_MOVES
            plan = min((max(limits.time, 0) + limits.inc * (moves - 1)) / moves + limits.inc / moves, usable)
            share = 1.0 if limits.moves == 1 else SHARE_OF_REST if not limits.moves else max(SHARE_OF_REST, 1.2 / moves)
            ceiling = usable * share if limits.time > 0 else usable / 2
            hard = max(min(plan * STRETCH, ceiling), LEAST)
            plans.append(Budget(max(min(plan * 0.6, hard), LEAST), hard))
    if not plans or (limits.infinite and limits.move_time is None and limits.time is None):
        return Budget()
    return Budget(min(p.soft or LEAST for p in plans), min(p.hard or LEAST for p in plans))
