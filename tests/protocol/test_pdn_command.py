"""`damier pdn`."""

import io
import sys
from pathlib import Path

import pytest

from engine.pdn_reader import read_games
from protocol.cli import main

GAMES = Path(__file__).parent.parent / "data" / "games"
TEXT = """[Event "a"]
[GameType "20"]
[Result "2-0"]
1. 32-28 19-23 2. 28x19 14x23 2-0

[Event "b"]
[GameType "25"]
1. c3-d4 d6-c5 2. b4-d6 0-1

[Event "c"]
[GameType "21"]
1. 09-13 22-18 1-0
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "x.pdn"
    path.write_text(TEXT)
    return str(path)


def out(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> list[str]:
    assert main(["pdn", *arguments]) == code
    captured = capsys.readouterr()
    assert not captured.err
    return captured.out.splitlines()


def test_count(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys, file)
    assert lines[1:4] == ["games 3", "moves 9", "faults 1"]
    assert lines[4:] == ["result 0-1 1", "result 1-0 2"]


def test_check(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = out(capsys, file, "--check", code=1)
    assert lines[0].startswith(f"{file}:8:19: game 2: error: illegal move: b4-d6 in ")
    assert lines[1].startswith(f"{file}:12:4: game 3: note: move 09-13: leading zeros")
    assert lines[2] == "3 games, 1 errors, 1 notes"


def test_check_of_sound_games(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(GAMES / "brazilian.pdn")
    assert out(capsys, path, "--check") == ["14 games, 0 errors, 0 notes"]


@pytest.mark.parametrize(
    ("arguments", "events"),
    [
        (["--variant", "international"], ["a"]),
        (["--variant", "english"], ["c"]),
        (["--result", "0-1"], ["b", "c"]),
        (["--result", "1-0"], ["a"]),
        (["--result", "1-0", "--white-first"], ["a", "c"]),
        (["--position", "B:W28,31,33-50:B1-20"], ["a"]),
        (["--position", "W:WK1:BK50"], []),
    ],
)
def test_filters(file: str, capsys: pytest.CaptureFixture[str], arguments: list[str], events: list[str]) -> None:
    games = read_games("\n".join(out(capsys, file, *arguments, "--convert")))
    assert [game.tag("Event") for game in games] == events


def test_convert(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "y.pdn"
    out(capsys, file, "--convert", "numeric", "--variant", "russian", "--output", str(target))
    assert "1. 22-18 10-14 2. b4-d6 0-1" in target.read_text()
    assert '[GameType "25,W,8,8,N2,0"]' in target.read_text()
    lines = out(capsys, file, "--convert")
    assert "1. 9-13 22-18 1-0" in lines


def test_split(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "parts"
    assert out(capsys, file, "--split", str(target)) == ["games 3"]
    assert sorted(path.name for path in target.iterdir()) == [f"x-0000{n}.pdn" for n in (1, 2, 3)]


def test_split_of_files_with_one_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / folder / "x.pdn" for folder in "ab"]
    for path in files:
        path.parent.mkdir()
        path.write_text(TEXT.replace('Event "', f'Event "{path.parent.name}'))
    target = tmp_path / "parts"
    assert out(capsys, *map(str, files), "--split", str(target)) == ["games 6"]
    events = [next(read_games(path)).tag("Event") for path in sorted(target.iterdir())]
    assert events == ["aa", "ab", "ac", "ba", "bb", "bc"]


@pytest.mark.parametrize("action", [["--convert", "--output", "x.pdn"], ["--split", "."]])
def test_what_is_read_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], action: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("x.pdn", "x-00001.pdn"):
        Path(name).write_text(TEXT)
    with pytest.raises(SystemExit) as caught:
        main(["pdn", "x.pdn", str(tmp_path / "x-00001.pdn"), *action])
    assert caught.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert Path("x.pdn").read_text() == Path("x-00001.pdn").read_text() == TEXT


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert out(capsys, "-", "--count")[1] == "games 3"


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing.pdn"],
        ["x", "--variant", "nonsense"],
        [],
        ["x", "--convert", "odd"],
        ["x", "--position", "nonsense"],
    ],
)
def test_wrong_use(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["pdn", *arguments])
    assert caught.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
