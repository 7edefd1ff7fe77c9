"""The searcher: limits, scores, variations, draws, lines, threads, handicap; the same in both builds."""

import random
import threading
import time
from dataclasses import replace

import pytest

from engine import (
    VARIANTS,
    Control,
    Engine,
    Game,
    Limits,
    Mode,
    Move,
    OptionError,
    Position,
    Report,
    Result,
    RulesError,
)
from engine.clock import LEAST, budget
from engine.deepening import MAX_DEPTH

NAMES = tuple(VARIANTS)


def make(variant: str, **params: object) -> Engine:
    """An engine with a small table."""
    engine = Engine()
    engine.set_param("variant", variant)
    engine.set_param("tt-size", 14)
    engine.set_param("book", False)
    for name, value in params.items():
        engine.set_param(name.replace("_", "-"), value)
    return engine


def think(engine: Engine, game: Game, mode: Mode = "think", **limits: int) -> tuple[Result, list[Report]]:
    """Search with bounds that do not depend on the clock."""
    reports: list[Report] = []
    return engine.search(game, Limits(**limits), mode, reports.append), reports  # type: ignore[arg-type]


def random_game(engine: Engine, seed: int, plies: int) -> Game:
    """A game of random moves from the start, stopped before it is over."""
    rng = random.Random(seed)
    game = Game(Position.start(engine.rules))
    for _ in range(plies):
        move = rng.choice(game.legal_moves())
        game.play(move)
        if game.outcome or not game.legal_moves():
            game.undo()
            break
    return game


def turned(position: Position) -> Position:
    """The position turned by 180 degrees with the colours changed: the same for the side to move."""
    n = position.rules.squares

    def turn(board: int) -> int:
        return int(f"{board:0{n}b}"[::-1], 2)

    return replace(
        position,
        turn=position.turn.other,
        white_men=turn(position.black_men),
        white_kings=turn(position.black_kings),
        black_men=turn(position.white_men),
        black_kings=turn(position.white_kings),
    )


def follow(game: Game, moves: tuple[Move, ...]) -> None:
    """Play moves on a copy; raises if one is illegal or played after a win."""
    copy = game.copy()
    for move in moves:
        assert copy.legal_moves()
        copy.play(move)


@pytest.mark.parametrize("variant", NAMES)
def test_variation_is_legal_and_the_answer_begins_it(variant: str) -> None:
    engine = make(variant)
    for seed in range(4):
        game = random_game(engine, seed, 10 + 12 * seed)
        result, reports = think(engine, game, depth=5)
        assert result.report is not None
        assert result.move == result.report.pv[0] == reports[-1].pv[0]
        follow(game, result.report.pv)
        if result.ponder is not None:
            assert result.ponder == result.report.pv[1]
        assert abs(result.report.score) <= 10000
        assert result.report.nodes > 0


@pytest.mark.parametrize("variant", NAMES)
def test_a_position_and_its_mirror_image_have_the_same_score(variant: str) -> None:
    engine = make(variant)
    for seed in range(3):
        game = random_game(engine, 100 + seed, 14 + 10 * seed)
        scores = []
        for position in (game.position, turned(game.position)):
            engine.new_game()
            result, _ = think(engine, Game(position), "analyze", depth=4)
            assert result.report is not None
            scores.append(result.report.score)
        assert scores[0] == scores[1], game.position.fen()


def test_the_same_search_twice_counts_the_same_nodes() -> None:
    engine = make("russian")
    game = random_game(engine, 3, 20)
    counts = set()
    for _ in range(2):
        engine.new_game()
        result, _ = think(engine, game, depth=7)
        assert result.report is not None
        counts.add((result.report.nodes, result.report.score, result.move))
    assert len(counts) == 1


@pytest.mark.parametrize("log", [10, 16])
def test_any_table_size_plays(log: int) -> None:
    engine = make("international", tt_size=log)
    result, _ = think(engine, Game(Position.start(engine.rules)), depth=6)
    assert result.move in Game(Position.start(engine.rules)).legal_moves()


