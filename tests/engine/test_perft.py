"""The product's perft against the public counts."""

from __future__ import annotations

import pytest

import engine
from engine.moves import perft
from tests.reference.cases import PerftRow, perft_rows

ROWS = perft_rows()
PLAIN = 400  # leaves a row in every run: the uncompiled core counts some thousand a second
UNCOMPILED = 20_000
SHARE = 1_000_000
ALL = 20_000_000


def check(row: PerftRow, leaves: int) -> None:
    position = engine.Position.from_fen(row.fen, row.variant)
    depths = row.depths(leaves)
    assert {depth: perft(position, depth) for depth in depths} == {depth: row.counts[depth] for depth in depths}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_small(row: PerftRow) -> None:
    check(row, PLAIN)


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_uncompiled(row: PerftRow) -> None:
    """What the core has to show as plain Python."""
    check(row, UNCOMPILED)


@pytest.mark.compiled
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_compiled(row: PerftRow) -> None:
    check(row, SHARE)


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_compiled_deep(row: PerftRow) -> None:
    check(row, ALL)


@pytest.mark.parametrize("row", [row for row in ROWS if row.counts_if_crowned_at_once], ids=str)
def test_turkish_man_crowned_at_once(row: PerftRow) -> None:
    rules = engine.find_variant(row.variant).with_options({"turkish-promotion": "continue"})
    position = engine.Position.from_fen(row.fen, rules)
    for depth, count in row.counts_if_crowned_at_once.items():
        if count <= UNCOMPILED:
            assert perft(position, depth) == count


@pytest.mark.parametrize("row", ROWS[::5], ids=str)
def test_divide_adds_up(row: PerftRow) -> None:
    """The counts behind each move sum to the count of the position."""
    position = engine.Position.from_fen(row.fen, row.variant)
    depth = max([depth for depth in row.depths(2000) if depth > 1], default=0)
    if depth:
        moves = position.legal_moves()
        assert sum(perft(position.play(move), depth - 1) for move in moves) == row.counts[depth]
