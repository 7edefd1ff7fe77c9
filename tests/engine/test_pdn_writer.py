"""PDN out, and what comments hold."""

import random
import time
from typing import get_args

import pytest

from engine.game import Game
from engine.pdn import PdnGame, PdnMove
from engine.pdn_commands import (
    clocks,
    commands,
    eval_command,
    evaluation,
    seconds,
    times,
)
from engine.pdn_reader import read_game, read_games
from engine.pdn_replay import replay
from engine.pdn_writer import Notation, format_game, record
from engine.position import Position
from engine.types import Side
from engine.variants import VARIANTS

TEXT = """[Event "?"]
[Site "?"]
[Date "2026.05.01"]
[Round "?"]
[White "A"]
[Black "B"]
[Result "2-0"]
[GameType "20,W,10,10,N2,0"]
[TimeControl "300+5"]
[Opening "say \\"no\\""]

{first} 1. 32-28! $1 {[%clk 0:04:58]} 1... 19-23 (18-23 2. 38-32 (37-32?)) (
17-22 {x}) 2. 28x19 14x23 2-0

"""


def test_layout() -> None:
    game = read_game(TEXT)
    text = format_game(game)
    assert text.startswith(TEXT[: TEXT.index("\n\n") + 2])
    assert format_game(read_game(text)) == text
    assert max(map(len, text.splitlines())) <= 80
    again = read_game(text)
    assert again == game


def test_strict_ends_with_a_star() -> None:
    text = format_game(read_game(TEXT), strict=True)
    assert text.endswith(" *\n\n")
    (game,) = read_games(text, strict=True)
    assert game.tag("Result") == "2-0"


def test_numbers_when_black_begins() -> None:
    game = read_game('[GameType "21"]\n1. 11-15 22-18 {x} 15x22 25x18 1-0')
    assert format_game(game).split("\n\n")[1] == "1. 11-15 22-18 {x} 2. 15x22 25x18 1-0"
    game = read_game('[GameType "20"]\n[FEN "B:W31:B20"]\n1... 20-24 31-27 *')
    assert format_game(game).split("\n\n")[1] == "1... 20-24 2. 31-27 *"


def test_full_gametype_and_set_up() -> None:
    game = Game(Position.from_fen("W:W31,33:B20", "killer"))
    game.play("31-27")
    text = format_game(record(game, {"White": "x"}))
    assert '[GameType "20,W,10,10,N2,0"]\n[Variant "killer"]\n[SetUp "1"]\n[FEN "W:W31,33:B20"]' in text
    assert '[PlyCount "1"]' in text
    assert replay(read_game(text)).rules == VARIANTS["killer"]


def test_comments_cannot_break_the_text() -> None:
    long = 'a } b { c [Event "x"] ' + "word " * 60 + "% d ; e"
    game = PdnGame({"GameType": "20", "Result": "*"}, [PdnMove("32-28", comments=(long,))])
    text = format_game(game)
    (again,) = read_games(text)
    assert not again.faults
    assert again.moves[0].comments == (" ".join(long.split()).replace("}", ")").replace("{", "("),)
    assert max(map(len, text.splitlines())) <= 81


def test_texts_that_cannot_be_replayed_stay() -> None:
    game = read_game('[GameType "20"]\n1. 32-28 19-23 2. 28-01 3-4 - *')
    assert format_game(game).split("\n\n")[1] == "1. 32-28 19-23 2. 28-1 3-4 3. -- *"


@pytest.mark.parametrize(
    ("notation", "text"),
    [
        ("pdn", "1. c3-d4 d6-c5"),
        ("numeric", "1. 22-18 10-14"),
        ("hub", "1. 22-18 10-14"),
        ("coordinate", "1. c3d4 d6c5"),
    ],
)
def test_notations(notation: str, text: str) -> None:
    game = read_game('[GameType "25"]\n1. c3-d4 d6-c5 *')
    written = format_game(game, notation=notation)  # type: ignore[arg-type]
    assert text in written
    assert replay(read_game(written)).complete


@pytest.mark.parametrize("notation", get_args(Notation))
@pytest.mark.parametrize("name", VARIANTS)
def test_every_notation_is_read_back(name: str, notation: Notation) -> None:
    """Squares of moves are numbered as the GameType and the FEN of the same text say."""
    chance = random.Random(name)
    start = Position.start(name)
    for fen in (False, True):
        game = Game(start)
        for _ in range(24):
            if game.legal_moves() and not game.outcome:
                game.play(chance.choice(game.legal_moves()))
        again = read_game(format_game(record(game), notation=notation))
        assert ("FEN" in again.tags) is fen
        done = replay(again)
        assert done.complete
        assert done.game is not None
        assert done.game.moves == game.moves
        start = game.position


@pytest.mark.parametrize("name", VARIANTS)
def test_played_games_round_trip(name: str) -> None:
    chance = random.Random(name)
    game = Game(Position.start(name))
    while len(game.moves) < 100 and not game.outcome and game.legal_moves():
        game.play(chance.choice(game.legal_moves()))
    kept = record(game)
    text = format_game(kept)
    found = read_game(text)
    done = replay(found)
    assert done.complete
    assert done.game is not None
    assert done.game.moves == game.moves
    assert done.result(found) == (game.outcome.score if game.outcome else "*")


# ------------------------------------------------------------------------------------------- commands
def test_commands() -> None:
    comment = "good [%clk 0:04:58] [%eval -0.048] move [%drgnode 0 1] [%inbook]"
    assert list(commands(comment)) == [("clk", "0:04:58"), ("eval", "-0.048"), ("drgnode", "0 1"), ("inbook", "")]
    assert times(comment) == {"clk": 298}
    assert evaluation(comment) == -0.048
    assert evaluation("[%eval x]") is None
    assert times("[%egt 0:0:9.56]") == {"egt": 9.56}


def test_clocks() -> None:
    assert clocks("[%clock w0:00:10 B0:00:03]") == {Side.WHITE: (10, False), Side.BLACK: (3, True)}
    assert clocks("[%clk W1:00:00]") == {Side.WHITE: (3600, True)}
    assert clocks("[%clk 1:00:00]") == {}


def test_times() -> None:
    assert [seconds(text) for text in ("1:02:03", "2:03", "x", "")] == [3723, 123, None, None]
    assert eval_command(50, Side.BLACK) == "[%eval -0.50]"


def test_unfinished_commands_in_a_long_comment_are_read_at_once() -> None:
    comment = "[%clk 0:01 " * 50_000
    game = PdnGame(moves=[PdnMove("32-28", comments=(comment,))])
    began = time.perf_counter()
    assert list(commands(comment)) == []
    assert format_game(game).count("[%clk") == 50_000
    assert time.perf_counter() - began < 10
