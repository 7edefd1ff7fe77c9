"""A short run of the fuzzer; the long one is `python scripts/fuzz_protocols.py` with a large --count."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize("protocol", ["hub", "hub1", "uci", "dxp"])
@pytest.mark.parametrize(("where", "count"), [([], 4000), (["--process"], 1000)])
def test_no_input_breaks_a_protocol(protocol: str, where: list[str], count: int) -> None:
    command = [
        sys.executable,
        str(SCRIPTS / "fuzz_protocols.py"),
        protocol,
        *where,
        "--count",
        str(count),
        "--seed",
        "7",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    figures = json.loads(done.stdout)
    assert figures["count"] == count
    assert "fault" not in figures


def test_memory_may_grow_as_far_as_was_said() -> None:
    command = [sys.executable, str(SCRIPTS / "fuzz_protocols.py"), "hub1", "--count", "40", "--growth=-1e6"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["fault"].startswith("memory grew by")


def test_seeds_of_the_guided_fuzzer_pass(tmp_path: Path) -> None:
    targets = ["fen", "moves", "pdn", "hub", "hub1", "uci", "dxp"]
    command = [sys.executable, str(SCRIPTS / "fuzz_coverage.py"), *targets, "--replay", "--corpus", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    figures = [json.loads(line) for line in done.stdout.splitlines()]
    assert [figure["target"] for figure in figures] == targets
    assert all(figure["replayed"] > 10 for figure in figures)
