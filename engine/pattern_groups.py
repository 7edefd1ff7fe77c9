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
SMALL = 8  # rows up to which groups begin in every row, else in every second: as good, and a third faster
WORD = (1 << 64) - 1

Squares = tuple[int, ...]


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
    tall, broad = min(4, rules.rows), 2
    step = 1 if rules.rows <= SMALL or (rules.rows - tall) % 2 else 2
    found: list[Squares] = []
    for row in range(0, rules.rows - tall + 1, step):
        for place in range(length - broad + 1):
            squares = tuple((row + r) * length + place + x + 1 for r in range(tall) for x in range(broad))
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
    order = tuple(sorted(bits))
    magic, down = _magic(order)
    digits = [0] * (1 << (64 - down))
    value = {bit: 3**i for i, bit in enumerate(bits)}
    for word in _subsets(order):
        digits[(word * magic & WORD) >> down] = sum(value[bit] for bit in bits if word >> bit & 1)
    return Look(shift, sum(1 << bit for bit in bits), magic, down, tuple(digits))


def _subsets(bits: Squares) -> list[int]:
    words = [0]
    for bit in bits:
        words += [word | 1 << bit for word in words]
    return words


@lru_cache(maxsize=256)
def _magic(bits: Squares) -> tuple[int, int]:
    """A multiplier and a shift that give every subset of the bits another number; found by trying sparse ones."""
    words = _subsets(bits)
    for width in range(len(bits), len(bits) + ROOM + 1):
        generator = random.Random(width)
        down = 64 - width
        for _ in range(TRIES):
            magic = generator.getrandbits(64) & generator.getrandbits(64) & generator.getrandbits(64)
            seen = set()
            for word in words:
                number = (word * magic & WORD) >> down
                if number in seen:
                    break
                seen.add(number)
            else:
                return magic, down
    raise ValueError(f"no magic number for the bits {bits}")
