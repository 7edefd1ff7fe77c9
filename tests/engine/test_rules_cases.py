"""Known bugs of other programs in rules and FEN, by their id in bugs.json."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import engine
from engine import variants
from engine.rules import Rules
from engine.types import Side
from tests.reference import SPECS, start_position
from tests.reference.cases import bug_cases
from tests.reference.compare import product_position

RULES = bug_cases("rules")
FEN = bug_cases("fen")
GENERATED = [case for case in bug_cases("rules", "pdn").values() if "expected_unique" in case]


def position(fen: str, variant: Rules | str) -> engine.Position:
    return engine.Position.from_fen(fen, variant)


def turned(position: engine.Position) -> engine.Position:
    """The board turned round and the colours exchanged."""

    def turn(board: int) -> int:
        size = position.rules.squares
        return sum(1 << (size - 1 - index) for index in range(size) if board >> index & 1)

    return engine.Position(
        position.rules,
        position.turn.other,
        turn(position.black_men),
        turn(position.black_kings),
        turn(position.white_men),
        turn(position.white_kings),
    )


@pytest.mark.parametrize("case", GENERATED, ids=lambda case: case["id"])
def test_legal_moves(case: dict[str, Any]) -> None:
    game = engine.Game(position(case["fen"], case["variant"]))
    for text in case["input"].get("moves", "").split():
        game.play(text)
    parse = game.position.rules.parse_square
    expected = {
        engine.Move(
            parse(move["from"]),
            parse(move["to"]),
            tuple(sorted(map(parse, move["captured"]))),
            move["promoted"],
        )
        for move in case["expected_unique"]
    }
    listed = game.legal_moves()
    assert len(listed) == len(expected)
    assert set(listed) == expected
    assert set(game.position.legal_moves()) == expected


def test_r16_whatever_the_order() -> None:
    """The longest capture is found first or last, depending on which way round the board stands."""
    case = RULES["R16"]
    assert {len(move.captured) for move in turned(position(case["fen"], "international")).legal_moves()} == {2}


@pytest.mark.parametrize(
    ("moves", "count"),
    [
        ("48-26 6-11 26-48 11-16 48-39 16-21", 3),
        ("48-26 6-11 26-48 11-16 48-39 16-21 45-40", 0),  # a man moves
        ("48-26 6-11 26-48 11-16 48-39 16-21 25-20", 1),  # another king moves
    ],
)
def test_r25_moves_that_clear_the_count(moves: str, count: int) -> None:
    game = engine.Game(position("W:WK48,K25,45:BK1,6", "frisian"))
    for text in moves.split():
        game.play(text)
    assert game.position.king_runs[Side.WHITE][1] == count
    barred = 39 if count == 3 else 0
    assert barred not in {move.frm for move in game.legal_moves()}


def test_r25_capture_clears_the_count() -> None:
    barred = position("W:WK48,45:B6:+348+0", "frisian")
    assert barred.king_runs == ((48, 3), (0, 0))
    assert {move.frm for move in barred.legal_moves()} == {45}
    game = engine.Game(position("W:WK48,45:B6,39:+348+0", "frisian"))
    [move] = {move for move in game.legal_moves() if move.to == 34}
    game.play(move)  # the barred king may and must capture
    assert game.position.king_runs == ((0, 0), (0, 0))


def test_r25_last_man_captured_or_crowned() -> None:
    captured = position("B:WK48,20:B14,K5:+248+0", "frisian")
    [move] = [move for move in captured.legal_moves() if move.to == 25]
    assert captured.play(move).king_runs == ((0, 0), (0, 0))
    crowned = position("W:WK48,7:B20,K5:+248+0", "frisian")
    [move] = [move for move in crowned.legal_moves() if move.promotes and move.to == 1]
    assert crowned.play(move).king_runs == ((0, 0), (0, 0))


def test_r25_count_is_part_of_the_position() -> None:
    plain_fen, counted = "W:WK48,45:BK3,6", "W:WK48,45:BK3,6:+248+0"
    assert position(plain_fen, "frisian") != position(counted, "frisian")
    assert position(f"{plain_fen}:+0+0", "frisian") == position(plain_fen, "frisian")
    assert position(position(counted, "frisian").fen(), "frisian") == position(counted, "frisian")


def test_r47_move_that_no_longer_fits() -> None:
    game = engine.Game(position(RULES["R47"]["fen"], "international"))
    game.play("25-20")
    before = game.position
    with pytest.raises(engine.IllegalMoveError):
        game.play("25-20")
    assert game.position == before
    assert len(game.moves) == 1
    assert game.legal_moves() == before.legal_moves()


def walk(game: engine.Game, rng: random.Random, wanted: Callable[[engine.Position], bool], plies: int) -> bool:
    """Play quiet random moves, keeping to positions that are wanted and in which nothing hangs."""
    for _ in range(plies):
        if game.outcome:
            return False
        moves = [
            move
            for move in game.legal_moves()
            if not move.is_capture
            and wanted(after := game.position.play(move))
            and not any(reply.is_capture for reply in after.legal_moves())
        ]
        if not moves:
            return False
        game.play(rng.choice(moves))
    return True


def played(fen: str, rules: Rules, plies: int, wanted: Callable[[engine.Position], bool]) -> engine.Game:
    """A game of so many quiet plies from a position."""
    rng = random.Random(49)
    for _ in range(500):
        game = engine.Game(position(fen, rules))
        if walk(game, rng, wanted, plies):
            return game
    raise AssertionError(f"no such game from {fen}")


def test_r49_main_road_must_be_empty() -> None:
    rules = variants.find_variant("russian").with_options({"repetition": 0})
    road = {rules.parse_square(f"{letter}{number}") for number, letter in enumerate("abcdefgh", start=1)}
    fens = RULES["R49"]["input"]
    assert set(engine.Game(position(fens["fen_yes"], rules)).counters()) == {"r4", "r5", "r6a", "r7"}
    assert set(engine.Game(position(fens["fen_no"], rules)).counters()) == {"r4", "r5", "r6a"}

    def alone(after: engine.Position) -> bool:
        return [piece for square, piece in after.pieces().items() if square in road] == ["W"]

    game = played(fens["fen_yes"], rules, 10, alone)
    assert game.outcome == engine.Outcome(None, "r7")


def test_r53_sixteen_moves_whatever_moves() -> None:
    """A man's move does not restart the count of three pieces against one."""
    rules = variants.find_variant("international").with_options({"repetition": 0})
    fen = RULES["R53"]["input"]["fen"]
    game = played(fen, rules, 32, lambda after: len(after.pieces()) == 4)
    assert any(move.frm == 33 for move in game.moves[:10])  # the man has moved
    assert game.outcome == engine.Outcome(None, "i16")


