"""The search with endgame databases: wins are won, draws held, and what the draw counters say goes first."""

import json
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engine import Engine, Game, Limits, OptionError, Position, Report, find_variant
from engine.egdb import Databases
from engine.egdb_slices import Slice, slices
from tests.engine.databases import build

COMBOS = json.loads((Path(__file__).parent.parent / "data" / "combos.json").read_text(encoding="utf-8"))
DECIDED = 8500  # scores beyond are wins

pytestmark = pytest.mark.compiled


def engine_with(databases: Databases, **params: object) -> Engine:
    engine = Engine()
    engine.set_param("variant", databases.rules.name)
    engine.set_param("tt-size", 14)
    engine.set_param("bb-path", str(databases.folder.parent))
    for name, value in params.items():
        engine.set_param(name.replace("_", "-"), value)
    return engine


def report_of(engine: Engine, position: Position, nodes: int = 2000) -> Report:
    """The last report on the position under the engine's own readings of the rules."""
    report = engine.search(Game(replace(position, rules=engine.rules)), Limits(nodes=nodes)).report
    assert report is not None
    return report


@pytest.mark.parametrize(
    "row", [row for row in COMBOS if "exact" in row["verified"] and row["variant"] == "english"], ids=lambda r: r["fen"]
)
def test_published_endings_are_played(english: Databases, row: dict[str, object]) -> None:
    """The move, the distance, and then the whole game against the longest defence."""
    engine = engine_with(english)
    position = Position.from_fen(str(row["fen"]), "english")
    report = report_of(engine, position)
    plies = int(str(row["plies"]))
    assert report.pv[0] == position.parse_move(str(row["best"]))
    assert report.tbhits > 0
    assert report.score + plies in ((10000,) if plies <= 40 else (10000, 9000))  # 40 plies may end a game as drawn
    assert play(engine, english, position) == ("0-1" if position.turn else "1-0")


def play(engine: Engine, databases: Databases, position: Position) -> str:
    """The engine against a perfect defender; who wins, or the rule that made it a draw."""
    game = Game(position)
    while (outcome := game.outcome) is None:
        if game.position.turn is position.turn:
            move = engine.search(game, Limits(nodes=2000)).move
        else:
            move = databases.best_moves(game.position)[0][0]
        assert move is not None
        game.play(move)
    return outcome.reason if outcome.winner is None else ("0-1" if outcome.winner else "1-0")


def won_positions(databases: Databases, pieces: int, count: int) -> list[Position]:
    chance = random.Random(5)
    found: list[Position] = []
    while len(found) < count:
        one = chance.choice(list(slices(databases.rules, pieces)))
        position = databases.position(one, chance.randrange(databases.file(one).header.positions))
        verdict = databases.verdict(position)
        if verdict is not None and verdict.value == 1:
            found.append(position)
    return found


@pytest.mark.parametrize("name", ["russian", "italian", "losing", "turkish", "canadian", "breakthrough", "thai"])
def test_won_positions_are_won(name: str, tmp_path: Path) -> None:
    """Against a perfect defender, under the draw counters of the variant."""
    databases = build(name, 3, tmp_path)
    engine = engine_with(databases)
    assert {play(engine, databases, position) for position in won_positions(databases, 3, 25)} == {"1-0"}


def test_four_pieces_are_won(english: Databases) -> None:
    engine = engine_with(english)
    assert {play(engine, english, position) for position in won_positions(english, 4, 40)} == {"1-0"}


def test_draws_are_held(english: Databases) -> None:
    """A drawn position is no worse for the engine's side to the end."""
    engine = engine_with(english)
    chance = random.Random(2)
    for _ in range(15):
        one = chance.choice(list(slices(english.rules, 4)))
        position = english.position(one, chance.randrange(english.file(one).header.positions))
        verdict = english.verdict(position)
        if verdict is None or verdict.value != 0:
            continue
        assert report_of(engine, position).score == 0
        assert play(engine, english, position) != "0-1"


def test_without_databases_there_are_no_hits(english: Databases) -> None:
    position = Position.from_fen("W:W30,K32:BK22,24", "english")
    assert report_of(engine_with(english, bb_size=0), position).tbhits == 0
    assert report_of(engine_with(english, bb_size=3), position).tbhits > 0
    engine = engine_with(english)
    assert report_of(engine, position).tbhits > 0
    engine.set_param("bb-size", 0)
    assert report_of(engine, position).tbhits == 0


def test_a_win_in_a_database_below_the_root(english: Databases) -> None:
    """From outside, a win in a database counts 9000 less the plies to it."""
    engine = engine_with(english, bb_size=3)
    report = report_of(engine, Position.from_fen("W:W30,K32:BK22,24", "english"), 100_000)
    assert DECIDED < report.score <= 9000


def test_threads_share_databases(english: Databases) -> None:
    report = report_of(engine_with(english, threads=2), Position.from_fen("B:W10,29:B5,K13", "english"))
    assert report.score == 9000 - 91


def test_a_counter_goes_before_a_database(tmp_path: Path) -> None:
    """Two kings win against one in up to 15 plies of killer draughts; five moves each do not suffice."""
    databases = build("killer", 3, tmp_path)
    engine = engine_with(databases)
    limited = engine_with(databases, killer_limits="international")
    one = Slice(0, 2, 0, 1)
    seen = 0
    for number in range(0, databases.file(one).header.positions, 9):
        position = databases.position(one, number)
        verdict = databases.verdict(position)
        assert verdict is not None
        if verdict.plies not in (11, 13, 15) or verdict.value != 1 or seen >= 5:
            continue
        seen += 1
        assert report_of(engine, position).score == 10000 - verdict.plies
        assert abs(report_of(limited, position).score) < DECIDED
    assert seen == 5


def test_one_piece_each_is_drawn_in_the_database_too(tmp_path: Path) -> None:
    databases = build("turkish", 2, tmp_path)
    for one, file in databases.found():
        assert file.header.quiet[0] == 0
        assert file.header.win > 0, one


def test_analysis_shows_the_win_to_its_end(english: Databases) -> None:
    position = Position.from_fen("W:W30,K32:BK22,24", "english")
    report = engine_with(english).search(Game(position), Limits(depth=6), "analyze").report
    assert report is not None
    assert len(report.pv) == 31
    game = Game(position)
    for move in report.pv:
        game.play(move)
    assert game.outcome is not None
    assert game.outcome.score == "1-0"


# ---------------------------------------------------------------------- in the background
def test_small_databases_come_by_themselves(tmp_path: Path) -> None:
    """Built while the engine is idle, never before it is ready, and used from the next search on."""
    engine = Engine(background=True)
    engine.set_param("variant", "italian")
    engine.set_param("bb-size", 3)
    engine.set_param("bb-path", str(tmp_path))
    engine.prepare()
    databases = Databases(find_variant("italian"), tmp_path)
    assert not databases.folder.exists()  # it has not begun yet
    end = time.monotonic() + 60
    while not databases.is_complete(3) or (databases.folder / "building").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    time.sleep(0.1)
    assert report_of(engine, Position.from_fen("W:W10,K20:BK11", "italian")).tbhits > 0


def test_nothing_is_built_where_nobody_asks(tmp_path: Path) -> None:
    engine = Engine()
    engine.set_param("bb-path", str(tmp_path / "none"))
    report_of(engine, Position.start("international"), 500)
    assert not (tmp_path / "none").exists()


def test_a_path_that_is_no_folder(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    engine = Engine()
    engine.set_param("bb-path", str(file))
    with pytest.raises(OptionError, match="not a folder"):
        engine.prepare()
