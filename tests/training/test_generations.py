"""Whole generations: the log and what follows from it, and a tiny one from games to gate."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engine import VARIANTS, pattern_weights
from engine.errors import WeightsError
from engine.params import HAND_MADE
from training.generations import Log, Places, slice_name, table
from training.weights import find, owners

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def line(variant: str, generation: int, accepted: bool, weights: str = "") -> dict[str, Any]:
    gate = {"accepted": accepted, "wins": 3, "draws": 2, "losses": 1, "nelo": None, "nelo_error": None}
    return {
        "variant": variant,
        "generation": generation,
        "weights": weights,
        "games": {"games": 100, "positions": 5000},
        "fit": {"train_loss": 0.51, "heldout_loss": 0.52},
        "gate": gate,
        "seconds": {"games": 1800.0, "fit": 1800.0, "gate": 0.0},
    }


def test_slices_are_named_by_letters() -> None:
    assert [slice_name(n) for n in (1, 2, 26, 27, 28, 53)] == ["a", "b", "z", "aa", "ab", "ba"]


def test_the_log_counts_generations(tmp_path: Path) -> None:
    log = Log(tmp_path / "generations.jsonl")
    assert log.next_generation("russian") == 1
    log.add(line("russian", 1, True))
    log.add(line("english", 1, False))
    again = Log(log.path)
    assert again.lines == log.lines
    assert (again.next_generation("russian"), again.next_generation("pool")) == (2, 1)


def test_a_line_cut_short_is_made_again(tmp_path: Path) -> None:
    log = Log(tmp_path / "generations.jsonl")
    log.add(line("russian", 1, True))
    whole = log.path.read_bytes()
    log.path.write_bytes(whole + b'{"variant": "russian", "gen')
    again = Log(log.path)
    assert len(again.lines) == 1
    again.add(line("russian", 2, False))
    assert log.path.read_bytes().startswith(whole)
    assert [found["generation"] for found in Log(log.path).lines] == [1, 2]


def test_the_weights_accepted_last_are_in_use(tmp_path: Path) -> None:
    log = Log(tmp_path / "generations.jsonl")
    assert log.in_use("russian", HAND_MADE).file is None
    assert log.in_use("russian", HAND_MADE).options == {"evaluation": "hand-made"}
    log.add(line("russian", 1, False, "weights/russian/a.weights"))
    assert log.in_use("russian", HAND_MADE).checksum == HAND_MADE
    log.add(line("russian", 2, True, "weights/russian/b.weights"))
    with pytest.raises(WeightsError, match=r"b\.weights"):  # named, and not there
        log.in_use("russian", HAND_MADE)


def test_variants_that_share_weights_are_trained_once() -> None:
    found = owners([*VARIANTS])
    files = [pattern_weights.file_name(VARIANTS[name]) for name in found]
    assert len(set(files)) == len(files)
    assert set(files) == {pattern_weights.file_name(rules) for rules in VARIANTS.values()}


def test_the_table_shows_each_generation(tmp_path: Path) -> None:
    console = Console(width=140, record=True, file=(tmp_path / "out").open("w"))
    console.print(table([line("russian", 1, True), line("english", 1, False)]))
    console.file.close()
    text = console.export_text()
    assert "1.00" in text  # hours
    assert text.count("0.5200") == 2
    assert "accepted" in text
    assert "rejected" in text


def train(out: Path, *more: str) -> subprocess.Popen[str]:
    command = [
        *(sys.executable, str(SCRIPTS / "train_generation.py"), "--variant", "english", "--out", str(out)),
        *("--begin", "hand-made", "--games", "100", "--nodes", "50", "--workers", "1", "--quiet"),
        *("--gate-games", "4", "--gate-nodes", "100", "--gate-openings", "ply=2", *more),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.compiled
@pytest.mark.slow
def test_a_tiny_generation(tmp_path: Path) -> None:
    places = Places(tmp_path)
    process = train(tmp_path)
    deadline = time.monotonic() + 120
    while not list(places.games.glob("english/*.npz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)  # somewhere after the games
    process.communicate()
    process = train(tmp_path)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    (done,) = Log(places.log).lines
    assert done["generation"] == 1
    assert done["games"]["games"] == 100
    assert done["games"]["positions"] > 1000
    assert 0 < done["fit"]["heldout_loss"] < 2
    assert done["gate"]["games"] == 4
    assert set(done["seconds"]) == {"games", "fit", "gate"}
    source = find("english", str(tmp_path / done["weights"]))
    assert source.checksum == done["checksum"]
    before = places.log.read_bytes()
    process = train(tmp_path)  # there is nothing left to do
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert places.log.read_bytes() == before
    process = train(tmp_path, "--generations", "2")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    first, second = Log(places.log).lines
    assert (first, second["generation"]) == (done, 2)
    assert second["before"] == (first["checksum"] if first["gate"]["accepted"] else HAND_MADE)
    assert json.loads((places.games / "english" / "b.json").read_text())["weights"] == second["before"]