@pytest.mark.parametrize(
    ("variant", "fen", "score"),
    [
        ("english", "W:W22:B18", 9999),  # the capture leaves Black nothing
        ("russian", "W:Wc3:Bd4", 9999),
        ("losing", "W:W33:B28", -9999),  # having to capture the last enemy loses the losing game
        ("breakthrough", "W:W7:B40", 9999),  # a king is made at once
        ("breakthrough", "W:W12:B20", 9997),  # two moves to go, one reply
    ],
)
def test_wins_are_counted_in_plies(variant: str, fen: str, score: int) -> None:
    engine = make(variant)
    result, _ = think(engine, Game(Position.from_fen(fen, engine.rules)), "analyze", depth=5)
    assert result.report is not None
    assert result.report.score == score


def test_no_legal_move_no_answer() -> None:
    engine = make("international")
    assert engine.search(Game(Position.from_fen("W:W:B1", engine.rules)), Limits(depth=3)) == Result(None)


def test_a_single_reply_is_answered_at_once_but_analysed() -> None:
    engine = make("international")
    game = Game(Position.from_fen("W:W24,48:B30", engine.rules))
    played, reports = think(engine, game, depth=20)
    assert played.move is not None
    assert played.move.hub() == "24x35x30"
    assert played.ponder is None
    assert reports[-1].depth == 1
    two = Game(Position.from_fen("W:W24,48:B30,1", engine.rules))
    analysed, reports = think(engine, two, "analyze", depth=4)
    assert reports[-1].depth == 4
    assert analysed.move == played.move


def test_a_node_limit_of_one_still_answers() -> None:
    engine = make("english")
    game = Game(Position.start(engine.rules))
    result, reports = think(engine, game, nodes=1)
    assert result.move in game.legal_moves()
    assert [report.pv[0] for report in reports] == [result.move]  # clients want a score before each answer


def test_node_limit_is_kept() -> None:
    engine = make("brazilian")
    result, _ = think(engine, Game(Position.start(engine.rules)), nodes=1500)
    assert result.report is not None
    assert 1500 <= result.report.nodes <= 1520


def test_a_repeated_root_is_searched_all_the_same() -> None:
    engine = make("russian")
    game = Game(Position.from_fen("W:WKc1,a3:BKh8,h6", engine.rules))
    for move in ("c1-d2", "h8-f6", "d2-c1", "f6-h8") * 2:
        game.play(move)
    assert game.outcome is not None
    assert game.outcome.reason == "repetition"
    result, reports = think(engine, game, depth=3)
    assert result.move in game.legal_moves()
    assert reports


def test_a_draw_rule_below_the_root_is_seen() -> None:
    engine = make("international")
    # one king each: the five-move rule ends the game long before the horizon, whatever the material says
    game = Game(Position.from_fen("W:WK46,K48:BK1", engine.rules))
    for move in ("46-41", "1-6", "41-46", "6-1", "46-41", "1-7"):
        game.play(move)
    result, _ = think(engine, game, "analyze", depth=8)
    assert result.report is not None
    assert result.report.score == 0


def test_lines_are_ordered_and_begin_with_different_moves() -> None:
    engine = make("italian", multi_pv=3)
    game = random_game(engine, 5, 8)
    _, reports = think(engine, game, "analyze", depth=5)
    last = [report for report in reports if report.depth == 5]
    assert [report.multipv for report in last] == [1, 2, 3]
    assert len({report.pv[0] for report in last}) == 3
    assert [report.score for report in last] == sorted((report.score for report in last), reverse=True)


def test_search_moves_restrict_the_root() -> None:
    engine = make("international")
    game = Game(Position.start(engine.rules))
    chosen = game.legal_moves()[3]
    result = engine.search(game, Limits(depth=4, search_moves=(chosen,)))
    assert result.move == chosen


def test_stop_before_the_start_is_not_lost() -> None:
    engine = make("international")
    game = Game(Position.start(engine.rules))
    control = Control()
    control.stop()
    result = engine.search(game, Limits(infinite=True), "think", None, control)
    assert result.move in game.legal_moves()


@pytest.mark.parametrize("mode", ["think", "ponder", "analyze"])
def test_stop_ends_an_endless_search(mode: Mode) -> None:
    engine = make("international")
    game = Game(Position.start(engine.rules))
    control = Control()
    timer = threading.Timer(0.15, control.stop)
    timer.start()
    result = engine.search(game, Limits(infinite=mode == "think"), mode, None, control)
    timer.join()
    assert result.move in game.legal_moves()


