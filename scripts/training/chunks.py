"""Chunks of self-play games: what a slice of games is, which chunks are missing, and how one is played."""

import json
import random
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine import VARIANTS, version
from training.play import End, Played, Player, Settings
from training.records import RecordError, Records, gather, read, summed, to_bytes, words_of, write
from training.weights import Source

CHUNK = 100  # games


class EngineError(RuntimeError):
    """A worker's engine is not the one that began the slice."""


@dataclass(frozen=True)
class Slice:
    """Games made alike: chunk `n` of a slice is the same games wherever and whenever it is played."""

    variant: str
    name: str
    seed: int
    settings: Settings
    weights: str  # checksum of the weights that both sides play with, or what stands for it
    signature: int  # of the engine with these weights: other engines play other games
    engine: str = version.VERSION

    @classmethod
    def of(cls, variant: str, name: str, seed: int, settings: Settings, source: Source) -> "Slice":
        """The slice as the engine here plays it with some weights."""
        player = Player(source.rules, settings, source.data)
        return cls(variant, name, seed, settings, source.checksum, player.signature())

    def describe(self) -> dict[str, Any]:
        """The slice as JSON can hold it."""
        return json.loads(json.dumps({**asdict(self), "chunk_games": CHUNK}))  # type: ignore[no-any-return]

    def file(self, folder: Path, chunk: int) -> Path:
        """Where a chunk of the slice lies."""
        return folder / self.variant / f"{self.name}-{chunk:05}.npz"

    def claim(self, folder: Path) -> None:
        """Note beside the chunks how they are made. Raises RecordError when those there were made otherwise."""
        path = folder / self.variant / f"{self.name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
            mine = self.describe()
            changed = [name for name in mine if found.get(name) != mine[name]]
            if changed:
                raise RecordError(f"{path}: slice {self.name} was made otherwise ({', '.join(changed)})")
        else:
            write(path, json.dumps(self.describe(), indent=1).encode())

    def missing(self, folder: Path, games: int) -> list[int]:
        """Chunks that are still to be played for so many games; what a killed run left in part is removed."""
        for part in (folder / self.variant).glob(f".{self.name}-*.npz.*"):
            part.unlink()
        return [chunk for chunk in range(-(-games // CHUNK)) if not self.file(folder, chunk).exists()]

    def counts(self, folder: Path) -> dict[str, int]:
        """What the chunks that are there hold together."""
        paths = sorted((folder / self.variant).glob(f"{self.name}-*.npz"))
        return summed(read(path).meta for path in paths)


@dataclass(frozen=True)
class Chunk:
    """A chunk as it was played: the bytes of its file, its counts, and what it cost in seconds."""

    number: int
    data: bytes
    counts: dict[str, int]
    seconds: float
    searching: float


def play_chunk(work: Slice, number: int, games: int = CHUNK, weights: bytes | None = None) -> Chunk:
    """Play one chunk with the slice's weights; the bytes depend on the arguments alone."""
    started = time.perf_counter()
    rules = VARIANTS[work.variant]
    player = Player(rules, work.settings, weights)
    if player.signature() != work.signature:
        raise EngineError(f"the engine here (damier {version.VERSION}) searches otherwise than the one that began")
    played = []
    for game in range(number * CHUNK, number * CHUNK + games):
        player.forget()
        played.append(player.play(random.Random(f"{work.seed}/{work.variant}/{work.name}/{game}")))
    counts = count(played) | {"nodes": player.nodes}
    meta = {**work.describe(), "chunk": number, "counts": counts}
    data = to_bytes(Records(arrays(work.variant, played, number * CHUNK), meta))
    return Chunk(number, data, counts, time.perf_counter() - started, player.searching)


def count(played: list[Played]) -> dict[str, int]:
    """Results of games from White's view, ends, and how the adjudicator's verdicts on games played out came true."""
    results = Counter(game.result for game in played)
    ends = Counter(game.end for game in played)
    checked = [game for game in played if game.verdict is not None and game.end is not End.ADJUDICATED]
    return {
        "games": len(played),
        "positions": sum(len(game.turns) for game in played),
        "white": results[1],
        "draws": results[0],
        "black": results[-1],
        **{end.value: ends[end] for end in End},
        "checked": len(checked),
        "wrong": sum(game.verdict != game.result for game in checked),
        "reversed": sum(game.verdict == -game.result for game in checked),
        "refused": sum(game.refused for game in played),
    }


def arrays(variant: str, played: list[Played], first: int) -> dict[str, np.ndarray[Any, Any]]:
    """Games as arrays, one row a position."""
    rules = VARIANTS[variant]
    words = np.array([words for game in played for words in game.words], np.uint64).reshape(-1, 6)
    lengths = [len(game.turns) for game in played]
    pieces = {
        name: gather(rules, words[:, 2 * k], words[:, 2 * k + 1]) for k, name in enumerate(("white", "black", "kings"))
    }
    assert all(array.shape == (sum(lengths), words_of(rules)) for array in pieces.values())
    return {
        **pieces,
        "turn": np.array([turn for game in played for turn in game.turns], np.uint8),
        "score": np.array([score for game in played for score in game.scores], np.int16),
        "result": np.repeat(np.array([game.result for game in played], np.int8), lengths),
        "ply": np.array([game.opening + k for game in played for k in range(len(game.turns))], np.uint16),
        "game": np.repeat(np.arange(first, first + len(played), dtype=np.uint32), lengths),
        "flags": np.array([flags for game in played for flags in game.flags], np.uint8),
    }
