"""Endgame databases and the process: nothing waits for a build, and a build does not outlive its process."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine import Position, find_variant
from engine.egdb import Databases

ENDING = Position.from_fen("W:W30,K32:BK22,24", "english").hub()

pytestmark = pytest.mark.compiled


def start(folder: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"DAMIER_EGDB": str(folder)}
    command = [sys.executable, "-m", "protocol", "hub", "--variant=english"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def ask(process: subprocess.Popen[str], line: str, answer: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()
    while not (got := process.stdout.readline()).startswith(answer):
        assert got, f"no {answer}"


def test_databases_are_built_after_ready_and_used(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        ask(process, "hub", "wait")
        ask(process, "init", "ready")
        assert not list(tmp_path.rglob("*.egdb"))
        databases = Databases(find_variant("english"), tmp_path)
        end = time.monotonic() + 120
        while not databases.is_complete(4) or (databases.folder / "building").exists():
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(0.2)
        assert process.stdin is not None
        process.stdin.write(f"pos pos={ENDING}\nlevel depth=4\n")
        ask(process, "go think", "done move=32-28")
        process.stdin.write("quit\n")
        process.stdin.flush()
    assert process.returncode == 0


def test_quit_does_not_wait_for_a_build(tmp_path: Path) -> None:
    for delay in (0.0, 0.4, 0.8):
        with start(tmp_path) as process:
            ask(process, "hub", "wait")
            ask(process, "init", "ready")
            time.sleep(delay)
            assert process.stdin is not None
            process.stdin.write("quit\n")
            process.stdin.flush()
            assert process.wait(timeout=60) == 0
    for one, file in Databases(find_variant("english"), tmp_path).found():
        file.check()
        assert file.header.positions > 0, one
