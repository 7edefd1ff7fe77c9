"""The file of one slice: written whole or not at all, read through a memory map.

Layout: the line MAGIC, a line of JSON (`Header`), padding to 64 bytes, then four parts whose sizes the header gives,
and 32 bytes of BLAKE2b over all before. Parts: offsets and tokens of the run-length code (see `egdb_codec`), then
offsets and zlib streams of the distances, blocks of 8192 codes of the solver. Integers are little-endian, offsets 32
bits with one more for the end.
"""

import hashlib
import json
import mmap
import os
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.egdb_slices import Slice
from engine.errors import DatabaseError

MAGIC = b"damier endgame database 1\n"
SUFFIX = ".egdb"
ALIGN = 64
DIGEST = 32
DISTANCE_BLOCK = 8192
LEVEL = 7  # of zlib: 8 and 9 take twice and four times as long for one hundredth
READ = 1 << 20


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself. Counts are of positions with White to move; quiet: without a compulsory capture."""

    rules: str  # signature of the rules of movement
    slice: str  # white men, white kings, black men, black kings
    positions: int
    win: int
    draw: int
    loss: int
    quiet: tuple[int, int, int]  # win, draw, loss
    longest_win: int | None  # plies
    longest_loss: int | None
    parts: tuple[int, int, int, int]  # bytes

    @property
    def longest(self) -> int:
        """Plies of the longest win or loss."""
        return max(self.longest_win or 0, self.longest_loss or 0)


def pack_distances(codes: bytes | bytearray) -> tuple[bytes, bytes]:
    """Offsets and zlib streams of the blocks of codes."""
    offsets, streams, used = bytearray(4), [], 0
    view = memoryview(codes)
    for start in range(0, len(codes), DISTANCE_BLOCK):
        stream = zlib.compress(view[start : start + DISTANCE_BLOCK], LEVEL)
        streams.append(stream)
        used += len(stream)
        offsets += used.to_bytes(4, "little")
    return bytes(offsets), b"".join(streams)


def write(path: Path, header: Header, parts: tuple[bytes, bytes, bytes, bytes]) -> None:
    """Write a file under another name, and rename it when all of it is on the disk. Raises OSError."""
    head = MAGIC + json.dumps(asdict(header)).encode() + b"\n"
    head += bytes(-len(head) % ALIGN)
    digest = hashlib.blake2b(digest_size=DIGEST)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            for part in (head, *parts):
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


class SliceFile:
    """An open file; its bytes stay mapped as long as a view of them lives."""

    def __init__(self, path: Path, rules: str, one: Slice) -> None:
        """Open and check that the file is whole by its size, and of this slice. Raises DatabaseError."""
        self.path = path
        try:
            with path.open("rb") as file:
                self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            head = self.map[: self.map.find(b"\n", len(MAGIC)) + 1]
            if not head.startswith(MAGIC):
                raise DatabaseError(f"{path}: not an endgame database of this version")
            fields = json.loads(head[len(MAGIC) :])
            fields |= {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
            self.header = Header(**fields)
        except (OSError, ValueError, TypeError) as error:
            raise DatabaseError(f"{path}: {error}") from None
        start = len(head) + -len(head) % ALIGN
        view = memoryview(self.map)
        self.bytes = len(view)
        if self.bytes != start + sum(self.header.parts) + DIGEST:
            raise DatabaseError(f"{path}: the file is torn")
        if self.header.rules != rules or self.header.slice != one.digits:
            raise DatabaseError(f"{path}: a database of other rules or pieces")
        views = []
        for size in self.header.parts:
            views.append(view[start : start + size])
            start += size
        self.offsets, self.tokens, self._offsets, self._streams = views

    def check(self) -> None:
        """Compare the checksum. Raises DatabaseError."""
        digest = hashlib.blake2b(digest_size=DIGEST)
        end = self.bytes - DIGEST
        for start in range(0, end, READ):
            digest.update(self.map[start : min(start + READ, end)])
        if digest.digest() != self.map[end:]:
            raise DatabaseError(f"{self.path}: the checksum is wrong")

    def distance_block(self, block: int) -> bytes:
        """Codes of a block of positions. Raises zlib.error."""
        first = int.from_bytes(self._offsets[4 * block : 4 * block + 4], "little")
        end = int.from_bytes(self._offsets[4 * block + 4 : 4 * block + 8], "little")
        return zlib.decompress(self._streams[first:end])

    def codes(self) -> bytearray:
        """All codes as they are stored: under a compulsory capture they mean nothing. Raises DatabaseError."""
        out = bytearray()
        try:
            for block in range(len(self._offsets) // 4 - 1):
                out += self.distance_block(block)
        except zlib.error as error:
            raise DatabaseError(f"{self.path}: {error}") from None
        return out
