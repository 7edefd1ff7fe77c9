"""Schedules: everybody meets whom they must, and a Swiss tournament follows its results."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from engine.errors import OptionError
from protocol.match.schedule import Format, Slot, Swiss, make_schedule


def meetings(slots: list[Slot]) -> Counter[frozenset[int]]:
    return Counter(frozenset((slot.first, slot.second)) for slot in slots)


@pytest.mark.parametrize("engines", range(2, 10))
def test_round_robin_is_complete(engines: int) -> None:
    schedule = make_schedule(Format.ROUND_ROBIN, engines, 6)
    slots = schedule.slots({})
    assert schedule.total == len(slots) == 3 * engines * (engines - 1) // 2
    assert meetings(slots) == {frozenset(pair): 3 for pair in combinations(range(engines), 2)}
    assert [slot.pair for slot in slots] == list(range(1, len(slots) + 1))
    for number in {slot.round for slot in slots}:
        players = [p for slot in slots if slot.round == number for p in (slot.first, slot.second)]
        assert len(players) == len(set(players))
        assert len(players) >= engines - 1


def test_every_meeting_of_a_cycle_has_the_same_opening() -> None:
    slots = make_schedule(Format.ROUND_ROBIN, 4, 4).slots({})
    for pair in combinations(range(4), 2):
        assert [s.opening for s in slots if {s.first, s.second} == set(pair)] == [0, 1]


def test_gauntlet() -> None:
    slots = make_schedule(Format.GAUNTLET, 5, 4, seeds=2).slots({})
    assert meetings(slots) == {frozenset((s, o)): 2 for s in (0, 1) for o in (2, 3, 4)}


@pytest.mark.parametrize("engines", range(2, 12))
def test_swiss_never_repeats_while_it_can_be_avoided(engines: int) -> None:
    rounds = min(4, engines - 1)
    schedule = Swiss(engines, 1, rounds)
    chance = random.Random(engines)
    results: dict[int, float] = {}
    while True:
        slots = schedule.slots(results)
        fresh = [slot for slot in slots if slot.pair not in results]
        if not fresh:
            break
        assert len({slot.round for slot in fresh}) == 1
        assert len(fresh) == engines // 2
        for slot in fresh:
            results[slot.pair] = chance.choice((0.0, 0.5, 1.0, 1.5, 2.0))
    assert len(slots) == schedule.total
    if engines > 2 * rounds:
        assert max(meetings(slots).values()) == 1
    byes = schedule.byes(results)
    assert len(byes) == (rounds if engines % 2 else 0)
    assert all(points == 2.0 for points in byes.values())


def test_swiss_pairs_leaders_with_leaders() -> None:
    schedule = Swiss(8, 1, 2)
    slots = schedule.slots({})
    assert [(slot.first, slot.second) for slot in slots] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    results = {1: 2.0, 2: 0.0, 3: 2.0, 4: 0.0}
    second = schedule.slots(results)[4:]
    assert {frozenset((s.first, s.second)) for s in second} == {
        frozenset(pair) for pair in ((0, 2), (5, 7), (1, 3), (4, 6))
    }


def test_swiss_goes_on_only_after_a_whole_round() -> None:
    schedule = Swiss(4, 2, 3)
    assert len(schedule.slots({})) == 4
    assert len(schedule.slots({1: 1.0, 2: 1.0, 3: 1.0})) == 4
    assert len(schedule.slots({1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0})) == 8


def test_more_rounds_than_opponents_repeat_meetings() -> None:
    schedule = Swiss(2, 1, 3)
    assert len(schedule.slots({1: 1.0, 2: 1.0})) == 3


@pytest.mark.parametrize(
    ("kind", "engines", "games", "options"),
    [
        (Format.ROUND_ROBIN, 1, 2, {}),
        (Format.ROUND_ROBIN, 2, 3, {}),
        (Format.ROUND_ROBIN, 2, 0, {}),
        (Format.GAUNTLET, 3, 2, {"seeds": 3}),
        (Format.GAUNTLET, 3, 2, {"seeds": 0}),
        (Format.SWISS, 4, 2, {"rounds": 0}),
    ],
)
def test_refused(kind: Format, engines: int, games: int, options: dict[str, int]) -> None:
    with pytest.raises(OptionError):
        make_schedule(kind, engines, games, **options)


def test_swiss_default_rounds_find_one_winner() -> None:
    assert isinstance(schedule := make_schedule(Format.SWISS, 8, 2), Swiss)
    assert schedule.rounds == 3
