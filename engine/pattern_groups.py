"""The groups of squares that the pattern evaluation looks at, and how a group's pieces become a number.

Plain Python, never compiled. A group is a tuple of squares as White sees them. Its state is a number in base 3: digit
`i` is 0 if the i-th square is empty or holds a king, 1 for an own man, 2 for an enemy man. Black looks at the same
group with the board turned by 180 degrees, so the squares of a group and of its image are read with the same weights.

The bits of a group are brought together by a multiplication: masked and shifted into one 64-bit word, times a magic
number, shifted down, they are the index of a small table that holds the digits' sum.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.geometry import layout
from engine.rules import Rules

ROOM = 2  # bits that a table may be wider than the group
TRIES = 2000  # magic numbers tried for each width
LARGEST = 12  # squares of a group
TALL, BROAD = 5, 2  # rows of a group, and squares in each
WORD = (1 << 64) - 1

Squares = tuple[int, ...]

# Multipliers of the groups that `groups` gives, by their bits: to find one takes a second or more.
FOUND: dict[Squares, int] = {
    (0, 1, 4, 5, 9, 10, 13, 14, 18, 19): 0x4C00801001319000,
    (0, 1, 5, 6, 9, 10, 14, 15, 18, 19): 0x400A040000222050,
    (0, 1, 5, 6, 11, 12, 16, 17, 22, 23): 0x402010000012500,
    (0, 1, 6, 7, 11, 12, 17, 18, 22, 23): 0xC008804000048002,
    (0, 1, 6, 7, 13, 14, 19, 20, 26, 27): 0x240280100004000,
    (0, 1, 7, 8, 13, 14, 20, 21, 26, 27): 0x402000400800802,
    (0, 1, 9, 10, 18, 19, 27, 28, 36, 37): 0x4008024108400800,
}


@dataclass(frozen=True, slots=True)
class Look:
    """How to read the men of one side in a group: `digits[((word >> shift & mask) * magic mod 2^64) >> down]`."""

    shift: int
    mask: int
    magic: int
    down: int
    digits: tuple[int, ...]


def groups(rules: Rules) -> tuple[Squares, ...]:
    """The groups of a variant's board: overlapping rectangles, one of each pair that a half turn exchanges."""
    length = rules.row_length
    found: list[Squares] = []
    for row in range(rules.rows - TALL + 1):
        for place in range(length - BROAD + 1):
            squares = tuple((row + r) * length + place + x + 1 for r in range(TALL) for x in range(BROAD))
            if tuple(sorted(turned(rules, squares))) not in found:
                found.append(squares)
    return tuple(found)


def states(squares: Sequence[int]) -> int:
    """How many states a group has."""
    return int(3 ** len(squares))


def turned(rules: Rules, squares: Sequence[int]) -> Squares:
    """The same squares after the board is turned by 180 degrees, in the same order."""
    return tuple(rules.squares + 1 - square for square in squares)


def look(rules: Rules, squares: Sequence[int]) -> Look:
    """How a group is read. Raises ValueError if its squares do not fit into 64 bits, or are too many."""
    place = layout(rules)
    bits = [place.bit[square - 1] for square in squares]
    shift = min(bits)
    if len(set(bits)) != len(bits) or len(bits) > LARGEST or max(bits) - shift > 63:
        raise ValueError(f"not a group of squares: {' '.join(map(str, squares))}")
    return _look(shift, tuple(bit - shift for bit in bits))


def _look(shift: int, bits: Squares) -> Look:
    magic, down = _magic(tuple(sorted(bits)))
    return Look(shift, sum(1 << bit for bit in bits), magic, down, _digits(bits))


@lru_cache(maxsize=256)
def _digits(bits: Squares) -> Squares:
    """The table of a group whose squares are these bits, in order."""
    order = tuple(sorted(bits))
    magic, down = _magic(order)
    digits = [0] * (1 << (64 - down))
    value = {bit: 3**i for i, bit in enumerate(bits)}
    for word in _subsets(order):
        digits[(word * magic & WORD) >> down] = sum(value[bit] for bit in bits if word >> bit & 1)
    return tuple(digits)


def _subsets(bits: Squares) -> list[int]:
    words = [0]
    for bit in bits:
        words += [word | 1 << bit for word in words]
    return words


@lru_cache(maxsize=256)
def _magic(bits: Squares) -> tuple[int, int]:
    """A multiplier and a shift that give every subset of the bits another number; found by trying sparse ones."""
    if bits in FOUND:
        return FOUND[bits], 64 - len(bits)
    words = _subsets(bits)
    for width in range(len(bits), len(bits) + ROOM + 1):
        generator = random.Random(width)
        for _ in range(TRIES):
            magic = generator.getrandbits(64) & generator.getrandbits(64) & generator.getrandbits(64)
            if is_magic(magic, words, 64 - width):
                return magic, 64 - width
    raise ValueError(f"no magic number for the bits {bits}")


def is_magic(magic: int, words: Sequence[int], down: int) -> bool:
    """Whether a multiplier and a shift give each word another number."""
    seen = set()
    for word in words:
        number = (word * magic & WORD) >> down
        if number in seen:
            return False
        seen.add(number)
    return True
