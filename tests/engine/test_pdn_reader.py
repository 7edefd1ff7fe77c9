"""PDN in: the grammar, its dialects, malformed texts and streams."""

import io
import itertools
import random
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import PdnError
from engine.pdn import UNKNOWN, Grade, PdnGame
from engine.pdn_lexer import escape, unescape
from engine.pdn_reader import read_game, read_games

GAMES = Path(__file__).parent.parent / "data" / "games"


def texts(game: PdnGame) -> list[str]:
    return [move.text for move in game.moves]


def faults(game: PdnGame) -> list[tuple[int, int, Grade]]:
    return [(fault.line, fault.column, fault.grade) for fault in game.faults]


# ------------------------------------------------------------------------------------------- known cases
def test_the_last_game_needs_no_terminator() -> None:
    games = list(read_games('[Event "a"]\n1. 11-15 24-19 *\n[Event "b"]\n1. 9-13 22-18'))
    assert [texts(game) for game in games] == [["11-15", "24-19"], ["9-13", "22-18"]]
    assert [game.terminator for game in games] == ["*", ""]
    assert [game.number for game in games] == [1, 2]


def test_brackets_and_braces_inside_a_tag() -> None:
    game = read_game('[Event "Open [A] {x}"]\n1. 11-15 *')
    assert game.tags == {"Event": "Open [A] {x}"}
    assert texts(game) == ["11-15"]
    assert read_game('[Event "a \\"b\\" c"]').tags == {"Event": 'a "b" c'}


def test_byte_order_mark_curly_quotes_no_break_space() -> None:
    game = read_game("\ufeff[Event \u201ca\u201d]\n1.\u00a011-15 *")
    assert game.tags == {"Event": "a"}
    assert texts(game) == ["11-15"]
    assert not game.errors
    assert faults(game) == [(1, 1, Grade.NOTE), (1, 1, Grade.NOTE)]


def test_strength_in_brackets_is_no_variation() -> None:
    game = read_game("1. 32-28(?) 19-23 (18-23 38-32 (37-32?)) 2. 28x19(!?) 14x23 *")
    assert texts(game) == ["32-28", "19-23", "28x19", "14x23"]
    assert [move.strength for move in game.moves] == ["?", "", "!?", ""]
    (variation,) = game.moves[1].variations
    assert [move.text for move in variation] == ["18-23", "38-32"]
    assert variation[1].variations[0][0].strength == "?"
    assert not game.faults


def test_a_missing_result_is_not_inherited() -> None:
    first, second = read_games('[Result "1-0"]\n1. 11-15 1-0\n\n[Event "b"]\n1. 9-13')
    assert (first.result, second.result) == ("1-0", "*")


# ------------------------------------------------------------------------------------------- tokens
@pytest.mark.parametrize(
    "text",
    [
        "1. 32-28 19-23",
        "1.32-28 19-23",
        "01. 32-28 19-23",
        "1. 32-28 1... 19-23",
        "32-28 19-23",
        "1. 32-28 1. ... 19-23",
        "1 . 32-28 19-23",
        "1. 32-28\r\n19-23\r\n",
        "1.\t32-28\r19-23",
        "1. 32-28% x 3-4\n19-23",
        "1) 32-28 19-23",
    ],
)
def test_move_numbers(text: str) -> None:
    assert texts(read_game(text)) == ["32-28", "19-23"]


@pytest.mark.parametrize(
    ("text", "moves", "columns"),
    [
        ("1. 06-11 1-07", ["06-11", "1-07"], [4, 10]),
        ("1. 1 - 7 30 x 24", ["1-7", "30x24"], [4, 10]),
        ("1. 3228 c3d4", ["3228", "c3d4"], [4, 9]),
        ("1. 11 x 18 x 25", ["11x18x25"], [4]),
        ("1. C3-D4 11X18", ["c3-d4", "11x18"], [4, 10]),
        ("1. 32\u201328 1\u20117 11\u00d718", ["32-28", "1-7", "11x18"], [4, 10, 14]),
        ("1. 32 - 28 2. 19 - 23", ["32-28", "19-23"], [4, 15]),
    ],
)
def test_odd_moves_are_read_and_noted(text: str, moves: list[str], columns: list[int]) -> None:
    game = read_game(text)
    assert texts(game) == moves
    assert faults(game) == [(1, column, Grade.NOTE) for column in columns]


