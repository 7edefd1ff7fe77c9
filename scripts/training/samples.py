"""From records of games to what the fit needs: quiet positions as the features of the evaluation, and their targets."""

import hashlib
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

from engine.moves import hot_module, is_wide
from engine.pattern_groups import states
from engine.pattern_weights import Header, Weights, features, size_of
from engine.rules import Objective, Rules
from engine.scores import DECIDED
from training import records
from training.records import CAPTURE, PIECES, THREAT, Arrays

HELD_OUT = 10  # every so-manyth game is not trained on
BATCH = 1 << 18

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions: features (one column a weight), share of the opening (0 to 1), White's result and search score.

    `ahead` is the factor on a score in White's favour, `behind` that on one in Black's.
    """

    matrix: Any  # csr_matrix
    opening: Floats
    ahead: Floats
    behind: Floats
    result: Floats  # 1 White won, 0.5, 0
    score: Floats  # centi-men as White sees it

    def __len__(self) -> int:
        return len(self.opening)


@dataclass(frozen=True, slots=True)
class Data:
    """What is trained on and what is held out."""

    train: Samples
    held_out: Samples
    games: int
    positions: int  # before the filter


def read(folder: Path, rules: Rules, header: Header, seed: int, slices: tuple[str, ...] = ()) -> Data:
    """Read the records of a folder. Raises RecordError."""
    files = [file for file in records.files(folder) if not slices or file.name.rsplit("-", 1)[0] in slices]
    if not files:
        raise records.RecordError(f"{folder}: no files of records")
    parts = [(file, records.read(file).arrays) for file in files]
    games = sum(len(np.unique(part["game"])) for _, part in parts)
    held = np.concatenate([_held_out(file.name, part["game"], seed) for file, part in parts])
    arrays = {name: np.concatenate([part[name] for _, part in parts]) for name in records.TYPES}
    keep = quiet(arrays)
    return Data(
        samples(rules, header, {name: column[keep & ~held] for name, column in arrays.items()}),
        samples(rules, header, {name: column[keep & held] for name, column in arrays.items()}),
        games,
        len(held),
    )


def quiet(arrays: Arrays) -> NDArray[np.bool_]:
    """Which positions are trained on: no capture to make, none threatened, and not won by force."""
    calm = arrays["flags"] & (CAPTURE | THREAT) == 0
    found: NDArray[np.bool_] = calm & (np.abs(arrays["score"].astype(np.int32)) < DECIDED)
    return found


def _held_out(file: str, game: NDArray[Any], seed: int) -> NDArray[np.bool_]:
    """Which rows belong to games that are held out; depends on the file's name, the game and the seed alone."""
    numbers = np.unique(game)
    chosen = [
        int.from_bytes(hashlib.blake2b(f"{seed} {file} {n}".encode(), digest_size=4).digest(), "big") % HELD_OUT == 0
        for n in numbers.tolist()
    ]
    found: NDArray[np.bool_] = np.isin(game, numbers[chosen])
    return found


def samples(rules: Rules, header: Header, arrays: Arrays) -> Samples:
    """The features of every row, as the evaluation itself sees them."""
    sign = 1 - 2 * arrays["turn"].astype(np.int32)
    pieces = np.bitwise_count(arrays["white"] | arrays["black"]).sum(axis=1)
    opening = np.clip((pieces.astype(np.float32) - header.few) / (header.many - header.few), 0, 1)
    return Samples(
        trace(rules, header, arrays),
        opening.astype(np.float32),
        factor(rules, arrays, "white", "black"),
        factor(rules, arrays, "black", "white"),
        ((arrays["result"] + 1) / 2).astype(np.float32),
        (arrays["score"] * sign).astype(np.float32),
    )


def factor(rules: Rules, arrays: Arrays, strong: str, weak: str) -> Floats:
    """As `Evaluation.subdue`: few pieces seldom catch a flying king."""
    found = np.ones(len(arrays["turn"]), np.float32)
    if rules.flying and not rules.lands_behind and rules.objective is not Objective.LOSE:
        pieces = np.bitwise_count(arrays[strong]).sum(axis=1)
        king = (arrays[weak] & arrays["kings"]).any(axis=1)
        found[king & (pieces == 4)] = 1 / 2
        found[king & (pieces < 4)] = 1 / 4
    return found


def trace(rules: Rules, header: Header, arrays: Arrays) -> Any:
    """A sparse matrix with a row for each position: +1 for each state White sees, -1 for Black's, then the features."""
    patterns = hot_module("patterns", is_wide(rules)).Patterns(rules)
    patterns.use(Weights(header, memoryview(array("h", bytes(2 * size_of(header.groups, rules)))), ""))
    many, wide = 2 * len(header.groups), len(features(rules))
    starts = np.cumsum([0, *(states(squares) for squares in header.groups)])
    columns = int(starts[-1]) + wide
    count = len(arrays["turn"])
    blocks = []
    for begin in range(0, count, BATCH):
        rows = slice(begin, begin + BATCH)
        words = [half for name in PIECES for half in records.spread(rules, arrays[name][rows])]
        turns = np.ascontiguousarray(arrays["turn"][rows])
        size = len(turns)
        seen, values = np.zeros(size * many, np.int32), np.zeros(size * wide, np.int32)
        boards = np.stack(words, axis=1).ravel()
        # through memoryviews the plain core, too, sees Python's integers, which do not overflow
        patterns.trace(boards.data, turns.data, seen.data, values.data)
        at = seen.reshape(size, many) + np.repeat(starts[:-1], 2).astype(np.int32)
        signs = np.tile(np.array([1, -1], np.float32), (size, many // 2))
        extra = np.tile(np.arange(int(starts[-1]), columns, dtype=np.int32), (size, 1))
        indices = np.concatenate([at, extra], axis=1).ravel()
        data = np.concatenate([signs, values.reshape(size, wide).astype(np.float32)], axis=1).ravel()
        block = csr_matrix((data, indices, np.arange(size + 1) * (many + wide)), (size, columns))
        block.eliminate_zeros()
        blocks.append(block)
    return vstack(blocks, format="csr") if blocks else csr_matrix((0, columns), dtype=np.float32)
