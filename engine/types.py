"""Small types shared by the whole engine."""

from enum import IntEnum


class Side(IntEnum):
    """A side; White is the one written `W` in FEN, whoever starts the game."""

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> "Side":
        """The opponent."""
        return Side(1 - self)

    @property
    def letter(self) -> str:
        """`W` or `B`, as FEN and Hub write it."""
        return "WB"[self]
