"""The opening book and the process: what Hub and UCI say of it, a damaged file, and `damier book`."""

import re
from pathlib import Path

import pytest

from engine.book import packaged_book
from tests.process.peer import Peer, run

HUB_BOOK = re.compile(
    r"info depth=1 mean-depth=1\.0 score=-?\d\.\d\d nodes=0 time=\d+\.\d{3} pv=(\d+-\d+|\"\d+-\d+ [^\"]+\") book=true"
)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    data = bytearray(packaged_book("russian").read_bytes())
    data[len(data) // 2] ^= 1
    file = tmp_path / "damaged.book"
    file.write_bytes(data)
    return file


def test_hub_plays_from_the_book_and_says_so() -> None:
    with Peer("hub", "--variant=russian") as peer:
        peer.send("hub")
        declared = peer.expect("wait")
        assert "param name=book value=true type=bool" in declared
        assert any(re.fullmatch(r"param name=book-ply value=\d+ type=int min=0 max=100", line) for line in declared)
        assert any(re.fullmatch(r"param name=book-margin value=\d+ type=int min=0 max=100", line) for line in declared)
        assert 'param name=book-file value="" type=string' in declared
        peer.send("init")
        assert peer.expect("ready") == ["ready"]
        peer.send("pos start", "level time=60", "go think")
        info, done = peer.expect("done")
        assert HUB_BOOK.fullmatch(info)
        assert re.fullmatch(r"done move=2[1-4]-\d+( ponder=\d+-\d+)?", done)
        for lines in (["set-param name=book value=false"], ["set-param name=book value=true", "go"]):
            peer.send(*lines, "pos start", "level depth=3", "go analyze" if "go" in lines else "go think")
            assert not any("book=true" in line for line in peer.expect("done")[-4:])


def test_hub_tells_once_of_a_damaged_book_and_plays_without_it(damaged: Path) -> None:
    with Peer("hub", "--variant=russian") as peer:
        peer.send(f'set-param name=book-file value="{damaged}"', "set-param name=tt-size value=16", "init")
        error, ready = peer.expect("ready")
        assert re.fullmatch(r'error message="opening book .*damaged\.book: damaged: its checksum is wrong"', error)
        assert ready == "ready"
        peer.send("set-param name=threads value=2", "init", "new-game", "hub")
        lines = peer.expect("wait")
        assert not any(line.startswith("error") for line in lines)
        assert "param name=tt-size value=16 type=int min=10 max=30" in lines
        peer.send("pos start", "level depth=2", "go think")
        *_, info, done = peer.expect("done")
        assert info.startswith("info depth=2 ")
        assert "book=" not in info
        assert done.startswith("done move=")


def test_uci_names() -> None:
    with Peer("uci") as peer:
        peer.send("uci")
        options = peer.expect("uciok")
        assert "option name OwnBook type check default true" in options
        assert "option name BookFile type string default <empty>" in options
        peer.send("setoption name UCI_Variant value russian", "isready", "position startpos", "go wtime 60000")
        peer.expect("readyok")
        note, info, best = peer.expect("bestmove")
        assert note == "info string book move"
        assert re.match(r"info depth 1 seldepth 1 multipv 1 score cp -?\d+ nodes 0 ", info)
        assert re.match(r"bestmove [a-h]\d[-a-h]\S+", best)
        peer.send("setoption name BookFile value /nowhere/x.book", "isready", "go depth 1")
        lines = peer.expect("bestmove")
        assert any(line.startswith("info string error: opening book /nowhere/x.book: No such file") for line in lines)


def test_the_command_shows_moves() -> None:
    done = run("book", "russian")
    assert done.returncode == 0
    assert "Russian draughts" in done.stdout
    assert re.search(r"^ *[a-h]3-[a-h]4 +[+-]0\.\d\d ", done.stdout, re.M)
    outside = run("book", "russian", "--fen", "W:Wc1:Bb8")
    assert outside.returncode == 1
    assert "not in the book" in outside.stdout


def test_the_command_says_what_is_wrong(damaged: Path) -> None:
    for arguments, message in (
        (["turkish"], "no opening book of turkish"),
        (["russian", "--file", str(damaged)], "damaged"),
        (["russian", "--fen", "W:Wz9"], "z9"),
    ):
        done = run("book", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
