"""Run-length code of win/draw/loss values; compiled through egdb_codec.pxd.

Values of a slice are cut into blocks of BLOCK positions that are coded by themselves. A token is one byte: value * 85
plus the number of a length in `LENGTHS`; a longer run takes several tokens. To look up a value one adds up the lengths
of its block until they reach it, which is about as quick as a probe of a block decoded before, and needs no memory.

Positions whose value is never looked up (a capture is compulsory) take the value before them, so that runs go on.
"""

from typing import Any

import cython

BLOCK = 2048
LENGTHS = (
    *range(1, 65), *(72, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, 1536),
    *(1792, 2048),
)  # fmt: skip
VALUES = 3  # drawn, lost, won
BLOCK_SIZE = cython.declare(cython.int, BLOCK)


class Codec:
    """Encoder and decoder."""

    def __init__(self) -> None:
        if not cython.compiled:
            self.length = [0] * 256
            self.token = [0] * 2049
        for value in range(VALUES):
            for i, n in enumerate(LENGTHS):
                self.length[85 * value + i] = n
        self.length[255] = BLOCK
        for i, n in enumerate(LENGTHS):  # the longest length that fits
            for run in range(n, BLOCK + 1):
                self.token[run] = i

    def fill(self, codes: bytearray, mask: bytearray) -> None:
        """Overwrite codes under the mask with the code before them (those at the front with the first other)."""
        self.fill_all(codes, mask, len(codes))

    def fill_all(self, codes: Any, mask: Any, size: int) -> None:
        n = cython.declare(cython.Py_ssize_t, size)
        i = cython.declare(cython.Py_ssize_t)
        last = cython.declare(cython.int, 0)
        with cython.nogil:
            for i in range(n):
                if not mask[i]:
                    last = codes[i]
                    break
            for i in range(n):
                if mask[i]:
                    codes[i] = last
                else:
                    last = codes[i]

    def encode(self, codes: bytearray) -> tuple[bytes, bytes]:
        """Offsets of the blocks (32 bits, little-endian, and the end) and the tokens of filled codes."""
        out = bytearray(len(codes))
        blocks = (len(codes) + BLOCK - 1) // BLOCK
        offsets = bytearray(4 * (blocks + 1))
        used = self.encode_all(codes, len(codes), out, offsets)
        return bytes(offsets), bytes(out[:used])

    def encode_all(self, codes: Any, size: int, out: Any, offsets: Any) -> int:
        n = cython.declare(cython.Py_ssize_t, size)
        i = cython.declare(cython.Py_ssize_t, 0)
        used = cython.declare(cython.Py_ssize_t, 0)
        end = cython.declare(cython.Py_ssize_t)
        block = cython.declare(cython.Py_ssize_t, 0)
        run = cython.declare(cython.int)
        value = cython.declare(cython.int)
        token = cython.declare(cython.int)
        k = cython.declare(cython.int)
        with cython.nogil:
            while i < n:
                for k in range(4):
                    offsets[4 * block + k] = (used >> (8 * k)) & 255
                block += 1
                end = min(i + BLOCK_SIZE, n)
                while i < end:
                    value = self.value_of(codes[i])
                    run = 1
                    i += 1
                    while i < end and self.value_of(codes[i]) == value:
                        run += 1
                        i += 1
                    while run:
                        token = self.token[run]
                        out[used] = 85 * value + token
                        used += 1
                        run -= self.length[token]
            for k in range(4):
                offsets[4 * block + k] = (used >> (8 * k)) & 255
        return used

    def value_of(self, code: int) -> int:
        """Value of a code of the solver: 0 drawn, 1 lost, 2 won."""
        if code == 0:
            return 0
        return 1 if code & 1 else 2

    def find(self, tokens: Any, at: int, left: int) -> int:
        """The value `left` positions behind the start of a block at `at`."""
        while True:
            token = cython.cast(cython.int, tokens[at])
            left -= self.length[token]
            if left < 0:
                return token // 85
            at += 1
