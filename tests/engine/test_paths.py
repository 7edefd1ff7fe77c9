"""Routes of captures."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from engine.fen import parse_fen
from engine.move import Move
from engine.paths import MAX_PATHS, capture_paths, first_path, lands_on, passes_over
from engine.position import Position
from engine.rules import Promotion
from engine.variants import VARIANTS, find_variant
from tests.engine.positions import positions

BUGS = json.loads((Path(__file__).parent.parent / "data" / "bugs.json").read_text())
CASES = {case["id"]: case for case in BUGS if case.get("expected_moves")}


@pytest.mark.parametrize("name", CASES)
def test_all_routes_of_known_positions(name: str) -> None:
    case = CASES[name]
    rules = find_variant(case["variant"])
    position = parse_fen(case["fen"], rules)
    expected = {
        tuple(rules.parse_square(square) for square in re.split("[-x]", text.split()[0]))
        for text in case["expected_moves"]
    }
    assert {path for move in position.legal_moves() for path in capture_paths(position, move)} == expected


@given(positions(legal=True))
@settings(max_examples=150, deadline=None)
def test_every_route_is_told_apart(position: Position) -> None:
    moves = position.legal_moves()
    for move in moves:
        paths = capture_paths(position, move)
        assert paths
        assert len(set(paths)) == len(paths) <= MAX_PATHS
        assert first_path(position, move) == paths[0]
        for path in paths[:8]:
            assert (path[0], path[-1]) == (move.frm, move.to)
            assert len(path) == max(len(move.captured), 1) + 1
            assert lands_on(position, move, path[1:-1])
            assert passes_over(position, move, path[1:-1])
            for other in moves:
                if other != move and other.frm == move.frm and other.to == move.to:
                    assert not lands_on(position, other, path[1:-1])


def move_of(position: Position, frm: int, to: int) -> Move:
    (move,) = [move for move in position.legal_moves() if (move.frm, move.to) == (frm, to)]
    return move


def test_straight_on_lands_right_behind() -> None:
    position = parse_fen("W:WK46:B37,19", find_variant("international"))
    assert capture_paths(position, move_of(position, 46, 5)) == [(46, 32, 5)]
    move = move_of(position, 46, 10)
    assert passes_over(position, move, (23,))
    assert passes_over(position, move, (37, 28, 19))
    assert not passes_over(position, move, (28, 37))
    assert not lands_on(position, move, (28,))


def test_crowned_on_the_way() -> None:
    russian = find_variant("russian")
    position = parse_fen("W:Wh6:Bg7,c5,d2", russian)
    (move,) = position.legal_moves()
    assert russian.promotion is Promotion.CONTINUES
    assert [[russian.square_name(s) for s in path] for path in capture_paths(position, move)] == [
        ["h6", "f8", "b4", "e1"]
    ]


def test_pieces_that_vanish_one_by_one() -> None:
    turkish = find_variant("turkish")
    # The first victim opens the file for the second; no turn by 180 degrees is needed.
    position = parse_fen("W:WKa1:Ba4,c8,c2", turkish)
    for move in position.legal_moves():
        for path in capture_paths(position, move):
            assert lands_on(position, move, path[1:-1])
    thai = find_variant("thai")
    position = parse_fen("W:WK1:B10,14", thai)
    assert all(capture_paths(position, move) for move in position.legal_moves())


def test_effort_is_bounded() -> None:
    squares = [s for s in range(7, 45) if (s - 1) // 5 % 2 == 1 and s % 5]
    position = Position(VARIANTS["international"], Position.start("international").turn, 0, 1 << 49, 0, 0)
    full = Position(position.rules, position.turn, 0, 1 << 49, sum(1 << (s - 1) for s in squares), 0)
    move = Move(50, 50, tuple(squares))
    assert len(capture_paths(full, move)) <= MAX_PATHS
