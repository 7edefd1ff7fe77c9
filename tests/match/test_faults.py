"""Misbehaving engines: each fault ends its game with the right reason, the match goes on, no process is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protocol.match.journal import read_journal
from protocol.match.record import GameRecord, Termination

QUICK = ("--tc", "movetime=0.5", "--balance", "off", "--max-plies", "30", "--start-timeout", "1", "--grace", "1")


def played(path: Path) -> dict[tuple[int, int], GameRecord]:
    content, _ = read_journal(path)
    assert content is not None
    return content.records


@pytest.mark.parametrize(
    ("behaviour", "termination", "detail"),
    [
        ("hang-start", Termination.STALL, "no readiness within 1 s"),
        ("hang", Termination.STALL, "no answer within 0.550 s, nor 1 s after a stop"),
        ("crash", Termination.DISCONNECT, "exit code 7; stderr: mock: something terrible happened"),
        ("abort", Termination.DISCONNECT, "killed by SIGABRT"),
        ("illegal", Termination.ILLEGAL_MOVE, "'1-50'"),
        ("nonsense", Termination.ILLEGAL_MOVE, "'hello'"),
        ("no-move", Termination.NO_MOVE, "without a move"),
        ("endless", Termination.PROTOCOL, "a line of more than"),
        ("wrong-protocol", Termination.PROTOCOL, "it does not speak hub: 'info string unknown command hub'"),
        ("late", Termination.TIME, "no answer within 0.550 s"),
    ],
)
def test_fault_loses_the_game_and_the_match_goes_on(
    run_match: Callable[..., Any],
    mock_engine: Callable[..., str],
    tmp_path: Path,
    behaviour: str,
    termination: Termination,
    detail: str,
) -> None:
    match = run_match(
        "--engine", mock_engine("A", behaviour, at=0), "--engine", mock_engine("B"), "--games", "2",
        "--journal", "j", "--pdn", "games.pdn", *QUICK,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    records = played(tmp_path / "j")
    assert sorted(records) == [(1, 1), (1, 2)]
    for record in records.values():
        assert (record.termination, record.fault) == (termination, "A")
        assert detail in record.reason
        assert record.score_of("A") == 0.0
    assert f"faults of A: {termination} 2" in match.output
    assert (tmp_path / "games.pdn").read_text().count(f'[Termination "{termination}"]') == 2


@pytest.mark.parametrize("behaviour", ["flood", "children", "no-quit"])
def test_nuisances_lose_nothing(
    run_match: Callable[..., Any], mock_engine: Callable[..., str], tmp_path: Path, behaviour: str
) -> None:
    """A flood of stderr is drained (and kept within bounds), children and engines that do not quit are killed."""
    match = run_match(
        "--engine", mock_engine("A", behaviour), "--engine", mock_engine("B"), "--games", "2",
        "--journal", "j", *QUICK,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    assert all(not record.fault for record in played(tmp_path / "j").values())
    if behaviour == "flood":
        log = tmp_path / "j.stderr" / "A.stderr.log"
        assert log.read_bytes().startswith(b"x" * 9999 + b"\n")
        assert 1_000_000 < log.stat().st_size < 1_100_000


def test_engine_is_restarted_after_a_fault(
    run_match: Callable[..., Any], mock_engine: Callable[..., str], tmp_path: Path
) -> None:
    """An engine that crashes in its ninth search loses that game only where it gets so far."""
    match = run_match(
        "--engine", mock_engine("A", "crash", at=9), "--engine", mock_engine("B"), "--games", "4",
        "--journal", "j", "--max-plies", "14", "--openings", "ply=2", *QUICK[:4],
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    by_game = [played(tmp_path / "j")[key] for key in ((1, 1), (1, 2), (2, 1), (2, 2))]
    assert [record.termination for record in by_game] == [Termination.ADJUDICATION, Termination.DISCONNECT] * 2


def test_program_that_cannot_start_stops_the_match(
    run_match: Callable[..., Any], mock_engine: Callable[..., str], tmp_path: Path
) -> None:
    for broken in ("name=A cmd=/no/such/program", mock_engine("A", "crash-start")):
        match = run_match("--engine", broken, "--engine", mock_engine("B"), "--games", "100", *QUICK)
        assert match.process.returncode == 2
        assert "0 games" in match.output
    assert "before it was ready; stderr: mock: no weights" in match.output


def test_policy_stop(run_match: Callable[..., Any], mock_engine: Callable[..., str], tmp_path: Path) -> None:
    match = run_match(
        "--engine", mock_engine("A", "crash"), "--engine", mock_engine("B"), "--games", "100", "--on-fault", "stop",
        "--concurrency", "1", "--journal", "j", *QUICK,
    )  # fmt: skip
    assert match.process.returncode == 3
    assert 1 <= len(played(tmp_path / "j")) <= 2
