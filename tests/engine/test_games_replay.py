"""Every game of tests/data/games replays move by move, and a decisive end agrees with the result written there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import engine
from engine.notation import parse_move
from engine.types import Side
from tests.reference.cases import GAMES

RESULTS = {
    "1-0": Side.WHITE,
    "2-0": Side.WHITE,
    "0-1": Side.BLACK,
    "0-2": Side.BLACK,
    "1/2-1/2": None,
    "1-1": None,
    "*": None,
}
FILES = sorted(GAMES.rglob("*.pdn"))


@dataclass(frozen=True)
class Record:
    """One game as written; these files hold tags, numbers, moves and a result, nothing else."""

    rules: engine.Rules
    fen: str
    result: str
    moves: tuple[str, ...]


@cache
def records(file: Path) -> tuple[Record, ...]:
    games = []
    text = file.read_text(encoding="utf-8")
    for block in re.split(r"\n\n(?=\[)", text.strip()):
        tags = dict(re.findall(r'^\[(\w+) "(.*)"\]$', block, re.MULTILINE))
        body = re.sub(r"^\[.*\]$", "", block, flags=re.MULTILINE)
        tokens = [token for token in body.split() if not re.fullmatch(r"\d+\.+", token)]
        assert tokens, block
        assert tokens[-1] in RESULTS, block
        rules = engine.find_variant(tags.get("Variant") or tags["GameType"].split(",")[0])
        games.append(Record(rules, tags.get("FEN", ""), tags["Result"], tuple(tokens[:-1])))
    return tuple(games)


def replay(record: Record) -> engine.Game:
    rules = record.rules
    start = engine.Position.from_fen(record.fen, rules) if record.fen else engine.Position.start(rules)
    game = engine.Game(start)
    for text in record.moves:
        game.play(text)
    return game


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(GAMES)))
def test_replay(file: Path) -> None:
    for record in records(file):
        game = replay(record)
        assert len(game.moves) == len(record.moves)
        if game.legal_moves():
            continue
        outcome = game.outcome
        assert outcome is not None
        winner = RESULTS[record.result]
        if record.rules.first_player_results and winner is not None and "generated" not in file.parts:
            winner = winner if record.rules.starts is Side.WHITE else winner.other
        assert outcome.winner == winner, (record.result, game.position.fen())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(GAMES)))
def test_moves_written_and_read_again(file: Path) -> None:
    """What the product writes for each move of the first games, it reads as the same move."""
    for record in records(file)[:3]:
        game = replay(record)
        position = game.start
        for move in game.moves:
            assert position.parse_move(position.format_move(move)) == move
            assert parse_move(move.hub(), position, numbering="top") == move
            position = position.play(move)


def test_every_variant_has_games() -> None:
    names = {record.rules.name for file in FILES for record in records(file)}
    assert names == set(engine.VARIANTS)
