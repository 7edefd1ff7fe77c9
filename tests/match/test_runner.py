"""Whole matches with well-behaved engines: results, files, formats, stop rules, interrupts and resuming."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.pdn_reader import read_games
from engine.pdn_replay import replay
from protocol.match.journal import read_journal
from protocol.match.record import GameRecord, Termination

Run = Callable[..., Any]
Mock = Callable[..., str]
QUICK = ("--tc", "movetime=1", "--margin", "5", "--balance", "off")
SIX = ("international", "frisian", "frysk", "killer", "breakthrough", "losing")


def played(path: Path) -> dict[tuple[int, int], GameRecord]:
    content, _ = read_journal(path)
    assert content is not None
    return content.records


def games(records: dict[tuple[int, int], GameRecord]) -> dict[tuple[int, int], tuple[Any, ...]]:
    """What must be the same when a match is played twice with engines that do not depend on time."""
    return {
        key: (r.white, r.black, r.opening, r.result, r.reason, [m.move for m in r.moves]) for key, r in records.items()
    }


@pytest.mark.parametrize("variant", SIX)
def test_each_variant(run_match: Run, mock_engine: Mock, tmp_path: Path, variant: str) -> None:
    match = run_match(
        "--variant", variant, "--engine", mock_engine("A"), "--engine", mock_engine("B", "good", "seed=2"),
        "--games", "2", "--journal", "j", "--pdn", "games.pdn", "--max-plies", "300", *QUICK,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    records = played(tmp_path / "j")
    assert sorted(records) == [(1, 1), (1, 2)]
    assert all(record.termination in (Termination.NORMAL, Termination.ADJUDICATION) for record in records.values())
    first, second = (records[1, game] for game in (1, 2))
    assert (first.white, first.black, second.white, second.black) == ("A", "B", "B", "A")
    assert first.opening == second.opening
    assert [m.move for m in first.moves[:2]] == [m.move for m in second.moves[:2]]
    found = list(read_games(tmp_path / "games.pdn"))
    assert len(found) == 2
    for game, record in zip(found, (first, second), strict=True):
        done = replay(game)
        assert done.complete
        assert not done.faults
        assert done.rules is not None
        assert done.rules.name == variant
        assert done.game is not None
        assert [move.hub() for move in done.game.moves] == [move.move for move in record.moves]
        assert done.result(game) == record.result
        assert game.tag("Round") == f"{record.pair}.{record.game}"
        assert game.tag("OpeningIndex") == str(record.opening)
        assert game.tag("Termination") == str(record.termination)


def test_equal_engines_are_equal(run_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    """The same player on both sides wins each opening with the same colour twice: every pair is 1-1."""
    match = run_match(
        "--engine", mock_engine("A"), "--engine", mock_engine("B"), "--games", "6", "--max-plies", "80",
        "--report", "report.json", "--concurrency", "2", *QUICK,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    (meeting,) = json.loads((tmp_path / "report.json").read_text())["meetings"]
    assert meeting["pairs"] == [0, 0, 3, 0, 0]
    assert meeting["trinomial"]["elo"]["value"] == 0.0


@pytest.mark.parametrize(("loser", "decision"), [("A", "H0"), ("B", "H1")])
def test_sequential_test_stops_the_match(
    run_match: Run, mock_engine: Mock, tmp_path: Path, loser: str, decision: str
) -> None:
    engines = [mock_engine(name, "no-move" if name == loser else "good", at=0) for name in "AB"]
    match = run_match(
        "--engine", engines[0], "--engine", engines[1], "--games", "1000", "--sprt", "0,200", "--concurrency", "1",
        "--report", "report.json", *QUICK,
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["meetings"][0]["sprt"]["decision"] == decision
    assert report["games"] < 40
    assert f"{decision} accepted" in match.output


def test_scores_adjudicate(run_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    drawn = run_match(
        "--engine", mock_engine("A"), "--engine", mock_engine("B"), "--draw", "move=5,count=3,score=0.1",
        "--journal", "drawn", *QUICK,
    )  # fmt: skip
    assert drawn.process.returncode == 0, drawn.errors
    for record in played(tmp_path / "drawn").values():
        assert (record.termination, record.result, record.plies) == (Termination.ADJUDICATION, "1/2-1/2", 9)
    resigned = run_match(
        "--engine", mock_engine("A", "good", "score=-7"), "--engine", mock_engine("B", "good", "score=7"),
        "--resign", "count=3,score=6,two-sided", "--journal", "resigned", *QUICK,
    )  # fmt: skip
    assert resigned.process.returncode == 0, resigned.errors
    for record in played(tmp_path / "resigned").values():
        assert record.termination is Termination.ADJUDICATION
        assert not record.fault
        assert record.score_of("B") == 1.0
        assert record.plies in (2 + 5, 2 + 6)


def test_round_robin_and_swiss_from_toml(run_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    for kind, wanted in (("round-robin", 12), ("swiss", 8), ("gauntlet", 6)):
        rounds = "rounds = 2\n" if kind == "swiss" else ""
        (tmp_path / "match.toml").write_text(
            f'format = "{kind}"\n{rounds}games = 2\ntc = "movetime=1"\nbalance = "off"\nmax-plies = 40\n'
            f'report = "{kind}.json"\npdn = "{kind}.pdn"\npdn-order = "schedule"\n'
        )
        engines = [word for i in range(4) for word in ("--engine", mock_engine(f"E{i}", "good", f"seed={i}"))]
        match = run_match("match.toml", *engines)
        assert match.process.returncode == 0, match.errors
        report = json.loads((tmp_path / f"{kind}.json").read_text())
        assert report["games"] == wanted
        assert sum(row["points"] for row in report["standings"]) == wanted
        written = re.findall(r'\[Round "(\d+)\.(\d)"\]', (tmp_path / f"{kind}.pdn").read_text())
        assert written == sorted(written, key=lambda r: (int(r[0]), r[1]))
        assert len(written) == wanted


def test_clock_is_told_without_the_increment(run_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    match = run_match(
        "--engine", mock_engine("A", "good", "tc=5+0.5", "log=a.log"),
        "--engine", mock_engine("B", "good", "depth=2", "log=b.log"),
        "--openings", "start", "--max-plies", "4", "--balance", "off",
    )  # fmt: skip
    assert match.process.returncode == 0, match.errors
    first, second, *_ = (tmp_path / "a.log").read_text().splitlines()
    assert first == "level time=5 inc=0.5"
    found = re.fullmatch(r"level time=([0-9.]+) inc=0.5", second)
    assert found is not None
    assert 5.3 < float(found[1]) < 5.5
    assert set((tmp_path / "b.log").read_text().splitlines()) == {"level depth=2"}


# ------------------------------------------------------------------------------------------ stopping
def wait_for_lines(path: Path, count: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def slow_match(mock_engine: Mock, *more: str) -> list[str]:
    return [
        "--engine", mock_engine("A", "good", "delay=0.004"),
        "--engine", mock_engine("B", "good", "seed=2", "delay=0.004"),
        "--games", "16", "--concurrency", "2", "--max-plies", "40",
        "--journal", "j", "--pdn", "games.pdn", *QUICK, *more,
    ]  # fmt: skip


def test_killed_ten_times_and_resumed(start_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    """SIGKILL in the middle, again and again: in the end the same games as without, none lost, none twice."""
    for kill in range(10):
        match = start_match(*slow_match(mock_engine, *(["--resume"] if kill else [])))
        before = (tmp_path / "j").read_bytes().count(b"\n") if kill else 0
        wait_for_lines(tmp_path / "j", min(max(before + 1, 2), 17))  # the settings and 16 games
        time.sleep(0.02 * kill)
        match.process.kill()
        match.wait()
        match.assert_alone()
        if kill % 3 == 1:  # the writer may have died inside a line, too
            with (tmp_path / "j").open("ab") as file:
                file.write(b'{"type":"game","pair":99')
    match = start_match(*slow_match(mock_engine, "--resume"))
    assert match.wait() == 0, match.errors
    match.assert_alone()
    lines = [json.loads(line) for line in (tmp_path / "j").read_text().splitlines()]
    keys = Counter((line["pair"], line["game"]) for line in lines if line["type"] == "game")
    assert keys == {(pair, game): 1 for pair in range(1, 9) for game in (1, 2)}
    rounds = Counter(re.findall(r'\[Round "(.*)"\]', (tmp_path / "games.pdn").read_text()))
    assert rounds == {f"{pair}.{game}": 1 for pair, game in keys}

    (tmp_path / "whole").mkdir()
    whole = start_match(*slow_match(mock_engine, "--journal", "whole/j", "--pdn", "whole/games.pdn"))
    assert whole.wait() == 0, whole.errors
    assert games(played(tmp_path / "j")) == games(played(tmp_path / "whole" / "j"))


def test_half_a_pair_is_completed_by_its_missing_game(start_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    arguments = slow_match(mock_engine, "--games", "2")
    first = start_match(*arguments)
    wait_for_lines(tmp_path / "j", 2)
    first.process.kill()
    first.wait()
    before = played(tmp_path / "j")
    assert list(before) == [(1, 1)]
    second = start_match(*arguments, "--resume")
    assert second.wait() == 0, second.errors
    assert "1 games are in the journal already" in second.output
    after = played(tmp_path / "j")
    assert list(after) == [(1, 1), (1, 2)]
    assert after[1, 1] == before[1, 1]


def test_first_interrupt_finishes_games(start_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    match = start_match(*slow_match(mock_engine))
    wait_for_lines(tmp_path / "j", 2)
    match.process.send_signal(signal.SIGINT)
    assert match.wait(60) == 3
    match.assert_alone()
    records = played(tmp_path / "j")
    assert 1 <= len(records) < 16
    assert all(record.termination is not Termination.INTERRUPT for record in records.values())
    again = start_match(*slow_match(mock_engine, "--resume"))
    assert again.wait() == 0, again.errors
    assert len(played(tmp_path / "j")) == 16


def test_second_interrupt_breaks_games_off(start_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    slow = ["--engine", mock_engine("A", "good", "delay=0.5"), "--engine", mock_engine("B", "good", "delay=0.5")]
    match = start_match(*slow, "--journal", "j", *QUICK)
    wait_for_lines(tmp_path / "j", 1)
    time.sleep(1.0)
    for _ in range(2):
        match.process.send_signal(signal.SIGINT)
        time.sleep(0.4)
    assert match.wait(60) == 3
    match.assert_alone()
    assert played(tmp_path / "j") == {}


def test_killed_worker_loses_no_game(start_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    match = start_match(*slow_match(mock_engine))
    wait_for_lines(tmp_path / "j", 3)
    workers = [pid for pid, line in match.descendants().items() if "multiprocessing" in line and "spawn_main" in line]
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    assert match.wait() == 0, match.errors
    match.assert_alone()
    assert "it is given out again" in match.output
    assert len(played(tmp_path / "j")) == 16
    lines = (tmp_path / "j").read_bytes().splitlines()
    assert len(lines) == 17


# ------------------------------------------------------------------------------------------ refusals
def test_two_matches_never_share_a_file(start_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    first = start_match(*slow_match(mock_engine))
    wait_for_lines(tmp_path / "j", 1)
    for files in (("--journal", "j"), ("--pdn", "games.pdn"), ("--report", "games.pdn")):
        second = start_match("--engine", mock_engine("A"), "--engine", mock_engine("B"), *files, *QUICK)
        assert second.wait() == 1
        assert f"{files[1]}: another match is writing this file" in second.errors
    assert first.process.poll() is None


def test_files_are_not_overwritten_and_settings_are_kept(run_match: Run, mock_engine: Mock, tmp_path: Path) -> None:
    engines = ("--engine", mock_engine("A"), "--engine", mock_engine("B"))
    short = ("--max-plies", "10", "--journal", "j", *QUICK)
    assert run_match(*engines, *short).process.returncode == 0
    before = (tmp_path / "j").read_bytes()
    again = run_match(*engines, *short)
    assert again.process.returncode == 1
    assert "j: the file exists already; --resume goes on with it, --overwrite replaces it" in again.errors
    other = run_match(*engines, *short, "--resume", "--games", "4")
    assert other.process.returncode == 1
    assert "other settings (games)" in other.errors
    assert (tmp_path / "j").read_bytes() == before
    forced = run_match(*engines, *short, "--resume", "--games", "4", "--force")
    assert forced.process.returncode == 0, forced.errors
    assert len(played(tmp_path / "j")) == 4
    done = run_match(*engines, *short, "--resume", "--games", "4")
    assert done.process.returncode == 0
    assert "4 games are in the journal already" in done.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--no-such-option"], "unrecognized arguments: --no-such-option"),
        ([], "a match needs at least two engines"),
        (["--games", "x"], "--games: must be a whole number"),
        (["none.toml"], "none.toml: No such file"),
    ],
)
def test_wrong_use_exits_with_1(run_match: Run, arguments: list[str], text: str) -> None:
    match = run_match(*arguments)
    assert match.process.returncode == 1
    assert text in match.errors
    assert len(match.errors.splitlines()) == 1
