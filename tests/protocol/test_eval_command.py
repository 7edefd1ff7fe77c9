"""`damier eval`: the score and its parts as tables or JSON."""

import json
from pathlib import Path

import pytest

from engine import find_variant
from engine.pattern_weights import write
from protocol.cli import main
from tests.engine.test_patterns import some_weights

FEN = "W:W18,24,27,28,K10:B12,16,20,K22"


def test_hand_made_parts_as_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "english", "--fen", FEN, "--evaluation", "hand-made"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "English draughts" in lines[0]
    assert any(line.split() == ["men", "+1", "+100.0"] for line in lines)
    assert any("-169" in line for line in lines)  # the black king: 145, three steps, in the centre, on the main road
    assert lines[-1].startswith("score +")


def test_trained_parts_as_tables_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = some_weights(find_variant("english"))
    file = tmp_path / "w"
    write(file, weights.header, weights.values)
    asked = ["eval", "english", "--fen", FEN, "--weights", str(file)]
    assert main(asked) == 0
    text = capsys.readouterr().out
    assert f"trained weights {weights.checksum[:12]}" in text
    assert "phase: opening 31%, ending 69%" in text
    assert main([*asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert f"score {found['white']:+d} for White" in text
    assert len(found["groups"]) == len(weights.header.groups)
    assert set(found["pieces"]) == {"18", "24", "27", "28", "10", "12", "16", "20", "22"}


def test_a_bad_file_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "w").write_bytes(b"x")
    with pytest.raises(SystemExit) as left:
        main(["eval", "english", "--weights", str(tmp_path / "w")])
    assert left.value.code == 2
    assert capsys.readouterr().err == f"damier eval: {tmp_path / 'w'}: not a file of weights of this version\n"
