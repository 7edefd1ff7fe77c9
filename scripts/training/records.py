"""Training records: positions of self-play games as numpy arrays, one file a chunk of games.

One row a position, in the order of play; docs/training.md says what each field means. Pieces are bits by Hub square,
not by the engine's own layout, so that files stay good when the layout changes.
"""

import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import Position, Side
from engine.geometry import layout
from engine.rules import Rules

FORMAT = 1
TYPES = {
    "white": "<u8",
    "black": "<u8",
    "kings": "<u8",
    "turn": "u1",
    "score": "<i2",
    "result": "i1",
    "ply": "<u2",
    "game": "<u4",
    "flags": "u1",
}
PIECES = ("white", "black", "kings")

CAPTURE = 1  # the side to move can capture
THREAT = 2  # the opponent could capture if it were his move
VARIED = 4  # the move played was not the best one found
FORCED = 8  # there was only one legal move

Arrays = dict[str, NDArray[Any]]


class RecordError(ValueError):
    """A file of records that is damaged or of another kind; says which and why."""


@dataclass(frozen=True)
class Records:
    """Positions with what is known of them, and how they were made (`meta`)."""

    arrays: Arrays
    meta: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.arrays["turn"])

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    def position(self, rules: Rules, row: int) -> Position:
        """One row as a position; running king moves are not recorded."""
        white, black, kings = (_join(self.arrays[name][row]) for name in PIECES)
        turn = Side(int(self.arrays["turn"][row]))
        return Position(rules, turn, white & ~kings, white & kings, black & ~kings, black & kings)


def _join(words: NDArray[Any]) -> int:
    return sum(int(word) << 64 * k for k, word in enumerate(words))


def words_of(rules: Rules) -> int:
    """64-bit words that hold one bit a square."""
    return -(-rules.squares // 64)


def gather(rules: Rules, low: NDArray[Any], high: NDArray[Any]) -> NDArray[Any]:
    """From halves of the engine's words to bits by square: an array of shape (n, words)."""
    halves = (low.astype(np.uint64), high.astype(np.uint64))
    found = np.zeros((len(low), words_of(rules)), np.uint64)
    for square, bit in enumerate(layout(rules).bit):
        one = halves[bit // 64] >> np.uint64(bit % 64) & np.uint64(1)
        found[:, square // 64] |= one << np.uint64(square % 64)
    return found


def spread(rules: Rules, squares: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Inverse of `gather`: low and high halves of the engine's words."""
    halves = (np.zeros(len(squares), np.uint64), np.zeros(len(squares), np.uint64))
    for square, bit in enumerate(layout(rules).bit):
        one = squares[:, square // 64] >> np.uint64(square % 64) & np.uint64(1)
        halves[bit // 64][:] |= one << np.uint64(bit % 64)
    return halves


def to_bytes(records: Records) -> bytes:
    """The file of some records; equal records give equal bytes."""
    buffer = io.BytesIO()
    arrays = {name: np.ascontiguousarray(records.arrays[name], dtype) for name, dtype in TYPES.items()}
    meta = json.dumps({"format": FORMAT, **records.meta}, sort_keys=True)
    np.savez_compressed(buffer, meta=np.array(meta), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def read(path: Path) -> Records:
    """Read one file. Raises RecordError."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as found:
            meta = json.loads(str(found["meta"]))
            if meta.get("format") != FORMAT:
                raise RecordError(f"{path}: records of format {meta.get('format')}, not {FORMAT}")
            arrays = {name: found[name] for name in TYPES}
    except RecordError:
        raise
    except Exception as error:  # numpy, zipfile and zlib each have their own
        raise RecordError(f"{path}: not a whole file of records ({error})") from None
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        raise RecordError(f"{path}: arrays of different lengths")
    return Records(arrays, meta)


def files(folder: Path) -> list[Path]:
    """The files of records in a folder, in order."""
    return sorted(folder.glob("*-*.npz"))


def read_all(folder: Path) -> Iterator[Records]:
    """The records of a folder file by file. Raises RecordError."""
    return (read(path) for path in files(folder))


def load(folder: Path) -> Arrays:
    """All records of a folder together; `file` says which file each row is from. Raises RecordError."""
    parts = list(read_all(folder))
    if not parts:
        raise RecordError(f"{folder}: no files of records")
    arrays = {name: np.concatenate([part.arrays[name] for part in parts]) for name in TYPES}
    arrays["file"] = np.repeat(np.arange(len(parts), dtype=np.uint32), [len(part) for part in parts])
    return arrays


def summed(metas: Iterator[Mapping[str, Any]]) -> dict[str, int]:
    """The counts of several chunks together."""
    total: dict[str, int] = {}
    for meta in metas:
        for name, count in meta["counts"].items():
            total[name] = total.get(name, 0) + count
    return total
