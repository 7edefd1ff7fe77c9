"""A real process spoken to in the UCI dialect."""

import re
import time
from collections.abc import Iterator

import pytest

from tests.process.peer import Peer, count


@pytest.fixture
def uci() -> Iterator[Peer]:
    with Peer("uci") as peer:
        peer.send("uci", "isready")
        peer.expect("readyok")
        yield peer


def test_search_and_stop(uci: Peer) -> None:
    uci.send("ucinewgame", "position startpos moves 32-28 19-23", "go depth 3")
    lines = uci.expect("bestmove")
    assert count(lines, "info depth") >= 1
    assert re.fullmatch(r"bestmove 28x19( ponder \S+)?", lines[-1])
    uci.send("go infinite")
    time.sleep(0.2)
    uci.send("isready")
    assert count(uci.expect("readyok"), "bestmove") == 0
    uci.send("stop", "stop", "isready")
    assert count(uci.expect("readyok"), "bestmove") == 1


def test_nothing_comes_before_stop_or_ponderhit(uci: Peer) -> None:
    uci.send("position fen W:W24,48:B30", "go infinite", "isready")
    uci.expect("readyok")
    time.sleep(0.3)
    uci.send("isready")
    assert count(uci.expect("readyok"), "bestmove") == 0
    uci.send("stop")
    assert uci.expect("bestmove")[-1] == "bestmove 24x35"
    uci.send("position startpos", "go ponder depth 1")
    time.sleep(0.3)
    uci.send("isready")
    assert count(uci.expect("readyok"), "bestmove") == 0
    uci.send("ponderhit")
    uci.expect("bestmove 3")


@pytest.mark.compiled
def test_tiny_and_negative_clocks_are_kept(uci: Peer) -> None:
    for clock in ("wtime 50 btime 50 winc 5000 binc 5000", "wtime -250 btime 99999999999999", "movetime 50", "wtime 0"):
        assert uci.soonest("bestmove 3", f"go {clock}", within=0.1) <= 0.1


def test_options_and_new_games_right_after_an_answer(uci: Peer) -> None:
    for index in range(20):
        uci.send("position startpos", "go depth 1")
        uci.expect("bestmove")
        uci.send("ucinewgame", "setoption name Hash value 1", f"setoption name Threads value {1 + index % 3}")
        uci.send("go depth 2", "ucinewgame", "setoption name Threads value 1", "isready")
        assert count(uci.expect("readyok"), "bestmove") == 1


def test_quit_during_a_search() -> None:
    for first in ("uci", "isready"):
        with Peer() as peer:
            peer.send(first, "go infinite", "isready")
            peer.expect("readyok")
            peer.send("quit")
            assert peer.ended() == (0, "")


def test_a_repeated_position_is_searched_all_the_same(uci: Peer) -> None:
    """A rule that has drawn the game does not take the move away."""
    shuffle = "48-43 3-9 43-48 9-3 " * 5
    uci.send(f"position fen W:WK48:BK3 moves {shuffle}", "go depth 3")
    assert uci.expect("bestmove")[-1].startswith("bestmove 48-")


def test_a_repetition_played_by_men_and_kings_keeps_the_ponder_move_legal(uci: Peer) -> None:
    for fen in ("W:W24,48:B30", "W:WK46:BK5", "W:W31-50:B1-20"):
        uci.send(f"position fen {fen}", "go depth 4")
        move, *ponder = uci.expect("bestmove")[-1].removeprefix("bestmove ").split(" ponder ")
        if ponder:
            uci.send(f"position fen {fen} moves {move} {ponder[0]}", "isready")
            assert count(uci.expect("readyok"), "info string error") == 0


def test_several_lines(uci: Peer) -> None:
    uci.send("setoption name MultiPV value 3", "position startpos", "go depth 4")
    lines = [line for line in uci.expect("bestmove") if line.startswith("info depth 4 ")]
    firsts = [line.partition(" pv ")[2].split()[0] for line in lines[-3:]]
    assert [line.split()[6] for line in lines[-3:]] == ["1", "2", "3"]
    assert len(set(firsts)) == 3
