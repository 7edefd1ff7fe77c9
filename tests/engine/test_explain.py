"""The parts of a score add up to it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from engine import Position, Side, find_variant
from engine.explain import Explanation, explain
from engine.pattern_weights import Weights, chosen
from engine.static import static_score
from tests.engine.positions import positions
from tests.engine.test_patterns import some_weights

BOUND = 7900


def adds_up(position: Position, weights: Weights | None) -> Explanation:
    """Whether the parts are the score wherever no rule of few pieces and no bound changes it."""
    found = explain(position, weights)
    parts = sum(part.score for part in found.parts) + sum(one.white - one.black for one in found.groups)
    assert parts == pytest.approx(found.sum)
    assert found.white == found.score * (1 if position.turn is Side.WHITE else -1)
    few = min(
        (position.white_men | position.white_kings).bit_count(), (position.black_men | position.black_kings).bit_count()
    )
    if few > 4 and abs(found.sum) < BOUND:
        assert abs(found.subdued) < 1
    else:
        assert abs(found.white) <= abs(found.sum) + 4
    return found


@settings(deadline=None)
@given(positions(legal=True))
def test_parts_add_up_to_the_score(position: Position) -> None:
    assert adds_up(position, None).trained is False
    assert adds_up(position, some_weights(position.rules)).trained is True


def test_a_piece_is_worth_what_the_score_loses_without_it() -> None:
    start = Position.start(find_variant("english"))
    found = explain(start, None)
    assert set(found.pieces) == set(start.pieces())
    without = explain(replace(start, black_men=start.black_men & ~1), None)
    assert found.pieces[1] == found.white - without.white == -104


def test_the_static_score_is_the_explained_one() -> None:
    untrained = Position.start(find_variant("russian-losing"))
    assert chosen(untrained.rules) is None
    assert static_score(untrained) == explain(untrained, None).score
    position = Position.start(find_variant("turkish"))
    weights = chosen(position.rules)
    assert weights is not None
    assert static_score(position) == explain(position, weights).score
