"""The DXP codec: every documented message both ways, what must be tolerated, and that nothing else
escapes."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Side
from protocol.dxp_messages import (
    AcceptCode,
    BackAccept,
    BackCode,
    BackRequest,
    Chat,
    EndReason,
    FrameError,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MoveMessage,
    Setup,
    decode,
    encode,
)

DATA = Path(__file__).parent.parent / "data"
BUGS = {case["id"]: case for case in json.loads((DATA / "bugs.json").read_text(encoding="utf-8"))}
SETUP = "WeeeeZeeeeeeeezeeeeezeeeeeeeeeeeeweeeeeeeeeeeeWeeee"  # as captured

# One list for both directions: dxp.md section 2 and the captured transcripts.
CASES: list[tuple[bytes, Message]] = [
    (b"R01TapClient 1.0                   W001075A", GameRequest("TapClient 1.0", Side.WHITE, 1, 75)),
    (
        b"R01TapClient 1.0                   W001000B" + SETUP.encode(),
        GameRequest("TapClient 1.0", Side.WHITE, 1, 0, Setup(Side.WHITE, SETUP[1:])),
    ),
    (
        b"R01Tornado voor Windows 4.0        Z060065A",
        GameRequest("Tornado voor Windows 4.0", Side.BLACK, 60, 65),
    ),
    (b"AMoby Dam (Nov 30 2026)          0", GameAccept("Moby Dam (Nov 30 2026)", AcceptCode.ACCEPTED)),
    (b"AScan 2.0                        1", GameAccept("Scan 2.0", AcceptCode.VERSION)),
    (b"M0000322800", MoveMessage(32, 28)),
    (b"M000046100114", MoveMessage(46, 10, (14,))),
    (b"M001205250422122320", MoveMessage(5, 25, (22, 12, 23, 20), 12)),
    (b"E00", GameEnd()),
    (b"E11", GameEnd(EndReason.I_LOSE, stop=True)),
    (b"E20", GameEnd(EndReason.DRAW)),
    (b"E31", GameEnd(EndReason.I_WIN, stop=True)),
    (b"CWhat do you think about move 35?", Chat("What do you think about move 35?")),
    (b"B005Z", BackRequest(5, Side.BLACK)),
    (b"B001W", BackRequest(1, Side.WHITE)),
    (b"K0", BackAccept(BackCode.YES)),
    (b"K1", BackAccept(BackCode.NEVER)),
    (b"K2", BackAccept(BackCode.NOT_NOW)),
]


@pytest.mark.parametrize(("frame", "message"), CASES)
def test_documented_messages(frame: bytes, message: Message) -> None:
    assert decode(frame) == message
    assert encode(message) == frame


def test_lengths_are_those_of_the_specification() -> None:
    assert len(encode(CASES[0][1])) == 43
    assert len(encode(CASES[1][1])) == 94
    assert len(encode(CASES[3][1])) == 34
    assert len(encode(MoveMessage(1, 2, tuple(range(3, 23))))) == 11 + 2 * 20


def request(
    minutes: str = "001", moves: str = "075", colour: str = "W", start: str = "A", version: str = "01"
) -> bytes:
    return f"R{version}{'Tester':32}{colour}{minutes}{moves}{start}".encode()


@pytest.mark.parametrize(
    ("field", "minutes"),
    [("000", 0), ("0.5", 0.5), ("1.5", 1.5), (" 75", 75), ("5  ", 5), ("2. ", 2), (".25", 0.25)],
)
def test_minutes_are_read_as_a_real_with_blanks(field: str, minutes: float) -> None:
    message = decode(request(minutes=field))
    assert isinstance(message, GameRequest)
    assert message.minutes == minutes


@pytest.mark.parametrize(("minutes", "field"), [(0, b"001"), (0.4, b"001"), (1.9, b"001"), (90, b"090"), (999, b"999")])
def test_minutes_are_written_as_a_whole_number_from_one(minutes: float, field: bytes) -> None:
    assert encode(GameRequest("x", Side.WHITE, minutes))[36:39] == field


def test_request_of_a_field_reader_bug() -> None:
    """bugs.json D01: times read four characters wide."""
    message = decode(BUGS["D01"]["input"]["msg"].encode())
    assert message == GameRequest("Initiator", Side.WHITE, 60, 75)


@pytest.mark.parametrize("text", BUGS["D03"]["input"]["msgs"])
def test_captured_squares_in_any_order(text: str) -> None:
    """bugs.json D03."""
    message = decode(text.encode())
    assert isinstance(message, MoveMessage)
    assert (message.frm, message.to, set(message.captured)) == (5, 25, {12, 20, 22, 23})


def test_blank_moves_mean_no_limit_and_trailing_blanks_nothing() -> None:
    assert decode(request(moves="   ", start="A ")) == GameRequest("Tester", Side.WHITE, 1)
    assert decode(b"M    322800  ") == MoveMessage(32, 28)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (request(version="02"), AcceptCode.VERSION),
        (request(version="00"), AcceptCode.VERSION),
        (request(version="x1"), AcceptCode.VERSION),
        (b"R", AcceptCode.VERSION),
        (b"R01", AcceptCode.NOT_THIS),
        (request()[:-1], AcceptCode.NOT_THIS),
        (request(start=""), AcceptCode.NOT_THIS),
        (request(start="C"), AcceptCode.NOT_THIS),
        (request(start="Axyz"), AcceptCode.NOT_THIS),
        (request(start="B"), AcceptCode.NOT_THIS),
        (request(colour="B"), AcceptCode.NOT_THIS),
        (request(minutes="abc"), AcceptCode.NOT_THIS),
        (request(minutes="   "), AcceptCode.NOT_THIS),
        (request(minutes="1.."), AcceptCode.NOT_THIS),
        (request(minutes="-01"), AcceptCode.NOT_THIS),
        (request(moves="x75"), AcceptCode.NOT_THIS),
        (request(start="BW" + "e" * 49), AcceptCode.NOT_THIS),
        (request(start="BW" + "e" * 51), AcceptCode.NOT_THIS),
        (request(start="BW" + "e" * 32), AcceptCode.NOT_THIS),  # pydraughts on a board of 8x8
        (request(start="BX" + "e" * 50), AcceptCode.NOT_THIS),
        (request(start="BW" + "b" + "e" * 49), AcceptCode.NOT_THIS),
    ],
)
def test_bad_requests_say_what_answer_they_deserve(frame: bytes, code: AcceptCode) -> None:
    with pytest.raises(FrameError) as caught:
        decode(frame)
    assert caught.value.letter == "R"
    assert caught.value.code is code


@pytest.mark.parametrize(
    "frame",
    [
        b"M",
        b"M000132280",
        b"M00013228",
        b"M0012",
        b"M00003228XX",
        b"M0000322801",
        b"M000032280017",
        b"M0000322821" + b"01" * 21,
        b"Mxxxxyy2800",
        b"E",
        b"E0",
        b"E40",
        b"E0x",
        b"E02",
        b"B",
        b"B01W",
        b"BabcW",
        b"B001",
        b"B001B",
        b"K",
        b"K3",
        b"A",
        b"A" + b" " * 32,
        b"A" + b" " * 32 + b"4",
        b"",
        b"Q",
        b"r01",
        b"\xff\xfe",
        b"m0000322800",
    ],
)
def test_malformed_frames(frame: bytes) -> None:
    with pytest.raises(FrameError):
        decode(frame)


def test_chat_of_every_length_and_kind() -> None:
    assert decode(b"C" + b"x" * 126) == Chat("x" * 126)
    assert decode(b"C" + b"x" * 500) == Chat("x" * 126)
    assert decode(b"C") == Chat("")
    assert decode(b"Ca\xe9\x1b[2J\n") == Chat("a??[2J?")
    assert encode(Chat("é" + "y" * 200)) == b"C?" + b"y" * 125
    assert encode(Chat("")) == b"C "


def test_chat_never_commands_moby_dam() -> None:
    assert encode(Chat("console exit")) == b"C console exit"


@pytest.mark.parametrize(
    "message",
    [
        MoveMessage(100, 1),
        MoveMessage(-1, 1),
        MoveMessage(1, 2, tuple(range(21))),
        GameRequest("x", Side.WHITE, 1000),
        GameRequest("x", Side.WHITE, 1, 1000),
        GameRequest("x", Side.WHITE, 1, 0, Setup(Side.WHITE, "e" * 32)),
        GameRequest("x", Side.WHITE, 1, 0, Setup(Side.WHITE, "b" + "e" * 49)),
        BackRequest(1000, Side.WHITE),
    ],
)
def test_what_has_no_place_in_a_frame_is_not_written(message: Message) -> None:
    with pytest.raises(ValueError, match=r"fit|captured|board"):
        encode(message)


def test_setup_as_hub_string() -> None:
    setup = Setup(Side.BLACK, "zZwW" + "e" * 46)
    assert setup.hub() == "BbBwW" + "e" * 46
    assert Setup.from_hub(setup.hub()) == setup


names = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=32)
sides = st.sampled_from(Side)
boards = st.text("wzWZe", min_size=50, max_size=50)
squares = st.integers(0, 99)
messages = st.one_of(
    st.builds(
        GameRequest,
        names,
        sides,
        st.integers(1, 999),
        st.integers(0, 999),
        st.none() | st.builds(Setup, sides, boards),
    ),
    st.builds(GameAccept, names, st.sampled_from(AcceptCode)),
    st.builds(MoveMessage, squares, squares, st.lists(squares, max_size=20).map(tuple), st.integers(0, 9999)),
    st.builds(GameEnd, st.sampled_from(EndReason), st.booleans()),
    st.builds(
        Chat,
        st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=126).filter(
            lambda text: not text.startswith("console")
        ),
    ),
    st.builds(BackRequest, st.integers(0, 999), sides),
    st.builds(BackAccept, st.sampled_from(BackCode)),
)


@given(messages)
def test_round_trip(message: Message) -> None:
    frame = encode(message)
    assert 1 <= len(frame) <= 127
    assert b"\0" not in frame
    assert decode(frame) == message


@given(
    st.binary(max_size=200)
    | st.builds(
        lambda letter, rest: letter + rest,
        st.sampled_from([b"R01", b"M0", b"E", b"B0", b"K", b"A"]),
        st.binary(max_size=100),
    )
)
def test_garbage_parses_or_raises_frame_error(frame: bytes) -> None:
    try:
        text = str(decode(frame))
    except FrameError as error:
        text = str(error)
    assert text.isprintable()
