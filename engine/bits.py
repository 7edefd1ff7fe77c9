"""Bit helpers of the hot core; compiled modules take the C versions of the same names from bits.pxd.

A board word has 64 bits, or 128 in the wide build, so it crosses to Python as two halves.
"""

_HALF = (1 << 64) - 1


def popcount(x: int) -> int:
    """Number of set bits."""
    return x.bit_count()


def lowest(x: int) -> int:
    """Index of the lowest set bit of a non-zero word."""
    return (x & -x).bit_length() - 1


def low_half(x: int) -> int:
    """Bits 0-63."""
    return x & _HALF


def high_half(x: int) -> int:
    """Bits 64-127."""
    return x >> 64


def join_halves(high: int, low: int) -> int:
    """The word of two halves."""
    return high << 64 | low


def prefetch(address: object) -> None:
    """Ask for memory before it is needed; plain Python has no such request."""
