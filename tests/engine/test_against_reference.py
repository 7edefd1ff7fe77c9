"""The product's moves against the slow reference, position by position."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reference import Explosion, Position, legal_moves
from tests.reference.compare import HOPS, Pair, compare, pairs, plain, product_position, random_setup, report

PAIRS = pairs()
SWAP = str.maketrans("wbWB", "bwBW")


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_random_positions(pair: Pair) -> None:
    """A thousand positions by random play from the start and from set-ups full of kings."""
    tally = compare(pair, 1000, seed=1)
    assert tally.differences == []
    assert tally.positions == 1000
    assert tally.captures > 100


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pair=st.sampled_from(PAIRS), seed=st.integers(0, 2**32), share=st.floats(0, 1))
def test_any_position(pair: Pair, seed: int, share: float) -> None:
    """Set-ups thinned out at will; a failure shrinks to few pieces."""
    rng = random.Random(seed)
    position = random_setup(pair.spec, rng)
    board = {square: piece for square, piece in position.board.items() if rng.random() < share}
    position = Position(board, position.turn)
    try:
        moves = legal_moves(pair.spec, position, HOPS)
    except Explosion:
        return
    fast = product_position(pair.rules, position)
    assert {plain(move) for move in fast.legal_moves()} == moves, report(pair, fast, moves)


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_colours_turned_round(pair: Pair) -> None:
    """The board turned by 180 degrees with colours exchanged has the same moves, turned."""
    rng = random.Random(7)
    last = pair.rules.squares + 1
    for _ in range(100):
        position = random_setup(pair.spec, rng)
        turned = Position(
            {last - square: piece.translate(SWAP) for square, piece in position.board.items()},
            "b" if position.turn == "w" else "w",
        )
        position.runs = {"w": (0, 0), "b": (0, 0)}
        moves = {plain(move) for move in product_position(pair.rules, position).legal_moves()}
        mirrored = {
            move._replace(
                frm=last - move.frm,
                to=last - move.to,
                captured=frozenset(last - square for square in move.captured),
            )
            for move in map(plain, product_position(pair.rules, turned).legal_moves())
        }
        assert moves == mirrored
