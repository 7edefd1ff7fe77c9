"""A move as data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Move:
    """One legal action of a side.

    `frm` and `to` are 1-based Hub squares, `captured` the captured squares in ascending order (empty for a quiet
    move), `promotes` says that a man becomes a king. Equal values are the same move, whatever the route.
    """

    frm: int
    to: int
    captured: tuple[int, ...] = ()
    promotes: bool = False

    @property
    def is_capture(self) -> bool:
        """Whether anything is captured."""
        return bool(self.captured)

    def hub(self) -> str:
        """Hub notation, always with every captured square: `32-28`, `26x17x21`."""
        if not self.captured:
            return f"{self.frm}-{self.to}"
        return "x".join(map(str, (self.frm, self.to, *self.captured)))

    def __str__(self) -> str:
        return self.hub()
