"""The data files of the tests as typed cases."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"
GAMES = DATA / "games"


@cache
def load(name: str) -> list[dict[str, Any]]:
    """A JSON list of tests/data."""
    rows = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(rows, list)
    return rows


@dataclass(frozen=True)
class PerftRow:
    """A position and its known counts by depth."""

    variant: str
    name: str
    fen: str
    counts: dict[int, int]
    counts_if_crowned_at_once: dict[int, int]  # the other reading of Turkish promotion

    def __str__(self) -> str:
        return f"{self.variant}-{self.name.replace(' ', '-')}-{self.fen[:12]}"

    def depths(self, leaves: int) -> list[int]:
        """The depths whose tree stays within this many leaves all the way."""
        depths = []
        for depth in sorted(self.counts):
            if self.counts[depth] > leaves:
                break
            depths.append(depth)
        return depths


def perft_rows() -> list[PerftRow]:
    return [
        PerftRow(
            row["variant"],
            row["name"],
            row["fen"],
            {int(depth): count for depth, count in row["counts_unique"].items()},
            {int(depth): count for depth, count in row.get("counts_unique_if_promotion_is_immediate", {}).items()},
        )
        for row in load("perft")
    ]


def bug_cases(*areas: str) -> dict[str, dict[str, Any]]:
    """The cases of these areas of bugs.json by id."""
    return {case["id"]: case for case in load("bugs") if case["area"] in areas}
