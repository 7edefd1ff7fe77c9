"""Texts of moves, in and out."""

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IllegalMoveError, MoveError
from engine.fen import parse_fen
from engine.move import Move
from engine.notation import Numbering, Reading, Style, format_move, parse_move
from engine.paths import capture_paths
from engine.position import Position
from engine.variants import VARIANTS, find_variant
from tests.engine.positions import positions

BUGS = json.loads((Path(__file__).parent.parent / "data" / "bugs.json").read_text())
CASES = {case["id"]: case for case in BUGS if case.get("expected_moves")}
STYLES: dict[Style, Reading] = {
    "pdn": "path",
    "hub": "captured",
    "short": "captured",
    "path": "path",
    "coordinate": "path",
}


def position_of(name: str, fen: str) -> Position:
    return parse_fen(fen, find_variant(name))


@given(positions(legal=True), st.sampled_from(list(STYLES)))
@settings(max_examples=300, deadline=None)
def test_written_moves_read_the_same(position: Position, style: Style) -> None:
    legal = position.legal_moves()
    numbering: Numbering = "top" if style == "hub" else "own"
    for move in legal:
        text = format_move(move, position, legal, style)
        assert parse_move(text, position, legal, prefer=STYLES[style], numbering=numbering) == move
        assert parse_move(f" {text.upper()}!? ", position, prefer=STYLES[style], numbering=numbering) == move
        text = format_move(move, position, legal, "hub", numbering="pdn")
        assert parse_move(text, position, legal, numbering="pdn") == move


@given(positions(legal=True), st.text(alphabet="0123456789abcdefghxX:-– ()!?*+\u0663[", max_size=20))
@settings(max_examples=500, deadline=None)
def test_any_text_is_a_move_or_an_error(position: Position, text: str) -> None:
    try:
        move = parse_move(text, position)
    except MoveError as error:
        move, place = None, error.at
    else:
        place = None
    assert move is None or move in position.legal_moves()
    assert place is None or 0 <= place < len(text)


@pytest.mark.parametrize("name", CASES)
def test_known_captures_by_path(name: str) -> None:
    case = CASES[name]
    position = position_of(case["variant"], case["fen"])
    square = position.rules.parse_square
    for line in case["expected_moves"]:
        text, _, rest = line.partition(" ")
        taken = re.search(r"\[takes (.*?)\]", rest)
        captured = tuple(sorted(square(s) for s in taken[1].split(","))) if taken else ()
        move = parse_move(text, position, prefer="path")
        assert (move.captured, move.promotes) == (captured, "=K" in rest)
        if captured:
            hub = "x".join([text.split("x")[0], text.split("x")[-1], *reversed(taken[1].split(","))])  # type: ignore[index]
            assert parse_move(hub, position) == move


def test_ambiguous_captures_are_written_in_full() -> None:
    position = position_of("international", "W:WK4:B13,32,37,20")
    legal = position.legal_moves()
    assert {format_move(move, position, legal) for move in legal} == {"4x31x42x15", "4x27x38x15"}
    assert {format_move(move, position, legal, "short") for move in legal} == {"4x15x13x20x32", "4x15x13x20x37"}
    with pytest.raises(IllegalMoveError, match="ambiguous move"):
        parse_move("4x15", position)
    assert parse_move("4x15x37", position).captured == (13, 20, 37)
    assert parse_move("4x15x32x13x20", position).captured == (13, 20, 32)
    assert parse_move("4x42x15", position, prefer="path").captured == (13, 20, 37)


def test_a_single_capture_beside_longer_ones() -> None:
    position = position_of("english", "B:W23,22,15,14:B11,10")
    texts = {format_move(move, position) for move in position.legal_moves()}
    assert texts == {"10x17x26", "10x19x26", "11x25", "11x27"}


@pytest.mark.parametrize(
    "text",
    ["28x19", "28x19x23", "28-19", "28:19", "2819", "028x019", " 28 x 19 ", "28X19", "28\u201319", "28\u00d719",
     "28x19!", "28x19(!?)", "28x19*", "28\u00a0-\u00a019", "28x19x023", "281923", "28x19 (+1)"],
)  # fmt: skip
def test_readings_of_one_capture(text: str) -> None:
    position = position_of("international", "W:W28,31:B23,1")
    assert parse_move(text, position) == Move(28, 19, (23,))


