"""The same match on a Dask scheduler with two workers: same games, and a killed worker loses none."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.match.journal import read_journal

ROOT = Path(__file__).parents[2]
Run = Callable[..., Any]
Mock = Callable[..., str]


def command_lines() -> list[str]:
    """Every process of this machine."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
    return lines


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[int]]]:
    """A running cluster: its address and the processes of its workers."""
    with (tmp_path / "cluster.log").open("wb") as log:
        host = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("cluster_host.py"))],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert host.stdout is not None
    address, *workers = host.stdout.readline().split()
    yield address, [int(pid) for pid in workers]
    host.communicate("", timeout=60)
    mock = str(Path(__file__).parent / "mocks" / "mock_engine.py")
    assert [line for line in command_lines() if mock in line] == []  # engines of the killed worker died with it


def arguments(mock_engine: Mock, *more: str) -> list[str]:
    return [
        "--engine", mock_engine("A", "good", "delay=0.004"),
        "--engine", mock_engine("B", "good", "seed=2", "delay=0.004"),
        "--games", "12", "--max-plies", "40", "--tc", "movetime=2", "--margin", "5", "--balance", "off", *more,
    ]  # fmt: skip


def moves(path: Path) -> dict[tuple[int, int], list[str]]:
    content, _ = read_journal(path)
    assert content is not None
    return {key: [move.move for move in record.moves] for key, record in content.records.items()}


def test_same_games_and_none_lost_with_a_killed_worker(
    start_match: Run, mock_engine: Mock, tmp_path: Path, cluster: tuple[str, list[int]]
) -> None:
    address, workers = cluster
    match = start_match(*arguments(mock_engine, "--cluster", address, "--journal", "far"))
    journal = tmp_path / "far"
    deadline = time.monotonic() + 60
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline
        assert match.process.poll() is None
        time.sleep(0.02)
    os.kill(workers[0], signal.SIGKILL)
    assert match.wait(180) == 0, match.errors
    lines = journal.read_bytes().splitlines()
    assert len(lines) == 13
    here = start_match(*arguments(mock_engine, "--journal", "near"))
    assert here.wait() == 0, here.errors
    assert moves(journal) == moves(tmp_path / "near")
    assert len(moves(journal)) == 12


def test_interrupted_and_resumed_on_the_cluster(
    start_match: Run, mock_engine: Mock, tmp_path: Path, cluster: tuple[str, list[int]]
) -> None:
    address, _ = cluster
    journal = tmp_path / "far"
    for _ in range(2):
        before = journal.read_bytes().count(b"\n") if journal.exists() else 1
        match = start_match(*arguments(mock_engine, "--cluster", address, "--journal", "far", "--resume"))
        deadline = time.monotonic() + 60
        while not journal.exists() or journal.read_bytes().count(b"\n") <= before:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        match.process.send_signal(signal.SIGINT)
        assert match.wait(60) == 3
    match = start_match(*arguments(mock_engine, "--cluster", address, "--journal", "far", "--resume"))
    assert match.wait(120) == 0, match.errors
    assert len(moves(tmp_path / "far")) == 12


def test_nobody_at_the_address(run_match: Run, mock_engine: Mock) -> None:
    match = run_match(*arguments(mock_engine, "--cluster", "tcp://127.0.0.1:1"))
    assert match.process.returncode == 1
    assert "cluster tcp://127.0.0.1:1" in match.errors
