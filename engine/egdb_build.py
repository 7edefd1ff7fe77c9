"""Building databases: slice pairs in order, each solved by several threads and written at once.

What is finished stays: a build that was killed goes on with the first pair that is missing, torn or damaged.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from engine.egdb import Databases
from engine.egdb_file import Header, SliceFile, pack_distances, write
from engine.egdb_slices import Slice, pairs, slices, successors
from engine.errors import DatabaseError
from engine.moves import hot_module, is_wide
from engine.rules import Objective

if TYPE_CHECKING:
    from engine.egdb_solver import Solver

CHUNK = 4096  # positions that one thread works on at a time, at least (see the solver)
PARTS = 8  # parts of a slice for each thread, at least
LARGEST_PART = 1 << 20  # positions; a thread looks up between two parts
SHELF = 1 << 30  # bytes of finished codes that are kept in memory
LEVELS = 255

Progress = Callable[[int, int, str], None]
"""Called with the positions done, all positions to do, and the slice at work."""


@dataclass(slots=True)
class _Side:
    """One slice of a pair at work."""

    one: Slice
    size: int
    solvers: "list[Solver]"
    state: bytearray = field(default_factory=bytearray)
    level: bytearray = field(default_factory=bytearray)
    flags: tuple[bytearray, bytearray] = field(default_factory=lambda: (bytearray(), bytearray()))

    def allocate(self) -> None:
        chunks = self.size // CHUNK + 1
        self.state, self.level = bytearray(self.size), bytearray(self.size)
        self.flags = (bytearray(chunks), bytearray(chunks))

    def parts(self, threads: int) -> list[tuple[int, int]]:
        step = min(-(-self.size // (PARTS * threads) // CHUNK) * CHUNK, LARGEST_PART) or CHUNK
        return [(low, min(low + step, self.size)) for low in range(0, self.size, step)]


class Builder:
    """Builds and checks the databases of a variant."""

    def __init__(
        self,
        databases: Databases,
        threads: int = 1,
        on_progress: Progress | None = None,
        wait: Callable[[], None] | None = None,
    ) -> None:
        """`wait` is called now and then and may block, so that a build in the background can give way."""
        self.databases = databases
        self.rules = databases.rules
        self.threads = threads
        self.on_progress = on_progress
        self.wait = wait
        module = hot_module("egdb_solver", is_wide(self.rules))
        self.index = hot_module("egdb_index", is_wide(self.rules)).Index(self.rules)
        self.codec = hot_module("egdb_codec", is_wide(self.rules)).Codec()
        self._solvers: list[list[Solver]] = [[module.Solver(self.rules) for _ in range(threads)] for _ in range(2)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._shelf: OrderedDict[Slice, bytearray] = OrderedDict()
        self._done = 0
        self._total = 0
        self._stopped = False

    def close(self) -> None:
        """Give back threads and memory; threads at work end soon."""
        self._stopped = True
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._shelf.clear()

    def __enter__(self) -> "Builder":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ------------------------------------------------------------------ building
    def build(self, pieces: int) -> int:
        """Build what is missing up to so many pieces; returns the number of slices written. Raises OSError."""
        todo = []
        for n in range(2, pieces + 1):
            self.databases.prepare_folder(n)
            todo += [one for one in pairs(self.rules, n) if not (self._is_good(one) and self._is_good(one.mirror))]
        self._begin(side for one in todo for side in {one, one.mirror})
        written = 0
        for one in todo:
            written += self._build_pair(one)
        return written

    def _is_good(self, one: Slice) -> bool:
        try:
            self.databases.file(one).check()
        except DatabaseError:
            self.databases.forget(one)
            return False
        return True

    def _begin(self, todo: Iterable[Slice]) -> None:
        self._done, self._total = 0, sum(self.index.size(*one) for one in todo)

    def _tell(self, positions: int, one: Slice) -> None:
        self._done += positions
        if self.on_progress is not None:
            self.on_progress(self._done, self._total, str(one))
        if self.wait is not None:
            self.wait()

    def _build_pair(self, one: Slice) -> int:
        sides = self._sides(one)
        for side in sides:
            side.allocate()
        self._attach(sides)
        total = sum(side.size for side in sides)
        for side in sides:
            for low, high in side.parts(self.threads):
                self._each([side], "start", (low, high))
                self._tell((high - low) // 2, one)
        self._waves(sides)
        self._each(sides, "finish")
        for side in sides:
            self._write(side)
            self._shelve(side.one, side.level)
        self._tell(total - sum((high - low) // 2 for side in sides for low, high in side.parts(self.threads)), one)
        return len(sides)

    def _waves(self, sides: list[_Side]) -> None:
        order = ["losses", "wins"]  # of one level: the lost position a ply before the won one
        if self.rules.objective is Objective.LOSE:
            order.reverse()
        for level in range(LEVELS):
            waiting = sum(self._each(sides, kind, None, level) for kind in order)
            if not waiting:
                return
            if self.wait is not None:
                self.wait()
        raise DatabaseError(f"{sides[0].one}: wins of more than {2 * LEVELS} plies")

    def _write(self, side: _Side) -> None:
        filled, offsets, tokens = self._encode(side)
        distance_offsets, streams = pack_distances(filled)
        sizes = (len(offsets), len(tokens), len(distance_offsets), len(streams))
        parts = (offsets, tokens, distance_offsets, streams)
        write(self.databases.path(side.one), self._header(side, sizes), parts)
        self.databases.forget(side.one)

    def _encode(self, side: _Side) -> tuple[bytearray, bytes, bytes]:
        """Codes as they are stored, and the two parts of their values."""
        filled = bytearray(side.level)
        self.codec.fill(filled, side.state)
        return filled, *self.codec.encode(filled)

    def _header(self, side: _Side, parts: tuple[int, int, int, int]) -> Header:
        """The header by finished codes and their capture mask; `parts` are the sizes of the file's parts."""
        solver = side.solvers[0]
        every = solver.histogram(0, side.size, False)
        quiet = solver.histogram(0, side.size, True)
        turned = 1 if self.rules.objective is Objective.LOSE else 0  # see the codes of the solver
        wins = [code for code in range(2, 256, 2) if every[code]]
        losses = [code for code in range(1, 256, 2) if every[code]]
        return Header(
            rules=self.databases.signature,
            slice=side.one.digits,
            positions=side.size,
            win=sum(every[2::2]),
            draw=every[0],
            loss=sum(every[1::2]),
            quiet=(sum(quiet[2::2]), quiet[0], sum(quiet[1::2])),
            longest_win=wins[-1] - 1 - turned if wins else None,
            longest_loss=losses[-1] - 1 + turned if losses else None,
            parts=parts,
        )

    # ------------------------------------------------------------------ threads
    def _sides(self, one: Slice) -> list[_Side]:
        both = [one] if one == one.mirror else [one, one.mirror]
        return [_Side(side, self.index.size(*side), self._solvers[i]) for i, side in enumerate(both)]

    def _attach(self, sides: list[_Side]) -> None:
        """Give the solvers the arrays of the pair and the codes of all slices that lie behind it."""
        for side, mirror in zip(sides, reversed(sides), strict=True):
            behind = {one: self._codes(one) for one in successors(self.rules, side.one)}
            for solver in side.solvers:
                solver.unlink()
                for one, codes in behind.items():
                    solver.link(one.slot, codes)
                solver.attach(
                    side.one.slot, side.state, side.level, side.flags, mirror.state, mirror.level, mirror.flags
                )

    def _each(self, sides: list[_Side], name: str, only: tuple[int, int] | None = None, *args: int) -> int:
        """Call a method of the solvers on all positions (or some of one side); returns the sum of the results."""
        jobs: list[list[tuple[Solver, int, int]]] = [[] for _ in range(self.threads)]
        for side in sides:
            parts = side.parts(self.threads)
            if only is not None:
                low, high = only
                step = max(CHUNK, -(-(high - low) // self.threads // CHUNK) * CHUNK)
                parts = [(start, min(start + step, high)) for start in range(low, high, step)]
            for i, (low, high) in enumerate(parts):
                worker = i % self.threads
                jobs[worker].append((side.solvers[worker], low, high))

        def work(mine: "list[tuple[Solver, int, int]]") -> int:
            total = 0
            for solver, low, high in mine:
                if not self._stopped:
                    total += getattr(solver, name)(low, high, *args) or 0
            return total

        if self._pool is None:
            return sum(map(work, jobs))
        return sum(self._pool.map(work, jobs))

    # ------------------------------------------------------------------ finished slices
    def _shelve(self, one: Slice, codes: bytearray) -> None:
        self._shelf[one] = codes
        held = sum(map(len, self._shelf.values()))
        while held > SHELF and len(self._shelf) > 1:
            held -= len(self._shelf.popitem(last=False)[1])

    def _codes(self, one: Slice) -> bytearray:
        """All codes of a finished slice, from memory or from its file. Raises DatabaseError."""
        if one in self._shelf:
            self._shelf.move_to_end(one)
            return self._shelf[one]
        codes = self.databases.file(one).codes()
        if self.rules.mandatory:
            solver = hot_module("egdb_solver", is_wide(self.rules)).Solver(self.rules)
            for smaller in successors(self.rules, one):
                if smaller.pieces < one.pieces:
                    solver.link(smaller.slot, self._codes(smaller))
            nothing = bytearray(len(codes))
            flags = (bytearray(1), bytearray(1))
            solver.attach(one.slot, nothing, codes, flags, nothing, codes, flags)
            solver.restore(0, len(codes))
        self._shelve(one, codes)
        return codes

    # ------------------------------------------------------------------ checking
    def verify(self, pieces: int) -> Iterator[tuple[Slice, str]]:
        """Check every file up to so many pieces; yields each slice with what is wrong with it, empty if nothing.

        A file is right if its checksum is, if every value and distance follows from the values of all moves, and if
        the counts of its header are those of its values.
        """
        todo = [one for n in range(2, pieces + 1) for one in slices(self.rules, n)]
        self._begin(todo)
        for one in todo:
            problem = ""
            try:
                self.databases.file(one).check()
            except DatabaseError as error:
                problem = str(error)
            if not problem:
                try:
                    problem = self._verify(one)
                except DatabaseError as error:
                    problem = f"not checked, for its moves lead to another: {error}"
            yield one, problem
            self._tell(self.index.size(*one), one)

    def _verify(self, one: Slice) -> str:
        file = self.databases.file(one)
        side = _Side(one, self.index.size(*one), self._solvers[0])
        side.allocate()
        side.level = self._codes(one)
        if len(side.level) != side.size:
            return f"{len(side.level)} positions, not {side.size}"
        behind = {one.mirror: self._codes(one.mirror)}
        behind |= {smaller: self._codes(smaller) for smaller in successors(self.rules, one)}
        for solver in side.solvers:
            solver.unlink()
            for other, codes in behind.items():
                solver.link(other.slot, codes)
            solver.attach(one.slot, side.state, side.level, side.flags, side.state, side.level, side.flags)
        wrong = self._each([side], "check")
        if wrong:
            return f"{wrong} values do not follow from the moves"
        return self._compare(side, file)

    def _compare(self, side: _Side, file: SliceFile) -> str:
        stored = asdict(file.header)
        for name, value in asdict(self._header(side, file.header.parts)).items():
            if stored[name] != value:
                return f"{name} is {stored[name]} in the header, {value} in the file"
        _, offsets, tokens = self._encode(side)
        if offsets != bytes(file.offsets) or tokens != bytes(file.tokens):
            return "the values differ from the distances"
        return ""
