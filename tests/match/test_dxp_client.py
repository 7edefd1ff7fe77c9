"""DXP programs in matches: the client machine against written conversations, and a whole mixed match."""

from __future__ import annotations

import shlex
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import MoveError
from engine.move import Move
from engine.position import Position
from engine.variants import find_variant
from protocol.match.client import Answer, Stage
from protocol.match.clock import SearchLimits
from protocol.match.dxp_client import DxpClient
from protocol.match.journal import read_journal
from protocol.match.record import EngineFault, Termination

START = Position.start("international")
FIRST, REPLY = Move(32, 28), Move(19, 23)
ASKED = b"R01" + b"damier match".ljust(32)
ACCEPT = "A" + "Other".ljust(32) + "0"


def ready() -> DxpClient:
    client = DxpClient()
    assert client.hello() == b""
    client.receive("Cconnected to localhost:27531")
    assert client.stage is Stage.DECLARED
    assert client.configure(find_variant("international"), {}) == b""
    assert client.idle
    return client


def searching(*moves: Move, limits: SearchLimits | None = None) -> DxpClient:
    client = ready()
    assert client.new_game() == b""
    assert client.go(START, moves, limits or SearchLimits(time=60)).startswith(ASKED)
    client.receive(ACCEPT)
    return client


@pytest.mark.parametrize(
    ("limits", "fields"),
    [
        (SearchLimits(time=300), b"W005000B"),
        (SearchLimits(time=0.5, moves=40), b"W001040B"),
        (SearchLimits(time=179.9), b"W002000B"),
        (SearchLimits(depth=5), b"W999000B"),
    ],
)
def test_request_with_position_and_clock(limits: SearchLimits, fields: bytes) -> None:
    sent = ready().go(START, (), limits)
    assert sent == ASKED + fields + b"W" + b"z" * 20 + b"e" * 10 + b"w" * 20 + b"\0"


def test_request_for_the_second_player() -> None:
    client = ready()
    sent = client.go(START, (FIRST,), SearchLimits(time=60))
    assert sent[35:43] == b"Z001000B"
    assert sent[43:44] == b"Z"


def test_moves_go_to_and_fro_in_one_game() -> None:
    client = searching(FIRST)
    assert client.identity == "Other"
    client.receive("M0002192300")
    assert client.answer == Answer("M0002192300")
    assert client.idle
    assert client.read_move("M0002192300", START.play(FIRST)) == REPLY
    taking = Move(28, 19, (23,))
    assert client.go(START, (FIRST, REPLY, taking), SearchLimits(time=50)) == b"M000028190123\0"
    client.receive("M000014230119")
    assert client.answer == Answer("M000014230119")


def test_next_game_ends_the_last_one() -> None:
    client = searching()
    client.receive("M0000322800")
    assert client.new_game() == b"E00\0"
    assert not client.in_sync
    client.receive("E00")
    assert client.in_sync
    assert client.go(START, (FIRST,), SearchLimits(time=60)).startswith(ASKED)


def test_other_game_ends_the_last_one_too() -> None:
    """Moves that do not follow from what was told."""
    client = searching(FIRST)
    client.receive("M0000192300")
    client.read_move("M0000192300", START.play(FIRST))
    sent = client.go(START, (FIRST, Move(20, 25), Move(31, 26)), SearchLimits(time=60))
    assert sent.startswith(b"E00\0" + ASKED)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("A" + " " * 32 + "2", "it refused the game with code 2"),
        ("E10", "it resigned"),
        ("E20", "it ended the game as a draw"),
        ("E31", "it claimed a win"),
    ],
)
def test_no_move(line: str, complaint: str) -> None:
    client = searching()
    client.receive(line)
    assert client.answer == Answer(None)
    assert client.complaint == complaint
    assert client.new_game() == (b"E00\0" if line[0] == "E" else b"")
    assert client.in_sync


def test_search_that_is_given_up() -> None:
    client = searching()
    assert client.stop() == b"E00\0"
    client.receive("M0000322800")
    assert client.answer is None
    assert not client.idle
    client.receive("E00")
    assert client.idle
    assert client.stop() == b""


def test_requests_of_the_other_side_are_answered_with_the_next_words() -> None:
    client = searching()
    for line in ("B001W", "R01" + "x" * 32 + "W001000A", "junk", "M12", "Chello"):
        client.receive(line)
    assert client.complaint == "hello"
    assert client.stage is Stage.SEARCHING
    client.receive("M0000322800")
    assert client.quit() == b"K1\0A" + b"damier match".ljust(32) + b"2\0E01\0"


@pytest.mark.parametrize("text", ["M0000322600", "M000032280119", "E00", "nonsense", ""])
def test_moves_that_are_none(text: str) -> None:
    with pytest.raises(MoveError):
        ready().read_move(text, START)


def test_what_dxp_cannot_do() -> None:
    client = ready()
    with pytest.raises(EngineFault, match="russian") as caught:
        client.configure(find_variant("russian"), {})
    assert caught.value.termination is Termination.PROTOCOL
    with pytest.raises(EngineFault, match="threads"):
        client.configure(find_variant("frisian"), {"threads": "2"})


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def engines(port: int) -> list[str]:
    damier = f'"{sys.executable}" -m protocol.cli'
    dxp = shlex.quote(f"{damier} dxp --listen {port} --depth 2")
    return [
        *("--engine", f"name=H cmd={shlex.quote(damier + ' hub')} depth=2"),
        *("--engine", f"name=D protocol=dxp address=localhost:{port} cmd={dxp} tc=60"),
    ]


@pytest.mark.parametrize("variant", ["international", "frisian"])
def test_mixed_match(run_match: Callable[..., Any], tmp_path: Path, variant: str) -> None:
    """Hub against DXP, two openings with both colours; the DXP program is started and ended by the match."""
    listening = engines(free_port())
    listening[3] = listening[3].replace("--depth 2", f"--depth 2 --variant={variant}")
    match = run_match(
        *listening, "--variant", variant, "--games", "4", "--journal", "j", "--pdn", "p", "--margin", "5",
        "--balance", "off", "--max-plies", "120",
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    content, _ = read_journal(tmp_path / "j")
    assert content is not None
    records = content.records.values()
    assert len(records) == 4
    assert {record.termination for record in records} <= {Termination.NORMAL, Termination.ADJUDICATION}
    assert {record.white for record in records} == {"H", "D"}
    assert all(record.plies > 20 for record in records)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("name=D protocol=dxp cmd=x tc=60", "address"),
        ("name=D address=localhost:1 cmd=x tc=60", "address"),
        ("name=D protocol=dxp address=localhost:1 tc=60 start-timeout=6", "cannot connect to localhost:1"),
    ],
)
def test_wrong_descriptions(start_match: Callable[..., Any], words: str, message: str) -> None:
    match = start_match("--engine", words, *engines(1)[:2], "--games", "2", "--balance", "off")
    assert match.wait() != 0, match.output + match.errors
    assert message in match.output + match.errors
