"""FEN texts, in and out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import FenError
from engine.fen import format_fen, parse_fen, parse_position
from engine.position import Position
from engine.rules import Rules
from engine.variants import VARIANTS, find_variant
from tests.engine.positions import positions

INTERNATIONAL = find_variant("international")
FRISIAN = find_variant("frisian")
RUSSIAN = find_variant("russian")


@given(positions(), st.booleans())
@settings(max_examples=300, deadline=None)
def test_round_trip(position: Position, ranges: bool) -> None:
    text = format_fen(position, ranges=ranges)
    assert parse_fen(text, position.rules) == position
    assert parse_fen(f'[FEN "{text.lower()}."]', position.rules) == position
    assert parse_position(text, position.rules) == position


@given(st.sampled_from(list(VARIANTS.values())), st.text(alphabet='WBKwbk?:,.-+ 0123456789abgpFH"[]\n\u0663x'))
@settings(max_examples=1000, deadline=None)
def test_any_text_parses_or_is_an_error(rules: Rules, text: str) -> None:
    try:
        position = parse_fen(text, rules)
    except FenError as error:
        place = error.at
    else:
        place = None
        assert parse_fen(format_fen(position), rules) == position
    assert place is None or 0 <= place <= len(text)


@pytest.mark.parametrize("name", VARIANTS)
def test_start_positions(name: str) -> None:
    rules = VARIANTS[name]
    start = Position.start(rules)
    assert parse_fen(start.fen(), rules) == start


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("international", "W:W31-50:B1-20"),
        ("english", "B:W21-32:B1-12"),
        ("italian", "W:W21-32:B1-12"),
        ("spanish", "W:W1-12:B21-32"),
        ("portuguese", "W:W1-12:B21-32"),
        ("thai", "B:W1-8:B25-32"),
        ("canadian", "W:W43-72:B1-30"),
        ("frysk", "W:W46-50:B1-5"),
        ("russian", "W:W21-32:B1-12"),
    ],
)
def test_start_texts(name: str, text: str) -> None:
    rules = find_variant(name)
    assert parse_fen(text, rules) == Position.start(rules)
    if not rules.algebraic:
        assert format_fen(Position.start(rules), ranges=True) == text


def test_algebraic_start() -> None:
    text = "W:Wa1,c1,e1,g1,b2,d2,f2,h2,a3,c3,e3,g3:Bb6,d6,f6,h6,a7,c7,e7,g7,b8,d8,f8,h8"
    assert Position.start("russian").fen() == text


@pytest.mark.parametrize("text", ["B:W50:B", "W:W39:B", "W:W:B1", "W:WK3,25:BK10,K20"])
def test_written_back_identically(text: str) -> None:
    assert parse_fen(text, INTERNATIONAL).fen() == text


def test_squares_ascend_with_kings_in_place() -> None:
    text = "W:WK8,10,21,22,32:B2,13,14,28,K31"
    shuffled = "W:W10,21,32,K8,22:BK31,13,2,28,14"
    assert parse_fen(shuffled, find_variant("english")).fen() == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("B:B1:W31", "B:W31:B1"),
        ("W:B1-20:W31-50", "W:W31-50:B1-20"),
        ("W:W31-50:B1-20.", "W:W31-50:B1-20"),
        (" w : w 31 - 50 :\n b1-20 ", "W:W31-50:B1-20"),
        ('[FEN "W:W31-50:B1-20"]', "W:W31-50:B1-20"),
        ("\u201cW:W31:B1\u201d", "W:W31:B1"),
        ("W:W31", "W:W31:B"),
        ("W:W31:W32:B1", "W:W31,32:B1"),
        ("W:W031:B01", "W:W31:B1"),
        ("W:WK31-33:B1", "W:WK31,K32,K33:B1"),
        ("W:WK31-K33:B1", "W:WK31,K32,K33:B1"),
        ("W:W50,31,4:B1,10,11,2,20", "W:W4,31,50:B1,2,10,11,20"),
        ("W:W:W31-50:B1-20", "W:W31-50:B1-20"),
        ("W:B:W31-50:B1-20", "B:W31-50:B1-20"),
        ("B:W:W31-50:B1-20", "W:W31-50:B1-20"),
        ("xyzB:W31:B1", "B:W31:B1"),
        ("White to play W:W31:B1", "W:W31:B1"),
        ("?:W31:B1", "W:W31:B1"),
        ("W:W31:B1:H0:F1", "W:W31:B1"),
        ("W:W31:B1:H12:F40:+0+0", "W:W31:B1"),
        ("W:W31,G30,P29:B1", "W:W31:B1"),
        ("W:Wk31:Bk1", "W:WK31:BK1"),
    ],
)
def test_tolerated(text: str, same: str) -> None:
    assert parse_fen(text, INTERNATIONAL) == parse_fen(same, INTERNATIONAL)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("W:WK4,WK5,55:B4", 6),
        ("W:W0:B1", 3),
        ("W:W51:B1", 3),
        ("W:W31,31:B1", 6),
        ("W:W31:B31", 7),
        ("X:W31:B1", 0),
        ("", None),
        ("W", None),
        ("W:", 2),
        ("B::", 2),
        ("W:W3a:B1", 3),
        ("W:W31-29:B1", 3),
        ("W:W1-51:B1", 3),
        ("W:W31,,32:B1", 6),
        ("W:X31:B1", 2),
        ("W:W31:31", 6),
        ("W:W31:X1", 6),
        ("W:W" + "9" * 3000, 3),
        ("W:W31:BW1", 7),
        ("W: W 31, 99 : B1", 9),
    ],
)
def test_refused_with_the_place(text: str, at: int | None) -> None:
    with pytest.raises(FenError) as caught:
        parse_fen(text, INTERNATIONAL)
    assert caught.value.at == at


def test_numbers_on_a_board_with_letters() -> None:
    position = parse_fen("W:W21:B12", RUSSIAN)
    assert position.fen() == "W:Wa3:Bh6"


def test_king_mark_with_letters() -> None:
    position = parse_fen("W:We3,Kf8:Bc5", RUSSIAN)
    assert position.pieces() == {3: "W", 14: "b", 23: "w"}
    assert parse_fen("W:WKa1:BKh8", RUSSIAN).pieces() == {4: "B", 29: "W"}


def test_a_square_of_the_wrong_colour() -> None:
    with pytest.raises(FenError) as caught:
        parse_fen("W:Wb1:Bc1", RUSSIAN)
    assert caught.value.at == 3


@pytest.mark.parametrize(("name", "text"), [("international", "W:W4:B49"), ("russian", "W:Wb8:Bc1")])
def test_men_on_their_promotion_row_stay_men(name: str, text: str) -> None:
    position = parse_fen(text, find_variant(name))
    assert position.white_men
    assert not position.white_kings
    assert position.fen() == text


@pytest.mark.parametrize(
    ("suffix", "runs"),
    [
        (":+233+107", ((33, 2), (7, 1))),
        (":+2+1", ((33, 2), (7, 1))),
        (":H0:F1:+0+17", ((0, 0), (7, 1))),
        (":+0+0", ((0, 0), (0, 0))),
        (":+234+0", ((0, 0), (0, 0))),
    ],
)
def test_running_king_moves(suffix: str, runs: tuple[tuple[int, int], tuple[int, int]]) -> None:
    assert parse_fen("W:WK33,40:BK7,9" + suffix, FRISIAN).king_runs == runs
    assert parse_fen("W:WK33,40:BK7,9" + suffix, INTERNATIONAL).king_runs == ((0, 0), (0, 0))


def test_any_form() -> None:
    start = Position.start(INTERNATIONAL)
    assert parse_position(" startpos ", INTERNATIONAL) == start
    assert parse_position(start.hub(), INTERNATIONAL) == start
    assert parse_position(start.fen(), INTERNATIONAL) == start
