"""docs/rules.md says what the table says: options, draw counters, GameTypes; and its worked example works."""

from __future__ import annotations

import random
import re
from pathlib import Path

import engine
from engine import VARIANTS, variants
from engine.counters import Event, Pattern
from engine.rules import Rules
from tests.reference import Position, Spec, legal_moves
from tests.reference.compare import plain, product_position

PAGE = (Path(__file__).parent.parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")

RESETS = {
    Event.NONE: "",
    Event.CAPTURE: "capture",
    Event.CAPTURE | Event.MAN: "capture, man's move",
    Event.CAPTURE | Event.PROMOTION: "capture, promotion",
}


def table(head: str) -> list[list[str]]:
    """The rows of the table of the page whose first line begins so."""
    lines = PAGE[PAGE.index(f"| {head} ") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def names(cell: str) -> set[str]:
    return set(VARIANTS) if cell == "all" else set(cell.split(", "))


def test_options() -> None:
    described = {(row[0].strip("`"), variant) for row in table("option") for variant in names(row[1])}
    assert described == {(option.name, name) for name, rules in VARIANTS.items() for option in rules.options}


def test_values_of_options() -> None:
    for name, variant, values, _ in table("option"):
        for rules in (VARIANTS[variant] for variant in names(variant)):
            [option] = [option for option in rules.options if option.name == name.strip("`")]
            if isinstance(option.default, bool):
                assert values == ("true, false" if option.default else "false, true")
            elif isinstance(option.default, str):
                assert values.split(", ") == list(option.values)
                assert option.values[0] == option.default


def test_draw_counters() -> None:
    counters = {row[0]: row for row in table("counter")}
    seen = set()
    for cell, repetition, ids in table("variant"):
        for name in names(cell):
            seen.add(name)
            assert str(VARIANTS[name].repetition) == repetition
            assert ", ".join(counter.id for counter in VARIANTS[name].counters) == ids
            for counter in VARIANTS[name].counters:
                _, limit, holds, resets = counters[counter.id]
                assert limit.split(",")[0].split()[0] == str(counter.limit)
                assert (holds == "always") == (counter.start is Pattern.ANY)
                assert resets == RESETS[counter.reset]
                assert counter.strong_only == ("strong side" in limit)
                assert bool(counter.off_while) == ("is off" in limit)
                assert counter.quiet == ("no capture is due" in limit)
    assert seen == set(VARIANTS)
    assert set(counters) == {counter.id for rules in VARIANTS.values() for counter in rules.counters}


def test_board_and_first_side() -> None:
    rows = {name: row for row in table("name") for name in row[0].split(", ")}
    assert set(rows) == set(VARIANTS)
    for name, rules in VARIANTS.items():
        assert rows[name][1].endswith(f", {rules.men}")
        assert rows[name][2] == rules.starts.name.title()
        assert ("flying" in rows[name][5]) == (rules.flying and rules.objective.value != "breakthrough")


def test_worked_example() -> None:
    """The row that the page adds is a variant like any other, and equals its row of the reference."""
    [row] = re.findall(r"```python\nUNIFIED_POOL = (.*?)```", PAGE, re.DOTALL)
    [line] = re.findall(r"```python\n *(Spec\(.*\))\n *```", PAGE)
    rules = eval(row, dict(vars(variants)))
    spec = eval(line, {"Spec": Spec})
    assert isinstance(rules, Rules)
    assert isinstance(spec, Spec)
    now: engine.Position = engine.Position.start(rules)
    rng = random.Random(1)
    for _ in range(60):
        listed = now.legal_moves()
        assert {plain(move) for move in listed} == legal_moves(spec, Position(now.pieces(), now.turn.letter.lower()))
        if not listed:
            break
        now = now.play(rng.choice(listed))
    passing = Position(engine.Position.from_fen("W:Wf6:Be7,c7,b4", rules).pieces(), "w")
    found = [plain(move) for move in product_position(rules, passing).legal_moves()]
    assert set(found) == legal_moves(spec, passing)
    assert [move.promoted for move in found] == [False]