def test_captures_in_all_signs() -> None:
    game = read_game("1. c3:e5:g7 d8xf6xh4 18x9x2 4-13-22 11x18 18x25 *")
    assert texts(game) == ["c3:e5:g7", "d8xf6xh4", "18x9x2", "4-13-22", "11x18", "18x25"]
    assert not game.faults


@pytest.mark.parametrize(
    ("text", "terminator"),
    [("*", "*"), ("1-0", "1-0"), ("1/2-1/2", "1/2-1/2"), ("0-1", "0-1"), ("2-0", "2-0"), ("1-1", "1-1"), ("0-2", "0-2"),
     ("0-0", "0-0"), ("\u00bd-\u00bd", "\u00bd-\u00bd"), ("0.5-0.5", "0.5-0.5"), ("1/2:1/2", "1/2:1/2"), ("", "")],
)  # fmt: skip
def test_terminators(text: str, terminator: str) -> None:
    game = read_game(f"1. 1-18 17-22 {text}")
    assert texts(game) == ["1-18", "17-22"]
    assert game.terminator == terminator
    assert not game.faults


def test_a_result_right_behind_the_move_number() -> None:
    game = read_game("1. 32-28 19-23 2. 2-0")
    assert (len(game.moves), game.terminator) == (2, "2-0")


def test_one_one_is_a_result_only_at_the_end() -> None:
    assert [texts(g) for g in read_games("1. 32-28 1-1 1. 31-27 1-1 18-23 2. 37-31 *")] == [
        ["32-28"],
        ["31-27", "1-1", "18-23", "37-31"],
    ]


def test_a_result_in_the_middle_of_the_moves() -> None:
    (game,) = read_games("1. 32-28 19-23 1-0 2. 28x19 14x23 0-1")
    assert len(game.moves) == 4
    assert game.terminator == "0-1"
    assert len(game.errors) == 1


def test_games_without_tags() -> None:
    games = list(read_games("1. 32-28 19-23 * 1. 31-27 2-0\n1. 33-29 *\n*"))
    assert [texts(game) for game in games] == [["32-28", "19-23"], ["31-27"], ["33-29"]]


def test_forced_moves() -> None:
    game = read_game("1. 37x26* 1-7\u25a1 2. 3-9 *")
    assert [move.nags for move in game.moves] == [(7,), (7,), ()]
    assert game.terminator == "*"


def test_unknown_moves() -> None:
    game = read_game("1. - - 2. -- ... 3. .. 19-23 *")
    assert texts(game) == [UNKNOWN] * 5 + ["19-23"]


def test_notes_of_a_move() -> None:
    game = read_game("{before} 1. 32-28!? $1 $22 {a {b} c} ; to the end of line\n19-23 {last} *")
    first, second = game.moves
    assert first.before == ("before",)
    assert (first.strength, first.nags) == ("!?", (1, 22))
    assert first.comments == ("a (b) c", "to the end of line")
    assert second.comments == ("last",)


def test_text_in_round_brackets_is_a_comment() -> None:
    game = read_game("1. 32-28 (a good move) 19-23 (3) *")
    assert game.moves[0].comments == ("a good move",)
    assert texts(game) == ["32-28", "19-23"]
    assert not game.errors


def test_set_up_in_the_middle() -> None:
    game = read_game('1. 32-28 /FEN "W:W31:B1"/ 31-27 *')
    assert [(move.text, move.setup) for move in game.moves] == [("32-28", ""), ("", "W:W31:B1"), ("31-27", "")]


