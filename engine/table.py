"""Transposition table: buckets of four entries, one cache line each; compiled through table.pxd.

An entry is two 64-bit words, the position's key xor-ed with its data and the data, so that an entry torn by another
thread does not match. Data: score 16 bits, depth 8, bound 2, age 6, move index 8.
"""

import mmap
import os

import cython

if not cython.compiled:  # the compiler takes it from table.pxd
    from engine.bits import prefetch

EMPTY = cython.declare(cython.ulonglong, 0)
NO_MOVE = cython.declare(cython.int, 255)
ENTRY_BYTES = 16
# private memory, because shared memory gets no huge pages
PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
MINIMUM_LOG = 6
TOUCHED = 1 << 30  # bytes; a larger table comes page by page, for touching it would take seconds


def physical_memory() -> int:
    """Bytes of memory that the machine has; a very large number where that is unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 1 << 62


class Table:
    """A table of 2**log entries of 16 bytes. Scores are those of the searcher plus 32768, so that they fit 16 bits."""

    def __init__(self, log: int) -> None:
        """Raises MemoryError if the machine has not got the memory."""
        self.log = log
        self.age = 0
        size = ENTRY_BYTES << max(log, MINIMUM_LOG)
        if size > physical_memory():
            raise MemoryError(f"a table of {size >> 20} MiB is larger than the machine's memory")
        self.words = self.allocate(size)
        self.mask = (size // 64) - 1
        if cython.compiled and size <= TOUCHED:
            self.zero()

    def allocate(self, size: int) -> memoryview:
        """Fresh zeros; in huge pages where the system has them and the table is small enough to touch them now."""
        try:
            memory = mmap.mmap(-1, size, **PRIVATE)
        except (OSError, ValueError, OverflowError) as error:
            raise MemoryError(f"no memory for a table of {size >> 20} MiB") from error
        if hasattr(mmap, "MADV_HUGEPAGE") and size <= TOUCHED:
            memory.madvise(mmap.MADV_HUGEPAGE)
        return memoryview(memory).cast("Q")

    def clear(self) -> None:
        """Forget everything."""
        self.age = 0
        if cython.compiled:
            self.zero()
        else:
            self.words = self.allocate(ENTRY_BYTES << max(self.log, MINIMUM_LOG))

    def zero(self) -> None:
        """Write zeros all over, which also makes the system provide every page now and not in the middle of a move."""
        n = cython.declare(cython.ulonglong, (self.mask + 1) * 8)
        i = cython.declare(cython.ulonglong)
        with cython.nogil:
            for i in range(n):
                self.words[i] = 0

    def new_search(self) -> None:
        """Begin a new search: older entries are replaced first."""
        self.age = (self.age + 1) & 63

    def fetch(self, key: int) -> None:
        """Ask the processor for a bucket that will be probed soon; does nothing in plain Python."""
        if cython.compiled:
            prefetch(cython.address(self.words[(key & self.mask) * 8]))

    def probe(self, key: int) -> int:
        """Data of the position, 0 if it is not in the table."""
        i = (key & self.mask) * 8
        for _ in range(4):
            data = self.words[i + 1]
            if self.words[i] ^ data == key and data:
                return data
            i += 2
        return EMPTY

    def store(self, key: int, depth: int, score: int, bound: int, move: int) -> None:
        """Keep a result: in the position's own entry, else in the least useful one of its bucket."""
        i = (key & self.mask) * 8
        slot = i
        worst = 1000
        for _ in range(4):
            data = self.words[i + 1]
            if self.words[i] ^ data == key and data:
                if move == NO_MOVE:
                    move = (data >> 32) & 255
                slot = i
                break
            worth = (data >> 16) & 255
            if (data >> 26) & 63 != self.age:
                worth -= 256
            if data == 0:
                worth = -1000
            if worth < worst:
                worst = worth
                slot = i
            i += 2
        entry = self.pack(depth, score, bound, move)
        self.words[slot] = key ^ entry
        self.words[slot + 1] = entry

    def pack(self, depth: int, score: int, bound: int, move: int) -> int:
        d = cython.cast(cython.ulonglong, score + 32768)
        d |= cython.cast(cython.ulonglong, depth) << 16
        d |= cython.cast(cython.ulonglong, bound) << 24
        d |= self.age << 26
        d |= cython.cast(cython.ulonglong, move) << 32
        return d

    def fullness(self) -> int:
        """Entries of this search among the first thousand, in per mille."""
        used = 0
        i = cython.declare(cython.ulonglong)
        entries = cython.declare(cython.ulonglong, (self.mask + 1) * 4)
        if entries > 1000:
            entries = 1000
        for i in range(entries):
            if self.words[2 * i + 1] and (self.words[2 * i + 1] >> 26) & 63 == self.age:
                used += 1
        return used * 1000 // int(entries)
