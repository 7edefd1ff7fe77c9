"""Games made on a Dask scheduler with two workers are those made here, bit for bit."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "train_games.py"
HOST = ROOT / "tests" / "match" / "cluster_host.py"


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """The address of a running cluster whose workers know the engine, not the scripts."""
    with (tmp_path / "cluster.log").open("wb") as log:
        host = subprocess.Popen(
            [sys.executable, str(HOST)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert host.stdout is not None
    yield host.stdout.readline().split()[0]
    host.communicate("", timeout=60)


def generate(out: Path, *more: str) -> dict[str, object]:
    command = [
        *(sys.executable, str(SCRIPT), "--variant", "english", "--weights", "hand-made", "--games", "300"),
        *("--nodes", "20", "--cap", "40", "--out", str(out), *more),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert run.returncode == 0, run.stderr
    found: dict[str, object] = json.loads(run.stdout)
    return found


@pytest.mark.compiled
def test_the_same_games_on_a_cluster(scheduler: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert generate(here) == generate(there, "--cluster", scheduler)
    files = sorted(path.name for path in (here / "english").glob("*.npz"))
    assert files == [f"a-{number:05}.npz" for number in range(3)]
    for name in files:
        assert (here / "english" / name).read_bytes() == (there / "english" / name).read_bytes()


def test_nobody_at_the_address(tmp_path: Path) -> None:
    command = [*(sys.executable, str(SCRIPT), "--variant", "english", "--weights", "hand-made", "--games", "100")]
    command += ["--out", str(tmp_path), "--cluster", "tcp://127.0.0.1:9"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode != 0
    assert run.stderr.splitlines()[-1].startswith("cluster tcp://127.0.0.1:9: ")
