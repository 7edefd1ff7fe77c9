"""The HTML page of a match."""

import json
import re
from pathlib import Path

import pytest

from engine import Game, Position, find_variant
from protocol.match.html_report import html_report
from protocol.match.record import GameRecord, MoveRecord, Termination
from protocol.match.schedule import Format
from protocol.match.tables import Tally

RUSSIAN = find_variant("russian")


def record_of(pair: int, game: int, white: str, black: str, result: str, plies: int = 6) -> GameRecord:
    board = Game(Position.start(RUSSIAN))
    for _ in range(plies):
        board.play(board.legal_moves()[0])
    return GameRecord(
        pair, game, 1, 0, white, black, result, Termination.NORMAL, "r8 </script>", "russian", board.start.fen(), 0,
        tuple(MoveRecord(move.hub(), 0.1) for move in board.moves), 1.0, "2026-05-01",
    )  # fmt: skip


@pytest.fixture
def page() -> str:
    names = ["<b>A", "B & co", "C"]
    records = [
        record_of(1, 1, names[0], names[1], "1-0"),
        record_of(1, 2, names[1], names[0], "1/2-1/2", 40),
        record_of(2, 1, names[0], names[2], "1-0"),
        record_of(2, 2, names[2], names[0], "1/2-1/2"),
    ]
    tally = Tally(names)
    for record in records:
        tally.add(record)
    return html_report(tally, records, RUSSIAN, title="T", kind=Format.ROUND_ROBIN, pdn=Path("some/where/g.pdn"))


def test_names_are_escaped(page: str) -> None:
    assert "<b>A" not in page
    assert page.count("&lt;b&gt;A") >= 4
    assert "B &amp; co" in page
    assert "</script>" not in page.split('id="games"')[1].split("</script>")[0][1:]


def test_games_replay_by_what_the_script_is_given(page: str) -> None:
    data = re.search(r'<script id="games" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    games = json.loads(data[1])
    assert len(games) == page.count("data-game=") == 4
    for item in games:
        game = Game(Position.start(RUSSIAN))
        assert item["start"] == game.start.hub()[1:]
        for text, hub, *promotes in item["moves"]:
            move = game.play(hub)
            assert (move.hub(), [1] if move.promotes else []) == (hub, promotes)
            assert re.fullmatch(r"[a-h][1-8]([-:][a-h][1-8])+", text)


def test_the_page_needs_nothing_else(page: str) -> None:
    assert re.findall(r'(?:src|href)="([^"#][^"]*)"', page) == ["g.pdn"]
    assert page.count("<circle cx=") == 3
