"""Records: the round trip to positions, the words of every board, damaged files."""

import random
from pathlib import Path

import numpy as np
import pytest

from engine import VARIANTS, Game, Position
from engine.geometry import layout
from engine.position import NO_RUN
from training.records import RecordError, Records, gather, load, read, spread, to_bytes, words_of, write

KINDS = ("russian", "italian", "frisian", "turkish", "canadian")


def some_positions(variant: str, count: int) -> list[Position]:
    """Positions of random games, kings among them."""
    chance = random.Random(variant)
    found: list[Position] = []
    while len(found) < count:
        game = Game(Position.start(variant))
        while game.outcome is None and len(game.moves) < 120:
            game.play(chance.choice(game.legal_moves()))
            found.append(game.position)
    return chance.sample(found, count)


def as_records(positions: list[Position]) -> Records:
    """Positions as arrays, by way of the engine's own words."""
    rules = positions[0].rules
    mask = (1 << 64) - 1

    def column(boards: list[int]) -> np.ndarray:
        words = [layout(rules).spread(board) for board in boards]
        return gather(
            rules, np.array([w & mask for w in words], np.uint64), np.array([w >> 64 for w in words], np.uint64)
        )

    arrays = {
        "white": column([p.white_men | p.white_kings for p in positions]),
        "black": column([p.black_men | p.black_kings for p in positions]),
        "kings": column([p.white_kings | p.black_kings for p in positions]),
        "turn": np.array([int(p.turn) for p in positions]),
    }
    for name in ("score", "result", "ply", "game", "flags"):
        arrays[name] = np.arange(len(positions)) % 2
    return Records(arrays, {"variant": rules.name})


@pytest.mark.parametrize("variant", KINDS)
def test_positions_come_back(variant: str, tmp_path: Path) -> None:
    positions = some_positions(variant, 40)
    assert any(p.white_kings or p.black_kings for p in positions)
    path = tmp_path / "a-00000.npz"
    write(path, to_bytes(as_records(positions)))
    records = read(path)
    rules = VARIANTS[variant]
    found = [records.position(rules, row) for row in range(len(records))]
    assert [p.fen() for p in found] == [p.fen() for p in positions]
    if not rules.king_move_limit:
        assert found == positions
    assert all(p.king_runs == (NO_RUN, NO_RUN) for p in found)
    assert records.meta["variant"] == variant


@pytest.mark.parametrize("variant", [*VARIANTS])
def test_words_of_every_board(variant: str) -> None:
    rules = VARIANTS[variant]
    place = layout(rules)
    chance = np.random.default_rng(1)
    low = chance.integers(0, 2**63, 50, dtype=np.uint64) & np.uint64(place.playable & (2**64 - 1))
    high = chance.integers(0, 2**63, 50, dtype=np.uint64) & np.uint64(place.playable >> 64)
    squares = gather(rules, low, high)
    assert squares.shape == (50, words_of(rules))
    for row in range(50):
        board = sum(int(word) << 64 * k for k, word in enumerate(squares[row]))
        assert board == place.gather(int(low[row]) | int(high[row]) << 64)
    again = spread(rules, squares)
    assert np.array_equal(again[0], low)
    assert np.array_equal(again[1], high)


def test_equal_records_are_equal_bytes() -> None:
    records = as_records(some_positions("russian", 5))
    assert to_bytes(records) == to_bytes(records)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    data = to_bytes(as_records(some_positions("russian", 20)))
    path = tmp_path / "a-00000.npz"
    for bad in (data[: len(data) // 2], b"", b"no archive at all", data[:200] + b"\0" * 50 + data[250:]):
        path.write_bytes(bad)
        with pytest.raises(RecordError, match=r"a-00000\.npz"):
            read(path)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    records = as_records(some_positions("russian", 5))
    path = tmp_path / "a-00000.npz"
    path.write_bytes(to_bytes(Records(records.arrays, {"format": 99})))
    with pytest.raises(RecordError, match="format 99"):
        read(path)


def test_a_folder_is_read_as_one(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no files"):
        load(tmp_path)
    for number, count in enumerate((3, 4)):
        write(tmp_path / f"a-{number:05}.npz", to_bytes(as_records(some_positions("english", count))))
    (tmp_path / ".a-00002.npz.77").write_bytes(b"half")
    arrays = load(tmp_path)
    assert arrays["file"].tolist() == [0] * 3 + [1] * 4
    assert len(arrays["white"]) == 7
