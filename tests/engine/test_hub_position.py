"""Hub position strings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import FenError
from engine.hub_position import format_hub_position, format_wolf, is_odd, parse_hub_position
from engine.position import Position
from engine.rules import Rules
from engine.variants import VARIANTS, find_variant

INTERNATIONAL = find_variant("international")
FRISIAN = find_variant("frisian")
START = "W" + "b" * 20 + "e" * 10 + "w" * 20


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("international", START),
        ("russian", "W" + "b" * 12 + "e" * 8 + "w" * 12),
        ("english", "B" + "b" * 12 + "e" * 8 + "w" * 12),
        ("frysk", "W" + "b" * 5 + "e" * 40 + "w" * 5),
        ("thai", "B" + "b" * 8 + "e" * 16 + "w" * 8),
        ("turkish", "W" + "e" * 8 + "b" * 16 + "e" * 16 + "w" * 16 + "e" * 8),
        ("spanish", "W" + "b" * 12 + "e" * 8 + "w" * 12),
    ],
)
def test_start_positions(name: str, text: str) -> None:
    rules = find_variant(name)
    assert Position.start(rules).hub() == text
    assert parse_hub_position(text, rules) == Position.start(rules)


@given(st.data(), st.sampled_from(list(VARIANTS.values())))
@settings(max_examples=200, deadline=None)
def test_round_trip(data: st.DataObject, rules: Rules) -> None:
    letters = data.draw(st.text(alphabet="eeewbWB", min_size=rules.squares, max_size=rules.squares))
    text = data.draw(st.sampled_from("WB")) + letters
    try:
        position = parse_hub_position(text, rules)
    except FenError as error:
        assert error.reason.startswith("no such position")  # noqa: PT017
    else:
        assert format_hub_position(position) == text


def test_lower_case_side() -> None:
    assert parse_hub_position("w" + START[1:], INTERNATIONAL) == Position.start(INTERNATIONAL)


@pytest.mark.parametrize(
    ("text", "at"),
    [("", 0), ("Wbbb", None), ("X" + START[1:], 0), (START[:-1] + "q", 50), (START + "e", None), (START[:33], None)],
)
def test_refused(text: str, at: int | None) -> None:
    with pytest.raises(FenError) as caught:
        parse_hub_position(text, INTERNATIONAL)
    assert caught.value.at == at


def test_odd_positions_need_a_legal_move() -> None:
    empty = ["e"] * 50
    empty[3] = "w"  # a man on its promotion row
    with pytest.raises(FenError):
        parse_hub_position("W" + "".join(empty), INTERNATIONAL)
    empty[39] = "w"
    position = parse_hub_position("W" + "".join(empty), INTERNATIONAL)
    assert is_odd(position)
    assert position.piece(4) == "w"
    assert not is_odd(Position.start(INTERNATIONAL))


def test_a_lost_position_is_not_odd() -> None:
    text = "B" + "e" * 45 + "w" + "e" * 4
    assert parse_hub_position(text, INTERNATIONAL).hub() == text


@pytest.mark.parametrize(
    ("wolf", "runs"),
    [
        ("W33=2 B7=1", ((33, 2), (7, 1))),
        ("B7=3", ((0, 0), (7, 3))),
        ("W33=2", ((33, 2), (0, 0))),
        ("", ((0, 0), (0, 0))),
        ("W34=2", ((0, 0), (0, 0))),
    ],
)
def test_wolf(wolf: str, runs: object) -> None:
    letters = ["e"] * 50
    letters[32], letters[6], letters[39], letters[8] = "W", "B", "w", "b"
    position = parse_hub_position("W" + "".join(letters), FRISIAN, wolf)
    assert position.king_runs == runs
    if any(count for _, count in position.king_runs):
        assert format_wolf(position) == wolf
    assert parse_hub_position("W" + "".join(letters), INTERNATIONAL, wolf).king_runs == ((0, 0), (0, 0))


@pytest.mark.parametrize("wolf", ["W33", "X1=2", "W99=1", "33=2", "W33=a"])
def test_bad_wolf(wolf: str) -> None:
    with pytest.raises(FenError):
        parse_hub_position(START, FRISIAN, wolf)
