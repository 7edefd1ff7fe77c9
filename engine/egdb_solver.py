"""Retrograde analysis of a pair of slices, the hot part of building databases; compiled through egdb_solver.pxd.

A slice (own men and kings, enemy men and kings) and its mirror (colours changed) lead to each other by quiet moves;
captures and promotions lead to slices solved before. One `Solver` is one thread's worker on one slice of the pair. It
looks only from White's side: a reply is a position of the mirror slice with Black to move.

Every position has a `state` and a `level`. The first pass judges all moves that leave the pair and counts those that
stay. Then waves of rising level spread results backwards along quiet moves: a position before a lost one is won, and
one whose last open move leads to a won one is lost. What is left over is drawn.

A finished position has a code: 0 drawn, 2 * level + 1 lost, 2 * level + 2 won. Where the side without a move loses,
that is a loss in 2 * level plies and a win in 2 * level + 1; where it wins, a win in 2 * level and a loss in
2 * level + 1. Codes end at MOST: longer distances are kept as the longest of their kind.
"""

from dataclasses import replace
from typing import Any

import cython

from engine.egdb_slices import OneEach, one_each
from engine.rules import Objective, Rules

if not cython.compiled:  # the compiler takes them from egdb_solver.pxd
    from engine.bits import popcount
    from engine.board import Board
    from engine.egdb_index import Index

CHUNK = cython.declare(cython.int, 4096)  # positions that share a flag "waits for its wave"
NO_LEVEL = cython.declare(cython.int, 255)
MOST = cython.declare(cython.int, 252)  # greatest code, of a win
PLAYED = cython.declare(cython.int, OneEach.PLAYED)
ALWAYS_DRAWN = cython.declare(cython.int, OneEach.DRAWN)

# States. 1 to OPEN: unknown, with so many quiet moves not yet known to lose.
LOST_SOON = cython.declare(cython.int, 0)  # lost at the wave of its level
OPEN = cython.declare(cython.int, 239)
WON_SOON = cython.declare(cython.int, 240)
LOST = cython.declare(cython.int, 241)
WON = cython.declare(cython.int, 242)
DRAWN = cython.declare(cython.int, 243)  # by the rule of one piece each
# The same for positions with a compulsory capture, which no quiet move can change.
TAKES_LOST_SOON = cython.declare(cython.int, 247)
TAKES_WON_SOON = cython.declare(cython.int, 248)
TAKES_LOST = cython.declare(cython.int, 249)
TAKES_WON = cython.declare(cython.int, 250)
TAKES_DRAWN = cython.declare(cython.int, 251)


def pointer(view: Any) -> Any:
    """Where the bytes of a buffer lie; in plain Python the buffer itself."""
    if cython.compiled:
        return cython.address(view[0])
    return view


