"""Numbers for the positions of a material slice: a perfect binomial index, compiled through egdb_index.pxd.

A slice holds all positions with the same numbers of men and kings; its positions are numbered from 0 without a gap.
The side to move is `own`. A position with Black to move is the one with White to move after half a turn of the board
and a change of colours, so that one slice serves both: with `turned` squares are counted from the other end.

Order, slowest first: how many enemy men stand on the row where own men are crowned (own men never do), which of its
squares they take, the other enemy men, own men, own kings, enemy kings. Each group is numbered by the combination it
makes of the squares still free for it: square numbers c1 < c2 < ... give C(c1, 1) + C(c2, 2) + ...
"""

import cython

from engine.geometry import layout
from engine.rules import Rules

if not cython.compiled:  # the compiler takes them from egdb_index.pxd
    from engine.bits import high_half, low_half, popcount
    from engine.board import to_word

WIDTH = cython.declare(cython.int, 8)  # numbers of pieces of one kind, 0 to 7


class Index:
    """Turns positions into numbers and back; `unrank` and `advance` leave the position in the four words."""

    def __init__(self, rules: Rules) -> None:
        place = layout(rules)
        self.playable = to_word(place.playable)
        self.last = [to_word(place.top), to_word(place.bottom)]
        self.middle = to_word(place.playable ^ place.top ^ place.bottom)
        self.squares = rules.squares
        self.row = rules.row_length
        self.full = to_word((1 << place.bits) - 1)
        if not cython.compiled:
            self.choose = [0] * 1024
            self.men_offset = [0] * 512
        for n in range(128):
            value = 1
            for k in range(8):
                self.choose[8 * n + k] = value
                value = value * (n - k) // (k + 1)
        for own in range(8):
            for opp in range(8):
                total = 0
                for back in range(opp + 1):
                    self.men_offset[64 * own + 8 * opp + back] = total
                    total += self.men_positions(own, opp, back)
        self.own_men = 0
        self.own_kings = 0
        self.opp_men = 0
        self.opp_kings = 0

    # ------------------------------------------------------------------ the Python face
    def size(self, own_men: int, own_kings: int, opp_men: int, opp_kings: int) -> int:
        """Number of positions of a slice."""
        men = sum(self.men_positions(own_men, opp_men, back) for back in range(opp_men + 1))
        free = self.squares - own_men - opp_men
        return men * int(self.choose[8 * free + own_kings]) * int(self.choose[8 * (free - own_kings) + opp_kings])

    def men_positions(self, own: int, opp: int, back: int) -> int:
        """How many ways there are to place the men, `back` of the enemy's on the row where own men are crowned."""
        return (
            int(self.choose[8 * self.row + back])
            * int(self.choose[8 * (self.squares - 2 * self.row) + opp - back])
            * int(self.choose[8 * (self.squares - self.row - opp + back) + own])
        )

    def place(self, slot: int, number: int) -> tuple[int, int, int, int]:
        """Own men, own kings, enemy men and enemy kings of a position, White to move, as words of `layout`."""
        self.unrank(slot, number)
        return (
            low_half(self.own_men) | int(high_half(self.own_men)) << 64,
            low_half(self.own_kings) | int(high_half(self.own_kings)) << 64,
            low_half(self.opp_men) | int(high_half(self.opp_men)) << 64,
            low_half(self.opp_kings) | int(high_half(self.opp_kings)) << 64,
        )

    def number(self, own_men: int, own_kings: int, opp_men: int, opp_kings: int, turned: bool) -> int:
        """Number of a position in its slice."""
        return self.rank(to_word(own_men), to_word(own_kings), to_word(opp_men), to_word(opp_kings), turned)

    # ------------------------------------------------------------------ position to number
    def combine(self, pieces: int, free: int, turned: bool) -> int:
        """Number of the combination that `pieces` are of the squares `free`."""
        total = 0
        if turned:
            k = popcount(pieces)
            while pieces:
                b = pieces & -pieces
                pieces ^= b
                total += self.choose[8 * popcount(free & -(b << 1)) + k]
                k -= 1
            return total
        k = 1
        while pieces:
            b = pieces & -pieces
            pieces ^= b
            total += self.choose[8 * popcount(free & (b - 1)) + k]
            k += 1
        return total

    def rank(self, own_men: int, own_kings: int, opp_men: int, opp_kings: int, turned: bool) -> int:
        """Number of a position in its slice; `turned` if Black is to move."""
        number = 0
        free = self.playable
        left = self.squares
        if own_men | opp_men:
            far = self.last[1] if turned else self.last[0]
            back = opp_men & far
            n = popcount(own_men)
            m = popcount(opp_men)
            k = popcount(back)
            if m:
                number = self.combine(back, far, turned) * self.choose[8 * (self.squares - 2 * self.row) + m - k]
                number += self.combine(opp_men ^ back, self.middle, turned)
            if n:
                free = (self.playable ^ far) ^ (opp_men ^ back)
                number *= self.choose[8 * (self.squares - self.row - m + k) + n]
                number += self.combine(own_men, free, turned)
            number += self.men_offset[64 * n + 8 * m + k]
            free = self.playable ^ (own_men | opp_men)
            left -= n + m
        if own_kings:
            n = popcount(own_kings)
            number = number * self.choose[8 * left + n] + self.combine(own_kings, free, turned)
            free ^= own_kings
            left -= n
        if opp_kings:
            number = number * self.choose[8 * left + popcount(opp_kings)] + self.combine(opp_kings, free, turned)
        return number

    # ------------------------------------------------------------------ number to position
    def pick(self, number: int, k: int, free: int) -> int:
        """The combination of `k` of the squares `free` with a number."""
        found = free ^ free
        top = popcount(free)
        while k:
            low = k - 1
            while top - low > 1:  # C(low, k) <= number < C(top, k)
                half = (low + top) >> 1
                if self.choose[8 * half + k] <= number:
                    low = half
                else:
                    top = half
            number -= self.choose[8 * low + k]
            rest = free
            half = low
            while half:
                rest &= rest - 1
                half -= 1
            found |= rest & -rest
            top = low
            k -= 1
        return found

    def unrank(self, slot: int, number: int) -> None:
        """Set the four words to a position of a slice."""
        wm = slot >> 9
        wk = (slot >> 6) & 7
        bm = (slot >> 3) & 7
        bk = slot & 7
        left = self.squares - wm - bm
        part = self.choose[8 * (left - wk) + bk]
        opp_kings = number % part
        number //= part
        part = self.choose[8 * left + wk]
        own_kings = number % part
        number //= part
        back = bm
        while self.men_offset[64 * wm + 8 * bm + back] > number:
            back -= 1
        number -= self.men_offset[64 * wm + 8 * bm + back]
        part = self.choose[8 * (self.squares - self.row - bm + back) + wm]
        own_men = number % part
        number //= part
        part = self.choose[8 * (self.squares - 2 * self.row) + bm - back]
        middle = self.pick(number % part, bm - back, self.middle)
        self.opp_men = middle | self.pick(number // part, back, self.last[0])
        self.own_men = self.pick(own_men, wm, self.playable ^ self.last[0] ^ middle)
        free = self.playable ^ self.own_men ^ self.opp_men
        self.own_kings = self.pick(own_kings, wk, free)
        self.opp_kings = self.pick(opp_kings, bk, free ^ self.own_kings)

    def advance(self, slot: int, number: int) -> None:
        """From the position before `number` to it: the last group goes to its next combination."""
        free = self.playable ^ self.own_men ^ self.opp_men
        if self.opp_kings:
            self.opp_kings = self.next(self.opp_kings, free ^ self.own_kings)
            if self.opp_kings:
                return
        elif self.own_kings:
            self.own_kings = self.next(self.own_kings, free)
            if self.own_kings:
                return
        self.unrank(slot, number)

    def next(self, pieces: int, free: int) -> int:
        """The next combination of as many of the squares `free`; 0 behind the last."""
        b = pieces & -pieces
        after = ((pieces | (self.full ^ free)) + b) & free  # the carry runs over pieces and taken squares
        if after == 0:
            return after
        k = popcount(pieces) - popcount(after)
        while k:
            b = free & -free
            free ^= b
            after |= b
            k -= 1
        return after
