"""The fit sees positions as the evaluation does, finds what made its targets, and writes what the engine reads."""

import json
import random
from array import array
from pathlib import Path

import numpy as np
import pytest

from engine import VARIANTS, Game, Position, Rules, find_variant
from engine import pattern_weights as files
from engine.moves import hot_module, is_wide, load
from engine.pattern_groups import groups
from engine.types import Side
from training import records
from training.fitting import fit, logits_of, scale_of
from training.samples import Data, Samples, quiet, read, samples


def header_of(rules: Rules) -> files.Header:
    return files.Header(files.family(rules), groups(rules), files.features(rules), 0, 16)


def walk(rules: Rules, seed: int, count: int) -> list[Position]:
    """Positions of random games, also of their endings."""
    numbers = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        game = Game(Position.start(rules))
        while game.legal_moves() and game.outcome is None and len(game.moves) < 150:
            game.play(numbers.choice(game.legal_moves()))
            if game.legal_moves() and numbers.random() < 0.3:
                found.append(game.position)
    return found[:count]


def as_arrays(rules: Rules, positions: list[Position], scores: list[int], results: list[int]) -> records.Arrays:
    words = records.words_of(rules)

    def column(boards: list[int]) -> np.ndarray:
        return np.array([[board >> 64 * k & (1 << 64) - 1 for k in range(words)] for board in boards], np.uint64)

    n = len(positions)
    captures = [any(move.is_capture for move in position.legal_moves()) for position in positions]
    return {
        "white": column([p.white_men | p.white_kings for p in positions]),
        "black": column([p.black_men | p.black_kings for p in positions]),
        "kings": column([p.white_kings | p.black_kings for p in positions]),
        "turn": np.array([int(p.turn) for p in positions], np.uint8),
        "score": np.array(scores, np.int16),
        "result": np.array(results, np.int8),
        "ply": np.zeros(n, np.uint16),
        "game": np.arange(n, dtype=np.uint32) // 5,
        "flags": np.array([records.CAPTURE if capture else 0 for capture in captures], np.uint8),
    }


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=lambda rules: rules.name)
def test_the_model_is_the_evaluation(rules: Rules) -> None:
    positions = walk(rules, 5, 60)
    header = header_of(rules)
    numbers = random.Random(1)
    some = array("h", (numbers.randint(-300, 300) for _ in range(6007)))  # again and again: there are many weights
    size = files.size_of(header.groups, rules)
    values = (some * (size // len(some) + 1))[:size]
    weights = files.parse(files.to_bytes(header, values), rules)
    wide = is_wide(rules)
    board, evaluation = hot_module("board", wide).Board(rules), hot_module("evaluate", wide).Evaluation(rules)
    evaluation.use(weights)
    played = []
    for position in positions:
        load(board, position)
        score = int(evaluation.of(board))
        played.append(score if position.turn is Side.WHITE else -score)
    arrays = as_arrays(rules, positions, [0] * 60, [0] * 60)
    model = logits_of(samples(rules, header, arrays), np.array(values, float).reshape(-1, 2) / files.UNIT)
    assert np.abs(model - np.array(played)).max() < 2.5  # rounding: of phases to 1/256, and twice down
    assert np.abs(played).max() > 25  # or little was compared


def test_the_fit_finds_the_weights_that_made_the_results() -> None:
    """Results drawn from known weights of two features: both come back, and the loss falls on games not seen."""
    numbers = np.random.default_rng(3)
    n = 20_000
    matrix = numbers.integers(-2, 3, (n, 3)).astype(np.float32)
    truth = np.array([[1.5, 0.5], [0.0, 0.0], [-0.7, -0.7]])
    opening = numbers.random(n, np.float32)
    logits = opening * (matrix @ truth[:, 0]) + (1 - opening) * (matrix @ truth[:, 1])
    result = (numbers.random(n) < 1 / (1 + np.exp(-logits))).astype(np.float32)
    from scipy.sparse import csr_matrix

    one = np.ones(n, np.float32)
    score = (logits * 120).astype(np.float32)

    def part(rows: slice) -> Samples:
        return Samples(csr_matrix(matrix[rows]), opening[rows], one[rows], one[rows], result[rows], score[rows])

    data = Data(part(slice(0, n * 9 // 10)), part(slice(n * 9 // 10, n)), 1, n)
    assert scale_of(data.train) == pytest.approx(120, rel=0.06)
    found = fit(data, np.zeros(3), blend=0.0, scale=120, iterations=60)
    assert np.abs(found.weights - truth).max() < 0.15
    assert found.best.heldout_loss < np.log(2) - 0.1
    again = fit(data, np.full(3, 100.0), blend=0.0, scale=120, iterations=60, start=truth)
    assert np.abs(again.weights - truth).max() < 0.01, "a strong penalty keeps the weights it began with"


def test_positions_that_are_not_quiet_are_left_out() -> None:
    arrays = {
        "flags": np.array([0, records.CAPTURE, records.THREAT, records.VARIED | records.FORCED, 0], np.uint8),
        "score": np.array([0, 0, 0, 8499, -9000], np.int16),
    }
    assert quiet(arrays).tolist() == [True, False, False, True, False]


def test_from_records_to_a_file_that_the_engine_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import train_fit

    rules = find_variant("english")
    positions = walk(rules, 2, 600)
    material = [
        (p.white_men.bit_count() + 2 * p.white_kings.bit_count())
        - (p.black_men.bit_count() + 2 * p.black_kings.bit_count())
        for p in positions
    ]
    scores = [100 * m * (1 if p.turn is Side.WHITE else -1) for m, p in zip(material, positions, strict=True)]
    arrays = as_arrays(rules, positions, scores, [max(-1, min(1, m)) for m in material])
    games = tmp_path / "games"
    games.mkdir()
    records.write(games / "a-00000.npz", records.to_bytes(records.Records(arrays, {"counts": {}})))

    def train(*extra: str) -> dict[str, object]:
        out = str(tmp_path / "english.weights")
        asked = ["--variant", "english", "--games", str(games), "--out", out, "--quiet", "--iterations", "30"]
        assert train_fit.main([*asked, *extra]) == 0
        last: dict[str, object] = json.loads(capsys.readouterr().out.splitlines()[-1])
        return last

    first = train("--log", str(tmp_path / "log.jsonl"))
    assert first["games"] == 120
    assert first["positions"] == 600
    steps = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert steps[-1]["train_loss"] < steps[0]["train_loss"]
    assert first["heldout_loss"] == pytest.approx(min(step["heldout_loss"] for step in steps), abs=1e-5)
    weights = files.load(tmp_path / "english.weights", rules)
    assert weights.checksum == first["checksum"]
    assert weights.header.origin["games"] == 120
    data = (tmp_path / "english.weights").read_bytes()
    assert train()["checksum"] == first["checksum"], "the same records and seed give the same file"
    assert (tmp_path / "english.weights").read_bytes() == data
    second = train("--start", str(tmp_path / "english.weights"))
    assert second["start"] == first["checksum"]


def test_held_out_games_are_chosen_by_seed_and_whole(tmp_path: Path) -> None:
    rules = find_variant("english")
    positions = walk(rules, 2, 300)
    arrays = as_arrays(rules, positions, [0] * 300, [0] * 300)
    records.write(tmp_path / "a-00000.npz", records.to_bytes(records.Records(arrays, {"counts": {}})))
    whole = read(tmp_path, rules, header_of(rules), 1)
    other = read(tmp_path, rules, header_of(rules), 2)
    calm = int(quiet(arrays).sum())
    assert len(whole.train) + len(whole.held_out) == calm
    assert 0 < len(whole.held_out) < calm / 4
    assert (whole.held_out.opening.tolist()) != (other.held_out.opening.tolist())
    with pytest.raises(records.RecordError, match="no files"):
        read(tmp_path, rules, header_of(rules), 1, ("b",))
