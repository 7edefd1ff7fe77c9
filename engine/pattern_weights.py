"""The file of a variant's trained weights: reading, checking, writing, and where it is.

Layout: the line MAGIC, a line of JSON (`Header`), the zlib stream of the weights, and 32 bytes of BLAKE2b over all
before. Weights are little-endian 16-bit integers in units of 1/UNIT centi-man, each for the opening and the ending in
turn: those of the groups one after another, state by state, then those of the features.
"""

import hashlib
import json
import os
import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.errors import WeightsError
from engine.pattern_groups import LARGEST, Squares, look, states, turned
from engine.rules import Rules

MAGIC = b"damier pattern weights 1\n"
SUFFIX = ".weights"
DIGEST = 32
UNIT = 32
MOST_GROUPS = 32  # as many as the compiled evaluation has room for
DIGITS = 32768  # ... and for entries of the small tables that read groups
FOLDER = Path(__file__).resolve().parent / "weights"

# The features beside the groups: own minus enemy, but for `turn`, +1 for the side to move.
FEATURES = ("men", "first king", "further kings", "king steps", "man steps", "balance", "turn")


def features(rules: Rules) -> tuple[str, ...]:
    """Names of all features of a variant's board, in the order of their weights; the last are a king on each square."""
    return (*FEATURES, *(f"king {square}" for square in range(1, rules.squares + 1)))


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself. `few` and `many`: pieces on the board at which the ending's and the opening's
    weights count alone; `origin`: how it was made, for information."""

    variant: str
    groups: tuple[Squares, ...]
    features: tuple[str, ...]
    few: int
    many: int
    origin: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights as the evaluation takes them; threads share them."""

    header: Header
    values: memoryview  # 16-bit integers of this machine
    checksum: str


def family(rules: Rules) -> str:
    """The variant whose weights serve: variants that differ only in draw rules and notation share them."""
    from engine import egdb

    return egdb.family(rules.base or rules)


def file_name(rules: Rules) -> str:
    """Name of a variant's file in a folder of weights."""
    return f"{family(rules)}{SUFFIX}"


def find(rules: Rules, path: str = "") -> Path | None:
    """The file for a variant: `path` itself, or the one in that folder, or in the package if `path` is empty.

    None if the package has none; a path that was named is returned whether or not there is a file.
    """
    if path:
        named = Path(path).expanduser()
        return named / file_name(rules) if named.is_dir() else named
    file = FOLDER / file_name(rules)
    return file if file.exists() else None


def chosen(rules: Rules, path: str = "") -> Weights | None:
    """The weights in the file that `find` gives. Raises WeightsError."""
    file = find(rules, path)
    return None if file is None else load(file, rules)


def size_of(groups: Sequence[Squares], rules: Rules) -> int:
    """How many integers a file holds."""
    return 2 * (sum(states(squares) for squares in groups) + len(features(rules)))


def load(path: Path, rules: Rules) -> Weights:
    """Read a file. Raises WeightsError if it is missing, damaged or of another variant."""
    try:
        stamp = path.stat()
        return _load(path, rules, stamp.st_mtime_ns, stamp.st_size)
    except OSError as error:
        raise WeightsError(f"{path}: {error.strerror}") from None
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None


@lru_cache(maxsize=2)  # each takes a few megabytes
def _load(path: Path, rules: Rules, _changed: int, _size: int) -> Weights:
    return parse(path.read_bytes(), rules)


def parse(data: bytes, rules: Rules) -> Weights:
    """The weights in the bytes of a file. Raises WeightsError."""
    if not data.startswith(MAGIC):
        raise WeightsError("not a file of weights of this version")
    body, digest = data[:-DIGEST], data[-DIGEST:]
    if hashlib.blake2b(body, digest_size=DIGEST).digest() != digest:
        raise WeightsError("the weights are damaged: the checksum is wrong")
    head, _, stream = body[len(MAGIC) :].partition(b"\n")
    try:
        fields = json.loads(head)
        fields["groups"] = tuple(tuple(squares) for squares in fields["groups"])
        fields["features"] = tuple(fields["features"])
        header = Header(**fields)
        values = array("h", zlib.decompress(stream))
    except (ValueError, TypeError, KeyError, zlib.error) as error:
        raise WeightsError(f"the weights cannot be read: {error}") from None
    check(header, rules)
    if len(values) != size_of(header.groups, rules):
        raise WeightsError(f"{len(values)} weights, not {size_of(header.groups, rules)}")
    if sys.byteorder == "big":
        values.byteswap()
    return Weights(header, memoryview(values).toreadonly(), digest.hex())


def check(header: Header, rules: Rules) -> None:
    """Raise WeightsError if the evaluation cannot use weights with this header."""
    if header.variant != family(rules):
        raise WeightsError(f"weights of {header.variant}, not of {family(rules)}")
    if header.features != features(rules):
        raise WeightsError("weights for other features")
    if not 0 <= header.few < header.many or len(header.groups) > MOST_GROUPS:
        raise WeightsError("weights for phases or groups that cannot be")
    for squares in header.groups:
        if not squares or len(squares) > LARGEST or not all(1 <= square <= rules.squares for square in squares):
            raise WeightsError(f"not a group of squares: {squares}")
    try:
        tables = {look(rules, seen).digits for squares in header.groups for seen in (squares, turned(rules, squares))}
    except ValueError as error:
        raise WeightsError(str(error)) from None
    if sum(map(len, tables)) > DIGITS:
        raise WeightsError("too many kinds of groups")


def to_bytes(header: Header, values: Sequence[int]) -> bytes:
    """The file of some weights."""
    whole = array("h", values)
    if sys.byteorder == "big":
        whole.byteswap()
    body = MAGIC + json.dumps(asdict(header)).encode() + b"\n" + zlib.compress(whole.tobytes(), 9)
    return body + hashlib.blake2b(body, digest_size=DIGEST).digest()


def write(path: Path, header: Header, values: Sequence[int]) -> None:
    """Write a file under another name, and rename it when it is whole. Raises OSError."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(to_bytes(header, values))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