class Solver:
    """One thread's worker."""

    def __init__(self, rules: Rules) -> None:
        self.board = Board(replace(rules, king_move_limit=0))
        self.index = Index(rules)
        self.mandatory = rules.mandatory
        self.sideways = rules.all_squares
        self.flying = rules.flying
        self.first_king_wins = rules.objective is Objective.BREAKTHROUGH
        self.one_each = int(one_each(rules))
        self.win_step = 1 if rules.objective is Objective.LOSE else 0  # level of a win above that of the lost reply
        self.loss_step = 1 - self.win_step
        self.blocked = 1 + self.win_step  # code of a position without a legal move
        self.keep: object = None
        self.tables: dict[int, object] = {}
        self.slot = 0
        self.same = False
        if not cython.compiled:
            self.codes: list[Any] = [None] * 4096
            self.bins = [0] * 256

    # ------------------------------------------------------------------ the Python face
    def link(self, slot: int, codes: bytearray) -> None:
        """Give the codes of a finished slice."""
        self.tables[slot] = codes
        self.codes[slot] = pointer(codes)

    def unlink(self) -> None:
        """Forget all finished slices."""
        for slot in list(self.tables):
            self.codes[slot] = cython.NULL
        self.tables.clear()

    def attach(
        self,
        slot: int,
        state: bytearray,
        level: bytearray,
        flags: tuple[bytearray, bytearray],
        mirror_state: bytearray,
        mirror_level: bytearray,
        mirror_flags: tuple[bytearray, bytearray],
    ) -> None:
        """Work on a slice and its mirror (the same arrays for one that is its own); flags of losses and of wins."""
        self.keep = (state, level, flags, mirror_state, mirror_level, mirror_flags)
        self.slot = slot
        self.state = pointer(state)
        self.level = pointer(level)
        self.loss_flag = pointer(flags[0])
        self.win_flag = pointer(flags[1])
        self.mirror_state = pointer(mirror_state)
        self.mirror_level = pointer(mirror_level)
        self.mirror_loss_flag = pointer(mirror_flags[0])
        self.mirror_win_flag = pointer(mirror_flags[1])

    def start(self, low: int, high: int) -> None:
        """First pass over positions low to high - 1; chunks must not be shared between threads."""
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        with cython.nogil:
            self.judge_all(a, b)

    def losses(self, low: int, high: int, level: int) -> int:
        """Spread the losses of a wave; returns 0 if nothing waits for a later wave."""
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        now = cython.declare(cython.int, level)
        waiting = cython.declare(cython.ulonglong)
        with cython.nogil:
            waiting = self.spread_losses(a, b, now)
        return waiting

    def wins(self, low: int, high: int, level: int) -> int:
        """Spread the wins of a wave; returns 0 if nothing waits for a later wave."""
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        now = cython.declare(cython.int, level)
        waiting = cython.declare(cython.ulonglong)
        with cython.nogil:
            waiting = self.spread_wins(a, b, now)
        return waiting

    def finish(self, low: int, high: int) -> None:
        """Leave the codes in the level array, and in the state array 1 where a capture is compulsory, else 0."""
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        with cython.nogil:
            self.encode_all(a, b)

    def restore(self, low: int, high: int) -> None:
        """Fill the codes that a file leaves out, those of positions with a compulsory capture."""
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        with cython.nogil:
            self.restore_all(a, b)

    def check(self, low: int, high: int) -> int:
        """Number of positions whose code does not follow from their replies.

        Codes are in the level array; all slices that moves lead to are linked. Leaves the capture mask as `finish`.
        """
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        wrong = cython.declare(cython.ulonglong)
        with cython.nogil:
            wrong = self.check_all(a, b)
        return wrong

    def histogram(self, low: int, high: int, quiet: bool) -> list[int]:
        """How often each code occurs; with `quiet` only where no capture is compulsory. After `finish` or `check`."""
        a = cython.declare(cython.ulonglong, low)
        b = cython.declare(cython.ulonglong, high)
        only = cython.declare(cython.bint, quiet)
        with cython.nogil:
            self.count_all(a, b, only)
        return [int(self.bins[i]) for i in range(256)]

    # ------------------------------------------------------------------ forwards: what moves lead to
    def set_up(self) -> None:
        """The index's position on the board, White to move."""
        self.board.side[0] = self.index.own_men | self.index.own_kings
        self.board.side[1] = self.index.opp_men | self.index.opp_kings
        self.board.kings = self.index.own_kings | self.index.opp_kings
        self.board.stm = 0
        self.board.run = 0
        self.board.n = 0

    def is_even(self) -> bool:
        """Whether the position on the board, its moves generated, is drawn as one piece against one."""
        if self.one_each == PLAYED or self.board.n == 0:
            return False
        if popcount(self.board.side[0]) > 1 or popcount(self.board.side[1]) > 1:
            return False
        return self.one_each == ALWAYS_DRAWN or not self.board.cap[0]

    def reply_code(self) -> int:
        """Code of the position on the board, Black to move."""
        white = self.board.side[0]
        black = self.board.side[1]
        kings = self.board.kings
        if not black or (self.first_king_wins and kings):
            return self.blocked
        n = popcount(black & kings)
        m = popcount(white & kings)
        slot = ((popcount(black) - n) << 9) | (n << 6) | ((popcount(white) - m) << 3) | m
        i = self.index.rank(black & (black ^ kings), black & kings, white & (white ^ kings), white & kings, True)
        code = cython.cast(cython.int, self.codes[slot][i])
        return code

    def judge(self, number: int) -> None:
        """State and level of a position by its moves out of the pair."""
        self.set_up()
        self.board.gen()
        end = self.board.n
        takes = self.mandatory and end > 0 and self.board.cap[0] != 0
        if self.is_even():
            self.level[number] = 0
            self.state[number] = TAKES_DRAWN if takes else DRAWN
            self.board.n = 0
            return
        quiet = 0
        drawn = 0
        won = NO_LEVEL
        lost = 0
        if end == 0 and self.win_step:
            won = 0
        for i in range(end):
            if not self.board.cap[i] and not self.board.promo[i]:
                quiet += 1
                continue
            kings = self.board.make(i)
            code = self.reply_code()
            self.board.unmake(i, kings)
            if code == 0:
                drawn = 1
            elif code & 1:
                won = min(won, (code >> 1) + self.win_step)
            else:
                lost = max(lost, (code >> 1) - 1 + self.loss_step)
        self.board.n = 0
        self.level[number] = lost
        if won < NO_LEVEL:
            self.level[number] = won
            self.state[number] = TAKES_WON_SOON if takes else WON_SOON
            self.win_flag[number // CHUNK] = 1
        elif takes and drawn:
            self.state[number] = TAKES_DRAWN
        elif quiet + drawn == 0:
            self.state[number] = TAKES_LOST_SOON if takes else LOST_SOON
            self.loss_flag[number // CHUNK] = 1
        else:
            self.state[number] = quiet + drawn  # the draw is a move that never loses

    def judge_all(self, low: int, high: int) -> None:
        if low < high:
            self.index.unrank(self.slot, low)
        i = low
        while i < high:
            self.judge(i)
            i += 1
            if i < high:
                self.index.advance(self.slot, i)

    # ------------------------------------------------------------------ backwards: who could have moved here
    def spread_losses(self, low: int, high: int, level: int) -> int:
        """Positions lost at this level win the positions before them."""
        waiting = low ^ low
        chunk = low // CHUNK
        while chunk * CHUNK < high:
            if self.loss_flag[chunk]:
                later = 0
                i = chunk * CHUNK
                end = min(i + CHUNK, high)
                while i < end:
                    state = self.state[i]
                    if state == LOST_SOON or state == TAKES_LOST_SOON:
                        if self.level[i] <= level:
                            self.state[i] = LOST if state == LOST_SOON else TAKES_LOST
                            self.index.unrank(self.slot, i)
                            waiting += self.step_back(level + self.win_step, False)
                        else:
                            later += 1
                    i += 1
                self.loss_flag[chunk] = later > 0
                waiting += later
            chunk += 1
        return waiting

    def spread_wins(self, low: int, high: int, level: int) -> int:
        """Positions won at this level close a move of the positions before them."""
        waiting = low ^ low
        chunk = low // CHUNK
        while chunk * CHUNK < high:
            if self.win_flag[chunk]:
                later = 0
                i = chunk * CHUNK
                end = min(i + CHUNK, high)
                while i < end:
                    state = self.state[i]
                    if state == WON_SOON or state == TAKES_WON_SOON:
                        if self.level[i] <= level:
                            self.state[i] = WON if state == WON_SOON else TAKES_WON
                            self.index.unrank(self.slot, i)
                            waiting += self.step_back(level + self.loss_step, True)
                        else:
                            later += 1
                    i += 1
                self.win_flag[chunk] = later > 0
                waiting += later
            chunk += 1
        return waiting

    def shift(self, b: int, k: int) -> int:
        """One step in direction `k` of the board module."""
        if k == 0:
            return b << self.board.s1
        if k == 1:
            return b << self.board.s2
        if k == 2:
            return b >> self.board.s1
        if k == 3:
            return b >> self.board.s2
        if k == 4:
            return b << self.board.s3
        return b >> self.board.s3

    def step_back(self, level: int, won: bool) -> int:
        """Go through the quiet moves of Black that lead to the index's position; returns how many results follow."""
        found = 0
        men = self.index.opp_men
        kings = self.index.opp_kings
        empty = self.index.playable ^ (self.index.own_men | self.index.own_kings | men | kings)
        pieces = men
        while pieces:
            b = pieces & -pieces
            pieces ^= b
            for k in range(2, 7):
                if k == 5 or (k > 3 and not self.sideways):
                    continue
                t = self.shift(b, k) & empty
                if t:
                    found += self.settle(men ^ b ^ t, kings, level, won)
        pieces = kings
        while pieces:
            b = pieces & -pieces
            pieces ^= b
            for k in range(7):
                if k == 5 or (k > 3 and not self.sideways):
                    continue
                t = self.shift(b, k) & empty
                while t:
                    found += self.settle(men, kings ^ b ^ t, level, won)
                    t = self.shift(t, k) & empty if self.flying else 0
        return found

    def settle(self, men: int, kings: int, level: int, won: bool) -> int:
        """A move from Black's `men` and `kings` to the index's position loses (`won`) or wins; returns 1 for news."""
        i = self.index.rank(men, kings, self.index.own_men, self.index.own_kings, True)
        state = self.mirror_state[i]
        if won:
            if state == 0 or state > OPEN or self.close(i):
                return 0
            if self.mirror_level[i] < level:
                self.mirror_level[i] = level
            self.mirror_loss_flag[i // CHUNK] = 1
            return 1
        if state == 0 or state > WON_SOON or (state == WON_SOON and self.mirror_level[i] <= level):
            return 0
        self.mirror_state[i] = WON_SOON
        self.mirror_level[i] = level
        self.mirror_win_flag[i // CHUNK] = 1
        return 1

    def close(self, i: int) -> Any:
        """One open move less; returns how many are left. Threads may meet here."""
        if cython.compiled:
            left = decrement(cython.address(self.mirror_state[i]))  # type: ignore[name-defined]  # noqa: F821
        else:
            left = self.mirror_state[i] = self.mirror_state[i] - 1
        return left

    # ------------------------------------------------------------------ finished slices
    def encode_all(self, low: int, high: int) -> None:
        i = low
        while i < high:
            state = self.state[i]
            code = 0
            if state == LOST or state == TAKES_LOST:
                code = min(2 * self.level[i] + 1, MOST - 1)
            elif state == WON or state == TAKES_WON:
                code = min(2 * self.level[i] + 2, MOST)
            self.level[i] = code
            self.state[i] = state >= TAKES_LOST_SOON
            i += 1

    def code_by_moves(self) -> int:
        """Code of the index's position by the codes of all replies; leaves in `board.n` whether captures are due."""
        self.set_up()
        self.board.gen()
        end = self.board.n
        takes = self.mandatory and end > 0 and self.board.cap[0] != 0
        if self.is_even():
            self.board.n = takes
            return 0
        drawn = False
        won = NO_LEVEL
        lost = 0
        if end == 0 and self.win_step:
            won = 0
        for i in range(end):
            kings = self.board.make(i)
            code = self.reply_code()
            self.board.unmake(i, kings)
            if code == 0:
                drawn = True
            elif code & 1:
                won = min(won, (code >> 1) + self.win_step)
            else:
                lost = max(lost, (code >> 1) - 1 + self.loss_step)
        self.board.n = takes
        if won < NO_LEVEL:
            return min(2 * won + 2, MOST)
        return 0 if drawn else min(2 * lost + 1, MOST - 1)

    def restore_all(self, low: int, high: int) -> None:
        if low < high:
            self.index.unrank(self.slot, low)
        i = low
        while i < high:
            if self.mandatory:
                self.set_up()
                self.board.gen()
                if self.board.n and self.board.cap[0]:
                    self.level[i] = self.code_by_moves()
            i += 1
            if i < high:
                self.index.advance(self.slot, i)

    def check_all(self, low: int, high: int) -> int:
        wrong = 0
        if low < high:
            self.index.unrank(self.slot, low)
        i = low
        while i < high:
            if self.level[i] != self.code_by_moves():
                wrong += 1
            self.state[i] = self.board.n
            i += 1
            if i < high:
                self.index.advance(self.slot, i)
        return wrong

    def count_all(self, low: int, high: int, quiet: bool) -> None:
        for k in range(256):
            self.bins[k] = 0
        i = low
        while i < high:
            if not quiet or not self.state[i]:
                self.bins[self.level[i]] += 1
            i += 1
