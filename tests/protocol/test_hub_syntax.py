"""Hub lines: one table drives reading and writing; any text at all is read without an error."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.framing import LineFramer
from protocol.hub_syntax import Argument, HubLine, format_line, parse_line, read_integer, read_real

# Lines in the form in which they are written, with their meaning.
SIMPLE_CASES: list[tuple[str, str, tuple[Argument, ...]]] = [
    ("ping", "ping", ()),
    ("go think", "go", (("think", None),)),
    ("set-param name=book value=false", "set-param", (("name", "book"), ("value", "false"))),
    ('id author="A B" country=NL', "id", (("author", "A B"), ("country", "NL"))),
    ('pos pos=Wbbe moves="31-27 17-21"', "pos", (("pos", "Wbbe"), ("moves", "31-27 17-21"))),
    ("level time=-0.4 inc=0.5", "level", (("time", "-0.4"), ("inc", "0.5"))),
    ('legal moves=""', "legal", (("moves", ""),)),
    ('error message="a = b"', "error", (("message", "a = b"),)),
    (r"set-param name=bb-path value=C:\db", "set-param", (("name", "bb-path"), ("value", r"C:\db"))),
]

# Lines that are read and never written so.
READ_CASES: list[tuple[str, str, tuple[Argument, ...]]] = [
    ("  go \t analyze  ", "go", (("analyze", None),)),
    ("level depth = 5", "level", (("depth", "5"),)),
    ("level depth =5 nodes= 7", "level", (("depth", "5"), ("nodes", "7"))),
    ('set-param name="tt-size" value="16"', "set-param", (("name", "tt-size"), ("value", "16"))),
    ('pos moves="31-27', "pos", (("moves", "31-27"),)),  # open quote: to the end of the line
    ("go =x think", "go", (("think", None),)),
    ('go "x y" think', "go", (("think", None),)),
    ("go a=b=c think", "go", (("a", "b"), ("think", None))),
    ("level depth=20level move-time=1", "level", (("depth", "20level"), ("move-time", "1"))),
    ("level depth=", "level", (("depth", ""),)),
    ('a b="say \\"hi\\" \\\\ there"', "a", (("b", 'say "hi" \\ there'),)),
    (r'set-param value="C:\db\"', "set-param", (("value", "C:\\db\\"),)),
    (r'set-param value="C:\my db\" name=x', "set-param", (("value", "C:\\my db\\"), ("name", "x"))),
    ("go think\r", "go", (("think", None),)),
    ("hub\x00\x0b", "hub", ()),
]


@pytest.mark.parametrize(("text", "command", "arguments"), SIMPLE_CASES)
def test_read_and_write(text: str, command: str, arguments: tuple[Argument, ...]) -> None:
    assert parse_line(text) == HubLine(command, arguments)
    assert format_line(command, arguments) == text


@pytest.mark.parametrize(("text", "command", "arguments"), READ_CASES)
def test_read(text: str, command: str, arguments: tuple[Argument, ...]) -> None:
    assert parse_line(text) == HubLine(command, arguments)


@pytest.mark.parametrize("text", ["", "   ", "\t", "\r", "=", '"', '="x"', '"ping"', "\x00"])
def test_no_command(text: str) -> None:
    assert parse_line(text) is None


@pytest.mark.parametrize("junk", ['\\"', '"', "=", 'a="\\', '\\" ', '="', "\\"])
def test_long_junk_is_read_in_time(junk: str) -> None:
    """Twice as much takes twice as long, also where quotes are never closed."""
    begin = time.process_time()
    parse_line("pos a=1 " + junk * 50_000)
    assert time.process_time() - begin < 2


def test_the_last_of_several_wins() -> None:
    line = parse_line("level depth=3 depth=5 infinite")
    assert line is not None
    assert line.integer("depth") == 5
    assert "infinite" in line
    assert line.get("infinite") == ""
    assert line.get("nodes") is None
    line = parse_line("level depth=3 depth=x depth move-time=0.5 move-time=soon nodes=x")
    assert line is not None
    assert line.integer("depth") == 3
    assert line.real("move-time") == 0.5
    assert line.integer("nodes") is None


@pytest.mark.parametrize(
    ("text", "integer", "real"),
    [
        ("5", 5, 5.0),
        ("-0.4", 0, -0.4),
        ("20level", 20, 20.0),
        ("1e-05", 1, 1e-05),
        ("0.30000000000000004", 0, 0.30000000000000004),
        (".5x", None, 0.5),
        ("+7", 7, 7.0),
        ("5.e", 5, 5.0),
        ("9" * 5000, 10**15, 1e15),
        ("-" + "9" * 40, -(10**15), -1e15),
        ("1e999", 1, 1e15),
        ("abc", None, None),
        ("nan", None, None),
        ("inf", None, None),
        ("", None, None),
        ("-", None, None),
        ("٣", None, None),  # a digit, and none of the protocol's
    ],
)
def test_numbers_are_read_by_their_longest_prefix(text: str, integer: int | None, real: float | None) -> None:
    assert read_integer(text) == integer
    assert read_real(text) == real


names = st.text(st.characters(codec="utf-8", exclude_characters='="\x7f', categories=("L", "N", "P", "S")), min_size=1)
values = st.text(st.characters(codec="utf-8", exclude_characters='"\\', exclude_categories=("Cc", "Cs")))


@given(names, st.lists(st.tuples(names, st.none() | values)))
def test_what_is_written_is_read_back(command: str, arguments: list[tuple[str, str | None]]) -> None:
    assert parse_line(format_line(command, arguments)) == HubLine(command, tuple(arguments))


@given(st.text(alphabet='ab-=" \t\\\r\x00é1.'))
def test_any_text_is_read(text: str) -> None:
    line = parse_line(text)
    assert line is None or parse_line(format_line(line.command)) == HubLine(line.command)


def test_what_cannot_be_carried_is_replaced() -> None:
    assert format_line("error", [("message", 'bad "x"\nline')]) == "error message=\"bad 'x' line\""


def test_one_word_is_never_quoted() -> None:
    assert format_line("info", [("pv", "32-28"), ("score", "-0.10")]) == "info pv=32-28 score=-0.10"


@given(st.lists(st.binary(max_size=30).filter(lambda b: b"\n" not in b and not b.endswith(b"\r"))), st.data())
def test_framing_does_not_depend_on_chunks(lines: list[bytes], data: st.DataObject) -> None:
    wire = b"".join(line + data.draw(st.sampled_from([b"\n", b"\r\n"])) for line in lines)
    framer = LineFramer()
    received = []
    while wire:
        cut = data.draw(st.integers(1, len(wire)))
        received += framer.feed(wire[:cut])
        wire = wire[cut:]
    assert received == [line.decode("utf-8", "replace") for line in lines]


def test_a_line_that_is_too_long_is_dropped_whole() -> None:
    framer = LineFramer(longest=10)
    assert framer.feed(b"short\n" + b"x" * 8) == ["short"]
    assert framer.feed(b"x" * 8) == []
    assert framer.feed(b"yy\nnext\n") == ["next"]
    assert framer.feed(b"z" * 11 + b"\nlast\n") == ["last"]
