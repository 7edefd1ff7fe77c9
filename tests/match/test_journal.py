"""The journal: what is written is read back, torn ends are cut, strange lines are refused with their place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import OptionError
from protocol.match.journal import Journal, JournalContent, read_journal, settings_hash
from protocol.match.locks import FileLock
from protocol.match.openings import Numbered, Opening
from protocol.match.record import GameRecord, Termination

SETTINGS = {"variant": "international", "games": 4}
OPENINGS = [Numbered(3, Opening("W:W31:B20", ("31-27",))), Numbered(7, Opening("W:W32:B20"))]


def content_of(path: Path) -> JournalContent:
    content, _ = read_journal(path)
    assert content is not None
    return content


@pytest.fixture
def path(tmp_path: Path, make_record: Callable[..., GameRecord]) -> Path:
    """A journal of two games."""
    file = tmp_path / "match.jsonl"
    journal = Journal(file)
    journal.begin(SETTINGS, OPENINGS)
    journal.add(make_record(1, 1, "1-0"))
    journal.add(make_record(1, 2, "1/2-1/2", termination=Termination.TIME, fault="A"))
    journal.close()
    return file


def test_round_trip(path: Path, make_record: Callable[..., GameRecord]) -> None:
    content = content_of(path)
    assert read_journal(path)[1] == path.stat().st_size
    assert content.settings == SETTINGS
    assert content.openings == OPENINGS
    assert content.records == {
        (1, 1): make_record(1, 1, "1-0"),
        (1, 2): make_record(1, 2, "1/2-1/2", termination=Termination.TIME, fault="A"),
    }


def test_every_line_names_its_game(path: Path) -> None:
    first, *games = (json.loads(line) for line in path.read_text().splitlines())
    assert first["hash"] == settings_hash(SETTINGS)
    assert games[0]["plies"] == 2
    assert games[0]["moves"] == [["32-28"], ["19-23", 0.25, -12, 9, 1000]]
    assert games[1]["termination"] == "time forfeit"


def test_torn_line_is_cut_at_every_length(path: Path, make_record: Callable[..., GameRecord]) -> None:
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for end in range(last, len(whole)):
        path.write_bytes(whole[:end])
        _, length = read_journal(path)
        assert (length, list(content_of(path).records)) == (last, [(1, 1)])
    journal = Journal(path, length)
    journal.add(make_record(2, 1, "0-1"))
    journal.close()
    assert list(content_of(path).records) == [(1, 1), (2, 1)]


def test_game_written_twice_counts_once(path: Path, make_record: Callable[..., GameRecord]) -> None:
    journal = Journal(path, path.stat().st_size)
    journal.add(make_record(1, 1, "0-1"))
    journal.close()
    assert content_of(path).records[1, 1].result == "1-0"


@pytest.mark.parametrize(
    ("line", "number"),
    [("nonsense", 4), ('{"type":"game"}', 4), ("[]", 4), ('{"type":"other"}', None), ('{"a":1}', 4), ("", 4)],
)
def test_strange_lines_are_refused_with_their_number(path: Path, line: str, number: int | None) -> None:
    path.write_text(path.read_text() + line + "\n")
    if number is None:
        assert len(content_of(path).records) == 2
    else:
        with pytest.raises(OptionError, match=f"line {number}"):
            read_journal(path)


def test_game_before_the_match_is_refused(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    with pytest.raises(OptionError, match="line 1"):
        read_journal(path)


def test_missing_and_empty(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="No such file"):
        read_journal(tmp_path / "none")
    for text in ("", '{"type":"match"'):
        (tmp_path / "torn").write_text(text)
        assert read_journal(tmp_path / "torn") == (None, 0)


def test_second_lock_is_refused(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "games.pdn")
    with pytest.raises(OptionError, match="another match"):
        FileLock(tmp_path / "games.pdn")
    lock.release()
    FileLock(tmp_path / "games.pdn").release()
    assert list(tmp_path.iterdir()) == []


def test_lock_in_no_directory(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        FileLock(tmp_path / "none" / "games.pdn")
