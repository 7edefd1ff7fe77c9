"""Recorded sessions of real clients: their bytes get answers that they accept (hub.md section 10)."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import Position
from protocol.auto import AutoDialect
from protocol.hub1_server import Hub1Dialect
from protocol.hub_syntax import parse_line
from tests.protocol.driver import Driver

FOLDER = Path(__file__).resolve().parent.parent / "data" / "transcripts"
CLIENTS = sorted(
    path.name
    for path in FOLDER.glob("*.txt")
    if path.name.startswith(("lidraughts", "py-draughts", "pydraughts_", "pydraughts067"))
)


def sessions(name: str) -> Iterator[list[tuple[str, str]]]:
    """Each recorded session as (direction, line): `>` from the client, `<` from the engine."""
    lines: list[tuple[str, str]] = []
    for text in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if "ARGV" in text and lines:
            yield lines
            lines = []
        found = re.match(r"\s*[\d.]+ (GUI>|ENG<) (b['\"].*)$", text)
        if found is not None:
            line = ast.literal_eval(found[2]).decode().removesuffix("\n")
            lines.append((found[1][-1], line))
    yield lines


def accepted(line: str) -> bool:
    """What pydraughts, draughtsnet and lidraughts can read: every argument `name=value` with one `=`."""
    parsed = parse_line(line)
    assert parsed is not None
    unquoted = re.sub(r'"[^"]*"', "q", line)
    if parsed.command in ("id", "param", "info", "done"):
        assert all(word.count("=") == 1 for word in unquoted.split()[1:])
    if parsed.command == "info":
        assert str(int(parsed.get("depth") or "")) == parsed.get("depth")
        assert abs(float(parsed.get("score") or "x")) <= 100
        assert [name for name, _ in parsed.arguments][-1] == "pv"
    if parsed.command == "done":
        assert [name for name, _ in parsed.arguments] in (["move"], ["move", "ponder"])
        assert '"' not in line
    return True


@pytest.mark.parametrize("name", CLIENTS)
def test_client_session(name: str) -> None:
    for session in sessions(name):
        driver = Driver(AutoDialect)
        goes = 0
        for direction, line in session:
            if direction == ">":
                parsed = parse_line(line)
                assert parsed is not None
                if driver.running is not None and parsed.command not in ("stop", "ponder-hit", "quit", "ping"):
                    driver.report()
                    driver.finish()
                goes += parsed.command == "go"
                driver.send(line)
            elif line.startswith("done") and driver.running is not None:
                driver.report(depth=7)
                driver.finish()
        if driver.running is not None:
            driver.finish() if not driver.quit else None
        assert all(accepted(line) for line in driver.lines)
        assert sum(line.startswith("done move=") for line in driver.lines) >= goes - 1
        assert not any(line.startswith("error") for line in driver.lines if "value" not in line)
        assert "wait" in driver.lines
        assert "ready" in driver.lines


def test_pydraughts_067_is_understood_on_8x8() -> None:
    """Where that client's numbers or side letter differ, the move list shows it, and every game is replayed whole."""
    replayed = 0
    for session in sessions("pydraughts067_fake_8x8.txt"):
        driver = Driver(AutoDialect)
        for line in (line for direction, line in session if direction == ">"):
            assert not any(answer.startswith("error") for answer in driver.send(line))
            parsed = parse_line(line)
            assert parsed is not None
            if parsed.command == "pos":
                moves = (parsed.get("moves") or "").split()
                assert len(driver.machine.game.moves) == len(moves)
                replayed += len(moves)
            if driver.running is not None:
                driver.finish()
    assert replayed >= 3


@pytest.mark.parametrize("name", ["hub1_scan20.txt", "hub1_scan20_b.txt"])
def test_version_1_session(name: str) -> None:
    """The client's lines in order; the answers have the recorded shapes."""
    driver = Driver(Hub1Dialect)
    searches = 0
    for text in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if text.startswith("> "):
            line = text[2:]
            if driver.running is not None and line not in ("ponder-hit", "stop", "ping"):
                driver.report()
                driver.finish()
            searches += line in ("go", "ponder", "analyse")
            driver.send(line)
    assert driver.quit
    moves = [line for line in driver.lines if line.startswith("move ")]
    assert len(moves) == searches
    assert all(re.fullmatch(r"move \d+[-x]\d+(x\d+)*( \d+[-x]\d+(x\d+)*)?", line) for line in moves)
    infos = [line for line in driver.lines if line.startswith("info ")]
    assert all(re.match(r"info \d+ \d+\.\d -?\d+ \d+ \d+\.\d\d \d+\.\d( \d+[-x]\d+(x\d+)*)+$", line) for line in infos)
    assert "pong" in driver.lines
    assert driver.lines[0].startswith("name damier ")
    assert driver.lines[3] == "wait"


def test_version_1_errors_and_moves() -> None:
    driver = Driver(Hub1Dialect)
    assert driver.send("set foo 1", "foo", "set threads 2", "init") == ["ready"]
    (answer,) = driver.send("pos wbad")
    assert answer.startswith("error bad position")
    driver.send("start", "move 32-28", "move 19-23", "move 28x19")
    (answer,) = driver.send("move 1-1")
    assert answer.startswith("error illegal move")
    assert [str(move) for move in driver.machine.game.moves] == ["32-28", "19-23", "28x19x23"]
    driver.send("level 40 5000 100", "depth 7", "time 200", "ponder")
    assert driver.running is not None
    limits = driver.running.limits
    assert (limits.moves, limits.time, limits.inc, limits.depth, limits.move_time) == (40, 5.0, 0.1, 7, 0.2)
    driver.send("ponder-hit")
    assert driver.hits == 1
    driver.finish()
    driver.send("variant russian", "start", "go")
    assert driver.game.position == Position.start("russian")


def test_joclyboard_sends_no_handshake() -> None:
    driver = Driver(AutoDialect)
    assert driver.send("start", "move 32-28", "move 19-23", "level 0 2000 0", "go") == []
    assert driver.running is not None
    assert driver.running.limits.time == 2.0
    assert [str(move) for move in driver.game.moves] == ["32-28", "19-23"]
    assert re.fullmatch(r"move 28x19x23 1[34]x2[34]x19", driver.finish()[-1])


def test_a_handshake_of_version_2_may_go_on_in_version_1() -> None:
    driver = Driver(AutoDialect, slow=True)
    driver.send("hub", "init", "pos Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww", "time 100", "go")
    assert driver.lines[-1] == "wait"
    assert driver.prepare() == ["ready"]
    assert driver.running is not None
    assert driver.running.limits.move_time == 0.1
    assert driver.finish()[-1].startswith("move ")


def test_nothing_is_written_before_the_protocol_is_known() -> None:
    driver = Driver(AutoDialect)
    assert driver.send("", "hello", "help me", "32-28", "# hub") == []
    assert driver.send("hub")[-1] == "wait"
    other = Driver(AutoDialect)
    other.send("what", "quit")
    assert other.quit
