"""`damier board`."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from protocol.cli import main


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "russian", "--fen", "W:Wc3:Bd4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "W:Wc3:Bd4" in lines
    assert lines[-1] == "White to move, 1 legal: c3:e5"


def test_hub_string(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "russian", "--fen", "W" + "e" * 31 + "w"]) == 0
    assert "W:Wg1:B" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [[], ["--flip", "--no-numbers"], ["--chosen", "32"], ["--arrow", "32-28", "--arrow", "1-50"]]
)
def test_pictures(tmp_path: Path, arguments: list[str]) -> None:
    target = tmp_path / "x.svg"
    assert main(["board", "international", "--svg", str(target), "--size", "300", *arguments]) == 0
    root = ElementTree.parse(target).getroot()
    assert root.get("width") == "300"


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["russian", "--fen", "x"], ["russian", "--svg", "x.svg", "--size", "0"],
     ["russian", "--svg", "x.svg", "--chosen", "a2"], ["russian", "--svg", "x.svg", "--arrow", "no"],
     ["russian", "--svg", "/nowhere/at/all.svg"]],
)  # fmt: skip
def test_wrong_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["board", *arguments])
    assert caught.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