@pytest.mark.parametrize("name", variants.VARIANTS)
def test_r57_start_is_a_constant(name: str) -> None:
    start = engine.Position.start(name)
    for turn in "WB":
        other = position(f"{turn}:W{start.rules.square_name(20)}:B{start.rules.square_name(12)}", name)
        for move in other.legal_moves():
            other.play(move)
    assert engine.Position.start(name) == start
    assert engine.Game(engine.Position.start(name)).position == start


@pytest.mark.parametrize("name", SPECS)
def test_start_positions(name: str) -> None:
    rules = variants.find_variant(name)
    assert engine.Position.start(rules) == product_position(rules, start_position(SPECS[name]))


@pytest.mark.parametrize(("case", "winner"), [("R40", Side.BLACK), ("R59", Side.BLACK)])
def test_no_legal_move_is_the_end(case: str, winner: Side) -> None:
    game = engine.Game(position(RULES[case]["fen"], RULES[case]["variant"]))
    assert game.legal_moves() == ()
    assert game.outcome == engine.Outcome(winner, "blocked")


@pytest.mark.parametrize("fen", FEN["F02"]["input"]["fens"])
def test_f02_a_side_without_pieces(fen: str) -> None:
    game = engine.Game(position(fen, "international"))
    assert game.position.fen() == fen
    bare = {"B:W50:B": Side.WHITE, "W:W:B1": Side.BLACK}
    assert game.outcome == (engine.Outcome(bare[fen], "no pieces") if fen in bare else None)


@pytest.mark.parametrize("fen", FEN["F03"]["input"]["fens"])
def test_f03_garbage_is_refused(fen: str) -> None:
    with pytest.raises(engine.FenError) as caught:
        position(fen, "international")
    assert str(caught.value)


@pytest.mark.parametrize("text", FEN["F05"]["input"]["fens"])
def test_f05_men_on_their_last_row(text: str) -> None:
    """Taken as they stand: never crowned silently, never a crash."""
    found = re.fullmatch(r"(\S+) \((\w+)\)", text)
    assert found
    stuck = position(found[1], found[2])
    assert set(stuck.pieces().values()) == {"w", "b"}
    assert stuck.fen() == found[1]
    assert stuck.legal_moves() == ()


@pytest.mark.parametrize(("given", "same"), [("B:B1:W31", "B:W31:B1"), ("W:B1-20:W31-50", "W:W31-50:B1-20")])
def test_f06_lists_in_either_order(given: str, same: str) -> None:
    assert given in FEN["F06"]["input"]["fens"]
    assert position(given, "international") == position(same, "international")


def test_f08_numbers_on_a_lettered_board() -> None:
    case = FEN["F08"]
    for variant in case["input"]["variants"]:
        found = position(case["input"]["fen"], variant)
        assert found.pieces() == {12: "b", 21: "w"}
    squares = case["expected_squares"]
    assert position(case["input"]["fen"], "russian").fen() == f"W:W{squares['white'][0]}:B{squares['black'][0]}"


def test_f09_king_mark_before_letters() -> None:
    first, second = (position(fen, "russian") for fen in FEN["F09"]["input"]["fens"])
    assert first.fen() == "W:We3,Kf8:Bc5"
    assert second.fen() == "W:WKa1:BKh8"


def test_f10_squares_ascend() -> None:
    fen = "W:WK8,10,21,22,32:B2,13,14,28,K31"
    assert fen in FEN["F10"]["input"]["case"]
    assert position(fen, "english").fen() == fen


def test_turkish_king_may_end_where_it_captured() -> None:
    """Pieces vanish at once, so the last landing square can be one of theirs; the piece stays a king."""
    game = engine.Game(position("W:WKh7,a2:BKc1,Kb3,Kg4,Kh4,a7", "turkish"))
    capture = [move for move in game.legal_moves() if move.to in move.captured]
    assert len(capture) == 1
    game.play(capture[0])
    assert game.position.piece(capture[0].to) == "W"
    game.play(game.legal_moves()[0])
    assert set(game.legal_moves()) == set(game.position.legal_moves())
