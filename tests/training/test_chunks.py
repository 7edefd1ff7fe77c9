"""Slices of games: the same bytes again, whole files only, and going on after a kill in the middle."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from training.chunks import CHUNK, EngineError, Slice, play_chunk
from training.play import Settings
from training.records import RecordError, read
from training.weights import find

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "train_games.py"
TINY = Settings(nodes=30, plies=(3, 6), balance=200, cap=60)


def tiny(name: str = "a", seed: int = 1, settings: Settings = TINY) -> Slice:
    return Slice.of("russian", name, seed, settings, find("russian", "hand-made"))


def run(folder: Path, games: int, *more: str) -> subprocess.Popen[str]:
    """The generator on its own, in a process group that can be killed whole."""
    command = [
        *(sys.executable, str(SCRIPT), "--variant", "russian", "--games", str(games), "--nodes", "30"),
        *(
            "--weights",
            "hand-made",
            "--plies",
            "3",
            "6",
            "--balance",
            "200",
            "--cap",
            "60",
            "--out",
            str(folder),
            "--workers",
            "1",
            *more,
        ),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("russian/*.npz"))}


def test_a_chunk_follows_from_its_seed_and_number() -> None:
    work = tiny()
    first = play_chunk(work, 3, 2)
    assert play_chunk(work, 3, 2).data == first.data
    assert play_chunk(work, 4, 2).data != first.data
    assert play_chunk(replace(work, seed=2), 3, 2).data != first.data
    assert play_chunk(replace(work, name="b"), 3, 2).data != first.data
    assert first.counts["games"] == 2


@pytest.mark.compiled
def test_a_killed_run_goes_on_and_makes_the_same_files(tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    out, err = run(whole, 6 * CHUNK).communicate(timeout=120)
    assert json.loads(out)["games"] == 6 * CHUNK, err
    process = run(broken, 6 * CHUNK)
    deadline = time.monotonic() + 60
    while len(contents(broken)) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert 2 <= len(contents(broken)) < 6
    (broken / "russian" / ".a-00005.npz.99").write_bytes(b"half of a file")
    out, err = run(broken, 6 * CHUNK).communicate(timeout=120)
    assert json.loads(out) == {**json.loads(out), "variant": "russian", "games": 6 * CHUNK}, err
    assert contents(broken) == contents(whole)
    assert len(contents(whole)) == 6
    assert not list(broken.glob("russian/.*"))


@pytest.mark.compiled
def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    process = run(tmp_path, 1000 * CHUNK)
    while not contents(tmp_path):
        time.sleep(0.01)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert children
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_a_slice_keeps_its_settings(tmp_path: Path) -> None:
    work = tiny()
    work.claim(tmp_path)
    work.claim(tmp_path)
    with pytest.raises(RecordError, match=r"was made otherwise \(seed\)"):
        replace(work, seed=2).claim(tmp_path)
    with pytest.raises(RecordError, match=r"was made otherwise \(settings, weights\)"):
        replace(tiny(settings=replace(TINY, nodes=31)), weights="else").claim(tmp_path)


def test_what_is_missing(tmp_path: Path) -> None:
    work = tiny()
    work.claim(tmp_path)
    assert work.missing(tmp_path, 3 * CHUNK) == [0, 1, 2]
    assert work.missing(tmp_path, 1) == [0]
    work.file(tmp_path, 1).write_bytes(play_chunk(work, 1, 1).data)
    assert work.missing(tmp_path, 3 * CHUNK) == [0, 2]
    assert work.counts(tmp_path)["games"] == 1
    assert read(work.file(tmp_path, 1)).meta["chunk"] == 1
    assert read(work.file(tmp_path, 1))["game"][0] == CHUNK


def test_another_engine_is_found_out() -> None:
    with pytest.raises(EngineError, match="searches otherwise"):
        play_chunk(replace(tiny(), signature=1), 0, 1)
