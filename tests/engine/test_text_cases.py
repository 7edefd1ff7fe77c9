"""The FEN and PDN cases of the collected bugs, with the texts of the data file."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine import FenError, Game, IllegalMoveError, Position, find_variant
from engine.pdn_reader import read_game, read_games
from engine.pdn_replay import replay
from engine.pdn_writer import format_game, record

DATA = json.loads((Path(__file__).parent.parent / "data" / "bugs.json").read_text(encoding="utf-8"))
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in DATA if case["area"] in ("fen", "pdn")}
COVERED = {"F02", "F03", "F05", "F06", "F08", "F09", "F10", "P01", "P02", "P04", "P06", "P07", "P09", "P11", "P15"}


def test_no_case_is_forgotten() -> None:
    assert set(CASES) == COVERED


@pytest.mark.parametrize("fen", CASES["F02"]["input"]["fens"])
def test_f02_an_empty_side(fen: str) -> None:
    position = Position.from_fen(fen, "international")
    assert position.fen() == fen
    outcome = Game(position).outcome
    lost = not (position.white_men if fen[0] == "W" else position.black_men)
    assert (outcome is not None and outcome.winner is position.turn.other) if lost else outcome is None


@pytest.mark.parametrize("fen", CASES["F03"]["input"]["fens"])
def test_f03_garbage_in_lists(fen: str) -> None:
    with pytest.raises(FenError):
        Position.from_fen(fen, "international")


@pytest.mark.parametrize("text", CASES["F05"]["input"]["fens"])
def test_f05_men_on_their_promotion_row(text: str) -> None:
    fen, _, variant = text.rstrip(")").partition(" (")
    position = Position.from_fen(fen, variant)
    assert (position.white_kings, position.black_kings) == (0, 0)
    (note,) = replay(read_game(f'[GameType "{position.rules.gametype}"]\n[FEN "{fen}"]\n*')).faults
    assert (note.line, "promotion row" in note.reason) == (2, True)


def test_f06_lists_in_either_order() -> None:
    first, second = CASES["F06"]["input"]["fens"]
    assert Position.from_fen(first, "international") == Position.from_fen("B:W31:B1", "international")
    assert Position.from_fen(second, "international") == Position.start("international")


@pytest.mark.parametrize("variant", ["russian", "brazilian"])
def test_f08_where_square_one_is(variant: str) -> None:
    case = CASES["F08"]
    rules = find_variant(variant)
    position = Position.from_fen(case["input"]["fen"], rules)
    names = {letter: [rules.square_name(s) for s, x in position.pieces().items() if x == letter] for letter in "wb"}
    assert names == {"w": case["expected_squares"]["white"], "b": case["expected_squares"]["black"]}


def test_f09_king_marks_with_letters() -> None:
    first, second = (Position.from_fen(fen, "russian") for fen in CASES["F09"]["input"]["fens"])
    assert first.fen() == "W:We3,Kf8:Bc5"
    assert second.fen() == "W:WKa1:BKh8"


def test_f10_a_set_up_is_saved() -> None:
    fen = CASES["F10"]["input"]["case"].split()[2].rstrip(",")
    game = Game(Position.from_fen(fen, "english"))
    game.play(game.legal_moves()[0])
    text = format_game(record(game))
    assert f'[SetUp "1"]\n[FEN "{fen}"]\n' in text
    done = replay(read_game(text))
    assert done.game is not None
    assert done.game.moves == game.moves


@pytest.mark.parametrize("name", ["P01", "P02"])
def test_ambiguous_captures(name: str) -> None:
    case = CASES[name]
    position = Position.from_fen(case["fen"], case["variant"])
    texts = {}
    for expected in case["expected_unique"]:
        ends = tuple(position.rules.parse_square(expected[end]) for end in ("from", "to"))
        taken = tuple(sorted(position.rules.parse_square(square) for square in expected["captured"]))
        (move,) = [m for m in position.legal_moves() if (m.frm, m.to) == ends and m.captured == taken]
        texts[position.format_move(move)] = move
        assert position.parse_move(position.format_move(move)) == move
    assert len(texts) == len(case["expected_unique"])
    if name == "P01":
        assert set(texts) == {"4x31x42x15", "4x27x38x15"}
        with pytest.raises(IllegalMoveError, match="ambiguous"):
            position.parse_move("4x15")
    else:
        assert {"10x17x26", "10x19x26"} <= set(texts)


def test_p04_results_belong_to_colours() -> None:
    game = read_game(CASES["P04"]["input"]["pdn"])
    assert replay(game).result(game) == "0-1"
    english = read_game('[GameType "21"]\n[Result "1-0"]\n1. 11-15 22-18 1-0')
    assert replay(english).result(english) == "0-1"
    assert '[Result "1-0"]' in format_game(english)


def test_p06_the_last_game() -> None:
    assert [len(game.moves) for game in read_games(CASES["P06"]["input"]["pdn"])] == [2, 2]


def test_p07_brackets_in_a_tag() -> None:
    game = read_game(CASES["P07"]["input"]["pdn"])
    assert (game.tag("Event"), len(game.moves)) == ("Open [A] {x}", 1)


def test_p09_typography() -> None:
    game = read_game(CASES["P09"]["input"]["pdn"])
    assert (game.tag("Event"), [move.text for move in game.moves]) == ("a", ["11-15"])


def test_p11_strength_in_brackets() -> None:
    game = read_game(CASES["P11"]["input"]["pdn"])
    assert len(game.moves) == 4
    ((variation,),) = [move.variations for move in game.moves if move.variations]
    assert len(variation) == 2
    assert len(variation[1].variations) == 1


def test_p15_results_are_not_inherited() -> None:
    games = read_games('[Event "a"]\n[Result "1-0"]\n1. 11-15 1-0\n\n[Event "b"]\n1. 11-15\n')
    assert [game.result for game in games] == ["1-0", "*"]
