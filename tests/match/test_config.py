"""Command line and TOML become the same configuration, and what is wrong is refused with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from protocol.match.clock import TimeControl
from protocol.match.config import ConfigError, load_config
from protocol.match.schedule import Format
from protocol.match.statistics import Model, Sprt

ENGINES = ['name=A cmd="damier hub" threads=2 env.HOME=/nowhere', "name=B cmd='scan hub' depth=2 book=false"]
GIVEN: dict[str, Any] = {"engine": ENGINES, "tc": "movetime=0.1", "games": "20"}

TOML = """
variant = "Russian"
tc = "5+0.05"
games = 20
sprt = { elo0 = 0, elo1 = 10, model = "logistic" }
draw = "move=30,count=4,score=0.1"
max-plies = 200
balance = 0.5
rule = { repetition = 4 }

[[engine]]
name = "A"
cmd = ["damier", "hub"]
threads = 2

[[engine]]
cmd = "scan hub"
nodes = 1000
[engine.option]
book = false
[engine.env]
X = 1
"""


def test_command_line() -> None:
    config = load_config(GIVEN)
    first, second = config.engines
    assert first.command == ("damier", "hub")
    assert first.options == {"threads": "2"}
    assert first.environment == {"HOME": "/nowhere"}
    assert first.control == TimeControl(move_time=0.1)
    assert second.control == TimeControl(depth=2)
    assert second.options == {"book": "false"}
    assert config.games == 20
    assert config.threads == 2
    assert config.rules.name == "international"


def test_toml_file(tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text(TOML)
    config = load_config({}, file)
    assert config.rules.name == "russian"
    assert config.rules.repetition == 4
    assert config.sprt == Sprt(0, 10, model=Model.LOGISTIC)
    assert config.adjudication.max_plies == 200
    assert config.adjudication.draw is not None
    assert config.openings.balance == 50
    first, second = config.engines
    assert (first.name, first.command, first.options) == ("A", ("damier", "hub"), {"threads": "2"})
    assert (second.name, second.control) == ("scan", TimeControl(nodes=1000))
    assert (second.options, second.environment) == ({"book": "false"}, {"X": "1"})


def test_command_line_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text(TOML)
    config = load_config({"games": "40", "variant": None, "engine": [], "resume": False}, file)
    assert config.games == 40
    assert config.rules.name == "russian"


def test_settings_decide_identity(tmp_path: Path) -> None:
    book = tmp_path / "book.fen"
    book.write_text("W:W31:B20\n")
    same = load_config({**GIVEN, "concurrency": "3", "pdn": str(tmp_path / "x.pdn"), "cluster": "tcp://x:1"})
    assert same.settings() == load_config(GIVEN).settings()
    for change in ({"games": "22"}, {"tc": "movetime=0.2"}, {"seed": "2"}, {"max-plies": "9"}, {"margin": "0.1"}):
        assert load_config({**GIVEN, **change}).settings() != load_config(GIVEN).settings()
    before = load_config({**GIVEN, "openings": str(book)}).settings()
    book.write_text("W:W32:B20\n")
    assert load_config({**GIVEN, "openings": str(book)}).settings() != before


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"variant": "ludo"}, "--variant: "),
        ({"games": "3"}, "--games: games must be an even number"),
        ({"games": "many"}, "--games: must be a whole number"),
        ({"tc": "fast"}, "--tc: time control 'fast': cannot read 'fast'"),
        ({"sprt": "5,0"}, "--sprt: SPRT needs elo0 < elo1"),
        ({"sprt": "5"}, "--sprt: needs both bounds"),
        ({"sprt": "0,5,model=guess"}, "--sprt: must be one of logistic, normalized"),
        ({"openings": "nowhere.pdn"}, "--openings: there is no file 'nowhere.pdn'"),
        ({"openings": "ply=x"}, "--openings: must be a whole number"),
        ({"balance": "much"}, "--balance: must be a score in men or `off`"),
        ({"draw": "depth=3"}, "--draw: draw rule"),
        ({"concurrency": "0"}, "--concurrency: must be a whole number of at least 1"),
        ({"margin": "-1"}, "--margin: must be a number of seconds"),
        ({"format": "knockout"}, "--format: must be one of round-robin, gauntlet, swiss"),
        ({"rounds": "3"}, "--rounds: only a Swiss tournament has rounds"),
        ({"seeds": "1"}, "--seeds: only a gauntlet has seeds"),
        ({"resume": True}, "--resume: there is nothing to resume"),
        ({"pdn": "/no/such/directory/x.pdn"}, "--pdn: there is no directory"),
        ({"pdn": "x", "journal": "x"}, "must be different files"),
        ({"rule": ["repetition=often"]}, "--rule: "),
        ({"rule": ["repetition"]}, "--rule: must be NAME=VALUE"),
        ({"engine": ENGINES[:1]}, "--engine: a match needs at least two engines, got 1"),
        ({"engine": [*ENGINES, ENGINES[0]]}, "--engine 3: the name 'A' is taken"),
        ({"engine": [*ENGINES, "name=C"]}, "--engine 3: the key cmd is missing"),
        ({"engine": [*ENGINES, "name=C cmd='x"]}, "--engine 3: cannot read"),
        ({"engine": [*ENGINES, "name=C cmd=x hash"]}, "--engine 3: 'hash' is not NAME=VALUE"),
        ({"engine": [*ENGINES, "name=C cmd=x name=D"]}, "--engine 3: name is given twice"),
        ({"engine": [*ENGINES, "name=C cmd=x protocol=xboard"]}, "--engine 3, protocol: must be one of hub"),
        ({"engine": [*ENGINES, "name=C cmd=x depth=0"]}, "--engine 3: time control"),
        ({"engine": [*ENGINES, "name=C cmd=x dir=/no/such/place"]}, "--engine 3, dir: there is no directory"),
        ({"tc": None}, "--engine 1: no time control"),
        ({"sprt": "0,5", "engine": [*ENGINES, "name=C cmd=x"]}, "--sprt: a sequential test compares two engines"),
    ],
)
def test_refused_with_place_and_reason(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config({**GIVEN, **changes})
    assert str(caught.value).startswith(text) or text in str(caught.value)


@pytest.mark.parametrize(
    ("toml", "text"),
    [
        ("games = ", "match.toml: Invalid value (at "),
        ("gmaes = 2", "match.toml: gmaes: there is no such setting"),
        ("games = 2.5", "match.toml: games: must be a whole number"),
        ("games = true", "match.toml: games: must be a whole number"),
        ("engine = 3", "match.toml: engine: engines are tables"),
        ("[[engine]]\nname = 'A'", "match.toml: engine 1: the key cmd is missing"),
        ("tc = 'depth=1'\n[[engine]]\ncmd = 'x'\noption = 3", "match.toml: engine 1, option: must be a table"),
        ("tc = 'depth=1'\n[[engine]]\ncmd = 'x'\nhash = [1]", "match.toml: engine 1: hash must be a text"),
        ("tc = 'depth=1'\n[[engine]]\ncmd = 7", "match.toml: engine 1, cmd: must be a text"),
    ],
)
def test_toml_refused_with_place_and_reason(tmp_path: Path, toml: str, text: str) -> None:
    file = tmp_path / "match.toml"
    file.write_text(toml)
    with pytest.raises(ConfigError) as caught:
        load_config({}, file)
    assert text in str(caught.value)


def test_missing_toml(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        load_config({}, tmp_path / "none.toml")


def test_formats() -> None:
    engines = [f"name=E{i} cmd=x" for i in range(5)]
    config = load_config({**GIVEN, "engine": engines, "format": "swiss", "rounds": "3"})
    assert (config.format, config.rounds) == (Format.SWISS, 3)
