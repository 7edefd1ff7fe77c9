"""Limits of a search as clients send them, gathered until the search starts (hub.md section 7)."""

from dataclasses import dataclass, field

from engine import Limits, Move


@dataclass(slots=True)
class Level:
    """Limits in Hub units: seconds, and a clock that does not yet hold this move's increment."""

    depth: int | None = None
    nodes: int | None = None
    move_time: float | None = None
    time: float | None = None
    inc: float = 0.0
    moves: int = 0
    search_moves: list[str] = field(default_factory=list)

    def limits(self, search_moves: tuple[Move, ...] = ()) -> Limits:
        """All of them together; the first one that is reached ends the search. None: search until told to stop."""
        bounds = (self.depth, self.nodes, self.move_time, self.time)
        return Limits(
            depth=None if self.depth is None else max(1, self.depth),
            nodes=None if self.nodes is None else max(1, self.nodes),
            move_time=None if self.move_time is None else max(0.0, self.move_time),
            time=self.time,
            inc=max(0.0, self.inc),
            moves=max(0, self.moves),
            infinite=all(bound is None for bound in bounds),
            search_moves=search_moves,
        )
