"""Weights of one variant serve another one on the same board, with the same scores, and no other."""

import json
from pathlib import Path

import pytest

from engine import Position, WeightsError, find_variant
from engine import pattern_weights as files
from engine.moves import hot_module, is_wide, load


def score(variant: str, file: Path, fen: str) -> int:
    """The evaluation of a position with the weights of a file."""
    rules = find_variant(variant)
    wide = is_wide(rules)
    board, evaluation = hot_module("board", wide).Board(rules), hot_module("evaluate", wide).Evaluation(rules)
    evaluation.use(files.load(file, rules))
    load(board, Position.from_fen(fen, rules))
    return int(evaluation.of(board))


def test_the_same_position_has_the_same_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import train_transfer

    out = tmp_path / "killer.weights"
    assert train_transfer.main(["--source", "international", "--variant", "killer", "--out", str(out)]) == 0
    said = json.loads(capsys.readouterr().out)
    killer, international = find_variant("killer"), find_variant("international")
    made, taken = files.load(out, killer), files.chosen(international)
    assert taken is not None
    assert made.checksum == said["checksum"]
    assert made.header.origin["taken from"] == "international"
    assert made.header.origin["checksum"] == taken.checksum
    assert made.values.tobytes() == taken.values.tobytes()
    fen = "W:W31,32,33,35,38,40,K46:B3,7,12,16,19,20,24"
    source = files.find(international)
    assert source is not None
    assert score("killer", out, fen) == score("international", source, fen) != 0


@pytest.mark.parametrize(
    ("source", "variant", "message"),
    [
        ("international", "canadian", "not played on the same squares"),
        ("russian", "turkish", "not played on the same squares"),
    ],
)
def test_other_boards_are_refused(
    tmp_path: Path, source: str, variant: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import train_transfer

    out = tmp_path / "x.weights"
    assert train_transfer.main(["--source", source, "--variant", variant, "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_what_has_no_weights_lends_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import train_transfer

    monkeypatch.setattr(files, "FOLDER", tmp_path)
    out = tmp_path / "x.weights"
    assert train_transfer.main(["--source", "international", "--variant", "killer", "--out", str(out)]) == 2
    assert "has no weights" in capsys.readouterr().err
    assert not out.exists()


def test_a_file_of_another_variant_is_refused_by_the_engine() -> None:
    source = files.find(find_variant("international"))
    assert source is not None
    with pytest.raises(WeightsError, match="weights of international, not of killer"):
        files.load(source, find_variant("killer"))
