"""A line of play on a board: position keys, repetition and draw counters; compiled through line.pxd.

History lies in rings, so that a game may have any length; only the last thousand plies are remembered, far more than
any draw rule needs.
"""

import cython

from engine.counters import Event, Pattern
from engine.geometry import layout
from engine.rules import Rules

if not cython.compiled:  # the compiler takes them from line.pxd
    from engine.bits import high_half, low_half, popcount
    from engine.board import Board, to_word

RING = cython.declare(cython.int, 2047)  # mask of the history rings
LOOK_BACK = cython.declare(cython.int, 1800)  # plies; the rest of the ring is for the search below
WIDTH = cython.declare(cython.int, 8)  # counters a variant may have
NEAR = cython.declare(cython.int, 12)  # plies before a counter's limit from which its value belongs to the key

# what `counters` names; RIVER is the pattern that is left
ANY = cython.declare(cython.int, Pattern.ANY)
THREE_V_ONE = cython.declare(cython.int, Pattern.THREE_V_ONE)
UP_TO_THREE_V_ONE = cython.declare(cython.int, Pattern.UP_TO_THREE_V_ONE)
UP_TO_TWO_V_ONE = cython.declare(cython.int, Pattern.UP_TO_TWO_V_ONE)
KK_V_K = cython.declare(cython.int, Pattern.KK_V_K)
K_V_K = cython.declare(cython.int, Pattern.K_V_K)
KKK_V_K = cython.declare(cython.int, Pattern.KKK_V_K)
MANY_KINGS_V_K = cython.declare(cython.int, Pattern.MANY_KINGS_V_K)
ROAD = cython.declare(cython.int, Pattern.ROAD)
BALANCE_4_5 = cython.declare(cython.int, Pattern.BALANCE_4_5)
BALANCE_6_7 = cython.declare(cython.int, Pattern.BALANCE_6_7)
SMALL = cython.declare(cython.int, Pattern.SMALL)
ONE_V_ONE = cython.declare(cython.int, Pattern.ONE_V_ONE)
CAPTURE = cython.declare(cython.int, Event.CAPTURE)
MAN = cython.declare(cython.int, Event.MAN)
PROMOTION = cython.declare(cython.int, Event.PROMOTION)

K1 = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
K2 = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
K3 = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
K4 = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
K5 = cython.declare(cython.ulonglong, 0xA0761D6478BD642F)
M64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


