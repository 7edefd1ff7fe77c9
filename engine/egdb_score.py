"""What databases say of the positions of a search, as scores that do not contradict the draw counters; compiled through
egdb_score.pxd.

Databases know nothing of draws by a count of moves. A win is believed only if no counter that nothing can set back ends
the game before it. Where the search began outside the databases, a win in them counts DATABASE_WIN - ply, so that the
search heads for the nearest. Where it began inside, the distance to the end counts, so that every move comes nearer: a
win in n plies of the rest is WIN - ply - n, or DATABASE_WIN - ply - n if a counter may come in between.
"""

import cython

from engine import scores
from engine.rules import Rules

if not cython.compiled:  # the compiler takes them from egdb_score.pxd
    from engine.bits import popcount
    from engine.board import Board
    from engine.egdb_probe import Probe
    from engine.line import Line

WIN = cython.declare(cython.int, scores.WIN)
DATABASE_WIN = cython.declare(cython.int, scores.DATABASE_WIN)
NO_SCORE = cython.declare(cython.int, 32000)
UNKNOWN = cython.declare(cython.int, 3)
WON = cython.declare(cython.int, 2)


class Scorer:
    """The databases as one thread of the search uses them; `pieces` is the greatest number of pieces they reach."""

    def __init__(self, rules: Rules, line: Line) -> None:
        self.line = line
        self.board: Board = line.board
        self.probe = Probe(rules)
        self.tag: object = None  # says what the prober was last connected to
        self.pieces = 0
        self.exact = False
        self.hits = 0

    def begin(self) -> None:
        """Prepare for a search of the position on the board."""
        self.hits = 0
        self.pieces = self.probe.pieces
        self.exact = popcount(self.board.side[0] | self.board.side[1]) <= self.pieces

    def found(self) -> int:
        """Positions found in databases since `begin`."""
        return self.hits

    def reaches(self) -> bool:
        """Whether so few pieces are left that the position may be in a database."""
        return popcount(self.board.side[0] | self.board.side[1]) <= self.pieces

    def score(self, ply: int, drawn: int) -> int:
        """Score of a position without a capture to make, NO_SCORE if it is unknown; `drawn` is what a draw counts."""
        value = self.probe.value(self.board)
        if value == UNKNOWN:
            return NO_SCORE
        if value == 0:
            self.hits += 1
            return drawn
        score = DATABASE_WIN - ply
        room = self.line.room(True)
        if self.exact or self.probe.longest[self.probe.slot_of(self.board)] > room:
            plies = self.probe.plies(self.board)
            if plies < 0 or plies > room:
                return NO_SCORE
            if self.exact:
                score -= plies
                if plies <= self.line.room(False):
                    score += WIN - DATABASE_WIN
        self.hits += 1
        return score if value == WON else -score
