"""What a search answers, and the caller's hold on it while it runs."""

import time
from dataclasses import dataclass
from typing import Literal

from engine.move import Move

Mode = Literal["think", "ponder", "analyze"]


@dataclass(frozen=True, slots=True)
class Report:
    """What a search knows after an iteration.

    `score` is in centi-men for the side to move; a win in N plies is 10000 - N. `time` is in seconds. With `book`
    nothing was searched: move and score come from an opening book.
    """

    depth: int
    seldepth: int
    mean_depth: float
    score: int
    nodes: int
    time: float
    pv: tuple[Move, ...]
    multipv: int = 1
    tbhits: int = 0
    hashfull: int = 0
    book: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a search: no move if the position has none; `ponder` is the expected reply."""

    move: Move | None
    ponder: Move | None = None
    report: Report | None = None


class Control:
    """The caller's hold on a search: `stop` and `ponder_hit` may come from any thread, also before it starts."""

    def __init__(self) -> None:
        self.started = time.perf_counter()
        self.stopped = False
        self.hit_at: float | None = None

    def stop(self) -> None:
        """End the search soon."""
        self.stopped = True

    def ponder_hit(self) -> None:
        """The expected move was played: the clock starts now."""
        if self.hit_at is None:
            self.hit_at = time.perf_counter()
