"""Board, move generation and perft: the hottest module, compiled through board.pxd.

Directions are numbers: 0 and 1 lead down (Black's way), 2 and 3 up, 4 and 5 right and down along rows and columns,
6 and 7 left and up; `k ^ 2` is the opposite of `k`. They are passed as literals so that the compiler folds the steps.
Moves lie on one stack of parallel arrays; a search ply owns a stretch of it and gives it back by resetting `n`.
"""

import cython

from engine.geometry import layout
from engine.rules import Objective, Precedence, Promotion, Rules

if not cython.compiled:  # the compiler takes them from board.pxd
    from engine.bits import high_half, join_halves, low_half, lowest, popcount

STACK = cython.declare(cython.int, 16384)  # moves of all plies together
LIMIT = cython.declare(cython.int, 2048)  # captures kept in one position
RUNS = cython.declare(cython.int, 1023)  # mask of the ring of king runs
MAN_VALUE = cython.declare(cython.int, 100)  # Frisian values: n kings lie between 2n - 1 and 2n men
KING_VALUE = cython.declare(cython.int, 199)

MAJORITY = cython.declare(cython.int, Precedence.MAJORITY)
ITALIAN = cython.declare(cython.int, Precedence.ITALIAN)
QUALITY = cython.declare(cython.int, Precedence.QUALITY)
KING_FIRST = cython.declare(cython.int, Precedence.KING_FIRST)
ENDS_MOVE = cython.declare(cython.int, Promotion.ENDS_MOVE)
PASSES = cython.declare(cython.int, Promotion.PASSES)


def to_word(bits: int) -> int:
    """A Python int as a board word; an uncompiled int is one already."""
    high = cython.declare(cython.ulonglong, bits >> 64)
    low = cython.declare(cython.ulonglong, bits & 0xFFFFFFFFFFFFFFFF)
    return join_halves(high, low)


