"""The gate's decision on reports of real tallies, and the match it asks for."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from protocol.match.record import GameRecord, Termination
from protocol.match.report import data_report
from protocol.match.schedule import Format
from protocol.match.statistics import Sprt
from protocol.match.tables import Tally
from training.duel import Duel, play_pairs, tally
from training.executors import Where
from training.gate import Match, Verdict, command, play, read_report
from training.weights import find


def report(pairs: list[tuple[float, float]], fault: str = "", swapped: bool = False) -> Any:
    """The report of a match in which `new` got these points as White and as Black."""
    tally = Tally(["old", "new"] if swapped else ["new", "old"])
    for pair, points in enumerate(pairs, 1):
        for game, point in enumerate(points, 1):
            white, black = ("new", "old") if game == 1 else ("old", "new")
            mine = {1: "1-0", 0.5: "1/2-1/2", 0: "0-1"}[point if game == 1 else 1 - point]
            termination = Termination.STALL if fault and pair == game == 1 else Termination.NORMAL
            tally.add(
                GameRecord(
                    pair, game, 1, 1, white, black, mine, termination, "", "russian", "", 0, (), 1.0, "",
                    fault=fault if termination is Termination.STALL else "",
                )
            )  # fmt: skip
    data = data_report(tally, title="gate", kind=Format.ROUND_ROBIN)
    return json.loads(json.dumps(data))  # as it comes back from the file


def decide(data: Any, sprt: Sprt | None = None, sure: float = 0.95) -> Verdict:
    return read_report(data, Match("russian", sprt=sprt, sure=sure))


BETTER = [(1, 0.5)] * 30 + [(0.5, 0.5)] * 60 + [(0, 0.5)] * 10
EVEN = [(1, 0)] * 30 + [(0.5, 0.5)] * 20 + [(1, 0.5), (0, 0.5)] * 10
WORSE = [(1 - a, 1 - b) for a, b in BETTER]


def test_fixed_games() -> None:
    better = decide(report(BETTER))
    assert better.accepted
    assert (better.wins, better.draws, better.losses, better.games) == (30, 160, 10, 200)
    assert better.nelo is not None
    assert better.nelo_error is not None
    assert better.nelo - better.nelo_error > 0
    assert better.los > 0.99
    for pairs in (EVEN, WORSE, [(0.5, 0.5)] * 50, [(0, 0)] * 50):
        assert not decide(report(pairs)).accepted
    assert decide(report([(1, 1)] * 5)).accepted  # infinite Elo
    assert "accept" in str(decide(report([(1, 1)] * 5)))
    assert not decide(report(BETTER), sure=0.99999).accepted


def test_the_verdict_is_that_of_the_new_weights_whoever_is_named_first() -> None:
    for pairs in (BETTER, EVEN, WORSE):
        one, other = decide(report(pairs)), decide(report(pairs, swapped=True))
        assert (one.accepted, one.wins, one.losses) == (other.accepted, other.wins, other.losses)
        assert one.nelo == pytest.approx(other.nelo)
        assert one.los == pytest.approx(other.los)


def test_a_sequential_test_is_followed_once_it_has_decided() -> None:
    assert decide(report(BETTER), Sprt(0, 30)).reason == "SPRT accepts H1"
    refused = decide(report(WORSE), Sprt(0, 30))
    assert (refused.accepted, refused.reason) == (False, "SPRT accepts H0")
    undecided = decide(report(BETTER[25:45]), Sprt(0, 1))
    assert undecided.reason.startswith("LOS")


def test_an_engine_that_fails_is_refused() -> None:
    won = [(1, 1)] * 40
    refused = decide(report(won, fault="new"))
    assert not refused.accepted
    assert "fault" in refused.reason
    assert decide(report(won, fault="old")).accepted


def test_the_match_has_the_engines_options(tmp_path: Path) -> None:
    new, old = {"weights-path": "/a b/x.weights"}, {"evaluation": "hand-made"}
    words = command(Match("russian", sprt=Sprt(0, 30)), new, old, tmp_path, Where(3, "tcp://there:8786"))
    engines = [words[i + 1] for i, word in enumerate(words) if word == "--engine"]
    assert "'option.weights-path=/a b/x.weights'" in engines[0]
    assert engines[0].startswith("name=new ")
    assert "option.evaluation=hand-made" in engines[1]
    given = dict(pairwise(words))
    assert given["--tc"] == "movetime=0.02"
    assert given["--sprt"] == "0,30,alpha=0.05,beta=0.05"
    assert (given["--concurrency"], given["--cluster"]) == ("3", "tcp://there:8786")


@pytest.mark.compiled
def test_a_timed_match_is_played_once_and_then_read(tmp_path: Path) -> None:
    match = Match("russian", games=4, movetime=0.002, openings="ply=2", margin=5)
    same = find("russian", "hand-made")
    base = tmp_path / "gates" / "russian-a"
    verdict = play(match, same, same, base, Where(1), quiet=True)
    assert verdict.games == 4
    before = Path(f"{base}.jsonl").read_bytes()
    assert play(match, same, same, base, Where(1), quiet=True) == verdict
    assert Path(f"{base}.jsonl").read_bytes() == before


def test_pairs_are_counted() -> None:
    counted = tally([(1, 1), (1, 0), (0, 0), (1, -1), (0, -1), (-1, -1)])
    assert (counted.wins, counted.draws, counted.losses) == (4, 4, 4)
    assert counted.pairs == (1, 1, 2, 1, 1)
    assert (counted + counted).games == 24


def test_a_duel_of_equals_is_even_and_repeatable() -> None:
    duel = Duel("russian", 60, 1, None, None, cap=80)
    first = play_pairs(duel, 0, 3)
    assert first == play_pairs(duel, 0, 1) + play_pairs(duel, 1, 2)
    assert first.pairs == (0, 0, 3, 0, 0)  # both games of a pair are the same game


@pytest.mark.compiled
def test_a_match_at_nodes(tmp_path: Path) -> None:
    same = find("english", "hand-made")
    verdict = play(Match("english", games=9, nodes=50), same, same, tmp_path / "gate", Where(2))
    assert verdict.games == 10  # whole pairs
    assert not verdict.accepted
    assert json.loads((tmp_path / "gate.verdict").read_text()) == verdict.as_json()


def test_unknown_weights_are_one_clear_error(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "scripts" / "train_gate.py"
    missing = tmp_path / "none.weights"
    run = subprocess.run(
        [sys.executable, str(script), "--variant", "russian", "--new", str(missing), "--old", "hand-made"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("train_gate: ")
    assert "none.weights" in run.stderr
    assert len(run.stderr.splitlines()) == 1
