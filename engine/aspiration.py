"""The aspiration window of an iteration: a narrow search first, a wider one where the score lies outside."""

from typing import TYPE_CHECKING

from engine.scores import INFINITE, WON

if TYPE_CHECKING:
    from engine.search import Search

FULL_WINDOW_DEPTH = 5  # plies up to which a window saves nothing
WIDEST = 2000  # centi-men; a wider window is none


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
