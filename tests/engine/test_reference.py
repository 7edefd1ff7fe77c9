"""The slow reference against public figures: it must be right before anything is compared with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.reference import (
    SPECS,
    Explosion,
    Move,
    Referee,
    find_move,
    legal_moves,
    losing,
    parse_fen,
    perft,
    play,
    start_position,
)
from tests.reference.cases import PerftRow, bug_cases, load, perft_rows
from tests.reference.spec import Spec
from tests.reference.text import parse_square

SMALL = 5000  # leaves a row that plain dictionaries count in a moment
LARGE = 150_000
ROWS = perft_rows()


def counted(row: PerftRow, leaves: int) -> dict[int, int]:
    spec = SPECS[row.variant]
    position = parse_fen(spec, row.fen)
    return {depth: perft(spec, position, depth) for depth in row.depths(leaves)}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_perft(row: PerftRow) -> None:
    assert counted(row, SMALL) == {depth: row.counts[depth] for depth in row.depths(SMALL)}


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_perft_deep(row: PerftRow) -> None:
    assert counted(row, LARGE) == {depth: row.counts[depth] for depth in row.depths(LARGE)}


@pytest.mark.parametrize("leaves", [11_000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_turkish_man_crowned_at_once(leaves: int) -> None:
    """The one public row in which the two readings of mid-capture promotion differ."""
    [row] = [row for row in ROWS if row.fen.startswith("B:WKc5,b4,f4,c3,d3")]
    spec = replace(SPECS["turkish"], promotion="king")
    position = parse_fen(spec, row.fen)
    for depth, count in row.counts_if_crowned_at_once.items():
        if count <= leaves:
            assert perft(spec, position, depth) == count


@pytest.mark.parametrize("name", SPECS)
def test_start_position(name: str) -> None:
    spec = SPECS[name]
    [row] = [row for row in ROWS if row.variant == name and row.name == "start"]
    assert start_position(spec) == parse_fen(spec, row.fen)


KNOWN_BUGS = [case for case in bug_cases("rules", "pdn").values() if "expected_unique" in case]


@pytest.mark.parametrize("case", KNOWN_BUGS, ids=lambda case: case["id"])
def test_known_bugs(case: dict[str, Any]) -> None:
    spec = SPECS[case["variant"]]
    position = parse_fen(spec, case["fen"])
    for text in case["input"].get("moves", "").split():
        position = play(spec, position, find_move(spec, legal_moves(spec, position), text))
    expected = {
        Move(
            parse_square(spec, move["from"]),
            parse_square(spec, move["to"]),
            frozenset(parse_square(spec, square) for square in move["captured"]),
            move["promoted"],
        )
        for move in case["expected_unique"]
    }
    assert legal_moves(spec, position) == expected


@pytest.mark.parametrize("case", load("draws"), ids=lambda case: case["id"])
def test_ends_of_games(case: dict[str, Any]) -> None:
    spec = SPECS[case["variant"]]
    referee = Referee(spec, parse_fen(spec, case["fen"]), case.get("options", {}))
    for text in case["moves"]:
        assert referee.ending is None
        referee.play(find_move(spec, legal_moves(spec, referee.position), text))
    expected = case["expected"]
    assert referee.plies == expected["after_ply"]
    if expected["result"] == "ongoing":
        assert referee.ending is None
    else:
        winner = {"draw": None, "win white": "w", "win black": "b"}[expected["result"]]
        assert referee.ending == (winner, expected["rule"])


def test_capture_need_not_be_made_but_must_be_finished() -> None:
    spec = replace(SPECS["english"], must_capture=False)
    position = parse_fen(spec, "W:W22,32:B18,10")
    assert {(move.frm, move.to) for move in legal_moves(spec, position)} == {
        *((22, 6), (22, 17)),  # both jumps or none
        *((32, 28), (32, 27)),
    }


def test_losing_turns_the_result_round() -> None:
    blocked = "W:W21:B17,14"
    spec: Spec = SPECS["english"]
    assert Referee(spec, parse_fen(spec, blocked)).ending == ("b", "blocked")
    assert Referee(losing(spec), parse_fen(spec, blocked)).ending == ("w", "blocked")


def test_frisian_king_may_move_again_after_another_piece() -> None:
    spec = SPECS["frisian"]
    position = parse_fen(spec, "W:WK48,45:BK3,6")
    for text in ("48-26", "6-11", "26-48", "11-16", "48-39", "16-21", "45-40", "21-26"):
        position = play(spec, position, find_move(spec, legal_moves(spec, position), text))
    assert any(move.frm == 39 for move in legal_moves(spec, position))


def test_too_many_hops_are_reported() -> None:
    spec = SPECS["international"]
    position = parse_fen(spec, "W:WK4:B13,32,37,20")
    with pytest.raises(Explosion):
        legal_moves(spec, position, hops=3)
    assert len(legal_moves(spec, position, hops=500)) == 2
