"""A real process spoken to over Hub: the conformance list of hub.md section 11, and every way to leave."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import VARIANTS, find_variant
from tests.process.peer import ROOT, Peer, count

START = "Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww"
WAYS = ["idle", "searching", "pondering", "preparing", "start"]


@pytest.fixture
def hub() -> Iterator[Peer]:
    with Peer("hub") as peer:
        peer.send("hub", "init")
        peer.expect("ready")
        yield peer


def bring_to(peer: Peer, state: str) -> None:
    if state == "start":
        return
    peer.send("hub", "init")
    peer.expect("wait")
    if state == "preparing":
        return
    peer.expect("ready")
    if state != "idle":
        peer.send("pos start", "level infinite", "go analyze" if state == "searching" else "go ponder", "ping")
        peer.expect("pong")


def test_burst_without_reading() -> None:
    with Peer("hub") as peer:
        peer.send("hub", "set-param name=threads value=1", "set-param name=book value=false", "init")
        peer.send(f"pos pos={START}", "level depth=2", "go think", "ping", "level depth=1", "go think")
        peer.expect("wait")
        lines = peer.expect("ready")
        assert lines == ["ready"]
        lines = peer.expect("done") + peer.expect("done")
        assert count(lines, "done move=") == 2


def test_late_stop_and_ponder_hit_are_silent(hub: Peer) -> None:
    hub.send("stop", "ponder-hit", "stop")
    assert hub.silent(0.2)
    hub.send("level depth=1", "go think")
    hub.expect("done move=")
    hub.send("stop", "ponder-hit")
    assert hub.silent(0.2)
    hub.send("ping")
    assert hub.expect("pong") == ["pong"]


@pytest.mark.parametrize("state", WAYS)
def test_ping_in_every_state(state: str) -> None:
    with Peer("hub") as peer:
        bring_to(peer, state)
        peer.send("ping")
        peer.expect("pong")
        if state in ("searching", "pondering"):
            peer.send("stop")
            assert count(peer.expect("done"), "done") == 1


@pytest.mark.parametrize("state", WAYS)
@pytest.mark.parametrize("way", ["quit", "eof", "TERM", "INT"])
def test_every_way_to_leave(state: str, way: str) -> None:
    with Peer("hub") as peer:
        bring_to(peer, state)
        if state == "start":
            peer.send("ping")
            peer.expect("pong")
        if way == "quit":
            peer.send("quit")  # and keep standard input open
        elif way == "eof":
            peer.stdin.close()
        else:
            peer.process.send_signal(getattr(signal, f"SIG{way}"))
        code, errors = peer.ended()
        assert errors == ""
        assert code == {"quit": 0, "eof": 0, "TERM": 143, "INT": 130}[way]


@pytest.mark.compiled
@pytest.mark.parametrize("way", ["quit", "eof", "TERM"])
def test_leaving_takes_less_than_a_fifth_of_a_second(way: str) -> None:
    best = 1.0
    for _ in range(20):  # other programs may hold up one try or some
        with Peer("hub") as peer:
            bring_to(peer, "searching")
            start = time.monotonic()
            if way == "quit":
                peer.send("quit")
            elif way == "eof":
                peer.stdin.close()
            else:
                peer.process.send_signal(signal.SIGTERM)
            peer.ended()
            best = min(best, time.monotonic() - start)
        if best < 0.2:
            return
    pytest.fail(f"{best} s")


def test_nobody_reads_the_answers_any_more() -> None:
    with Peer("hub") as peer:
        peer.send("hub")
        peer.stdout.close()
        peer.send("ping")
        code, errors = peer.ended()
        assert (code, errors) == (0, "")


def test_output_closed_from_the_start() -> None:
    program = "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, '-m', 'protocol', 'hub'])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"hub\nquit\n", capture_output=True, env=environment, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_client_that_does_not_read_does_not_block_quit() -> None:
    with Peer("hub") as peer:
        peer.write(b"hub\n" * 3000)  # far more answers than a pipe holds
        time.sleep(0.5)
        peer.send("quit")
        assert peer.ended() == (0, "")


def test_a_client_that_reads_slowly_gets_everything_in_order() -> None:
    with Peer("hub") as peer:
        peer.send("set-param name=book value=false")  # no pauses between lines
        peer.write(b"".join(b"hub\nping\n" for _ in range(200)))
        time.sleep(0.3)
        for _ in range(200):
            lines = peer.expect("pong")
            assert lines[0].startswith("id ")
            assert lines[-2] == "wait"


def test_two_go_in_a_row_give_two_done(hub: Peer) -> None:
    hub.send("level infinite", "go analyze", "go analyze", "stop")
    hub.expect("done move=")
    hub.expect("done move=")
    assert hub.silent(0.2)


def test_windows_line_ends(hub: Peer) -> None:
    hub.write(f"pos pos={START}\r\nlevel depth=2\r\ngo think\r\n".encode())
    assert re.fullmatch(r"done move=3[1-5]-\d+( ponder=\d+-\d+)?", hub.expect("done")[-1])  # the book knows no reply


def test_a_byte_at_a_time(hub: Peer) -> None:
    for byte in f'pos pos={START} moves="32-28 19-23"\nlevel depth=2\ngo think\n'.encode():
        hub.write(bytes([byte]))
    assert re.fullmatch(r"done move=28x19x23( ponder=.*)?", hub.expect("done")[-1])


@pytest.mark.compiled
def test_negative_time_with_an_increment(hub: Peer) -> None:
    hub.send("pos start")
    assert hub.soonest("done move=", "level time=-0.4 inc=0.5", "go think", within=0.15) <= 0.15


def test_early_answer_in_ponder_and_late_hit(hub: Peer) -> None:
    hub.send("pos start moves=32-28", "level depth=2", "go ponder")
    hub.expect("done move=")
    hub.send("ponder-hit", "ping")
    assert hub.expect("pong") == ["pong"]


@pytest.mark.compiled
def test_ponder_hit_starts_the_clock(hub: Peer) -> None:
    hub.send("pos start", "level move-time=0.2", "go ponder")
    time.sleep(0.4)
    hub.send("ping")
    assert count(hub.expect("pong"), "done") == 0
    hub.send("ponder-hit")
    hub.expect("done move=")


def test_a_position_sent_during_a_search_comes_after_its_done(hub: Peer) -> None:
    hub.send("level infinite", "go analyze")
    time.sleep(0.1)
    hub.send("pos start moves=32-28", "state")
    lines = hub.expect("state")
    assert lines[-2].startswith("done move=3")
    assert lines[-1] == "state turn=B result=*"


def test_no_legal_move(hub: Peer) -> None:
    hub.send("set-param name=variant value=english", "pos pos=Weeeeeeeeeeeeebeebeeeweeeeeeeeeee")
    hub.send("level move-time=1", "go think", "pos start", "level depth=2", "go think")
    assert hub.expect("done") == ["done"]
    assert hub.expect("done")[-1].startswith("done move=")


def test_one_legal_move_is_played_at_once_with_info(hub: Peer) -> None:
    hub.send("pos fen=W:W24,48:B30", "level time=300000", "go think")
    info, done = hub.expect("done")
    assert re.match(r"info depth=1 mean-depth=\S+ score=\S+ nodes=\d+ time=\S+ pv=24x35x30$", info)
    assert done == "done move=24x35x30"


def test_every_variant_moves(hub: Peer) -> None:
    hub.send("hub")
    declared = next(line for line in hub.expect("wait") if line.startswith("param name=variant"))
    names = re.findall(r'values="([^"]*)"', declared)[0].split()
    assert {find_variant(name).name for name in names} > set(VARIANTS)  # losing games too
    for name in names:
        hub.send(f"set-param name=variant value={name}", "init", "pos start", "legal", "level nodes=200", "go think")
        legal = hub.expect("legal")[-1]
        done = hub.expect("done move=")[-1]
        assert done.split()[1].removeprefix("move=") in legal


def test_stray_output_does_not_reach_the_wire(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import atexit, os\natexit.register(lambda: os.write(1, b'stray\\n'))\n")
    with Peer("hub", env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}) as peer:
        peer.send("hub")
        peer.expect("wait")
        peer.send("quit")
        assert peer.rest() == []


def test_data_is_found_from_any_directory(tmp_path: Path) -> None:
    with Peer(cwd=tmp_path) as peer:
        peer.send("hub", "init", "pos start", "level depth=1", "go")
        peer.expect("done move=")


def test_log(tmp_path: Path) -> None:
    for arguments, env in [(["hub", "--log", str(tmp_path / "a")], {}), ([], {"DAMIER_LOG": str(tmp_path / "a")})]:
        with Peer(*arguments, env=env) as peer:
            peer.send("hub", "init", 'foo "x')
            peer.expect("ready")
            peer.send("quit")
            peer.ended()
    text = (tmp_path / "a").read_text()
    assert text.count("# damier ") == 2
    assert len(re.findall(r"^ +\d+\.\d{4} > hub$", text, re.M)) == 2
    assert len(re.findall(r"^ +\d+\.\d{4} < ready$", text, re.M)) == 2
    assert 'foo "x' in text
    assert len(re.findall(r"^ +\d+\.\d{4} # end, code 0$", text, re.M)) == 2


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    with Peer("hub", "--log", str(tmp_path / "no" / "such")) as peer:
        code, errors = peer.ended()
    assert code == 2
    assert errors.count("\n") == 1
    assert "such" in errors


def test_parameters_on_the_command_line() -> None:
    with Peer("hub", "--variant=russian", "--threads=2") as peer:
        peer.send("hub", "pos start", "legal")
        lines = peer.expect("legal")
        assert any(line.startswith("param name=variant value=russian ") for line in lines)
        assert any(line.startswith("param name=threads value=2 ") for line in lines)
        assert "21-17" in lines[-1]
    for word in ("--colour=red", "--threads=many", "stray"):
        with Peer("hub", word) as peer:
            code, errors = peer.ended()
        assert code == 2
        assert errors.count("\n") == 1


@pytest.mark.parametrize("first", ["hub", "pos start", "set-param name=threads value=1"])
def test_hub_is_chosen_by_the_first_line(first: str) -> None:
    with Peer() as peer:
        peer.send("", "# noise", first, "level depth=1", "go think")
        assert peer.expect("done")[-1].startswith("done move=")


def test_version_1_is_chosen_by_a_line_of_its_own() -> None:
    with Peer() as peer:
        peer.send("hub", "init", "start", "move 32-28", "depth 2", "go")
        lines = peer.expect("move ")
        assert "wait" in lines
        assert "ready" in lines
        assert re.fullmatch(r"move \d+-\d+( \S+)?", lines[-1])


def test_a_handshake_is_paced_line_by_line() -> None:
    """A client that reads one line for each wake-up sees them all (hub.md 10.3)."""
    with Peer("hub") as peer:
        stamps = []
        peer.send("hub")
        while True:
            data = os.read(peer.stdout.fileno(), 65536)
            stamps.append(data.count(b"\n"))
            if data.endswith(b"wait\n"):
                break
        assert sum(stamps) > 10
        assert max(stamps) <= 3  # a busy machine may join a few
