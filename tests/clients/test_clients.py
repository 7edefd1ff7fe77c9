"""Real Hub clients, each in an environment of its own, play whole games against damier.

They need the network once, so they are slow tests: `pytest -m slow tests/clients`. DAMIER_CLIENT_GAMES says how
many games each of them plays in each variant (default 1).
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.pdn_reader import read_games
from engine.pdn_replay import replay

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
GAMES = int(os.environ.get("DAMIER_CLIENT_GAMES", "1"))
SHARED = ("english", "italian", "russian", "brazilian", "international")

pytestmark = [pytest.mark.slow, pytest.mark.compiled]


def damier() -> str:
    """The command installed beside this interpreter."""
    return str(Path(sys.executable).with_name("damier"))


def run_script(name: str, script: Path, *arguments: object) -> list[str]:
    """Run a script in a client's environment; returns the lines that it printed."""
    listing = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "client_envs.py"), name],
        check=True,
        capture_output=True,
        text=True,
    )
    python = listing.stdout.split()[-1]
    command = [python, str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120 + 60 * GAMES)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def run_client(name: str, script: str, *arguments: object) -> dict[str, Any]:
    """Run one of the scripts here and take its JSON answer."""
    answer: dict[str, Any] = json.loads(run_script(name, HERE / script, *arguments)[-1])
    return answer


def check_games(games: list[dict[str, Any]], count: int) -> None:
    assert [game["error"] for game in games if "error" in game] == []
    assert len(games) == count
    assert all(game["plies"] > 10 for game in games)


@pytest.mark.parametrize(
    ("client", "arguments"),
    [
        ("pydraughts-0.5.7", ("russian", "0.02")),
        ("pydraughts-0.6.7", ("russian", "0.02")),
        ("py-draughts-1.10.1", ("0.02",)),
    ],
)
def test_the_example_plays_a_game(client: str, arguments: tuple[str, ...]) -> None:
    script = ROOT / "examples" / client.rpartition("-")[0] / "play.py"
    moves, result = run_script(client, script, damier(), *arguments)[-2:]
    assert len(moves.split()) > 20
    assert result.startswith(f"{len(moves.split())} moves")


@pytest.mark.parametrize("variant", SHARED)
@pytest.mark.parametrize("client", ["pydraughts-0.5.7", "pydraughts-0.6.7"])
def test_pydraughts_plays_whole_games(client: str, variant: str) -> None:
    """Two random plies first: 0.6.7 numbers squares in its own way, which shows only in the moves."""
    answer = run_client(client, "play_pydraughts.py", damier(), variant, GAMES, 1, 2)
    assert client.endswith(answer["version"])
    check_games(answer["games"], GAMES)
    assert answer["exit_codes"] == [0, 0]


@pytest.mark.parametrize("variant", ["frisian", "frysk", "turkish", "breakthrough", "losing"])
def test_pydraughts_plays_its_other_variants(variant: str) -> None:
    answer = run_client("pydraughts-0.6.7", "play_pydraughts.py", damier(), variant, GAMES, 1, 2)
    check_games(answer["games"], GAMES)
    assert answer["exit_codes"] == [0, 0]


@pytest.mark.parametrize(
    ("client", "variant", "parameters"),
    [
        ("pydraughts-0.5.7", "english", []),
        ("pydraughts-0.5.7", "russian", []),
        ("pydraughts-0.6.7", "russian", ["square-order=pdn"]),
        ("pydraughts-0.6.7", "brazilian", ["square-order=pdn"]),
        ("pydraughts-0.6.7", "english", ["square-order=pdn"]),
        ("pydraughts-0.6.7", "international", []),
    ],
)
def test_pydraughts_plays_from_the_start(client: str, variant: str, parameters: list[str]) -> None:
    answer = run_client(client, "play_pydraughts.py", damier(), variant, 1, 1, 0, *parameters)
    check_games(answer["games"], 1)


def test_py_draughts_shakes_hands_twenty_times_and_plays() -> None:
    answer = run_client("py-draughts-1.10.1", "play_py_draughts.py", damier(), 20, GAMES, 1, 4)
    assert len(answer["handshakes"]) == 20
    assert all(answer["handshakes"])
    check_games(answer["games"], GAMES)


@pytest.mark.parametrize(
    ("role", "variant"),
    [("server", "international"), ("client", "international"), ("server", "frisian"), ("server", "breakthrough")],
)
def test_pydraughts_plays_over_dxp(role: str, variant: str) -> None:
    """Both colours, take-backs when damier is White; pydraughts leaves with a GAMEEND that damier answers."""
    games = max(2, GAMES)
    answer = run_client("pydraughts-0.6.7", "play_dxp_pydraughts.py", damier(), role, variant, games, 1)
    check_games(answer["games"], games)
    assert [game["taken_back"] for game in answer["games"]] == [bool(number % 2) for number in range(games)]
    if role == "client":
        assert [game["exit_code"] for game in answer["games"]] == [0] * games


def test_pydraughts_runs_a_tournament_of_four(tmp_path: Path) -> None:
    """Each of the four meets each other; every game is played to its end by legal moves."""
    pdn = tmp_path / "tournament.pdn"
    answer = run_client("pydraughts-0.6.7", "tournament_pydraughts.py", damier(), pdn, 0.3, 0.01, 1)
    assert len(answer["scores"]) == 4
    assert sum(answer["scores"]) == 2 * 6
    assert [sum(counts) for counts in answer["results"]] == [3, 3, 3, 3]
    games = list(read_games(pdn))
    assert len(games) == 6
    for game in games:
        done = replay(game)
        assert done.complete, done.faults
        assert done.game is not None
        assert done.game.outcome is not None or done.plies == 300


@pytest.mark.parametrize("variant", ["standard", "russian", "english"])
@pytest.mark.parametrize("client", ["pydraughts-0.5.7", "pydraughts-0.6.7"])
def test_the_example_for_pydraughts_plays_a_game(client: str, variant: str) -> None:
    listing = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "client_envs.py"), client], check=True, capture_output=True, text=True
    )
    example = ROOT / "examples" / "pydraughts" / "play.py"
    command = [listing.stdout.split()[-1], str(example), damier(), variant, "0.02"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    moves, result = done.stdout.splitlines()[-2:]
    assert result.startswith(f"{len(moves.split())} moves, ")
    assert len(moves.split()) > 10


@pytest.mark.parametrize("variant", ["international", "russian", "english"])
def test_python_chess_drives_the_uci_dialect(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Play with pondering, options, analysis with and without an end."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the referee
    answer = run_client("python-chess-1.11.2", "play_python_chess.py", damier(), variant, 60)
    assert answer["errors"] == []
    assert answer["plies"] >= 20
    assert answer["pondered"] > 5
    assert answer["depth"] == 5
    assert (answer["pv"] > 0) == (variant != "international")  # python-chess knows coordinates alone
    assert answer["name"].startswith("damier ")
    assert {"Hash", "Threads", "UCI_Variant", "UCI_MoveFormat"} <= set(answer["options"])
