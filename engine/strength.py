"""How a weaker player is made: a short look ahead over some lines, and a bounded error in their scores."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from engine.scores import WON

FULL_STRENGTH = 20


@dataclass(frozen=True, slots=True)
class Handicap:
    """Limits of the look ahead, lines that are compared, and the largest error in centi-men."""

    depth: int
    nodes: int
    lines: int
    noise: int

    def choose(self, scores: Sequence[int]) -> int:
        """Index of the line that looks best with the error added; one found lost or won is seen as such."""
        seen = [score + (random.uniform(0, self.noise) if abs(score) < WON else 0) for score in scores]
        return max(range(len(seen)), key=seen.__getitem__)


def handicap(strength: int) -> Handicap | None:
    """The handicap of a strength from 1 to 20; none at 20."""
    if strength >= FULL_STRENGTH:
        return None
    return Handicap(1 + strength * 3 // 4, 40 * 2 ** (strength * 3 // 4), 4, (FULL_STRENGTH - strength) * 5)
