"""Self-play games: legal throughout, results as the rules give them and from White's view, adjudication."""

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from engine import VARIANTS, Position, Side
from engine.position import NO_RUN
from training.chunks import arrays, count
from training.play import Adjudicator, End, Played, Player, Settings
from training.records import CAPTURE, FORCED, THREAT, Records

FEW = Settings(nodes=40, plies=(3, 6), balance=200, played_out=0.5, varied=0.2)


def played(variant: str, games: int, settings: Settings = FEW, seed: int = 1) -> list[Played]:
    player = Player(VARIANTS[variant], settings)
    found = []
    for number in range(games):
        player.forget()
        found.append(player.play(random.Random(f"{seed} {number}")))
    return found


@pytest.mark.parametrize("variant", ["russian", "english", "frisian", "turkish", "killer", "breakthrough", "losing"])
def test_games_are_legal(variant: str) -> None:
    rules = VARIANTS[variant]
    games = played(variant, 2)
    records = Records(arrays(variant, games, 0))
    row = 0
    for game in games:
        positions = [records.position(rules, row + k) for k in range(len(game.turns))]
        for before, after in pairwise(positions):
            followers = (before.play(move) for move in before.legal_moves())
            assert after in [replace(p, king_runs=(NO_RUN, NO_RUN)) for p in followers]
        for k, position in enumerate(positions):
            flags = int(records["flags"][row + k])
            moves = position.legal_moves()
            assert bool(flags & CAPTURE) == any(move.captured for move in moves)
            threats = replace(position, turn=position.turn.other).legal_moves()
            assert bool(flags & THREAT) == any(move.captured for move in threats)
            if not rules.king_move_limit:
                assert bool(flags & FORCED) == (len(moves) == 1)
        assert records["ply"][row] == game.opening
        row += len(game.turns)
    assert row == len(records)


def one_move_game(variant: str, fen: str) -> Played:
    """A game from a position, played to its end."""
    player = Player(VARIANTS[variant], replace(FEW, plies=(0, 0), balance=20000, played_out=1.0, varied=0.0))
    player.start = Position.from_fen(fen, variant)
    return player.play(random.Random(1))


@pytest.mark.parametrize(
    ("variant", "fen", "result"),
    [
        ("russian", "W:Wc3:Bd4", 1),  # takes the last piece
        ("russian", "B:Wc3:Bd4", -1),
        ("english", "W:W10:B6", 1),
        ("losing", "W:W33:B28", -1),  # White takes and Black, without a piece, has won
        ("losing", "B:W33:B28", 1),
        ("breakthrough", "W:W6:B45", 1),  # a first king
        ("breakthrough", "B:W6:B45", -1),
    ],
)
def test_results_are_seen_from_white(variant: str, fen: str, result: int) -> None:
    game = one_move_game(variant, fen)
    assert game.end is End.RULES
    assert game.result == result
    stored = arrays(variant, [game], 0)["result"]
    assert stored.tolist() == [result] * len(game.turns)
    assert game.turns[0] == (Side.WHITE if fen[0] == "W" else Side.BLACK)


def test_draws_by_rule_and_by_the_cap() -> None:
    drawn = one_move_game("russian", "W:WKa1:BKb8")
    assert drawn.end is End.RULES
    assert drawn.result == 0
    player = Player(VARIANTS["russian"], replace(FEW, plies=(4, 4), balance=20000, cap=9, played_out=1.0))
    capped = player.play(random.Random(3))
    assert capped.end is End.CAPPED
    assert capped.result == 0
    assert len(capped.turns) == 5


def test_adjudicator() -> None:
    def verdicts(scores: list[int]) -> list[int | None]:
        judge = Adjudicator(600, 3)
        return [judge.judge(score) for score in scores]

    assert verdicts([600, 700, 800]) == [None, None, 1]
    assert verdicts([-600, -600, -600]) == [None, None, -1]
    assert verdicts([600, 600, 599, 600, 600, 600]) == [None] * 5 + [1]
    assert verdicts([600, 600, -600, -600, -600]) == [None] * 4 + [-1]
    assert verdicts([9990]) == [1]
    assert verdicts([-9501]) == [-1]
    assert verdicts([0] * 10) == [None] * 10


def test_adjudicated_games_stop_and_played_out_ones_check_them() -> None:
    quick = replace(FEW, win=150, row=2, played_out=0.0)
    stopped = played("english", 6, quick)
    assert any(game.end is End.ADJUDICATED for game in stopped)
    for game in stopped:
        if game.end is End.ADJUDICATED:
            signs = [-score if turn else score for score, turn in zip(game.scores, game.turns, strict=True)][-2:]
            assert game.verdict == game.result != 0
            assert all(score * game.result >= 150 for score in signs)
    whole = played("english", 6, replace(quick, played_out=1.0))
    assert all(game.end is not End.ADJUDICATED for game in whole)
    counts = count(whole)
    assert counts["checked"] == sum(game.verdict is not None for game in whole) > 0
    assert counts["wrong"] == sum(game.verdict not in (None, game.result) for game in whole)
    assert counts["white"] + counts["draws"] + counts["black"] == 6
    assert count(stopped)["checked"] == sum(g.verdict is not None and g.end is not End.ADJUDICATED for g in stopped)


def test_openings_are_balanced_and_varied() -> None:
    player = Player(VARIANTS["russian"], replace(FEW, plies=(4, 8), balance=60))
    places = set()
    for number in range(12):
        chance = random.Random(number)
        moves, _ = player.open(chance)
        assert 4 <= len(moves) <= 8
        words = player.board.words()
        places.add(words)
        player.restart(moves)
        assert player.board.words() == words
        score, _ = player.think(player.settings.nodes)
        assert abs(score) <= 60
    assert len(places) >= 11


def test_a_game_follows_from_its_seed() -> None:
    first, again, other = played("russian", 2), played("russian", 2), played("russian", 2, seed=2)
    assert first == again
    assert first != other
    alone = Player(VARIANTS["russian"], FEW)
    alone.forget()
    assert alone.play(random.Random("1 1")) == first[1]  # nothing of game 0 is left in it


def test_varied_moves_stay_within_the_margin() -> None:
    player = Player(VARIANTS["russian"], replace(FEW, nodes=300, lines=3, margin=10))
    player.restart()
    legal = player.line.legal()
    seen = set()
    for number in range(40):
        score, move, _ = player.vary(len(legal), random.Random(number))
        seen.add(move)
        player.forget()
        alone, _ = player.think(300, [move])
        assert alone >= score - 10 - 15  # a search of its own may differ a little
        player.forget()
    assert len(seen) >= 2


def test_arrays_have_their_types() -> None:
    games = played("canadian", 1, replace(FEW, cap=12))
    found = arrays("canadian", games, 700)
    assert found["white"].shape == (len(games[0].turns), 2)
    assert found["game"].tolist() == [700] * len(games[0].turns)
    assert found["score"].dtype == np.int16
    assert found["result"].dtype == np.int8
