"""Pictures of boards."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Game
from engine.position import Position
from engine.svg import RED, Arrow, board_svg
from engine.variants import VARIANTS
from tests.engine.positions import positions

SVG = "{http://www.w3.org/2000/svg}"


def tags(text: str, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(SVG + name))


@pytest.mark.parametrize("name", VARIANTS)
def test_start_positions(name: str) -> None:
    position = Position.start(name)
    text = board_svg(position)
    assert len(tags(text, "g")) == len(position.pieces())
    words = [element.text for element in tags(text, "text")]
    rules = position.rules
    if rules.algebraic:
        assert words == [*"abcdefghij"[: rules.columns], *map(str, range(rules.rows, 0, -1))]
    else:
        assert words == [rules.square_name(square) for square in range(1, rules.squares + 1)]


@given(positions(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_position_is_well_formed(position: Position, flipped: bool) -> None:
    text = board_svg(position, flipped=flipped)
    assert len(tags(text, "g")) == len(position.pieces())
    assert len(tags(text, "path")) == (position.white_kings | position.black_kings).bit_count()


def test_flipped() -> None:
    position = Position.from_fen("W:W50:B", "international")
    (normal,) = tags(board_svg(position), "g")
    (turned,) = tags(board_svg(position, flipped=True), "g")
    assert normal.get("transform") == "translate(425 475)"
    assert turned.get("transform") == "translate(75 25)"


def test_a_chosen_piece() -> None:
    position = Position.from_fen("W:WK46,31:B37,19", "international")
    circles = tags(board_svg(position, chosen=46), "circle")
    taken = [circle for circle in circles if circle.get("stroke") == RED]
    assert len(taken) == 2
    assert len([circle for circle in circles if circle.get("r") == "9"]) == 3
    assert len(tags(board_svg(position, chosen=31), "circle")) == 8


def test_arrows() -> None:
    position = Position.from_fen("W:W32,50:B28,18", "international")
    (move,) = position.legal_moves()
    lines = tags(board_svg(position, arrows=[move, Arrow((50, 44), RED), (1, 7)]), "polyline")
    assert [len(line.get("points", "").split()) for line in lines] == [3, 2, 2]
    assert lines[1].get("stroke") == RED


def test_notebooks() -> None:
    position = Position.start("russian")
    assert position._repr_svg_() == Game(position)._repr_svg_() == board_svg(position)