# ------------------------------------------------------------------------------------------- tags
@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ('[Event "a"] [Site "b"]\n1. 32-28', {"Event": "a", "Site": "b"}),
        ('[Event   "a" ]\n[ Site "b"]', {"Event": "a", "Site": "b"}),
        ('[White "x "y" z"]\n[Black "a]b"]', {"White": 'x "y" z', "Black": "a]b"}),
        ('[FEN "W:W31,\r\n 32:B1"]\n[Result "*"]', {"FEN": "W:W31, 32:B1", "Result": "*"}),
        ('[event "a"]\n[whatever "b"]', {"Event": "a", "whatever": "b"}),
        ('[Bianco "x"]', {"Bianco": "x"}),
        ('[Event "C:\\\\d\\\\"]', {"Event": "C:\\d\\"}),
        ('[Event "C:\\dir\\x"]', {"Event": "C:\\dir\\x"}),
        ('[Event "a"]\n\n[Site "b"]\n1. 32-28', {"Event": "a", "Site": "b"}),
        ("[pdn][Event \"a\"]\n1. 32-28 *[/pdn]", {"Event": "a"}),
    ],
)  # fmt: skip
def test_tags(text: str, tags: dict[str, str]) -> None:
    (game,) = read_games(text)
    assert game.tags == tags
    assert not game.errors


def test_italian_names() -> None:
    game = read_game('[Bianco "A"]\n[Nero "B"]\n[Risultato "1-0"]\n1. 21-17')
    assert (game.tag("White"), game.tag("Black"), game.result) == ("A", "B", "1-0")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_games_of_nothing_but_tags(end: str) -> None:
    text = '[Event "a"]\n[Result "2-0"]\n \n[Event "b"]\n\n[White "x"]\n\n[Event "c"]\n1. 32-28\n'
    games = list(read_games(text.replace("\n", end)))
    assert [game.tag("Event") for game in games] == ["a", "b", "c"]
    assert [game.result for game in games] == ["2-0", "*", "*"]
    assert games[1].tag("White") == "x"
    assert not any(game.faults for game in games)
    (one,) = read_games('[Event "a"]\n[Event "b"]\n1. 32-28\n'.replace("\n", end))
    assert one.tag("Event") == "a"
    assert "given twice" in one.faults[0].reason


def test_a_tag_behind_its_game() -> None:
    games = list(read_games('[Event "a"]\n1. 32-28 *\n[FILENAME "x"]\n\n[Event "b"]\n1. 31-27 *'))
    assert [game.tags for game in games] == [{"Event": "a", "FILENAME": "x"}, {"Event": "b"}]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('[Event "a"]\n[Site "b\n1. 32-28 *', 2, 1),
        ('[Event "a"]\n[Event "b"]\n1. 32-28 *', 2, 1),
        ('[Event "a"]\nSite "b"]\n1. 32-28 *', 2, 1),
        ("1. 32-28 ) *", 1, 10),
        ("1. 32-28\n ( 31-27 *", 2, 2),
        ("1. 32-28 abc def *", 1, 10),
        ("1. 32-28\n{never closed", 2, 1),
        ("1. 32-28 ! $", 1, 12),
        ("$3 1. 32-28", 1, 1),
    ],
)
def test_faults_with_their_place(text: str, line: int, column: int) -> None:
    (game,) = read_games(text)
    assert texts(game) == ["32-28"]
    (fault,) = game.errors
    assert (fault.line, fault.column) == (line, column)


def test_an_unclosed_comment_ends_before_the_next_tags() -> None:
    text = '[Event "a"]\n1. 32-28 {oh\n\n[Event "b"]\n1. 31-27 {fine} 17-21 *\n'
    first, second = read_games(text)
    assert len(first.errors) == 1
    assert texts(second) == ["31-27", "17-21"]
    assert not second.faults


def test_garbage_between_games_is_told_once() -> None:
    first, second = read_games('[Event "a"]\n1. 32-28 *\n\nsome words\n\n[Event "b"]\n1. 31-27 *')
    assert not first.faults
    assert [(fault.line, fault.column) for fault in second.errors] == [(4, 1)]


def test_nothing() -> None:
    assert list(read_games("")) == []
    assert list(read_games("\n \n")) == []
    (only,) = read_games("just words")
    assert only.errors


