"""Look-up of positions in databases, for one thread of the search; compiled through egdb_probe.pxd.

Win, draw or loss is read straight from the mapped file. Distances are read from blocks unpacked by zlib, of which each
prober keeps the last few. Probers share nothing that changes.
"""

import zlib
from collections.abc import Callable
from typing import Any

import cython

from engine.rules import Objective, Rules

if not cython.compiled:  # the compiler takes them from egdb_probe.pxd
    from engine.bits import popcount
    from engine.board import Board
    from engine.egdb_codec import Codec
    from engine.egdb_index import Index

DRAWN = cython.declare(cython.int, 0)
LOST = cython.declare(cython.int, 1)
WON = cython.declare(cython.int, 2)
UNKNOWN = cython.declare(cython.int, 3)
SHIFT = cython.declare(cython.int, 11)  # of a win/draw/loss block: 2048 positions
LINES = cython.declare(cython.int, 64)  # blocks of distances kept
LINE_SHIFT = cython.declare(cython.int, 13)  # of a block of distances: 8192 positions


def pointer(view: Any) -> Any:
    """Where the bytes of a buffer lie; in plain Python the buffer itself."""
    if cython.compiled:
        return cython.address(view[0])
    return view


class Probe:
    """The databases of one variant as one thread sees them."""

    def __init__(self, rules: Rules) -> None:
        self.index = Index(rules)
        self.codec = Codec()
        self.limit = rules.king_move_limit > 0
        self.losing = rules.objective is Objective.LOSE
        self.pieces = 0
        self.keep: dict[int, object] = {}
        self.unpackers: dict[int, Callable[[int], bytes]] = {}
        if not cython.compiled:
            self.offsets: list[Any] = [None] * 4096
            self.tokens: list[Any] = [None] * 4096
            self.longest = [0] * 4096
            self.tag = [0] * 64
            self.line = [0] * (64 * 8192)
        for i in range(64):
            self.tag[i] = -1

    # ------------------------------------------------------------------ the Python face
    def open(
        self, slot: int, pieces: int, longest: int, offsets: memoryview, tokens: memoryview,
        unpack: Callable[[int], bytes],
    ) -> None:  # fmt: skip
        """Add a slice: its longest win or loss in plies, the two parts of its values, and what unpacks a block of
        distances."""
        self.keep[slot] = (offsets, tokens)
        self.unpackers[slot] = unpack
        self.offsets[slot] = pointer(offsets)
        self.longest[slot] = longest
        self.pieces = max(self.pieces, pieces)
        self.tokens[slot] = pointer(tokens)

    def close(self) -> None:
        """Forget all slices."""
        self.pieces = 0
        for slot in list(self.keep):
            self.tokens[slot] = cython.NULL
            self.offsets[slot] = cython.NULL
        self.keep.clear()
        self.unpackers.clear()
        for i in range(64):
            self.tag[i] = -1

    def most(self) -> int:
        """Greatest number of pieces of an open slice, 0 without any."""
        return self.pieces

    def look_up(self, board: Board) -> int:
        """Value for the side to move: 0 drawn, 1 lost, 2 won, 3 unknown. Not for a position with a capture to make."""
        return self.value(board)

    def count_plies(self, board: Board) -> int:
        """Plies to the end of a won or lost position under best play, -1 if unknown."""
        return self.plies(board)

    def repeat(self, board: Board, times: int) -> int:
        """Look a position up many times, for measurements."""
        n = cython.declare(cython.int, times)
        return self.value_often(board, n)

    # ------------------------------------------------------------------ the search's face
    def slot_of(self, board: Board) -> int:
        """The slice of the position on the board, seen by the side to move."""
        own = board.side[board.stm]
        opp = board.side[board.stm ^ 1]
        n = popcount(own & board.kings)
        m = popcount(opp & board.kings)
        return ((popcount(own) - n) << 9) | (n << 6) | ((popcount(opp) - m) << 3) | m

    def number(self, board: Board) -> int:
        own = board.side[board.stm]
        opp = board.side[board.stm ^ 1]
        kings = board.kings
        return self.index.rank(own ^ (own & kings), own & kings, opp ^ (opp & kings), opp & kings, board.stm == 1)

    def holds(self, slot: int) -> bool:
        """Whether the slice is open and its values count under the variant's rules.

        Databases know nothing of a limit on king moves, which holds for a side with men and kings.
        """
        if not self.tokens[slot]:
            return False
        return not self.limit or ((slot >> 9 == 0 or not (slot >> 6) & 7) and (not (slot >> 3) & 7 or not slot & 7))

    def value(self, board: Board) -> int:
        """Value of a position with at most `pieces` pieces and no capture to make, for the side to move."""
        slot = self.slot_of(board)
        if not self.holds(slot):
            return UNKNOWN
        number = self.number(board)
        offsets = self.offsets[slot]
        block = (number >> SHIFT) * 4
        at = cython.cast(cython.uint, offsets[block])
        at |= cython.cast(cython.uint, offsets[block + 1]) << 8
        at |= cython.cast(cython.uint, offsets[block + 2]) << 16
        at |= cython.cast(cython.uint, offsets[block + 3]) << 24
        return self.codec.find(self.tokens[slot], at, number & 2047)

    def value_often(self, board: Board, times: int) -> int:
        total = 0
        for _ in range(times):
            total += self.value(board)
        return total

    def code(self, board: Board) -> int:
        """The solver's code of a position in an open slice, -1 if it cannot be read."""
        slot = self.slot_of(board)
        number = self.number(board)
        block = cython.cast(cython.longlong, number >> LINE_SHIFT)
        tag = (block << 12) | slot
        line = cython.cast(cython.int, (block * 37 + slot * 11) & (LINES - 1))
        if self.tag[line] != tag and not self.fetch(slot, block, line):
            return -1
        self.tag[line] = tag
        return self.line[(line << LINE_SHIFT) + (number & 8191)]

    def plies(self, board: Board) -> int:
        """Plies to the end of the game from a decided position, -1 if unknown."""
        if not self.holds(self.slot_of(board)):
            return -1
        code = self.code(board)
        return code - 1 - self.blocked_step(code) if code > 0 else -1

    def blocked_step(self, code: int) -> int:
        """What the plies of a code differ from code - 1 (see the solver)."""
        if not self.losing:
            return 0
        return 1 if code & 1 == 0 else -1

    def fetch(self, slot: int, block: int, line: int) -> bool:
        """Unpack a block of distances into a line of the cache."""
        with cython.gil:
            return self.unpack(slot, block, line)

    def unpack(self, slot: int, block: int, line: int) -> bool:
        self.tag[line] = -1
        try:
            data = self.unpackers[slot](block)
        except (zlib.error, ValueError, KeyError):
            return False
        size = len(data)
        source = pointer(data)
        base = line << LINE_SHIFT
        for i in range(size):
            self.line[base + i] = source[i]
        return True