@pytest.mark.parametrize(
    "text", ["c3xe5xg7", "c3:e5:g7", "c3e5g7", "c3-e5-g7", "c3xg7", "c3:g7", "c3xg7xd4", "22x15x8"]
)
def test_readings_on_a_board_with_letters(text: str) -> None:
    position = position_of("russian", "W:Wc3:Bd4,f6")
    assert position.format_move(parse_move(text, position)) == "c3:g7"


@pytest.mark.parametrize(
    ("text", "at"),
    [("", None), ("-", None), ("32", None), ("328", None), ("32-28-", None), ("0-28", 0), ("32-51", 3), ("a-b", None),
     ("32-b3", 3), ("32--28", None), ("32-28" * 100, None), ("32-" + "1" * 90, 3), ("...", None), ("1-0", 2)],
)  # fmt: skip
def test_no_move(text: str, at: int | None) -> None:
    with pytest.raises(MoveError) as caught:
        parse_move(text, Position.start("international"))
    assert caught.value.at == at
    assert not isinstance(caught.value, IllegalMoveError)


@pytest.mark.parametrize("text", ["32-27x1", "32-29", "32x28x23", "31-26x"])
def test_illegal(text: str) -> None:
    with pytest.raises(MoveError):
        parse_move(text, Position.start("international"))


def test_wrong_captured_square_is_illegal() -> None:
    with pytest.raises(IllegalMoveError):
        parse_move("28x19x24", position_of("international", "W:W28:B23,1"))


def test_quiet_move_with_a_capture_sign() -> None:
    assert parse_move("32x28", Position.start("international")) == Move(32, 28)


def test_numbers_of_the_hub_and_of_pdn() -> None:
    russian = Position.start("russian")
    first = parse_move("c3-d4", russian)
    assert first == parse_move("22-18", russian) == parse_move("10-14", russian, numbering="pdn")
    assert format_move(first, russian, style="hub") == "22-18"
    assert format_move(first, russian, style="hub", numbering="pdn") == "10-14"
    spanish = Position.start("spanish")
    move = parse_move("10-13", spanish)
    assert move == parse_move("23-20", spanish, numbering="top") == parse_move("10-13", spanish, numbering="pdn")
    assert format_move(move, spanish) == "10-13"
    assert format_move(move, spanish, style="hub") == "23-20"
    assert format_move(move, spanish, style="coordinate") == "f3g4"


def test_capture_signs() -> None:
    assert format_move(Move(22, 15, (18,)), position_of("russian", "W:Wc3:Bd4")) == "c3:e5"
    assert format_move(Move(22, 15, (18,)), position_of("brazilian", "W:Wc3:Bd4")) == "c3xe5"
    thai = position_of("thai", "W:W10:B14")
    (move,) = thai.legal_moves()
    assert format_move(move, thai) == "10-17"


@pytest.mark.parametrize("name", VARIANTS)
def test_start_moves_in_every_style(name: str) -> None:
    position = Position.start(name)
    for move in position.legal_moves():
        assert capture_paths(position, move) == [(move.frm, move.to)]
        for style in STYLES:
            text = format_move(move, position, style=style)
            assert parse_move(text, position, numbering="top" if style == "hub" else "own") == move


def test_the_reading_that_goes_first() -> None:
    # 47x33x24: to 24 over 33 as a path, to 33 taking 24 as a set.
    position = position_of("international", "W:WK47:B38,29,24")
    legal = position.legal_moves()
    assert all(len(move.captured) == len(legal[0].captured) for move in legal)
    for move in legal:
        for path in capture_paths(position, move):
            assert parse_move("x".join(map(str, path)), position, prefer="path") == move


@pytest.mark.parametrize("signs", ["*" * 390, "!?" * 195, "(!)" * 130, "( " * 195, "!(" * 195])
def test_signs_in_any_number_are_read_at_once(signs: str) -> None:
    began = time.perf_counter()
    with pytest.raises(MoveError):
        parse_move(f"32-28{signs}4", Position.start("international"))
    assert time.perf_counter() - began < 10
