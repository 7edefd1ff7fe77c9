"""Trained evaluation: weights for the states of overlapping groups of squares and for a few features of the whole
board; compiled through patterns.pxd.

Both sides look at the board in the same way, Black after a half turn, and the score is the difference: a position and
its mirror image with the colours changed have opposite scores. Each weight has a value for the opening and one for the
ending, between which the number of pieces chooses.
"""

from array import array
from collections.abc import Sequence

import cython

from engine.geometry import layout
from engine.pattern_groups import look, states, turned
from engine.pattern_weights import DIGITS, FEATURES, UNIT, Weights
from engine.rules import Rules

if not cython.compiled:  # the compiler takes them from patterns.pxd
    from engine.bits import join_halves, low_half, lowest, popcount
    from engine.board import to_word

ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PHASES = cython.declare(cython.int, 256)
SCALE = cython.declare(cython.int, 256 * UNIT)
KINGS = cython.declare(cython.int, len(FEATURES))  # first of the features that tell where kings stand
NOTHING = memoryview(array("h", [0])).toreadonly()


class Patterns:
    """The trained evaluation of one variant, for one thread; without weights every score is 0."""

    def __init__(self, rules: Rules) -> None:
        if not cython.compiled:
            self.shift = [0] * 64
            self.mask = [0] * 64
            self.magic = [0] * 64
            self.down = [0] * 64
            self.table = [0] * 64
            self.start = [0] * 64
            self.digit = [0] * DIGITS
            self.phase = [0] * 256
            self.place = [0] * 256
            self.opening = [0] * 256
            self.ending = [0] * 256
            self.value = [0] * 256
        self.rules = rules
        place = layout(rules)
        self.squares = rules.squares
        for square, bit in enumerate(place.bit):
            self.place[bit] = KINGS + square
            self.place[128 + bit] = KINGS + rules.squares - 1 - square
        down1, down2, right, _ = place.steps
        self.s1 = right if rules.all_squares else down1
        self.s2 = down2
        self.sideways = rules.all_squares
        left = 0
        for square in range(1, rules.squares + 1):
            if 2 * rules.coordinates(square)[0] < rules.columns:
                left |= 1 << place.bit[square - 1]
        self.left = to_word(left)
        self.playable = to_word(place.playable)
        self.groups = 0
        self.weights = NOTHING

    def use(self, weights: Weights | None) -> None:
        """Take over weights, or none."""
        self.groups = 0
        self.weights = NOTHING if weights is None else weights.values
        for i in range(256):
            self.opening[i] = 0
            self.ending[i] = 0
        if weights is None:
            return
        known: dict[tuple[int, ...], int] = {}
        used = 0
        start = 0
        for number, squares in enumerate(weights.header.groups):
            for side, seen in enumerate((squares, turned(self.rules, squares))):
                k = 2 * number + side
                how = look(self.rules, seen)
                self.shift[k] = how.shift
                self.mask[k] = how.mask
                self.magic[k] = how.magic
                self.down[k] = how.down
                if how.digits not in known:
                    known[how.digits] = used
                    for i, digit in enumerate(how.digits):
                        self.digit[used + i] = digit
                    used += len(how.digits)
                self.table[k] = known[how.digits]
                self.start[k] = start
            start += 2 * states(squares)
        self.groups = len(weights.header.groups)
        for i in range(KINGS + self.squares):
            self.opening[i] = weights.values[start + 2 * i]
            self.ending[i] = weights.values[start + 2 * i + 1]
        few, many = weights.header.few, weights.header.many
        for n in range(256):
            self.phase[n] = max(0, min(PHASES, PHASES * (n - few) // (many - few)))

    # ------------------------------------------------------------------ what is seen
    def state(self, k: int, own: int, enemy: int) -> int:
        """The state of group `k // 2` as White (even `k`) or Black sees it, from the men of the two sides."""
        a = ((low_half(own >> self.shift[k]) & self.mask[k]) * self.magic[k] & ALL) >> self.down[k]
        b = ((low_half(enemy >> self.shift[k]) & self.mask[k]) * self.magic[k] & ALL) >> self.down[k]
        return self.digit[self.table[k] + a] + 2 * self.digit[self.table[k] + b]

    def steps(self, pieces: int, empty: int) -> int:
        """Steps onto empty squares in the four directions."""
        free = popcount((pieces << self.s1) & empty) + popcount((pieces >> self.s1) & empty)
        return free + popcount((pieces << self.s2) & empty) + popcount((pieces >> self.s2) & empty)

    def steps_up(self, men: int, empty: int) -> int:
        """Steps of white men."""
        free = popcount((men >> self.s1) & empty) + popcount((men >> self.s2) & empty)
        return free + popcount((men << self.s1) & empty) if self.sideways else free

    def steps_down(self, men: int, empty: int) -> int:
        """Steps of black men."""
        free = popcount((men << self.s1) & empty) + popcount((men << self.s2) & empty)
        return free + popcount((men >> self.s1) & empty) if self.sideways else free

    def lean(self, men: int) -> int:
        """How unevenly men are spread over the left and right halves."""
        left = 2 * popcount(men & self.left) - popcount(men)
        return left if left > 0 else -left

    def observe(self, white: int, black: int, kings0: int, kings1: int, empty: int, stm: int) -> None:
        """Set the values of the features but those of the squares of kings."""
        self.value[0] = popcount(white) - popcount(black)
        n = popcount(kings0)
        m = popcount(kings1)
        self.value[1] = (n > 0) - (m > 0)
        self.value[2] = n - m - self.value[1]
        self.value[3] = self.steps(kings0, empty) - self.steps(kings1, empty) if n + m else 0
        self.value[4] = self.steps_up(white, empty) - self.steps_down(black, empty)
        self.value[5] = self.lean(white) - self.lean(black)
        self.value[6] = 1 - 2 * stm

    def score(self, white: int, black: int, kings0: int, kings1: int, empty: int, stm: int) -> int:
        """Score in centi-men as White sees it, not bounded; `white` and `black` are men."""
        opening = 0
        ending = 0
        for k in range(self.groups):
            i = self.start[2 * k] + 2 * self.state(2 * k, white, black)
            j = self.start[2 * k] + 2 * self.state(2 * k + 1, black, white)
            opening += self.weights[i] - self.weights[j]
            ending += self.weights[i + 1] - self.weights[j + 1]
        self.observe(white, black, kings0, kings1, empty, stm)
        for k in range(KINGS):
            opening += self.opening[k] * self.value[k]
            ending += self.ending[k] * self.value[k]
        pieces = kings0
        while pieces:
            i = self.place[lowest(pieces)]
            opening += self.opening[i]
            ending += self.ending[i]
            pieces &= pieces - 1
        pieces = kings1
        while pieces:
            i = self.place[128 + lowest(pieces)]
            opening -= self.opening[i]
            ending -= self.ending[i]
            pieces &= pieces - 1
        phase = self.phase[popcount(white | black | kings0 | kings1)]
        total = opening * phase + ending * (PHASES - phase)
        return total // SCALE if total >= 0 else -(-total // SCALE)  # C and Python round alike

    # ------------------------------------------------------------------ the Python face
    def trace(self, boards: Sequence[int], turns: Sequence[int], seen: list[int], values: list[int]) -> None:
        """What the score is made of, for many positions at once, in one-dimensional arrays.

        `boards` has six words a position, as from `Board.words`, `turns` its side to move. `seen` takes the state of
        each group as White and as Black sees it, `values` the features: White's minus Black's.
        """
        width = KINGS + self.squares
        for row in range(len(turns)):
            kings = join_halves(boards[6 * row + 5], boards[6 * row + 4])
            white = join_halves(boards[6 * row + 1], boards[6 * row])
            black = join_halves(boards[6 * row + 3], boards[6 * row + 2])
            empty = self.playable ^ (white | black)
            kings0 = white & kings
            kings1 = black & kings
            white ^= kings0
            black ^= kings1
            for k in range(self.groups):
                seen[2 * (self.groups * row + k)] = self.state(2 * k, white, black)
                seen[2 * (self.groups * row + k) + 1] = self.state(2 * k + 1, black, white)
            self.observe(white, black, kings0, kings1, empty, turns[row])
            for k in range(width):
                values[width * row + k] = self.value[k] if k < KINGS else 0
            while kings0:
                values[width * row + self.place[lowest(kings0)]] += 1
                kings0 &= kings0 - 1
            while kings1:
                values[width * row + self.place[128 + lowest(kings1)]] -= 1
                kings1 &= kings1 - 1
