"""The weights that come with damier: they load, they belong to their variants, and a man more is better."""

import random
from dataclasses import replace

import pytest

from engine import VARIANTS, Engine, Game, Limits, Position, Rules, Side
from engine import pattern_weights as files
from engine.moves import hot_module, is_wide, load
from engine.rules import Objective

TRAINED = [rules for rules in VARIANTS.values() if files.find(rules) is not None]
COUNTING = [rules for rules in TRAINED if rules.objective is not Objective.LOSE]  # else men are moves in hand too
LARGEST = 3_000_000  # bytes
GAMES = 12


def test_the_main_variants_are_trained_and_every_file_is_some_variants() -> None:
    assert {"russian", "brazilian", "english", "italian", "pool", "international"} <= {rules.name for rules in TRAINED}
    assert {path.name for path in files.FOLDER.glob(f"*{files.SUFFIX}")} == {
        files.file_name(rules) for rules in TRAINED
    }


@pytest.mark.parametrize("rules", TRAINED, ids=lambda rules: rules.name)
def test_a_file_is_whole_and_says_how_it_was_made(rules: Rules) -> None:
    path = files.find(rules)
    assert path is not None
    weights = files.load(path, rules)
    assert path.stat().st_size < LARGEST
    assert {"games", "positions", "seed", "blend", "l2", "heldout_loss"} <= set(weights.header.origin)
    assert any(weights.values)


def quiet_positions(rules: Rules) -> list[Position]:
    """Positions of games that are played with thought, without a capture for either side."""
    numbers = random.Random(4)
    engine = Engine()
    for name, value in {"variant": rules.name, "bb-size": 0, "book": False, "tt-size": 12}.items():
        engine.set_param(name, value)
    found: list[Position] = []
    for _ in range(GAMES):
        game = Game(Position.start(rules))
        while game.legal_moves() and game.outcome is None and len(game.moves) < 120:
            moves = game.legal_moves()
            position = game.position
            waiting = replace(position, turn=Side.BLACK if position.turn is Side.WHITE else Side.WHITE)
            if not any(move.is_capture for move in (*moves, *waiting.legal_moves())) and len(game.moves) > 6:
                found.append(position)
            best = engine.search(game, Limits(depth=3)).move
            game.play(numbers.choice(moves) if len(game.moves) < 6 or best is None else best)
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("rules", COUNTING, ids=lambda rules: rules.name)
def test_a_man_more_is_preferred(rules: Rules) -> None:
    """In at least 95 of 100 quiet positions a side thinks worse of the position without one of its men."""
    wide = is_wide(rules)
    board, evaluation = hot_module("board", wide).Board(rules), hot_module("evaluate", wide).Evaluation(rules)
    evaluation.use(files.chosen(rules))

    def white(position: Position) -> int:
        load(board, position)
        score = int(evaluation.of(board))
        return score if position.turn is Side.WHITE else -score

    numbers = random.Random(2)
    better = seen = 0
    for position in quiet_positions(rules):
        men = [square for square, letter in position.pieces().items() if letter == "w"]
        if men:
            without = replace(position, white_men=position.white_men & ~(1 << numbers.choice(men) - 1))
            better += white(position) > white(without)
            seen += 1
    assert seen > 100
    assert better >= 0.95 * seen
