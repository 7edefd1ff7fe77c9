"""Helpers for tests that play matches with mock engines."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from engine.position import Position
from protocol.match.record import GameRecord, MoveRecord, Termination

MOCK = Path(__file__).parent / "mocks" / "mock_engine.py"
START_FEN = Position.start("international").fen()


@pytest.fixture
def mock_engine() -> Callable[..., str]:
    """Write the description of a mock engine for the command line."""

    def describe(name: str, behaviour: str = "good", *words: str, at: int = 1) -> str:
        return f'name={name} cmd=\'"{sys.executable}" "{MOCK}" {behaviour} {at}\' {" ".join(words)}'

    return describe


@pytest.fixture
def make_record() -> Callable[..., GameRecord]:
    """Make a game record; engines A and B, A is White in game 1."""

    def make(pair: int, game: int, result: str, **values: object) -> GameRecord:
        white, black = ("A", "B") if game == 1 else ("B", "A")
        fields: dict[str, object] = {
            "pair": pair,
            "game": game,
            "round": 1,
            "opening": 0,
            "white": white,
            "black": black,
            "result": result,
            "termination": Termination.NORMAL,
            "reason": "blocked",
            "variant": "international",
            "fen": START_FEN,
            "opening_plies": 1,
            "moves": (MoveRecord("32-28"), MoveRecord("19-23", 0.25, -12, 9, 1000)),
            "seconds": 0.5,
            "date": "2026-11-30T12:00:00+0000",
            "time_controls": ("5+0.1", "5+0.1"),
            "host": "here",
            "engines": ("Mock 1", "Mock 2"),
        }
        return GameRecord(**{**fields, **values})  # type: ignore[arg-type]

    return make


ROOT = Path(__file__).parents[2]


class MatchProcess:
    """`damier match` as a process of its own, with everything it starts marked in the environment."""

    def __init__(self, directory: Path, arguments: Sequence[str]) -> None:
        self.mark = f"DAMIER_TEST_MARK={uuid.uuid4().hex}"
        name, _, value = self.mark.partition("=")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "protocol.cli", "match", *arguments],
            cwd=directory,
            env={**os.environ, name: value, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.output = self.errors = ""

    def wait(self, seconds: float = 120) -> int:
        """Wait for the end; returns the exit code."""
        self.output, self.errors = self.process.communicate(timeout=seconds)
        return self.process.returncode

    def descendants(self) -> dict[int, str]:
        """Everything that is still alive of what this match started, itself excluded: command lines by process."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != self.process.pid:
                with contextlib.suppress(OSError):
                    if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                        found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return found

    def assert_alone(self, seconds: float = 10) -> None:
        """Check that nothing is left behind, allowing a moment for the dying."""
        deadline = time.monotonic() + seconds
        while (left := self.descendants()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left == {}


@pytest.fixture
def start_match(tmp_path: Path) -> Iterator[Callable[..., MatchProcess]]:
    """Start a match in the test's directory; what is left of it is killed at the end."""
    started: list[MatchProcess] = []

    def start(*arguments: str) -> MatchProcess:
        started.append(MatchProcess(tmp_path, arguments))
        return started[-1]

    yield start
    for match in started:
        for pid in (match.process.pid, *match.descendants()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ValueError):
            match.process.communicate()


@pytest.fixture
def run_match(start_match: Callable[..., MatchProcess]) -> Callable[..., MatchProcess]:
    """Play a match to its end; it must leave no process behind."""

    def run(*arguments: str) -> MatchProcess:
        match = start_match(*arguments)
        match.wait()
        match.assert_alone()
        return match

    return run
