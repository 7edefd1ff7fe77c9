"""Where the squares of a board lie in a word, so that every neighbour is one constant shift.

Plain Python, never compiled: shifts of Python ints do not overflow here.

Rows of dark squares are stored one after another with an empty ghost bit behind every second row (behind every row
where pieces also capture along rows), so that a step off the board lands on a ghost. On a board of rows of `w`
squares the two steps downwards are `w` and `w + 1` (`w + 1` and `w + 2` with the extra ghosts). A board with the
light corner at the bottom left is stored mirrored, which makes the same two steps fit. Where all squares are played
only the steps along columns (`columns + 1`) and rows (1) exist; the others leave the word.
"""

from dataclasses import dataclass
from functools import lru_cache

from engine.rules import Rules

NOWHERE = 127  # a step that takes every bit out of a word of up to 128 bits


@dataclass(frozen=True, slots=True)
class Layout:
    """Bits of a variant's board: `bit[square - 1]`, `square[bit]` (0 for a ghost) and the four downward steps."""

    bit: tuple[int, ...]
    square: tuple[int, ...]
    steps: tuple[int, int, int, int]  # two forward lines of Black, then along rows and columns of dark squares
    playable: int
    top: int  # mask of the top row, where white men are crowned
    bottom: int
    road: int  # mask of the long diagonal through two playing corners, 0 if there is none
    centre: int  # mask of the squares in the middle, about half of the columns and rows

    @property
    def bits(self) -> int:
        """Width of the word that holds the board."""
        return self.playable.bit_length()

    def spread(self, board: int) -> int:
        """From a bitboard by square to one by bit."""
        spread = 0
        while board:
            low = board & -board
            spread |= 1 << self.bit[low.bit_length() - 1]
            board ^= low
        return spread

    def gather(self, word: int) -> int:
        """Inverse of `spread`."""
        board = 0
        while word:
            low = word & -word
            board |= 1 << (self.square[low.bit_length() - 1] - 1)
            word ^= low
        return board

    def squares(self, word: int) -> tuple[int, ...]:
        """Squares of a word, ascending."""
        found = []
        while word:
            low = word & -word
            found.append(self.square[low.bit_length() - 1])
            word ^= low
        return tuple(sorted(found))


@lru_cache(maxsize=64)
def layout(rules: Rules) -> Layout:
    """The layout of a variant's board."""
    length = rules.row_length
    if rules.all_squares:
        width = length + 1
        steps = (NOWHERE, width, 1, NOWHERE)
        starts = [row * width for row in range(rules.rows)]
    else:
        width = length + (1 if rules.orthogonal_captures else 0)
        steps = (width, width + 1, 1, 2 * width + 1)
        starts = [row // 2 * (2 * width + 1) + row % 2 * width for row in range(rules.rows)]
    mirrored = not rules.all_squares and not rules.left_dark
    bits = []
    for square in range(1, rules.squares + 1):
        row, x = divmod(square - 1, length)
        bits.append(starts[row] + (length - 1 - x if mirrored else x))
    squares = [0] * (max(bits) + 1)
    for index, bit in enumerate(bits):
        squares[bit] = index + 1
    road = 0
    if not rules.all_squares and rules.columns == rules.rows:
        for square in range(1, rules.squares + 1):
            column, row = rules.coordinates(square)
            if (rules.rows - 1 - row if rules.left_dark else row) == column:
                road |= 1 << bits[square - 1]
    centre = 0
    for square in range(1, rules.squares + 1):
        column, row = rules.coordinates(square)
        if abs(2 * column - rules.columns + 1) < rules.columns // 2 and abs(2 * row - rules.rows + 1) < rules.rows // 2:
            centre |= 1 << bits[square - 1]
    return Layout(
        bit=tuple(bits),
        square=tuple(squares),
        steps=steps,
        playable=sum(1 << bit for bit in bits),
        top=sum(1 << bit for bit in bits[:length]),
        bottom=sum(1 << bit for bit in bits[-length:]),
        road=road,
        centre=centre,
    )
