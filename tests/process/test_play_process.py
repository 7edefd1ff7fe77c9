"""`damier play` as a process without a terminal: whole games through a pipe, and every way to leave."""

import random
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from tests.process.peer import Peer, run

END = re.compile(r"(?:White wins|Black wins|Draw): .+\.")


def play_out(peer: Peer, seed: int) -> str:
    """Play random moves until the game is over; what is said then."""
    chance = random.Random(seed)
    for _ in range(400):
        peer.send("moves", "level")
        seen = peer.expect("Level ")
        if ends := [line for line in seen if END.fullmatch(line)]:
            return ends[0]
        names = next(line for line in seen if re.match(r"\d+ moves: ", line)).split(": ", 1)[1].split()
        peer.send(chance.choice(names))
    raise AssertionError("no end")


@pytest.mark.parametrize("variant", ["russian", "english", "frisian", "turkish", "losing", "thai", "canadian"])
def test_a_whole_game(variant: str, tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    arguments = (
        "play",
        variant,
        "--strength",
        "2",
        "--time",
        "0.02",
        "--pdn",
        str(file),
        "--tt-size=12",
        "--bb-size=0",
    )
    with Peer(*arguments, "--move-limit=160") as peer:
        end = play_out(peer, seed=len(variant))
        peer.send("quit")
        assert peer.ended() == (0, "")
        assert any(line.startswith("The engine plays ") for line in peer.lines)
    [game] = read_games(file)
    done = replay(game)
    assert not game.errors
    assert done.complete
    result = done.result(game)
    assert {"White": "1-0", "Black": "0-1", "Draw:": "1/2-1/2"}[end.split()[0]] == result


def test_the_end_of_input_ends_the_program_and_keeps_the_game(tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    done = run("play", "russian", "--time", "0.05", "--pdn", str(file), text="c3-d4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "> c3-d4\nThe engine plays " in done.stdout
    assert "\x1b" not in done.stdout
    [game] = read_games(file)
    assert len(game.moves) == 2
    assert game.result == "*"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("thinking", [False, True])
def test_signals_keep_the_game(number: signal.Signals, thinking: bool, tmp_path: Path) -> None:
    file = tmp_path / "games.pdn"
    fen = "B:W29-32:B1-4"  # nobody is without a choice for some moves
    with Peer("play", "english", "--fen", fen, "--strength", "20", "--time", "0.05", "--pdn", str(file)) as peer:
        peer.send("1-5", "level")
        peer.expect("Level ")
        if thinking:
            peer.send("moves", "time 600", "level")
            [moves] = [line for line in peer.expect("Level ") if re.match(r"\d+ moves: ", line)]
            peer.send(moves.split()[-1], "moves")
            peer.expect("> ")
            time.sleep(0.3)
        peer.process.send_signal(number)
        code, errors = peer.ended()
    assert (code, errors) == (128 + number, "")
    [game] = read_games(file)
    assert len(game.moves) == (3 if thinking else 2)
    assert replay(game).complete


def test_bytes_that_are_no_text_are_refused_like_any_other_nonsense() -> None:
    with Peer("play", "russian", "--time", "0.05") as peer:
        peer.write(b"\xff\xfe\x00\nc3-d4\nlevel\n")
        seen = peer.expect("Level ")
        assert any("not a move" in line for line in seen)
        assert any(line.startswith("The engine plays ") for line in seen)
        peer.stdin.close()
        assert peer.ended() == (0, "")


def test_rules_and_position_of_ones_own() -> None:
    done = run(
        "play", "english", "--mandatory-capture=false", "--fen", "B:W22,30:B18,1", "--time", "0.05", text="1-5\nfen\n"
    )
    assert done.returncode == 0
    assert "The engine plays" in done.stdout
    assert "you must capture" not in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("atlantis",),
        ("russian", "--fen", "nonsense"),
        ("russian", "--strength", "21"),
        ("russian", "--time", "0"),
        ("russian", "--color", "red"),
        ("russian", "--pdn", "/no/such/folder/games.pdn"),
        ("russian", "--nonsense=1"),
        ("russian", "--threads=x"),
    ],
)
def test_wrong_use_is_one_line(arguments: tuple[str, ...]) -> None:
    done = run("play", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
