"""Faults that other engines had with Hub, UCI and clocks (tests/data/bugs.json), each tried on the real process."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.process.peer import Peer, count

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent.parent / "data" / "bugs.json").read_text(encoding="utf-8"))
    if case["area"] in ("hub", "uci", "time")
}
SLACK = 0.1  # s; other programs may use the machine


def lines_of(case: str, **places: str) -> list[str]:
    """The case's lines up to the first action in round brackets; `...` stands for what `places` says."""
    lines = []
    for line in CASES[case]["input"]["lines"]:
        if line.startswith("("):
            break
        lines.append(line.replace("...", places.get("position", "start")))
    return lines


def hub() -> Peer:
    peer = Peer("hub", "--book=false")
    peer.send("hub", "init")
    peer.expect("ready")
    return peer


def uci() -> Peer:
    peer = Peer("uci", "--book=false")
    peer.send("uci", "isready")
    peer.expect("readyok")
    return peer


def h01() -> None:
    with hub() as peer:
        peer.send("set-param name=variant value=brazilian", *lines_of("H01"), "state", "level depth=1", "go think")
        assert peer.expect("state") == ["state turn=W result=*"]


def h04() -> None:
    with Peer("hub") as peer:
        peer.send(*lines_of("H04"))
        assert peer.expect("wait")[0].startswith("id ")
        lines = peer.expect("ready")
        assert all(line.startswith("error message=") for line in lines[:-1])


def h07() -> None:
    for state in ([], ["level infinite", "go analyze"], ["set-param name=tt-size value=24", "init"]):
        with hub() as peer:
            peer.send(*state, "ping" if state[:1] == ["level infinite"] else "")
            peer.stdin.close()
            assert peer.ended(10) == (0, "")


def h08() -> None:
    with hub() as peer:
        lines = lines_of("H08", position="start")
        peer.send(*lines[:-1])
        assert count(peer.expect("pong"), "done") == 0
        peer.send("ping", lines[-1], "ping")
        answers = peer.expect("pong") + peer.expect("pong")
        assert count(answers, "done move=") == 1


def h10() -> None:
    with hub() as peer:
        peer.send(*lines_of("H10"))
        assert peer.expect("done") == ["done"]
        assert peer.expect("done")[-1].startswith("done move=")


def h11() -> None:
    """Over Hub an early answer is given at once, and once; over UCI it is held back."""
    with hub() as peer:
        peer.send("pos pos=W" + "e" * 36 + "b" + "e" * 3 + "b" + "e" * 4 + "w" + "e" * 4, *lines_of("H11"))
        assert peer.expect("done") == ["done"]
        peer.send("stop", "ping")
        assert peer.expect("pong") == ["pong"]


def u03() -> None:
    with uci() as peer:
        for position in (CASES["U03"]["input"]["lines"][:2], CASES["U03"]["input"]["lines"][4:6]):
            peer.send(*position, "isready")
            peer.expect("readyok")
            time.sleep(0.5)
            peer.send("isready")
            assert count(peer.expect("readyok"), "bestmove") == 0
            peer.send("stop")
            peer.expect("bestmove ")


def u07() -> None:
    with uci() as peer:
        peer.send(*lines_of("U07"))
        assert re.match(r"bestmove 3[1-5]-", peer.expect("bestmove")[-1])


def u08() -> None:
    with uci() as peer:
        peer.send(*lines_of("U08"))
        lines = peer.expect("bestmove")
        assert lines[-1].startswith("bestmove 32-28")
        assert count(lines, "info string") == 1
        peer.send("go depth 2 searchmoves 1-50")
        assert re.match(r"bestmove 3[1-5]-", peer.expect("bestmove")[-1])


def u09() -> None:
    with uci() as peer:
        peer.send(*lines_of("U09"))
        assert peer.expect("bestmove")[-1] == "bestmove (none)"
        assert re.match(r"bestmove (9|1\d)-", peer.expect("bestmove")[-1])


def u10() -> None:
    with uci() as peer:
        for _ in range(30):
            peer.send("go depth 2")
            peer.expect("bestmove")
            peer.send("ucinewgame", "setoption name Hash value 1", "setoption name Threads value 4", "go depth 2")
            peer.expect("bestmove")


def u11() -> None:
    with Peer("uci") as peer:
        peer.send(*lines_of("U11"))
        options = [line for line in peer.expect("uciok") if line.startswith("option")]
        kinds = r"button|(check|combo|string|spin) default \S.*"
        assert all(re.fullmatch(rf"option name .+? type ({kinds})", line) for line in options)


