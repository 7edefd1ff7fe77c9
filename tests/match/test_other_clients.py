"""The UCI and Hub 1 client machines, by written conversations and against damier itself in every variant."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.errors import MoveError
from engine.position import Position
from engine.types import Side
from engine.variants import VARIANTS, find_variant
from protocol.match.client import Answer, Stage
from protocol.match.clock import SearchLimits
from protocol.match.hub1_client import Hub1Client, limit_lines
from protocol.match.journal import read_journal
from protocol.match.record import EngineFault
from protocol.match.uci_client import UciClient, go_command

START = Position.start("international")


def uci() -> UciClient:
    client = UciClient()
    assert client.hello() == b"uci\n"
    for line in (
        "id name X 1.0",
        "id author Y",
        "option name Hash type spin default 16 min 1 max 65536",
        "option name Move Overhead type spin default 30 min 0 max 5000",
        "option name UCI_Variant type combo default international var international var frisian var russian",
    ):
        client.receive(line)
    assert client.stage is Stage.DECLARING
    client.receive("uciok")
    return client


def uci_ready() -> UciClient:
    client = uci()
    client.configure(find_variant("international"), {})
    client.receive("readyok")
    assert client.idle
    return client


def test_uci_start() -> None:
    client = uci()
    assert client.identity == "X 1.0"
    assert client.options["Move Overhead"]["max"] == "5000"
    assert client.options["UCI_Variant"]["var"] == "international frisian russian"
    sent = client.configure(find_variant("russian"), {"Hash": "8", "BookFile": ""})
    assert sent.decode().splitlines() == [
        "setoption name UCI_Variant value russian",
        "setoption name Hash value 8",
        "setoption name BookFile value <empty>",
        "isready",
    ]
    with pytest.raises(EngineFault, match="does not play turkish"):
        uci().configure(find_variant("turkish"), {})


@pytest.mark.parametrize(
    ("limits", "side", "expected"),
    [
        (SearchLimits(depth=3), Side.WHITE, "go depth 3"),
        (SearchLimits(nodes=9), Side.WHITE, "go nodes 9"),
        (SearchLimits(move_time=0.1), Side.BLACK, "go movetime 100"),
        (SearchLimits(time=5.0, inc=0.05), Side.WHITE, "go wtime 5050 winc 50"),
        (SearchLimits(time=-0.4, inc=0.5), Side.BLACK, "go btime 100 binc 500"),
        (SearchLimits(time=60.0, moves=12), Side.WHITE, "go wtime 60000 movestogo 12"),
        (SearchLimits(), Side.WHITE, "go infinite"),
    ],
)
def test_uci_go(limits: SearchLimits, side: Side, expected: str) -> None:
    assert go_command(limits, side) == expected


def test_uci_search_and_scores() -> None:
    client = uci_ready()
    move = client.read_move("32-28", START)
    sent = client.go(START, [move], SearchLimits(depth=1)).decode().splitlines()
    assert sent == ["position startpos moves 32-28", "go depth 1"]
    client.receive("info depth 9 multipv 1 score cp -12 nodes 100 pv 19-23 28x19")
    client.receive("info depth 10 multipv 2 score cp 50 nodes 200")
    client.receive("info depth 10 score cp 99 lowerbound nodes 150")
    client.receive("info string error: nothing serious")
    client.receive("info depth x score cp 1")
    assert (client.report.score, client.report.depth, client.report.nodes) == (-12, 10, 150)
    client.receive("info depth 11 score mate 3")
    assert client.report.score == 9995
    client.receive("info depth 11 score mate -2")
    assert client.report.score == -9996
    client.receive("bestmove 19-23 ponder 28x19")
    assert client.answer == Answer("19-23", "28x19")
    client.go(Position.from_fen("W:W31:B20", "international"), [], SearchLimits(depth=1))
    assert client.stop() == b"stop\n"
    client.receive("bestmove 31-26")
    assert client.answer is None
    assert client.idle
    client.go(START, [], SearchLimits(depth=1))
    client.receive("bestmove (none)")
    assert client.answer == Answer(None)


def test_uci_sync() -> None:
    client = uci_ready()
    assert client.new_game() == b"ucinewgame\nisready\n"
    assert not client.in_sync
    client.receive("readyok")
    assert client.in_sync
    with pytest.raises(MoveError):
        client.read_move("e2e4", START)


def test_hub1_conversation() -> None:
    client = Hub1Client()
    assert client.hello() == b"hub\n"
    for line in ("Scan 2.0, a banner", "name Scan 2.0", "author F", "country France", "wait"):
        client.receive(line)
    assert client.identity == "Scan 2.0"
    assert client.configure(find_variant("breakthrough"), {"book": "false"}) == (
        b"set variant bt\nset book false\ninit\n"
    )
    client.receive("ready")
    assert client.idle
    move = client.read_move("32-28", START)
    sent = client.go(START, [move], SearchLimits(depth=3)).decode().splitlines()
    assert sent == [f"pos w{START.hub()[1:]}", "move 32-28", "depth 3", "go"]
    client.receive("info 5 6.5 -13 1234 0.01 1.2 19-23 28x19x23")
    client.receive("info junk")
    client.receive("move 19-23 28x19x23")
    assert client.answer == Answer("19-23", "28x19x23")
    assert (client.report.score, client.report.depth, client.report.nodes) == (-13, 5, 1234)
    client.go(START, [], SearchLimits(depth=3))
    client.stop()
    client.receive("move 19-23")
    assert client.answer is None
    client.go(START, [], SearchLimits(depth=3))
    client.receive("move")
    assert client.answer == Answer(None)


def test_hub1_limits() -> None:
    limits = SearchLimits(depth=2, move_time=0.1, time=1.5, inc=0.25, moves=7)
    assert limit_lines(limits) == ["depth 2", "time 100", "level 7 1500 250"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_damier_over_every_protocol(run_match: Callable[..., Any], tmp_path: Path, variant: str) -> None:
    """damier plays itself over Hub, Hub 1 and UCI, judged by the runner's own board."""
    engines = []
    for protocol in ("hub", "hub1", "uci"):
        name, command = f"name={protocol} protocol={protocol}", f"cmd='\"{sys.executable}\" -m protocol.cli {protocol}'"
        engines += ["--engine", f"{name} {command} depth=1"]
    match = run_match(
        "--variant", variant, *engines, "--games", "2", "--openings", "ply=1", "--balance", "off", "--max-plies", "50",
        "--journal", "j", "--pdn", "games.pdn", "--pdn-order", "schedule", "--start-timeout", "60",
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    content, _ = read_journal(tmp_path / "j")
    assert content is not None
    records = content.records
    assert len(records) == 6
    assert [record.reason for record in records.values() if record.fault] == []
