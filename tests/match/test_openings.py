"""Openings: where they come from, their order, and which are dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

import protocol.match.openings as openings_module
from engine.errors import MoveError, OptionError
from engine.game import Game
from engine.position import Position
from engine.variants import VARIANTS, find_variant
from protocol.match.openings import (
    Numbered,
    Opening,
    balance_judge,
    enumerate_openings,
    ordered,
    read_openings,
    select,
    start_opening,
)

RULES = find_variant("international")


def numbered(*openings: Opening) -> list[Numbered]:
    return list(ordered(openings))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_enumeration_reaches_every_position_once(variant: str, plies: int) -> None:
    rules = find_variant(variant)
    found = enumerate_openings(rules, plies)
    positions = set()
    for opening in found:
        assert len(opening.moves) == plies
        game = Game(Position.from_fen(opening.fen, rules))
        for move in opening.read_moves(game.position):
            game.play(move)
        positions.add(game.position)
    assert len(positions) == len(found)
    reached = {Position.start(rules)}
    for _ in range(plies):
        reached = {position.play(move) for position in reached for move in position.legal_moves()}
    assert positions == reached


def test_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings_module, "LARGEST_ENUMERATION", 500)
    assert len(enumerate_openings(RULES, 3)) < 500
    with pytest.raises(OptionError, match="more than 500 positions; take fewer plies"):
        enumerate_openings(RULES, 9)


def test_order() -> None:
    openings = enumerate_openings(RULES, 1)
    assert [n.index for n in ordered(openings)] == list(range(9))
    assert [n.index for n in ordered(openings, first=7)] == [7, 8, 0, 1, 2, 3, 4, 5, 6]
    shuffled = [n.index for n in ordered(openings, shuffle=True, seed=5)]
    assert sorted(shuffled) == list(range(9))
    assert shuffled == [n.index for n in ordered(openings, shuffle=True, seed=5)]
    assert shuffled != [n.index for n in ordered(openings, shuffle=True, seed=6)]
    assert [n.index for n in ordered(openings, shuffle=True, seed=5, first=2)] == shuffled[2:] + shuffled[:2]
    for n in ordered(openings, shuffle=True):
        assert n.opening is openings[n.index]


def test_list_of_fens(tmp_path: Path) -> None:
    file = tmp_path / "book.fen"
    file.write_text("# two positions\n\nW:W31,32:B1,2\n  B:WK50:B1.\n")
    assert read_openings(file, RULES) == [Opening("W:W31,32:B1,2"), Opening("B:WK50:B1")]
    file.write_text("W:W31:B1\nW:W99:B1\n")
    with pytest.raises(OptionError, match=r"book\.fen, line 2: "):
        read_openings(file, RULES)
    file.write_text("# nothing\n")
    with pytest.raises(OptionError, match="no opening"):
        read_openings(file, RULES)
    with pytest.raises(OptionError, match="No such file"):
        read_openings(tmp_path / "none", RULES)


def test_pdn_games(tmp_path: Path) -> None:
    file = tmp_path / "book.pdn"
    file.write_text(
        '[GameType "20"]\n\n1. 32-28 19-23 2. 28x19 14x23 *\n\n'
        '[GameType "20"]\n[FEN "W:W31,32:B1,2"]\n\n1. 31-27 *\n\n[FEN "B:W31:B20"]\n*\n'
    )
    start = Position.start(RULES).fen()
    whole = [
        Opening(start, ("32-28", "19-23", "28x19x23", "14x23x19")),
        Opening("W:W31,32:B1,2", ("31-27",)),
        Opening("B:W31:B20"),
    ]
    assert read_openings(file, RULES) == whole
    assert [o.moves for o in read_openings(file, RULES, 1)] == [("32-28",), ("31-27",), ()]
    file.write_text('[GameType "20"]\n\n1. 32-28 19-23 2. 28-22 *\n')
    with pytest.raises(OptionError, match=r"book\.pdn, game 1: .*28-22"):
        read_openings(file, RULES)
    assert read_openings(file, RULES, 2) == [Opening(start, ("32-28", "19-23"))]


def test_finished_openings_are_dropped_and_counted() -> None:
    repeated = ("47-41", "4-9", "41-47", "9-4") * 2
    candidates = numbered(
        Opening("W:WK47,50:BK4,1", repeated),  # a third occurrence at its end
        Opening("W:WK47,50:BK4,1", (*repeated, "47-41")),  # inside
        Opening("W:W5:B"),
        Opening("W:W31:B20"),
    )
    selection = select(iter(candidates), RULES, 10)
    assert [n.index for n in selection.chosen] == [3]
    assert sum(selection.dropped.values()) == 3
    assert any("over before its end" in reason for reason in selection.dropped)


def test_no_more_than_wanted() -> None:
    selection = select(ordered(enumerate_openings(RULES, 2)), RULES, 5)
    assert [n.index for n in selection.chosen] == [0, 1, 2, 3, 4]
    assert selection.dropped == {}


def test_shallow_search_drops_the_unbalanced_and_the_decided() -> None:
    candidates = numbered(
        Opening("W:W31,32,33,34,35:B16,17,18,19,20"),
        Opening("W:W31,32,33,34,35,36,37,38,39,40:B11,12,13,14,15,16"),
        Opening("W:WK28:B32"),  # captured, nothing is left
        *(Numbered(0, start_opening(RULES)[0]).opening,),
    )
    selection = select(iter(candidates), RULES, 10, balance_judge(RULES, 4, 100))
    assert [n.index for n in selection.chosen] == [0, 3]
    assert selection.dropped == {"unbalanced": 1, "decided": 1}


@pytest.mark.parametrize("variant", ["frisian", "killer", "losing", "russian", "thai"])
def test_judge_works_in_other_variants(variant: str) -> None:
    rules = find_variant(variant)
    judge = balance_judge(rules, 2, 300)
    assert judge(Game(Position.start(rules))) is None


def test_opening_with_an_illegal_move() -> None:
    with pytest.raises(MoveError, match="not a legal move of the opening"):
        Opening("W:W31:B20", ("31-22",)).read_moves(Position.from_fen("W:W31:B20", RULES))
