"""Opening books: positions, the moves worth playing there, and their scores; one small file a variant.

A book file, all numbers little-endian:

    8 bytes       magic
    u16, u32      version of the format; length of the header
    header        JSON in UTF-8: `variant`, `positions`, `moves` (how many), and how the book was made
    u64 each      keys of the positions, ascending (`position_key`)
    u32 each      where the moves of each position begin in the last part, and where they end
    last part     moves, the best first: from, to, number of captured squares, those squares (a byte each), score (i16)
    8 bytes       BLAKE2b of all that is before

Scores are centi-men for the side to move. Squares are Hub numbers, so that a book depends on nothing but the rules.
"""

import hashlib
import json
import struct
import sys
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import BookError
from engine.hub_position import format_hub_position, format_wolf
from engine.move import Move
from engine.position import Position

MAGIC = b"DAMBOOK\n"
VERSION = 1
FOLDER = Path(__file__).resolve().with_name("books")
SUFFIX = ".book"
LONGEST_LINE = 60  # plies of best play that are shown

_HEAD = struct.Struct("<8sHI")
_SCORE = struct.Struct("<h")
_CHECKSUM = 8


@dataclass(frozen=True, slots=True)
class BookMove:
    """A move of a book and its score in centi-men for the side that plays it."""

    move: Move
    score: int


def position_key(position: Position) -> int:
    """64 bits that stand for a position in every version of damier: BLAKE2b of its Hub string.

    Running king moves belong to it where the rules limit them; history does not.
    """
    text = f"{format_hub_position(position)} {format_wolf(position)}".rstrip()
    return int.from_bytes(hashlib.blake2b(text.encode("ascii"), digest_size=8).digest(), "little")


def packaged_book(variant: str) -> Path:
    """Where the book of a variant lies that comes with damier, if there is one."""
    return FOLDER / f"{variant}{SUFFIX}"


class Book:
    """A book in memory. Moves are decoded when they are asked for."""

    def __init__(self, data: bytes, variant: str) -> None:
        """Take the bytes of a file. Raises BookError if they are not a whole book of that variant."""
        if not data.startswith(MAGIC):
            raise BookError("not an opening book")
        try:
            _, version, size = _HEAD.unpack_from(data)
        except struct.error:
            raise BookError("torn: it ends in its header") from None
        if version != VERSION:
            raise BookError(f"format {version}, this program reads format {VERSION}")
        body, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
        if hashlib.blake2b(body, digest_size=_CHECKSUM).digest() != checksum:
            raise BookError("damaged: its checksum is wrong")
        try:
            self.header: Mapping[str, Any] = json.loads(body[_HEAD.size : _HEAD.size + size])
            name, count = str(self.header["variant"]), int(self.header["positions"])
            keys = _HEAD.size + size
            starts = keys + 8 * count
            moves = starts + 4 * (count + 1)
            self._keys = _numbers("Q", body[keys:starts])
            self._starts = _numbers("I", body[starts:moves])
            self._moves = body[moves:]
            whole = self._starts[count] == len(self._moves)
        except (ValueError, LookupError, TypeError):
            whole = False
        if not whole:
            raise BookError("damaged: its parts do not fit together")
        if name != variant:
            raise BookError(f"a book of {name}, not of {variant}")

    @classmethod
    def load(cls, file: Path, variant: str) -> "Book":
        """Read a file. Raises BookError, which names it."""
        try:
            return cls(file.read_bytes(), variant)
        except OSError as error:
            raise BookError(f"opening book {file}: {error.strerror or error}") from None
        except BookError as error:
            raise BookError(f"opening book {file}: {error}") from None

    def __len__(self) -> int:
        return len(self._keys)

    def moves(self, position: Position, legal: Sequence[Move] | None = None) -> tuple[BookMove, ...]:
        """The moves of a position, the best first; none if it is not in the book. Only legal ones are given."""
        key = position_key(position)
        at = bisect_left(self._keys, key)
        if at == len(self._keys) or self._keys[at] != key:
            return ()
        known = {
            (move.frm, move.to, move.captured): move for move in (position.legal_moves() if legal is None else legal)
        }
        found = []
        place, end = self._starts[at], self._starts[at + 1]
        while place < end:
            frm, to, count = self._moves[place : place + 3]
            captured = tuple(self._moves[place + 3 : place + 3 + count])
            (score,) = _SCORE.unpack_from(self._moves, place + 3 + count)
            if (move := known.get((frm, to, captured))) is not None:
                found.append(BookMove(move, score))
            place += 5 + count
        return tuple(found)

    def line(self, position: Position) -> tuple[Move, ...]:
        """The best moves of both sides as far as the book goes."""
        line: list[Move] = []
        while len(line) < LONGEST_LINE and (moves := self.moves(position)):
            line.append(moves[0].move)
            position = position.play(moves[0].move)
        return tuple(line)


def pack(variant: str, entries: Mapping[int, Sequence[BookMove]], made: Mapping[str, object]) -> bytes:
    """A book as the bytes of its file; `entries` holds the moves by position key, `made` says how it came about."""
    keys = sorted(entries)
    starts, moves, count = array("I", [0]), bytearray(), 0
    for key in keys:
        for one in sorted(entries[key], key=lambda one: (-one.score, one.move.frm, one.move.to, one.move.captured)):
            moves += bytes((one.move.frm, one.move.to, len(one.move.captured), *one.move.captured))
            moves += _SCORE.pack(one.score)
            count += 1
        starts.append(len(moves))
    header = json.dumps({"variant": variant, "positions": len(keys), "moves": count, **made}).encode()
    body = _HEAD.pack(MAGIC, VERSION, len(header)) + header + _bytes(array("Q", keys)) + _bytes(starts) + moves
    return body + hashlib.blake2b(body, digest_size=_CHECKSUM).digest()


def _numbers(kind: str, data: bytes) -> "array[int]":
    """Little-endian numbers as an array."""
    numbers = array(kind, data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _bytes(numbers: "array[int]") -> bytes:
    """An array as little-endian numbers."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
