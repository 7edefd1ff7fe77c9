"""Adjudication by scores and by a cap: documented counts, the mover's own view, per engine."""

from __future__ import annotations

import pytest

from engine.errors import OptionError
from engine.types import Side
from protocol.match.adjudication import (
    Adjudication,
    DrawRule,
    Referee,
    ResignRule,
    Verdict,
    parse_draw_rule,
    parse_resign_rule,
)

W, B = Side.WHITE, Side.BLACK


def play(rules: Adjudication, scores: list[int | None], first: Side = W) -> tuple[int, Verdict] | None:
    """The ply at which the scores end the game, and the verdict."""
    referee = Referee(rules)
    side = first
    for ply, score in enumerate(scores, 1):
        if verdict := referee.judge(side, score, ply):
            return ply, verdict
        side = side.other
    return None


def test_draw_needs_each_engine_in_a_row_after_the_move_number() -> None:
    rules = Adjudication(draw=DrawRule(move=3, count=2, score=10))
    assert play(rules, [0, 0, 0, 0, 0]) == (5, Verdict(None, "2 scores within 0.1"))
    assert play(rules, [0, 0, 0, 0]) is None
    assert play(rules, [0, 0, 0, 50, 0, 10, 0, -10]) == (8, Verdict(None, "2 scores within 0.1"))
    assert play(rules, [0, None] * 10) is None
    assert play(rules, [0, 11] * 10) is None


def test_resign_one_sided_is_the_losers_own_word() -> None:
    rules = Adjudication(resign=ResignRule(count=2, score=500))
    assert play(rules, [-600, 0, -500]) == (3, Verdict(B, "2 scores beyond 5"))
    assert play(rules, [0, -600, 0, -600]) == (4, Verdict(W, "2 scores beyond 5"))
    assert play(rules, [-600, 0, -499, 0, -600]) is None
    assert play(rules, [600, 600] * 5) is None
    assert play(rules, [-600, 0, -600], first=B) == (3, Verdict(W, "2 scores beyond 5"))


def test_resign_two_sided_waits_for_the_winner() -> None:
    rules = Adjudication(resign=ResignRule(count=2, score=500, two_sided=True))
    assert play(rules, [-600, 600, -600, 600]) == (4, Verdict(B, "2 scores beyond 5"))
    assert play(rules, [-600, 100, -600, 100, -600]) is None


def test_cap_is_a_draw() -> None:
    assert play(Adjudication(max_plies=4), [900, -900] * 4) == (4, Verdict(None, "4 plies"))
    assert play(Adjudication(max_plies=0), [900] * 2000) is None


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("move=30,count=5,score=0.25", DrawRule(30, 5, 25)),
        ("count=5", DrawRule(count=5)),
        ("", DrawRule()),
    ],
)
def test_read_draw_rule(text: str, rule: DrawRule) -> None:
    assert parse_draw_rule(text) == rule
    assert parse_draw_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("count=3,score=5", ResignRule(3, 500)),
        ("two-sided", ResignRule(two_sided=True)),
        ("score=4.5 two-sided=true", ResignRule(score=450, two_sided=True)),
    ],
)
def test_read_resign_rule(text: str, rule: ResignRule) -> None:
    assert parse_resign_rule(text) == rule
    assert parse_resign_rule(str(rule)) == rule


@pytest.mark.parametrize("text", ["moves=3", "move=0", "count=x", "score=-1", "score=nan", "count"])
def test_draw_rule_refused(text: str) -> None:
    with pytest.raises(OptionError, match="draw rule"):
        parse_draw_rule(text)


@pytest.mark.parametrize("text", ["move=3", "two-sided=maybe", "count=1.5"])
def test_resign_rule_refused(text: str) -> None:
    with pytest.raises(OptionError, match="resign rule"):
        parse_resign_rule(text)