def test_ponder_waits_for_the_hit_and_then_counts_from_it() -> None:
    engine = make("russian")
    game = Game(Position.start(engine.rules))
    control = Control()
    timer = threading.Timer(0.3, control.ponder_hit)
    timer.start()
    engine.search(game, Limits(move_time=0.05), "ponder", None, control)
    timer.join()
    assert control.hit_at is not None, "a ponder search may not end before its hit"


@pytest.mark.parametrize("fen", ["W:W28,31-50:B1-18,20,23", "W:WK1,K2,K3:B5,10"])
def test_a_hit_ends_the_thinking_where_nothing_is_left_to_find(fen: str) -> None:
    """A forced move, or a win whose length is known, is played as soon as the clock runs."""
    engine = make("international")
    game = Game(Position.from_fen(fen, engine.rules))
    control = Control()
    threading.Timer(0.5, control.ponder_hit).start()
    begin = time.perf_counter()
    result = engine.search(game, Limits(time=3000), "ponder", None, control)
    assert control.hit_at is not None or (result.report is not None and result.report.depth == MAX_DEPTH)
    assert time.perf_counter() - begin < 60
    assert result.move in game.legal_moves()


def test_threads_share_a_table_and_answer_legally() -> None:
    engine = make("russian", threads=3)
    game = Game(Position.start(engine.rules))
    result, _ = think(engine, game, depth=6)
    assert result.move in game.legal_moves()


@pytest.mark.parametrize("strength", [1, 8, 19])
def test_a_weaker_player_looks_less_far(strength: int) -> None:
    engine = make("english", strength=strength)
    game = Game(Position.start(engine.rules))
    result, reports = think(engine, game, depth=30)
    assert result.move in game.legal_moves()
    assert reports[-1].depth < MAX_DEPTH
    assert reports[-1].pv[0] == result.move


def test_contempt_makes_a_draw_worse_than_nothing() -> None:
    engine = make("international", contempt=30)
    game = Game(Position.from_fen("W:WK46:BK1", engine.rules))
    for move in ("46-41", "1-6", "41-46", "6-1"):
        game.play(move)
    result, _ = think(engine, game, depth=8)
    assert result.report is not None
    assert result.report.score == -30


def test_parameters_are_checked_and_kept_on_refusal() -> None:
    engine = Engine()
    for name, value in (("tt-size", "many"), ("variant", "chess960"), ("nonsense", "1"), ("r5-r6", "often")):
        with pytest.raises(OptionError):
            engine.set_param(name, value)
    assert engine.values["tt-size"] == 22
    assert engine.rules.name == "international"
    engine.set_param("tt-size", 99)
    assert engine.values["tt-size"] == 30  # clamped
    engine.set_param("variant", "poddavki")
    assert engine.rules.name == "russian-losing"


def test_a_game_of_other_rules_is_refused() -> None:
    engine = make("russian")
    with pytest.raises(RulesError):
        engine.search(Game(Position.start("english")), Limits(depth=1))
    with pytest.raises(RulesError):
        engine.search(Game(Position.start(engine.rules.with_options({"repetition": 2}))), Limits(depth=1))


def test_plans_of_time() -> None:
    """The cases of the public reports on clocks: the last move of a control, increments, negative time."""
    last = budget(Limits(time=0.032, moves=1), 0.015)
    assert last.hard is not None
    assert LEAST <= last.hard < 0.032
    many = budget(Limits(time=291.6, moves=9), 0.015)
    assert many.hard is not None
    assert many.soft is not None
    assert many.soft < 291.6 / 9 < many.hard < 291.6 / 2
    inside = budget(Limits(time=0.05, inc=0.1), 0.0)
    assert inside.hard is not None
    assert inside.hard < 0.15
    overdrawn = budget(Limits(time=-4.95, inc=5), 0.015)
    assert overdrawn.hard is not None
    assert overdrawn.hard < 0.05
    lost = budget(Limits(time=-0.4, inc=0.3), 0.015)
    assert lost.hard == LEAST
    fixed = budget(Limits(move_time=1), 0.015)
    assert fixed.hard is not None
    assert 0.9 < fixed.hard <= 1
    assert budget(Limits(), 0.015).hard is None
    assert budget(Limits(depth=4), 0.015).hard is None
