"""What games mean: variants, moves and results."""

from pathlib import Path

import pytest

from engine.pdn import Grade
from engine.pdn_reader import read_game, read_games
from engine.pdn_replay import replay
from engine.pdn_results import plain, white_view, written
from engine.pdn_writer import format_game
from engine.position import Position
from engine.types import Side
from engine.variants import VARIANTS, find_variant

GAMES = Path(__file__).parent.parent / "data" / "games"


def variant(text: str) -> str | None:
    rules = replay(read_game(text)).rules
    return rules.name if rules else None


# ------------------------------------------------------------------------------------------- variants
@pytest.mark.parametrize("name", [name for name, rules in VARIANTS.items() if rules.gametype is not None])
def test_gametypes(name: str) -> None:
    rules = VARIANTS[name]
    for value in (str(rules.gametype), rules.gametype_tag):
        assert variant(f'[GameType "{value}"]\n*') == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[Variant "killer"]\n1. 32-28', "killer"),
        ('[GameType "20"]\n[Variant "killer"]\n1. 32-28', "killer"),
        ('[GameType "20"]\n[Variant "nonsense"]\n1. 32-28', "international"),
        ('[GameType "99"]\n[FEN "W:W31:B1"]\n1. 31-27', "international"),
        ("1. 32-28 19-23", "international"),
        ("1. 55-49 24-30", "canadian"),
        ("1. c3-d4 d6-c5", "russian"),
        ("1. 11-15 22-18 2. 15x22 25x18", "english"),
        ("1. 22-18 11-14 2. 18x11 6x15", "italian"),
        ('[FEN "W:WK50:B1"]\n1. 50-45', "international"),
        ('[FEN "W:Wc3:Bf6"]\n1. c3-d4', "russian"),
        ('[GameType "nonsense"]\n1. 32-28', "international"),
    ],
)
def test_variants(text: str, name: str) -> None:
    assert variant(text) == name


def test_other_games() -> None:
    done = replay(read_game('[Event "a"]\n[GameType "0"]\n1. e2e4'))
    assert [(fault.line, fault.column) for fault in done.faults if "chess" in fault.reason] == [(2, 1)]


def test_numbers_on_boards_with_letters() -> None:
    downward = replay(read_game('[GameType "25"]\n1. 22-18 11-15 2. 18x11 7x16'))
    upward = replay(read_game('[GameType "25"]\n1. 10-14 23-19 2. 14x23 28x19'))
    assert downward.complete
    assert upward.complete
    assert downward.game is not None
    assert upward.game is not None
    assert downward.game.moves[0] == upward.game.moves[0]


def test_wrong_notation_field_of_kurnik() -> None:
    done = replay(read_game('[GameType "20,W,10,10,N1,0"]\n1. 32-28 19-23 2. 28x19 14x23 1-0'))
    assert done.complete
    assert not done.faults


def test_pool_with_letters_and_white_to_begin() -> None:
    game = read_game('[GameType "23,W,8,8,A0,0"]\n1. c3-d4 d6-c5 1-0')
    done = replay(game)
    assert done.complete
    assert done.game is not None
    assert done.game.start.turn is Side.WHITE


def test_jamaican_board() -> None:
    # The corner at the bottom right is playable there: the mirror image of the usual board.
    done = replay(read_game('[GameType "23,B,8,8,A1,1"]\n1. a6-b5 b3-a4 *'))
    assert done.complete
    assert done.game is not None
    assert [move.hub() for move in done.game.moves] == ["12-15", "24-20"] or done.game.moves[0].frm == 12


def test_other_numbering_of_the_same_board() -> None:
    # Square 1 where N2 puts it for White.
    game = read_game('[GameType "24,W,8,8,N2,1"]\n1. 23-20 10-13 *')
    done = replay(game)
    assert done.complete
    assert "1. 10-13 23-20" in format_game(game)
    losing = replay(read_game('[Variant "spanish-losing"]\n[GameType "24,W,8,8,N2,1"]\n1. 23-20 10-13 *'))
    assert losing.complete
    assert losing.rules == find_variant("spanish-losing")


def test_a_gametype_of_many_digits_is_a_fault() -> None:
    done = replay(read_game(f'[GameType "{"9" * 5000}"]\n1. 32-28 19-23 *'))
    assert any("not a GameType" in fault.reason for fault in done.faults)


# ------------------------------------------------------------------------------------------- moves
def test_illegal_moves_are_placed() -> None:
    done = replay(read_game('[GameType "20"]\n\n1. 32-28 19-23\n2. 28-22 18-23'))
    (fault,) = done.faults
    assert (fault.line, fault.column) == (4, 4)
    assert "illegal move: 28-22" in fault.reason
    assert (done.plies, done.complete) == (2, False)


