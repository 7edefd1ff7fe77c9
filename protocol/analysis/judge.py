"""What scores mean for a player: chances, and the marks of moves that threw chances away. Pure functions."""

from math import exp

from engine.scores import DECIDED, WIN, WON

SCALE = 80.0  # centi-men; being ahead by this much is worth 73 %
# Smallest loss of expected points for each mark.
MARKS = ((0.30, "??"), (0.15, "?"), (0.08, "?!"))
MARK_NAMES = {"??": "blunder", "?": "mistake", "?!": "inaccuracy"}


def chances(score: int) -> float:
    """Expected points, 0 to 1, of the side whose score this is."""
    if abs(score) > DECIDED:  # proven, not estimated
        return float(score > 0)
    return 1 / (1 + exp(-score / SCALE))


def loss(best: int, got: int) -> float:
    """Expected points given away by a move, both scores from the mover's view."""
    return max(0.0, chances(best) - chances(got))


def mark(lost: float) -> str:
    """The mark of a move that lost so much; empty for a sound one."""
    return next((sign for least, sign in MARKS if lost >= least), "")


def words(score: int) -> str:
    """A score for people: `+0.42`, `win in 7`, `loss in 12` (plies)."""
    if abs(score) > WON:
        return f"{'win' if score > 0 else 'loss'} in {WIN - abs(score)}"
    return f"{score / 100:+.2f}"
