"""scripts/build_book.py: the same book from the same options, whoever searches and however often it is stopped."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine import Position
from engine.book import Book
from tests.process.peer import ROOT

pytestmark = pytest.mark.compiled


def build(folder: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    files = ["--journal", str(folder / f"{name}.jsonl"), "--out", str(folder / f"{name}.book")]
    command = [sys.executable, str(ROOT / "scripts" / "build_book.py"), "--variant", "english", "--nodes", "300"]
    return subprocess.run([*command, *files, *options], capture_output=True, text=True, cwd=ROOT)


def test_book_depends_on_its_options_alone(tmp_path: Path) -> None:
    size = ("--positions", "20", "--batch", "4")
    assert build(tmp_path, "one", *size, "--workers", "1").returncode == 0
    assert build(tmp_path, "two", *size, "--workers", "2").returncode == 0
    journal = (tmp_path / "one.jsonl").read_text().splitlines()
    (tmp_path / "cut.jsonl").write_text("\n".join(journal[:30]) + '\n{"position": "Wbb')  # killed while it wrote
    assert build(tmp_path, "cut", *size).returncode == 0
    data = (tmp_path / "one.book").read_bytes()
    assert data == (tmp_path / "two.book").read_bytes() == (tmp_path / "cut.book").read_bytes()
    assert set(journal) == set((tmp_path / "cut.jsonl").read_text().splitlines())

    book = Book(data, "english")
    assert len(book) <= 20
    assert book.header["command"].startswith("python scripts/build_book.py --variant english --positions 20 ")
    start = Position.start("english")
    moves = book.moves(start)
    assert len(moves) >= 2
    assert len(book.line(start)) >= 2
    for one in moves:  # the score of a move is that of the best reply, seen from the other side
        if replies := book.moves(start.play(one.move)):
            assert one.score == -replies[0].score


def test_journal_of_other_settings_is_refused(tmp_path: Path) -> None:
    assert build(tmp_path, "a", "--positions", "1").returncode == 0
    again = build(tmp_path, "a", "--positions", "1", "--nodes", "400")
    assert again.returncode == 1
    assert "other settings" in again.stderr
