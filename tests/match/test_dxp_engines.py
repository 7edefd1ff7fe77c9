"""Engines over DXP in matches: whole games in both directions of the call, and each fault with its reason."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocol.match.journal import read_journal
from protocol.match.record import GameRecord, Termination

MOCK = Path(__file__).parent / "mocks" / "mock_dxp.py"
COMMON = ("--balance", "off", "--journal", "j")
Mock = Callable[..., str]


def dxp_mock(behaviour: str, *words: str) -> str:
    return f'name=A protocol=dxp cmd=\'"{sys.executable}" "{MOCK}" {{port}} {behaviour}\' {" ".join(words)}'


def damier(words: str) -> str:
    return f'"{sys.executable}" -m protocol.cli {words}'


def played(path: Path) -> list[GameRecord]:
    content, _ = read_journal(path / "j")
    assert content is not None
    return list(content.records.values())


@pytest.mark.parametrize("variant", ["international", "frysk", "breakthrough"])
def test_two_games_at_once(run_match: Callable[..., Any], tmp_path: Path, variant: str) -> None:
    """Each program listens at a port of its own."""
    engines = []
    for depth in (1, 2):
        command = damier(f"dxp --listen {{port}} --depth {depth} --variant={variant}")
        engines += ["--engine", f"name=D{depth} protocol=dxp cmd='{command}' tc=60"]
    match = run_match(
        "--variant", variant, *engines, "--games", "4", "--concurrency", "2", "--openings", "ply=1",
        "--start-timeout", "60", "--margin", "5", "--max-plies", "300", *COMMON,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    records = played(tmp_path)
    assert len(records) == 4
    assert [record.reason for record in records if record.fault] == []
    assert {name[:6] for record in records for name in record.engines} == {"damier"}


@pytest.mark.parametrize(
    ("behaviour", "termination", "detail"),
    [
        ("refuse", Termination.NO_MOVE, "it refused the game with code 2"),
        ("hang", Termination.STALL, "no answer within 0.550 s"),
        ("late", Termination.TIME, "no answer within 0.550 s"),
        ("illegal", Termination.ILLEGAL_MOVE, "illegal move"),
        ("resign", Termination.NO_MOVE, "it resigned"),
        ("leave", Termination.DISCONNECT, ""),
    ],
)
def test_fault_loses_the_game_and_the_match_goes_on(
    run_match: Callable[..., Any],
    mock_engine: Mock,
    tmp_path: Path,
    behaviour: str,
    termination: Termination,
    detail: str,
) -> None:
    match = run_match(
        "--engine", dxp_mock(behaviour),
        "--engine", mock_engine("B"), "--games", "2", "--tc", "movetime=0.5", "--grace", "1", *COMMON,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    records = played(tmp_path)
    assert len(records) == 2
    for record in records:
        assert (record.termination, record.fault) == (termination, "A")
        assert detail in record.reason


def test_nuisances_lose_nothing(run_match: Callable[..., Any], mock_engine: Mock, tmp_path: Path) -> None:
    match = run_match(
        "--engine", dxp_mock("nuisance"), "--engine", mock_engine("B"), "--games", "2", "--tc", "movetime=5",
        "--max-plies", "60", *COMMON,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    assert [record.fault for record in played(tmp_path)] == ["", ""]