class Board:
    """Pieces of both sides as words of bits (see geometry), the side to move, and the stack of generated moves.

    `side[0]` is White. A move is from, to and captured bits and whether a man is crowned.
    """

    def __init__(self, rules: Rules) -> None:
        place = layout(rules)
        self.s1, self.s2, self.s3, self.s4 = place.steps
        self.playable = to_word(place.playable)
        self.last = [to_word(place.top), to_word(place.bottom)]
        self.flying = rules.flying
        self.down = [rules.men_capture_back, True]  # whether a side's men capture downwards, upwards
        self.up = [True, rules.men_capture_back]
        self.men_take_kings = rules.men_capture_kings
        self.orthogonal = rules.orthogonal_captures or rules.all_squares
        self.sideways = rules.all_squares
        self.four_ways = rules.men_capture_back and not self.orthogonal  # men's captures: the common case
        self.mandatory = rules.mandatory
        self.precedence = int(rules.precedence)
        self.promotion = int(rules.promotion)
        self.first_king_wins = rules.objective is Objective.BREAKTHROUGH
        self.unusual = self.first_king_wins or not self.men_take_kings
        self.king_move_limit = rules.king_move_limit
        self.lands_behind = rules.lands_behind
        self.stops_behind_king = rules.stops_behind_king
        self.instant_removal = rules.instant_removal
        self.may_reverse = rules.may_reverse
        self.special = (
            rules.lands_behind
            or rules.stops_behind_king
            or rules.instant_removal
            or not rules.may_reverse
            or rules.precedence is Precedence.ITALIAN  # which asks in what order pieces are taken
        )
        if not cython.compiled:
            self.frm = [0] * STACK
            self.to = [0] * STACK
            self.cap = [0] * STACK
            self.promo = [0] * STACK
            self.path = [0] * 64
            self.run_king = [0] * (2 * RUNS + 2)
            self.run_count = [0] * (2 * RUNS + 2)
        self.side = [0, 0]
        self.kings = 0
        self.stm = 0
        self.n = 0
        self.base = 0
        self.best = 0
        self.by_king = False
        self.run = 0

    # ------------------------------------------------------------------ crossing to Python
    def load(self, white: int, black: int, kings: int, stm: int) -> None:
        """Set up a position from bit words; clears the move stack and the king runs."""
        self.side[0] = to_word(white)
        self.side[1] = to_word(black)
        self.kings = to_word(kings)
        self.stm = stm
        self.n = 0
        self.base = 0
        self.run = 0
        self.run_king[0] = 0
        self.run_king[1] = 0
        self.run_count[0] = 0
        self.run_count[1] = 0

    def load_run(self, side: int, king: int, count: int) -> None:
        """Set the running king moves of a side (Frisian): the king's bit and its quiet moves in a row."""
        self.run_king[side] = to_word(king)
        self.run_count[side] = count

    def words(self) -> tuple[int, int, int, int, int, int]:
        """Low and high halves of White's, Black's and the kings' words."""
        return (
            low_half(self.side[0]),
            high_half(self.side[0]),
            low_half(self.side[1]),
            high_half(self.side[1]),
            low_half(self.kings),
            high_half(self.kings),
        )

    def legal(self) -> list[tuple[int, int, int, int, bool]]:
        """Generate the legal moves at the bottom of the stack: from and to bit index, captured halves, crowned."""
        self.n = 0
        self.gen()
        found = [
            (lowest(self.frm[i]), lowest(self.to[i]), low_half(self.cap[i]), high_half(self.cap[i]), self.promo[i] != 0)
            for i in range(self.n)
        ]
        self.n = 0
        return found

    # ------------------------------------------------------------------ steps
    def step(self, b: int, k: int) -> int:
        """All bits of `b` one step in direction `k`."""
        if k == 0:
            return b << self.s1
        if k == 1:
            return b << self.s2
        if k == 2:
            return b >> self.s1
        if k == 3:
            return b >> self.s2
        if k == 4:
            return b << self.s3
        if k == 5:
            return b << self.s4
        if k == 6:
            return b >> self.s3
        return b >> self.s4

    def jumpers(self, movers: int, opp: int, empty: int, k: int) -> int:
        """Those of `movers` that can jump an adjacent enemy in direction `k`."""
        return movers & self.step(opp & self.step(empty, k ^ 2), k ^ 2)

    # ------------------------------------------------------------------ the move stack
    def push(self, frm: int, to: int, cap: int, promo: bool) -> None:
        n = self.n
        self.frm[n] = frm
        self.to[n] = to
        self.cap[n] = cap
        self.promo[n] = promo
        self.n = n + 1

    def push_cap(self, frm: int, to: int, cap: int, promo: bool) -> None:
        """Push a finished capture unless a better one is known or another route made the same move."""
        if self.precedence:
            rank = popcount(cap) if self.precedence == MAJORITY else self.rank(cap)
            if rank < self.best:
                return
            if rank > self.best:
                self.best = rank
                self.n = self.base
        for i in range(self.base, self.n):
            if self.frm[i] == frm and self.to[i] == to and self.cap[i] == cap and self.promo[i] == promo:
                return
        if self.n - self.base < LIMIT:
            self.push(frm, to, cap, promo)

    def rank(self, cap: int) -> int:
        """Rank of a capture under the precedence rules other than the plain majority; higher is compulsory."""
        count = popcount(cap)
        kings = popcount(cap & self.kings)
        if self.precedence == ITALIAN:  # count, with a king, kings taken, kings met earliest
            order = 0
            if self.by_king:
                for i in range(count):
                    order = 2 * order + ((self.path[i] & self.kings) != 0)
            return ((2 * count + self.by_king) * 16 + kings) * 65536 + order
        if self.precedence == QUALITY:
            return 64 * count + kings
        if self.precedence == KING_FIRST:
            return 1 + self.by_king
        return 2 * (MAN_VALUE * (count - kings) + KING_VALUE * kings) + self.by_king

    def steps(self, movers: int, empty: int, last: int, k: int) -> None:
        t = self.step(movers, k) & empty
        while t:
            b = t & -t
            t ^= b
            self.push(self.step(b, k ^ 2), b, 0, (b & last) != 0)

    def slides(self, b: int, empty: int, k: int) -> None:
        t = self.step(b, k) & empty
        while t:
            self.push(b, t, 0, False)
            t = self.step(t, k) & empty

    # ------------------------------------------------------------------ captures by kings
    def king_jump(self, frm: int, at: int, opp: int, empty: int, cap: int, promo: bool, k: int) -> bool:
        p = self.step(at, k)
        if self.flying:
            while p & empty:
                p = self.step(p, k)
        if not p & opp:
            return False
        first = self.step(p, k) & empty
        if not first:
            return False
        more = False
        t = first
        while t:
            more |= self.king_jumps(frm, t, opp ^ p, empty, cap | p, promo)
            t = self.step(t, k) & empty if self.flying else 0
        if not more:
            t = first
            while t:
                self.push_cap(frm, t, cap | p, promo)
                t = self.step(t, k) & empty if self.flying else 0
        return True

    def king_jumps(self, frm: int, at: int, opp: int, empty: int, cap: int, promo: bool) -> bool:
        """All ways on for a capturing king; False if there is none and the move must end here."""
        found = self.king_jump(frm, at, opp, empty, cap, promo, 0)
        found |= self.king_jump(frm, at, opp, empty, cap, promo, 1)
        found |= self.king_jump(frm, at, opp, empty, cap, promo, 2)
        found |= self.king_jump(frm, at, opp, empty, cap, promo, 3)
        if self.orthogonal:
            found |= self.king_jump(frm, at, opp, empty, cap, promo, 4)
            found |= self.king_jump(frm, at, opp, empty, cap, promo, 5)
            found |= self.king_jump(frm, at, opp, empty, cap, promo, 6)
            found |= self.king_jump(frm, at, opp, empty, cap, promo, 7)
        return found

    def special_jumps(
        self, frm: int, at: int, opp: int, empty: int, cap: int, promo: bool, ban: int, depth: int
    ) -> bool:
        """As `king_jumps`, for rules with more conditions; `ban` is a direction that may not be taken, or -1."""
        found = False
        for k in range(8 if self.orthogonal else 4):
            if k == ban:
                continue
            p = self.step(at, k)
            if self.flying:
                while p & empty:
                    p = self.step(p, k)
            if not p & opp:
                continue
            first = self.step(p, k) & empty
            if not first:
                continue
            found = True
            self.path[depth] = p
            open_ = empty | p if self.instant_removal else empty
            back = -1 if self.may_reverse else k ^ 2
            far = self.flying and not self.lands_behind
            more = False
            t = first
            while t:
                more |= self.special_jumps(frm, t, opp ^ p, open_, cap | p, promo, back, depth + 1)
                t = self.step(t, k) & empty if far else 0
            if more:
                continue
            if self.stops_behind_king and p & self.kings:
                far = False
            t = first
            while t:
                self.push_cap(frm, t, cap | p, promo)
                t = self.step(t, k) & empty if far else 0
        return found

    # ------------------------------------------------------------------ captures by men
    def man_jump(self, frm: int, at: int, opp: int, empty: int, cap: int, k: int) -> bool:
        p = self.step(at, k) & opp
        to = self.step(p, k) & empty
        if not to:
            return False
        last = (to & self.last[self.stm]) != 0
        if not last or self.promotion == PASSES:
            more = self.man_jumps(frm, to, opp ^ p, empty, cap | p)
        elif self.promotion == ENDS_MOVE:
            more = False
        elif self.special:
            open_ = empty | cap | p if self.instant_removal else empty
            back = -1 if self.may_reverse else k ^ 2
            more = self.special_jumps(frm, to, opp ^ p, open_, cap | p, True, back, popcount(cap) + 1)
        else:
            more = self.king_jumps(frm, to, opp ^ p, empty, cap | p, True)
        if not more:
            self.push_cap(frm, to, cap | p, last)
        return True

    def man_jumps(self, frm: int, at: int, opp: int, empty: int, cap: int) -> bool:
        """All ways on for a capturing man; False if there is none and the move must end here."""
        if self.four_ways:
            found = self.man_jump(frm, at, opp, empty, cap, 0)
            found |= self.man_jump(frm, at, opp, empty, cap, 1)
            found |= self.man_jump(frm, at, opp, empty, cap, 2)
            found |= self.man_jump(frm, at, opp, empty, cap, 3)
            return found
        found = False
        if self.down[self.stm]:
            found |= self.man_jump(frm, at, opp, empty, cap, 0)
            found |= self.man_jump(frm, at, opp, empty, cap, 1)
        if self.up[self.stm]:
            found |= self.man_jump(frm, at, opp, empty, cap, 2)
            found |= self.man_jump(frm, at, opp, empty, cap, 3)
        if self.orthogonal:
            found |= self.man_jump(frm, at, opp, empty, cap, 4)
            found |= self.man_jump(frm, at, opp, empty, cap, 5)
            found |= self.man_jump(frm, at, opp, empty, cap, 6)
            found |= self.man_jump(frm, at, opp, empty, cap, 7)
        return found

    def men_that_jump(self, stm: int, men: int, targets: int, empty: int) -> int:
        """Those of the men of side `stm` that have a capture."""
        if self.four_ways:
            j = self.jumpers(men, targets, empty, 0) | self.jumpers(men, targets, empty, 1)
            return j | self.jumpers(men, targets, empty, 2) | self.jumpers(men, targets, empty, 3)
        j = 0
        if self.down[stm]:
            j = self.jumpers(men, targets, empty, 0) | self.jumpers(men, targets, empty, 1)
        if self.up[stm]:
            j |= self.jumpers(men, targets, empty, 2) | self.jumpers(men, targets, empty, 3)
        if self.orthogonal:
            j |= self.jumpers(men, targets, empty, 4) | self.jumpers(men, targets, empty, 5)
            j |= self.jumpers(men, targets, empty, 6) | self.jumpers(men, targets, empty, 7)
        return j

    # ------------------------------------------------------------------ generation
    def gen_captures(self, men: int, kings: int, opp: int, empty: int) -> None:
        targets = opp
        if self.unusual:
            if self.first_king_wins and self.kings:
                return
            if not self.men_take_kings:
                targets ^= opp & self.kings
        j = self.men_that_jump(self.stm, men, targets, empty)
        self.by_king = False
        while j:
            b = j & -j
            j ^= b
            self.man_jumps(b, b, targets, empty | b, 0)
        j = kings
        self.by_king = True
        while j:
            b = j & -j
            j ^= b
            if self.special:
                self.special_jumps(b, b, opp, empty | b, 0, False, -1, 0)
            else:
                self.king_jumps(b, b, opp, empty | b, 0, False)

    def gen_quiet(self, men: int, kings: int, empty: int) -> None:
        last = self.last[self.stm]
        if self.stm == 1:
            self.steps(men, empty, last, 0)
            self.steps(men, empty, last, 1)
        else:
            self.steps(men, empty, last, 2)
            self.steps(men, empty, last, 3)
        if self.sideways:
            self.steps(men, empty, 0, 4)
            self.steps(men, empty, 0, 6)
        if not kings:
            return
        if self.king_move_limit and men and self.run_count[2 * self.run + self.stm] >= self.king_move_limit:
            kings ^= kings & self.run_king[2 * self.run + self.stm]
        if self.flying:
            while kings:
                b = kings & -kings
                kings ^= b
                self.slides(b, empty, 0)
                self.slides(b, empty, 1)
                self.slides(b, empty, 2)
                self.slides(b, empty, 3)
                if self.sideways:
                    self.slides(b, empty, 4)
                    self.slides(b, empty, 6)
        else:
            self.steps(kings, empty, 0, 0)
            self.steps(kings, empty, 0, 1)
            self.steps(kings, empty, 0, 2)
            self.steps(kings, empty, 0, 3)

    def gen(self) -> None:
        """Push all legal moves of the side to move; the first of them lies at `base`."""
        own = self.side[self.stm]
        opp = self.side[self.stm ^ 1]
        kings = own & self.kings
        empty = self.playable ^ (own | opp)
        self.base = self.n
        self.best = 0
        self.gen_captures(own ^ kings, kings, opp, empty)
        if (self.n == self.base and not (self.unusual and self.first_king_wins and self.kings)) or not self.mandatory:
            self.gen_quiet(own ^ kings, kings, empty)

    def gen_forced(self) -> bool:
        """Push the captures only, from `base` on; whether the side to move has any legal move."""
        own = self.side[self.stm]
        opp = self.side[self.stm ^ 1]
        kings = own & self.kings
        men = own ^ kings
        empty = self.playable ^ (own | opp)
        self.base = self.n
        self.best = 0
        self.gen_captures(men, kings, opp, empty)
        if self.n > self.base:
            return True
        if self.unusual and self.first_king_wins and self.kings:
            return False
        if self.stm == 1:
            j = self.step(men, 0) | self.step(men, 1)
        else:
            j = self.step(men, 2) | self.step(men, 3)
        if j & empty:
            return True
        self.gen_quiet(men, kings, empty)
        found = self.n > self.base
        self.n = self.base
        return found

    def can_capture(self, stm: int) -> bool:
        """Whether side `stm` could capture if it were to move."""
        own = self.side[stm]
        opp = self.side[stm ^ 1]
        kings = own & self.kings
        men = own ^ kings
        empty = self.playable ^ (own | opp)
        targets = opp if self.men_take_kings else opp ^ (opp & self.kings)
        if self.men_that_jump(stm, men, targets, empty):
            return True
        while kings:
            b = kings & -kings
            kings ^= b
            for k in range(8 if self.orthogonal else 4):
                p = self.step(b, k)
                if self.flying:
                    while p & empty:
                        p = self.step(p, k)
                if self.step(p & opp, k) & empty:
                    return True
        return False

    # ------------------------------------------------------------------ make and perft
    def make(self, i: int) -> int:
        """Play move i of the stack; returns the kings, which `unmake` needs."""
        stm = self.stm
        before = self.kings
        kings = before ^ (before & self.cap[i])  # first, for a piece may end where it captured one
        self.side[stm] ^= self.frm[i] ^ self.to[i]
        self.side[stm ^ 1] ^= self.cap[i]
        if before & self.frm[i]:
            kings ^= self.frm[i] ^ self.to[i]
        elif self.promo[i]:
            kings |= self.to[i]
        self.kings = kings
        self.stm = stm ^ 1
        if self.king_move_limit:
            self.make_runs(i, (before & self.frm[i]) == 0)
        return before

    def unmake(self, i: int, kings: int) -> None:
        """Take back move i of the stack."""
        self.stm ^= 1
        self.side[self.stm] ^= self.frm[i] ^ self.to[i]
        self.side[self.stm ^ 1] ^= self.cap[i]
        self.kings = kings
        if self.king_move_limit:
            self.run = (self.run - 1) & RUNS

    def make_runs(self, i: int, was_man: bool) -> None:
        """King runs after move i, already made (draws.md section 4)."""
        mover = self.stm ^ 1
        old = 2 * self.run
        self.run = (self.run + 1) & RUNS
        new = 2 * self.run
        count = 0
        king = self.side[mover] ^ self.side[mover]
        if self.side[mover] & (self.side[mover] ^ self.kings) and not self.cap[i] and not was_man:
            king = self.to[i]
            count = self.run_count[old + mover] + 1 if self.run_king[old + mover] == self.frm[i] else 1
        self.run_king[new + mover] = king
        self.run_count[new + mover] = count
        king = self.run_king[old + self.stm]
        count = self.run_count[old + self.stm]
        if self.cap[i] and not self.side[self.stm] & (self.side[self.stm] ^ self.kings):
            king ^= king
            count = 0
        self.run_king[new + self.stm] = king
        self.run_count[new + self.stm] = count

    def count_leaves(self, depth: int) -> int:
        base = self.n
        leaves = 0
        self.gen()
        end = self.n
        if depth == 1:
            leaves = end - base
        else:
            for i in range(base, end):
                kings = self.make(i)
                leaves += self.count_leaves(depth - 1)
                self.unmake(i, kings)
        self.n = base
        return leaves

    def perft(self, depth: int) -> int:
        """Number of move sequences of `depth` plies (at least 1); the last ply is counted without playing it."""
        plies = cython.declare(cython.int, depth)
        leaves = cython.declare(cython.ulonglong)
        with cython.nogil:
            leaves = self.count_leaves(plies)
        return leaves
