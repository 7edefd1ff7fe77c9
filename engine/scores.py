"""What scores mean: centi-men for the side to move, and beyond a bound wins with their distance.

The compiled modules have the same figures as C constants.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.search import Search

WIN = 10000  # a win in N plies is WIN - N
WON = 9500  # scores beyond are wins at a known distance
DECIDED = 8500  # scores beyond are wins in a database, or these
INFINITE = 20000  # beyond every score
FULL_WINDOW_DEPTH = 5  # plies up to which a window saves nothing
WIDEST = 2000  # a wider window is none


def aspire(search: "Search", depth: int, score: int, window: int) -> int:
    """One iteration with a window around the last score, widened until the score lies inside or the search stops."""
    if depth < FULL_WINDOW_DEPTH or abs(score) > WON:
        return search.think(depth, -INFINITE, INFINITE)
    alpha, beta = score - window, score + window
    while True:
        score = search.think(depth, alpha, beta)
        if search.stopped() or alpha < score < beta:
            return score
        window *= 4
        if score <= alpha:
            alpha = score - window if window < WIDEST else -INFINITE
        else:
            beta = score + window if window < WIDEST else INFINITE