def test_ambiguous_moves_are_never_guessed() -> None:
    done = replay(read_game('[GameType "20"]\n[FEN "W:WK4:B13,32,37,20"]\n1. 4x15 *'))
    assert "ambiguous" in done.faults[0].reason
    assert replay(read_game('[GameType "20"]\n[FEN "W:WK4:B13,32,37,20"]\n1. 4x31x42x15 *')).complete


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("B:W23,22,15,14:B11,10", "10x17 17x26"),
        ("B:W23,22,15,14:B11,10", "10x17x26"),
        ("B:W23,22,15,14:B11,10", "10-17-26"),
    ],
)
def test_captures_in_pieces(fen: str, moves: str) -> None:
    game = read_game(f'[GameType "21"]\n[FEN "{fen}"]\n1. {moves} 15x8 *')
    done = replay(game)
    assert done.complete
    assert done.game is not None
    assert done.game.moves[0].captured == (14, 22)
    assert "10x17x26 15x8" in " ".join(format_game(game).split()).replace("1... ", "")


def test_bad_fen_is_placed() -> None:
    done = replay(read_game('[GameType "20"]\n[FEN "W:W77:B1"]\n1. 32-28'))
    assert [(fault.line, fault.column) for fault in done.faults] == [(2, 1)]
    assert not done.complete


def test_set_ups_and_null_moves() -> None:
    game = read_game('[GameType "20"]\n1. 32-28 /FEN "W::"/ 28-22 18x27 /FEN "W:WK31:BK1"/ 31-27 *')
    done = replay(game)
    assert done.complete
    assert done.game is not None
    assert done.game.position.fen() == "B:WK27:BK1"


def test_unknown_moves() -> None:
    done = replay(read_game('[GameType "20"]\n1. - - 2. - - *'))
    assert not done.faults
    assert not done.complete
    assert replay(read_game('[GameType "20"]\n1. - /FEN "W:W31:B1"/ 31-27 *')).complete


def test_variations_are_checked_where_they_start() -> None:
    game = read_game('[GameType "20"]\n1. 32-28 (31-27 19-23) (32-27 (33-29) 99-1) 19-23 *')
    done = replay(game, variations=True)
    assert done.complete
    (fault,) = done.faults
    assert "in a variation" in fault.reason
    first = game.moves[0]
    for variation in first.variations:
        position, move = done.known[id(variation[0])]
        assert position == Position.start("international")
        assert move is not None


# ------------------------------------------------------------------------------------------- results
@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2-0", "1-0"),
        ("1-1", "1/2-1/2"),
        ("0-2", "0-1"),
        ("\u00bd-\u00bd", "1/2-1/2"),
        ("1/2:1/2", "1/2-1/2"),
        ("4-6", "4-6"),
        ("", "*"),
    ],
)
def test_dialects(text: str, same: str) -> None:
    assert plain(text) == same


def test_results_of_the_first_player() -> None:
    english, pool, russian = (find_variant(name) for name in ("english", "pool", "russian"))
    assert white_view("1-0", english) == "0-1"
    assert white_view("1-0", english, white_first=True) == "1-0"
    assert white_view("1-0", english, Side.WHITE) == "1-0"
    assert white_view("1-0", pool) == "1-0"
    assert white_view("1-0", pool, Side.BLACK) == "0-1"
    assert white_view("2-0", russian, Side.BLACK) == "1-0"
    assert written("0-1", english) == "1-0"
    assert written("0-1", english, white_first=True) == "0-1"
    assert written("1-0", find_variant("international")) == "2-0"
    assert written("0-1", russian) == "0-1"


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2-1/2", "0-0", "*"])
def test_written_results_read_the_same(name: str, result: str) -> None:
    for white_first in (False, True):
        text = written(result, VARIANTS[name], white_first=white_first)
        assert white_view(text, VARIANTS[name], white_first=white_first) == result


def test_black_wins_in_a_game_that_white_begins() -> None:
    game = read_game('[GameType "20"]\n[Result "0-2"]\n1. 32-28 19-23 0-2')
    assert replay(game).result(game) == "0-1"


def test_conflicting_results() -> None:
    game = read_game('[GameType "20"]\n[Result "2-0"]\n1. 32-28 0-2')
    done = replay(game)
    assert done.result(game) == "1-0"
    assert [fault.grade for fault in done.faults] == [Grade.NOTE]
    game = read_game('[GameType "20"]\n[Result "*"]\n1. 32-28 0-2')
    assert replay(game).result(game) == "0-1"


# ------------------------------------------------------------------------------------------- whole files
@pytest.mark.parametrize("path", sorted(GAMES.rglob("*.pdn")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_replay_and_round_trip(path: Path) -> None:
    games = list(read_games(path))[:40]
    assert games
    first = []
    for game in games:
        done = replay(game, variations=True)
        assert done.complete, (game.number, done.faults)
        assert not done.faults
        assert not game.faults
        first.append((format_game(game, done=done), done.result(game), done.game.moves if done.game else None))
    again = list(read_games("".join(text for text, _, _ in first)))
    assert len(again) == len(games)
    for game, (text, result, moves) in zip(again, first, strict=True):
        done = replay(game, variations=True)
        assert not game.faults
        assert done.game is not None
        assert (format_game(game, done=done), done.result(game), done.game.moves) == (text, result, moves)
