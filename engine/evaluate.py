"""The evaluation: trained weights (see patterns.py) if it has them, else hand-made; compiled through evaluate.pxd.

Integer centi-men throughout. The hand-made figures (material, advance, back rank, centre, king mobility) are plain
estimates per kind of game, not tuned.
"""

import cython

from engine import scores
from engine.geometry import layout
from engine.pattern_weights import Weights
from engine.rules import Objective, Rules

if not cython.compiled:  # the compiler takes them from evaluate.pxd
    from engine.bits import popcount
    from engine.board import Board, to_word
    from engine.patterns import Patterns

BOUND = cython.declare(cython.int, scores.LARGEST)

MAN = 100
FLYING_KING = 300
SHORT_KING = 145
ADVANCE = (0, 1, 2, 3, 5, 8, 13, 20)  # of a man, from the home row on, stretched to the board's rows
RUNNER = 4  # factor on the advance where a king wins at once
HOME = 4  # a man on the home row
CENTRE = 2  # a man in the centre
STEP = 3  # an empty square beside a king
KING_CENTRE = 5
KING_ROAD = 10  # a king on the main road
TURN = 3  # to be on the move


class Evaluation:
    """Static score of a board for the side to move."""

    def __init__(self, rules: Rules) -> None:
        if not cython.compiled:
            self.row = [0] * 12
            self.advance = [0] * 12
            self.home = [0, 0]
        place = layout(rules)
        length = rules.row_length
        self.rows = rules.rows
        factor = RUNNER if rules.objective is Objective.BREAKTHROUGH else 1
        for r in range(rules.rows):
            squares = range(r * length, (r + 1) * length)
            self.row[r] = to_word(sum(1 << place.bit[s] for s in squares))
            far = (rules.rows - 1 - r) * (len(ADVANCE) - 1)
            self.advance[r] = factor * ADVANCE[far // (rules.rows - 1)]
        self.home[0] = self.row[rules.rows - 1]
        self.home[1] = self.row[0]
        self.centre = to_word(place.centre)
        self.road = to_word(place.road)
        self.man = MAN
        self.king = FLYING_KING if rules.flying else SHORT_KING
        self.man_home = HOME
        self.man_centre = CENTRE
        self.king_step = STEP
        self.king_centre = KING_CENTRE
        self.king_road = KING_ROAD
        self.turn = TURN
        self.flying = rules.flying
        self.losing = rules.objective is Objective.LOSE
        down1, down2, right, _ = place.steps
        self.s1 = right if rules.all_squares else down1
        self.s2 = down2
        self.few = 4 if rules.flying and not rules.lands_behind else 0
        self.patterns = Patterns(rules)
        self.weights: Weights | None = None
        self.trained = False

    def use(self, weights: Weights | None) -> None:
        """Evaluate by trained weights, which must be this variant's, or (None) by the hand-made figures."""
        if weights is not self.weights:
            self.patterns.use(weights)
            self.weights = weights
            self.trained = weights is not None

    def side_score(self, men: int, kings: int, empty: int, side: int) -> int:
        score = self.man * popcount(men) + self.king * popcount(kings)
        if men:
            for r in range(self.rows):
                score += self.advance[r if side == 0 else self.rows - 1 - r] * popcount(men & self.row[r])
            score += self.man_home * popcount(men & self.home[side]) + self.man_centre * popcount(men & self.centre)
        if kings:
            free = popcount((kings << self.s1) & empty) + popcount((kings >> self.s1) & empty)
            free += popcount((kings << self.s2) & empty) + popcount((kings >> self.s2) & empty)
            score += self.king_step * free
            score += self.king_centre * popcount(kings & self.centre) + self.king_road * popcount(kings & self.road)
        return score

    def evaluate(self, board: Board) -> int:
        """Score in centi-men for the side to move, within +-BOUND."""
        kings0 = board.side[0] & board.kings
        kings1 = board.side[1] & board.kings
        empty = board.playable ^ (board.side[0] | board.side[1])
        if self.trained:
            white = board.side[0] ^ kings0
            black = board.side[1] ^ kings1
            score = self.patterns.score(white, black, kings0, kings1, empty, board.stm)
            if not self.losing:
                score = self.subdue(board, score, kings0, kings1)
            if board.stm:
                score = -score
        else:
            score = self.side_score(board.side[0] ^ kings0, kings0, empty, 0)
            score -= self.side_score(board.side[1] ^ kings1, kings1, empty, 1)
            score = self.subdue(board, score, kings0, kings1)
            if board.stm:
                score = -score
            score += self.turn
            if self.losing:
                score = -score
        if score > BOUND:
            return BOUND
        if score < -BOUND:
            return -BOUND
        return score

    def subdue(self, board: Board, score: int, kings0: int, kings1: int) -> int:
        """Less than `score` where the stronger side has few pieces: a flying king is rarely caught by few."""
        if self.few and ((score > 0 and kings1) or (score < 0 and kings0)):
            n = popcount(board.side[0] if score > 0 else board.side[1])
            if n <= self.few:
                share = 4 if n < self.few else 2
                return score // share if score > 0 else -(-score // share)  # C and Python round alike
        return score

    def of(self, board: Board) -> int:
        """Python face of `evaluate`."""
        return self.evaluate(board)
