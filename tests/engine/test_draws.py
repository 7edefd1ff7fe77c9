"""Ends of the game on `Game`: the public vectors, and random games against the slow referee."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.types import Side
from tests.reference import SPECS, Position, Spec, start_position
from tests.reference.cases import load
from tests.reference.compare import Pair, compare_game, pairs, random_setup

WINNERS = {"draw": None, "win white": Side.WHITE, "win black": Side.BLACK}
SCORES = {"draw": "1/2-1/2", "win white": "1-0", "win black": "0-1"}

OPTIONS: dict[str, dict[str, tuple[object, ...]]] = {
    "international": {"intl_16": ("cap", "drop"), "intl_road": (False, True)},
    "english": {"english_rule": ("seed", "wcdf")},
    "frisian": {"frisian_1v1": ("plies", "exact")},
    "frysk": {"frisian_1v1": ("plies", "exact")},
    "pool": {"pool_road": (False, True)},
    "killer": {"killer_limits": ("killer", "international")},
    "russian": {
        "r5_r6": ("independent", "replace"),
        "balance_unit": ("each", "total"),
        "road_leave": ("reset", "pause"),
    },
    "brazilian": {
        "r5_r6": ("independent", "replace"),
        "road_leave": ("reset", "pause"),
        "brazil_quiet": (15, 20),
    },
    "spantsiretti": {"balance_unit": ("each", "total")},
    "czech": {"czech_unit": ("each", "total")},
    "turkish": {"turkish_1v1": ("quiet", "literal", "grace"), "turkish_nocapture": (False, True)},
    "thai": {"thai_quiet": (True, False)},
}
COMMON: dict[str, tuple[object, ...]] = {"repetition": (0, 2, 3, 4), "move-limit": (0, 7, 60)}
PAIRS = pairs()


@pytest.mark.parametrize("case", load("draws"), ids=lambda case: case["id"])
def test_vector(case: dict[str, Any]) -> None:
    rules = engine.find_variant(case["variant"]).with_options(case.get("options", {}))
    game = engine.Game(engine.Position.from_fen(case["fen"], rules))
    for text in case["moves"]:
        assert game.outcome is None
        game.play(text)
    expected = case["expected"]
    assert len(game.moves) == expected["after_ply"]
    if expected["result"] == "ongoing":
        assert game.outcome is None
        return
    outcome = game.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (WINNERS[expected["result"]], expected["rule"])
    assert outcome.score == SCORES[expected["result"]]


@pytest.mark.parametrize("case", load("draws")[::7], ids=lambda case: case["id"])
def test_undo_takes_back_the_counters(case: dict[str, Any]) -> None:
    """Taken back and played again, the game ends where it ended before."""
    rules = engine.find_variant(case["variant"]).with_options(case.get("options", {}))
    game = engine.Game(engine.Position.from_fen(case["fen"], rules))
    for text in case["moves"]:
        game.play(text)
    end, moves = game.outcome, list(game.moves)
    back = min(len(moves), 5)
    for _ in range(back):
        game.undo()
    assert game.moves == moves[: len(moves) - back]
    assert game.outcome is None or not back
    for move in moves[len(moves) - back :]:
        game.play(move)
    assert game.outcome == end


def endgame(spec: Spec, rng: random.Random) -> Position:
    """A few pieces, most of them kings, where the counters live."""
    position = random_setup(spec, rng)
    squares = sorted(position.board)
    rng.shuffle(squares)
    kept = {
        *[square for square in squares if position.board[square].lower() == "w"][: rng.randint(1, 4)],
        *[square for square in squares if position.board[square].lower() == "b"][: rng.randint(1, 3)],
    }
    board = {square: piece for square, piece in position.board.items() if square in kept}
    return Position(board, position.turn)


def differences(pair: Pair, games: int, seed: int) -> list[str]:
    rng = random.Random(f"{pair} {seed}")
    found = []
    for _ in range(games):
        choices = COMMON | (OPTIONS.get(pair.rules.name, {}) if not pair.rules.settings else {})
        options = {name: rng.choice(values) for name, values in choices.items() if rng.random() < 0.4}
        whole = rng.random() < 0.1
        position = start_position(pair.spec) if whole else endgame(pair.spec, rng)
        difference = compare_game(pair, position, options, rng.randrange(2**32), 300 if whole else 150)
        if difference:
            found.append(difference)
    return found


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_random_games(pair: Pair) -> None:
    """Random games under random options end at the same ply by the same rule."""
    assert differences(pair, 60, seed=1) == []


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_many_random_games(pair: Pair) -> None:
    assert differences(pair, 300, seed=2) == []


@pytest.mark.parametrize(
    ("fen", "drawn"),
    [
        ("W:WK1:BK32", True),
        ("W:WK10:BK19", False),  # taken at once
        ("W:WK10:BK46", False),  # taken after any reply to the right move
        ("W:WK5:BK46", False),  # every move offers the king
    ],
)
def test_king_against_king_by_the_frisian_text(fen: str, drawn: bool) -> None:
    rules = engine.find_variant("frisian").with_options({"frisian-1v1": "exact"})
    outcome = engine.Game(engine.Position.from_fen(fen, rules)).outcome
    assert (outcome is not None and outcome.reason == "f2") is drawn
    assert engine.Game(engine.Position.from_fen(fen, "frisian")).outcome is None


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(sorted(OPTIONS)), data=st.data())
def test_option_values_are_taken_and_shown(name: str, data: st.DataObject) -> None:
    """An option that is set to its default leaves no trace; any other value is listed in the settings."""
    rules = engine.find_variant(name)
    option, values = data.draw(st.sampled_from(sorted(OPTIONS[name].items())))
    value = data.draw(st.sampled_from(values))
    changed = rules.with_options({option: value})
    listed = changed.settings.get(option.replace("_", "-"))
    assert listed is None if value == values[0] else str(listed) == str(value)
    assert changed.with_options({option: values[0]}) == rules


def test_every_variant_has_vectors() -> None:
    assert {case["variant"] for case in load("draws")} == set(SPECS)
