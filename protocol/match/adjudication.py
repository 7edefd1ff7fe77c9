"""Ends of games that the runner decides: by the scores of the engines and by a cap on the plies.

A game that ends by its rules on the same ply has that result; the runner asks here only afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.errors import OptionError
from engine.types import Side


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A draw when, from move number `move` on, each engine gave `count` scores in a row within +-`score` centi-men."""

    move: int = 40
    count: int = 8
    score: int = 10

    def __str__(self) -> str:
        return f"move={self.move},count={self.count},score={self.score / 100:g}"


@dataclass(frozen=True, slots=True)
class ResignRule:
    """A loss of the engine that gave `count` scores in a row of -`score` centi-men or less.

    With `two_sided` the opponent must have given +`score` or more in its last `count` moves as well.
    """

    count: int = 4
    score: int = 600
    two_sided: bool = False

    def __str__(self) -> str:
        return f"count={self.count},score={self.score / 100:g},two-sided={str(self.two_sided).lower()}"


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The rules in force; `max_plies` counts all plies of a game, 0 for no cap."""

    draw: DrawRule | None = None
    resign: ResignRule | None = None
    max_plies: int = 500


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the runner decided: the winner (None for a draw) and why."""

    winner: Side | None
    reason: str


@dataclass(slots=True)
class Referee:
    """Follows the scores of one game. Scores are each mover's own view; a move without one breaks a row."""

    rules: Adjudication
    _quiet: list[int] = field(default_factory=lambda: [0, 0])
    _losing: list[int] = field(default_factory=lambda: [0, 0])
    _winning: list[int] = field(default_factory=lambda: [0, 0])

    def judge(self, side: Side, score: int | None, plies: int) -> Verdict | None:
        """Return the verdict after the move of `side` that was ply number `plies`, None to go on."""
        if verdict := self._by_scores(side, score, plies):
            return verdict
        if self.rules.max_plies and plies >= self.rules.max_plies:
            return Verdict(None, f"{self.rules.max_plies} plies")
        return None

    def _by_scores(self, side: Side, score: int | None, plies: int) -> Verdict | None:
        def count(rows: list[int], holds: bool) -> None:
            rows[side] = rows[side] + 1 if holds else 0

        draw, resign = self.rules.draw, self.rules.resign
        if resign is not None:
            count(self._losing, score is not None and score <= -resign.score)
            count(self._winning, score is not None and score >= resign.score)
            for loser in (side, side.other):
                if self._losing[loser] >= resign.count and (
                    not resign.two_sided or self._winning[loser.other] >= resign.count
                ):
                    return Verdict(loser.other, f"{resign.count} scores beyond {resign.score / 100:g}")
        if draw is not None:
            count(self._quiet, score is not None and abs(score) <= draw.score)
            if (plies + 1) // 2 >= draw.move and min(self._quiet) >= draw.count:
                return Verdict(None, f"{draw.count} scores within {draw.score / 100:g}")
        return None


def parse_draw_rule(text: str) -> DrawRule:
    """Read `move=40,count=8,score=0.10` (score in men, parts may be missing). Raises `OptionError`."""
    values = _parse("draw rule", text, {"move": _count, "count": _count, "score": _men})
    return DrawRule(**values)


def parse_resign_rule(text: str) -> ResignRule:
    """Read `count=4,score=6.00,two-sided=true` (score in men, parts may be missing). Raises `OptionError`."""
    values = _parse("resign rule", text, {"count": _count, "score": _men, "two-sided": _flag})
    rule = ResignRule()
    return ResignRule(values.get("count", rule.count), values.get("score", rule.score), bool(values.get("two_sided")))


def _parse(what: str, text: str, readers: dict[str, Callable[[str], int]]) -> dict[str, int]:
    values: dict[str, int] = {}
    for item in filter(None, re.split(r"[,\s]+", text)):
        name, sign, value = item.partition("=")
        reader = readers.get(name)
        if reader is None:
            raise OptionError(f"{what} {text!r}: {name!r} is not one of {', '.join(readers)}")
        try:
            values[name.replace("-", "_")] = reader(value if sign else "true")
        except ValueError as error:
            raise OptionError(f"{what} {text!r}: {name} must be {error}, got {value!r}") from None
    return values


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
        raise ValueError("a whole number of at least 1")
    return int(text)


def _men(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]+)?", text):
        raise ValueError("a score in men that is not negative")
    return round(100 * float(text))


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("true or false")
    return text == "true"