class Line:
    """A board with the history of how it was reached."""

    def __init__(self, rules: Rules) -> None:
        self.board = Board(rules)
        self.road = to_word(layout(rules).road)
        self.repetition = rules.repetition
        self.counters = len(rules.counters)
        if self.counters > WIDTH:
            raise ValueError(f"{rules.name}: more than {WIDTH} draw counters")
        if not cython.compiled:
            self.key = [0] * (RING + 1)
            self.mix = [0] * (RING + 1)
            self.calm = [0] * (RING + 1)
            self.draw = [0] * (RING + 1)
            self.kings = [0] * (RING + 1)
            self.value = [0] * ((RING + 1) * WIDTH)
            self.plain_at = [0] * WIDTH
            self.start = [0] * WIDTH
            self.hold = [0] * WIDTH
            self.limit = [0] * WIDTH
            self.reset = [0] * WIDTH
            self.tick_if = [0] * WIDTH
            self.off_while = [0] * WIDTH
            self.strong_only = [False] * WIDTH
            self.quiet = [False] * WIDTH
        ids = [counter.id for counter in rules.counters]
        self.patterns = False
        self.plain = 0  # counters without a pattern, which always count
        for i, counter in enumerate(rules.counters):
            self.start[i] = int(counter.start)
            self.hold[i] = int(counter.holds)
            self.limit[i] = counter.limit
            self.reset[i] = int(counter.reset)
            self.tick_if[i] = int(counter.tick_if)
            self.off_while[i] = sum(1 << ids.index(other) for other in counter.off_while if other in ids)
            self.strong_only[i] = counter.strong_only
            self.quiet[i] = counter.quiet
            if counter.start:
                self.patterns = True
            else:
                self.plain_at[self.plain] = i
                self.plain += 1
        self.ply = 0

    # ------------------------------------------------------------------ the Python face
    def load(self, white: int, black: int, kings: int, stm: int) -> None:
        """Set up a position without history; king runs follow by `board.load_run` and then `restart`."""
        self.board.load(white, black, kings, stm)
        self.restart()

    def restart(self) -> None:
        """Forget the history: the position on the board is the first of the line."""
        self.ply = 0
        self.calm[0] = 0
        self.mix[0] = 0
        for c in range(self.counters):
            self.value[c] = 0 if self.matches(self.start[c]) else -1
        self.key[0] = self.position_key()
        self.draw[0] = self.firing()

    def legal(self) -> list[tuple[int, int, int, int, bool]]:
        """As `Board.legal`."""
        return self.board.legal()

    def apply(self, i: int) -> None:
        """Play move i of the last `legal()`."""
        self.play(i)

    def fired(self) -> int:
        """1 + index of the draw counter that ends the game here, 0 for none."""
        return self.drawn()

    def times(self) -> int:
        """How often the position has occurred, this time included, since the last move that cannot come back."""
        return 1 + self.earlier(LOOK_BACK)

    def counter_values(self) -> list[int]:
        """Value of each draw counter, -1 while idle."""
        return [self.value[(self.ply & RING) * WIDTH + c] for c in range(self.counters)]

    # ------------------------------------------------------------------ keys
    def position_key(self) -> int:
        """64-bit key of pieces, side to move and king runs: a multiplicative hash of the words."""
        h = (low_half(self.board.side[0]) * K1) & M64
        h = ((h ^ (h >> 29) ^ low_half(self.board.side[1])) * K2) & M64
        h = ((h ^ (h >> 32) ^ low_half(self.board.kings)) * K3) & M64
        h ^= (high_half(self.board.side[0]) * K4) & M64
        h ^= ((high_half(self.board.side[1]) * K5) & M64) >> 1
        h ^= ((high_half(self.board.kings) * K1) & M64) >> 2
        if self.board.king_move_limit:
            r = 2 * self.board.run
            h ^= (low_half(self.board.run_king[r]) * K4 + self.board.run_count[r] * K5) & M64
            h ^= ((low_half(self.board.run_king[r + 1]) * K5 + self.board.run_count[r + 1] * K1) & M64) >> 1
        return h ^ (h >> 31) ^ (K4 if self.board.stm else 0)

    def search_key(self) -> int:
        """The position's key, with the draw counters that are about to end the game."""
        return self.key[self.ply & RING] ^ self.mix[self.ply & RING]

    def earlier(self, most: int) -> int:
        """Earlier occurrences of the position among the last `most` plies."""
        found = 0
        key = self.key[self.ply & RING]
        back = min(self.calm[self.ply & RING], most)
        for i in range(4, back + 1, 2):
            if self.key[(self.ply - i) & RING] == key:
                found += 1
        return found

    def repeats(self, ply: int) -> bool:
        """Whether a search `ply` plies below its root may call the position drawn by repetition.

        Once before in the search is enough, since it could come about again; before the root the rule's own number
        of occurrences counts.
        """
        if not self.repetition or self.calm[self.ply & RING] < 4:
            return False
        return self.earlier(ply) > 0 or self.earlier(LOOK_BACK) + 1 >= self.repetition

    def drawn(self) -> int:
        """1 + index of the draw counter that ends the game here, 0 for none."""
        return self.draw[self.ply & RING]

    def room(self, lasting: bool) -> int:
        """Plies in which a win is not yet cut short by a draw counter that is on; only by those that no capture sets
        back if `lasting`."""
        room = 1000
        for c in range(self.counters):
            v = self.value[(self.ply & RING) * WIDTH + c]
            if v >= 0 and not (lasting and self.reset[c] & CAPTURE):
                room = min(room, (self.limit[c] - v) * (2 if self.strong_only[c] else 1))
        return room

    # ------------------------------------------------------------------ play and undo
    def play(self, i: int) -> None:
        """Play move i of the board's stack."""
        frm = self.board.frm[i]
        to = self.board.to[i]
        events = 0
        calm = self.calm[self.ply & RING] + 1
        if self.board.cap[i]:
            events = CAPTURE
            calm = 0
        if not self.board.kings & frm:
            events |= MAN
            if self.board.promo[i]:
                events |= PROMOTION
            if not self.board.sideways or (to != frm << self.board.s3 and to != frm >> self.board.s3):
                calm = 0
        kings = self.board.make(i)
        old = self.ply & RING
        self.ply += 1
        new = self.ply & RING
        self.kings[new] = kings
        self.calm[new] = calm
        self.key[new] = self.position_key()
        self.mix[new] = 0
        self.draw[new] = self.firing() if self.counters and self.count(old, new, events) else 0

    def undo(self, i: int) -> None:
        """Take back move i of the board's stack, the last one played."""
        self.board.unmake(i, self.kings[self.ply & RING])
        self.ply -= 1

    # ------------------------------------------------------------------ draw counters
    def count(self, old: int, new: int, events: int) -> bool:
        """Advance every counter over one ply (draws.md section 3); says whether one has reached its limit.

        Counters near their limit change the search key, so that the table keeps apart what they keep apart.
        """
        reached = False
        if self.patterns and self.is_few():
            for c in range(self.counters):
                reached |= self.settle(c, new, self.advanced(c, self.value[old * WIDTH + c], events))
            return reached
        for c in range(8):  # WIDTH as a literal: two stores
            self.value[new * WIDTH + c] = -1
        for i in range(self.plain):
            c = self.plain_at[i]
            v = self.value[old * WIDTH + c] + 1
            if events & self.reset[c]:
                v = 0
            reached |= self.settle(c, new, v)
        return reached

    def advanced(self, c: int, v: int, events: int) -> int:
        """The next value of counter `c`, now at `v`, while patterns may hold."""
        if v < 0 or not self.matches(self.hold[c]):
            return 0 if self.matches(self.start[c]) else -1
        if events & self.reset[c]:
            return 0
        if not self.matches(self.tick_if[c]):
            return v
        if self.strong_only[c] and popcount(self.board.side[self.board.stm ^ 1]) == 1:
            return v
        return v + 1

    def settle(self, c: int, new: int, v: int) -> bool:
        """Keep the value of a counter, near its limit in the search key too; says whether it has reached the limit."""
        self.value[new * WIDTH + c] = v
        if v > 0 and v >= self.limit[c] - NEAR:
            self.mix[new] ^= (K2 * (v + 1 + 256 * c)) & M64
        return v >= self.limit[c]

    def is_few(self) -> bool:
        """Whether so few pieces are left that a material pattern may hold."""
        w = popcount(self.board.side[0])
        b = popcount(self.board.side[1])
        return w == 1 or b == 1 or w + b <= 8

    def firing(self) -> int:
        """1 + index of the first counter that has reached its limit, 0 for none."""
        i = (self.ply & RING) * WIDTH
        for c in range(self.counters):
            if self.value[i + c] < 0 or self.value[i + c] < self.limit[c]:
                continue
            if self.off_while[c]:
                on = 0
                for d in range(self.counters):
                    if self.value[i + d] >= 0:
                        on |= 1 << d
                if on & self.off_while[c]:
                    continue
            if self.quiet[c] and self.has_capture():
                continue
            return c + 1
        return 0

    def has_capture(self) -> bool:
        """Whether the side to move can capture."""
        before = self.board.n
        self.board.gen()
        found = False
        for i in range(before, self.board.n):
            if self.board.cap[i]:
                found = True
        self.board.n = before
        return found

    def matches(self, pattern: int) -> bool:
        """Whether a material pattern (see counters.Pattern) holds on the board."""
        w = popcount(self.board.side[0])
        k = popcount(self.board.side[0] & self.board.kings)
        v = popcount(self.board.side[1])
        q = popcount(self.board.side[1] & self.board.kings)
        strong = 0
        if pattern == ANY:
            return True
        if pattern == BALANCE_4_5 or pattern == BALANCE_6_7:
            n = w + v if pattern == BALANCE_4_5 else w + v - 2
            return k > 0 and q > 0 and n >= 4 and n <= 5
        if pattern == SMALL:
            return k > 0 and q > 0 and w <= 4 and v <= 4
        if pattern == ONE_V_ONE:
            return w == 1 and v == 1
        # all others: the strong side's w pieces with k kings against a lone king
        if v != 1 or q != 1:
            if w != 1 or k != 1:
                return False
            strong = 1
            w = v
            k = q
        if pattern == THREE_V_ONE:
            return w == 3 and k > 0
        if pattern == UP_TO_THREE_V_ONE:
            return w <= 3 and k > 0
        if pattern == UP_TO_TWO_V_ONE:
            return w <= 2 and k > 0
        if pattern == KK_V_K:
            return w == 2 and k == 2
        if pattern == K_V_K:
            return w == 1 and k == 1
        if pattern == KKK_V_K:
            return w == 3 and k == 3
        if pattern == MANY_KINGS_V_K:
            return k >= 3 and k == w
        lone = self.board.side[strong ^ 1]
        if pattern == ROAD:
            return w == 3 and k > 0 and (self.road & (self.board.side[0] | self.board.side[1])) == lone
        # RIVER
        return w == 3 and k == 3 and (self.road & lone) == 0 and (self.road & self.board.side[strong]) != 0