def u13() -> None:
    with uci() as peer:
        most = 0.2 + SLACK
        assert 0.1 < peer.soonest("bestmove", "position startpos", *lines_of("U13"), within=most) < most
        peer.send("go foo 7 depth 2 bar")
        peer.expect("bestmove")
        peer.send("go foo 7")
        peer.expect("bestmove")


def u14() -> None:
    with uci() as peer:
        for fen in ("W:W24,48:B30", "W:WK48:BK3", "W:W32,37,42:B19,23,27"):
            peer.send(f"position fen {fen}", "go depth 4")
            move, *ponder = peer.expect("bestmove")[-1].removeprefix("bestmove ").split(" ponder ")
            peer.send(f"position fen {fen} moves {' '.join([move, *ponder])}", "isready")
            assert count(peer.expect("readyok"), "info string error") == 0


def u15() -> None:
    with Peer("uci") as peer:
        peer.write(b"uci\r\n  isready  \n\n\tgo\tdepth 1\n")
        peer.expect("bestmove")
        shuffle = "48-43 3-9 43-48 9-3 " * 1000
        peer.send(f"position fen W:WK48:BK3 moves {shuffle}", "go depth 2")
        assert peer.expect("bestmove")[-1].startswith("bestmove 48-")


def u16() -> None:
    with uci() as peer:
        for line in lines_of("U16"):
            if "Hash" in line:  # would take what memory there is
                line = "setoption name Hash value -99999999"
            peer.send(line)
            if line.startswith("go"):
                peer.send("stop")
                peer.expect("bestmove ")
        peer.send("isready")
        peer.expect("readyok")


def t02() -> None:
    with hub() as peer:
        for level, most in [
            ("moves=1 time=0.032", 0.032),
            ("moves=1 time=0.2 inc=0.1", 0.3),
            ("moves=9 time=0.9", 0.6),
        ]:
            most += SLACK
            assert peer.soonest("done move=", "pos start", f"level {level}", "go think", within=most) <= most


def t03() -> None:
    with hub() as peer:
        for level, usable in [("time=0.05 inc=0.1", 0.15), ("time=-4.95 inc=5", 0.05)]:
            most = usable + SLACK
            assert peer.soonest("done move=", "pos start", f"level {level}", "go think", within=most) <= most
    with uci() as peer:
        most = 0.05 + SLACK
        clock = "go wtime 50 btime 50 winc 5000 binc 5000"
        assert peer.soonest("bestmove", "position startpos", clock, within=most) <= most


def t05() -> None:
    with hub() as peer:
        most = 0.5 + SLACK
        assert 0.3 < peer.soonest("done move=", "pos start", "level move-time=0.5", "go think", within=most) <= most


def t06() -> None:
    with hub() as peer:
        peer.send("pos start", "level time=1 inc=1", "go ponder")
        time.sleep(0.5)
        peer.send("ping")
        assert count(peer.expect("pong"), "done") == 0
        peer.send("ponder-hit")
        peer.expect("done move=")


def t07() -> None:
    """A limit belongs to one search: pondering and analysis behind it are free."""
    with hub() as peer:
        peer.send("pos start", "level move-time=0.1", "go think")
        peer.expect("done")
        for mode in ("ponder", "analyze"):
            peer.send("pos start", f"go {mode}")
            time.sleep(0.4)
            peer.send("ping")
            assert count(peer.expect("pong"), "done") == 0
            peer.send("stop")
            peer.expect("done")


def t08() -> None:
    with hub() as peer:
        peer.send("pos start", "level move-time=0.1", "go think")
        peer.expect("done")
        peer.send("level depth=4", "level nodes=10000", "go think")
        assert max(int(depth) for depth in re.findall(r"info depth=(\d+)", "\n".join(peer.expect("done")))) <= 4
        peer.send("go think")
        time.sleep(0.4)
        peer.send("ping")
        assert count(peer.expect("pong"), "done") == 0
        peer.send("stop")
        peer.expect("done")


def t09() -> None:
    with hub() as peer:
        position = f"pos fen={CASES['T09']['fen']}"
        assert peer.soonest("done", position, *lines_of("T09"), within=0.5) <= 0.5
        peer.send(position, *lines_of("T09"))
        info, done = peer.expect("done")
        assert info.endswith(" pv=24x35x30")
        assert done == "done move=24x35x30"


CHECKS: dict[str, Callable[[], None]] = {
    check.__name__.upper(): check
    for check in (
        *(h01, h04, h07, h08, h10, h11, u03, u07, u08, u09, u10, u11, u13, u14, u15, u16),
        *(t02, t03, t05, t06, t07, t08, t09),
    )
}


def test_every_case_is_here() -> None:
    assert set(CHECKS) == set(CASES)


@pytest.mark.compiled
@pytest.mark.parametrize("case", sorted(CHECKS))
def test_case(case: str) -> None:
    CHECKS[case]()
