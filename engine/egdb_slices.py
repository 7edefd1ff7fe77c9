"""Material slices: which there are, which lead to which, and in what order they are solved."""

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from engine.counters import Pattern
from engine.rules import Objective, Rules

MOST_PIECES = 7


class OneEach(IntEnum):
    """What becomes of one piece against one: played on, or drawn by the rules at once."""

    PLAYED = 0
    DRAWN_IF_QUIET = 1  # unless the side to move has a capture
    DRAWN = 2


def one_each(rules: Rules) -> OneEach:
    """The rule of one piece each. It is no count of moves, so databases know it."""
    for counter in rules.counters:
        if counter.start is Pattern.ONE_V_ONE and counter.limit == 0:
            return OneEach.DRAWN_IF_QUIET if counter.quiet else OneEach.DRAWN
    return OneEach.PLAYED


class Slice(NamedTuple):
    """All positions with these numbers of pieces; White is to move."""

    white_men: int
    white_kings: int
    black_men: int
    black_kings: int

    @property
    def pieces(self) -> int:
        """Pieces of both sides together."""
        return sum(self)

    @property
    def mirror(self) -> "Slice":
        """The slice with the colours changed: where quiet moves lead."""
        return Slice(self.black_men, self.black_kings, self.white_men, self.white_kings)

    @property
    def slot(self) -> int:
        """Its number in tables of slices."""
        return ((self.white_men * 8 + self.white_kings) * 8 + self.black_men) * 8 + self.black_kings

    @property
    def digits(self) -> str:
        """White men, white kings, black men, black kings: `1201`."""
        return "".join(map(str, self))

    def __str__(self) -> str:
        return f"{self.digits[:2]}v{self.digits[2:]}"


def slices(rules: Rules, pieces: int) -> Iterator[Slice]:
    """All slices with exactly so many pieces, each after those with fewer men, mirrors next to each other."""
    kings = rules.objective is not Objective.BREAKTHROUGH  # there the first king ends the game
    for men in range(pieces + 1) if kings else (pieces,):
        for white in range(1, pieces):
            black = pieces - white
            for white_men in range(max(0, men - black), min(white, men) + 1):
                first = Slice(white_men, white - white_men, men - white_men, black - men + white_men)
                if first <= first.mirror:
                    yield first
                    if first != first.mirror:
                        yield first.mirror


def pairs(rules: Rules, pieces: int) -> Iterator[Slice]:
    """One slice of each pair of mirrors, in the order of solving."""
    return (one for one in slices(rules, pieces) if one <= one.mirror)


def successors(rules: Rules, one: Slice) -> set[Slice]:
    """Slices of replies to captures and promotions, the opponent to move; without those where it has no piece."""
    found = set()
    kings = rules.objective is not Objective.BREAKTHROUGH
    for promoted in (0, 1) if one.white_men and kings else (0,):
        men, kings_now = one.white_men - promoted, one.white_kings + promoted
        for black_men in range(one.black_men + 1):
            for black_kings in range(one.black_kings + 1):
                if black_men + black_kings:
                    found.add(Slice(black_men, black_kings, men, kings_now))
    return found - {one.mirror}