# ------------------------------------------------------------------------------------------- bytes
def test_other_encodings() -> None:
    games = list(
        read_games('[White "Andr\u00e9"]\n1. 32-28 *\n'.encode("latin-1") + '[White "\u00c9"]\n1. 31-27 *'.encode())
    )
    assert [game.tag("White") for game in games] == ["Andr\u00e9", "\u00c9"]
    assert faults(games[0]) == [(1, 13, Grade.NOTE)]
    assert not games[1].faults


def test_sources(tmp_path: Path) -> None:
    text = '[Event "\u00e9"]\n1. 32-28 *\n'
    path = tmp_path / "x.pdn"
    path.write_bytes(text.encode())
    with path.open("rb") as binary, path.open(encoding="utf-8") as lines:
        for source in (text, text.encode(), path, binary, lines):
            assert next(read_games(source)).tags == {"Event": "\u00e9"}


def test_streams_are_read_as_they_come() -> None:
    class Endless(io.BytesIO):
        """The same game for ever."""

        lines = itertools.cycle([b'[Event "a"]\n', b"1. 32-28 *\n", b"\n"])

        def readline(self, size: int | None = -1) -> bytes:
            return next(self.lines)

    games = read_games(Endless())
    assert sum(len(game.moves) for game in islice(games, 5000)) == 5000


def test_games_without_tags_stream_too() -> None:
    text = b"1. 32-28 19-23 2. 28x19 14x23 *\n" * 40_000
    lines = [(game.line, len(game.source)) for game in read_games(io.BytesIO(text))]
    assert len(lines) == 40_000
    assert max(size for _, size in lines) < 1_200_000


# ------------------------------------------------------------------------------------------- strict
def test_strict() -> None:
    text = '[Event "a"]\n1. 32-28 19-23 *\n[Event "b"]\n1. 31-27 *'
    assert len(list(read_games(text, strict=True))) == 2
    for bad in ("1. 32-28 2-0", "1. 06-11 *", '[event "a"]\n1. 6-11 *', "1. 32-28 ; x\n*"):
        with pytest.raises(PdnError, match="line 1, column"):
            list(read_games(bad, strict=True))


# ------------------------------------------------------------------------------------------- anything
@given(st.text(alphabet='"\\ab]', max_size=12))
def test_escapes(value: str) -> None:
    assert unescape(escape(value)) == value


@given(st.text(alphabet='0123456789-x:.*()[]{}"\\!?$ \n\r;%/abFENW\u201c\u00e9\x00', max_size=120))
@settings(max_examples=1000, deadline=None)
def test_any_text_is_read(text: str) -> None:
    for game in read_games(text):
        assert game.tags or game.moves or game.comments or game.terminator or game.faults
        for fault in game.faults:
            assert fault.line >= 1
            assert fault.column >= 1


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read(data: bytes) -> None:
    assert len(list(read_games(data))) <= len(data)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_files_keep_their_whole_games(seed: int) -> None:
    """Bytes flipped, cut out and doubled: each game that was not touched is read as before."""
    chance = random.Random(seed)
    parts = (GAMES / "brazilian.pdn").read_bytes().split(b"[Event ")[1:]
    whole = [next(read_games(b"[Event " + part)) for part in parts]
    damaged = set(chance.sample(range(len(parts)), 5))
    pieces = []
    for index, part in enumerate(parts):
        data = bytearray(b"[Event " + part)
        if index in damaged:
            for _ in range(3):
                kind, at = chance.randrange(3), chance.randrange(len(data) - 2)
                if kind == 0:
                    data[at] = chance.randrange(256)
                elif kind == 1:
                    del data[at : at + chance.randrange(40)]
                else:
                    data[at:at] = data[at : at + 30]
            data += b"\n"
        pieces.append(bytes(data))
    found = list(read_games(b"".join(pieces)))
    for index, game in enumerate(whole):
        if index not in damaged:
            assert game in found


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "{" * 50_000,
        "[" * 20_000,
        "1. 32-28 " + "(1-2 " * 5_000,
        "{ {}" * 5_000,
        "1 " * 30_000,
        '[A "' * 5_000,
    ],
)
def test_deep_nonsense_is_quick(text: str) -> None:
    assert list(read_games(text))
