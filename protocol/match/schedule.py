"""Who plays whom: round robin, gauntlet and Swiss, as pairs of games.

A schedule is a function of the results so far, so a match that is resumed goes on as it would have gone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from engine.errors import OptionError

MOST_TRIES = 20_000
"""Steps spent on a Swiss round without a repeated pairing before repeated ones are allowed."""


class Format(StrEnum):
    """The kinds of tournament."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"


@dataclass(frozen=True, slots=True)
class Slot:
    """One pair of games to be played: engines by index; `opening` counts up and is used modulo their number."""

    pair: int
    round: int
    first: int
    second: int
    opening: int


Results = Mapping[int, float]
"""Points of the slot's first engine in each finished pair, by pair number."""


class Schedule(ABC):
    """The pairs of a tournament of `engines` engines, `pairs` pairs of games for each meeting."""

    def __init__(self, engines: int, pairs: int) -> None:
        if engines < 2:
            raise OptionError(f"a match needs at least two engines, got {engines}")
        if pairs < 1:
            raise OptionError("a match needs at least one pair of games, that is games=2")
        self.engines = engines
        self.pairs = pairs

    @property
    @abstractmethod
    def total(self) -> int:
        """Number of pairs in all."""

    @property
    def openings(self) -> int:
        """Number of different openings that can be used."""
        return self.pairs

    @abstractmethod
    def slots(self, results: Results) -> list[Slot]:
        """All pairs that may be played by now, in order; the finished ones included."""

    def byes(self, results: Results) -> dict[int, float]:
        """Points that engines got without playing."""
        return {}


class _FixedSchedule(Schedule):
    """A schedule whose pairs are known from the beginning: every round meets once, `pairs` times over."""

    def __init__(self, engines: int, pairs: int, rounds: Sequence[Sequence[tuple[int, int]]]) -> None:
        super().__init__(engines, pairs)
        self._slots: list[Slot] = []
        for cycle in range(pairs):
            for number, meetings in enumerate(rounds, 1):
                for first, second in meetings:
                    place = len(self._slots) + 1
                    self._slots.append(Slot(place, cycle * len(rounds) + number, first, second, cycle))

    @property
    def total(self) -> int:
        return len(self._slots)

    def slots(self, results: Results) -> list[Slot]:
        return self._slots


class RoundRobin(_FixedSchedule):
    """Everybody against everybody; all meetings of a cycle begin with the same opening."""

    def __init__(self, engines: int, pairs: int) -> None:
        players: list[int | None] = list(range(engines))
        if engines % 2:
            players.append(None)
        half = len(players) // 2
        rounds = []
        for _ in range(len(players) - 1):  # the circle method: one player stays, the others move on
            meetings = zip(players[:half], reversed(players[half:]), strict=True)
            rounds.append([(min(a, b), max(a, b)) for a, b in meetings if a is not None and b is not None])
            players = [players[0], players[-1], *players[1:-1]]
        super().__init__(engines, pairs, rounds)


class Gauntlet(_FixedSchedule):
    """The first `seeds` engines against all others."""

    def __init__(self, engines: int, pairs: int, seeds: int = 1) -> None:
        if not 1 <= seeds < engines:
            raise OptionError(f"a gauntlet of {engines} engines needs 1 to {engines - 1} seeds, got {seeds}")
        rounds = [[(seed, other) for seed in range(seeds)] for other in range(seeds, engines)]
        super().__init__(engines, pairs, rounds)


class Swiss(Schedule):
    """Engines of equal points meet, nobody twice while that can be avoided.

    The first round pairs the upper half of the list with the lower one. Later rounds go down the standings
    (points, then the points of the opponents, then the order of the list). With an odd number the last of the
    standings that had no bye yet gets one, which counts as won games.
    """

    def __init__(self, engines: int, pairs: int, rounds: int) -> None:
        super().__init__(engines, pairs)
        if rounds < 1:
            raise OptionError(f"a Swiss tournament needs at least one round, got {rounds}")
        self.rounds = rounds

    @property
    def total(self) -> int:
        return self.rounds * (self.engines // 2) * self.pairs

    @property
    def openings(self) -> int:
        return self.rounds * self.pairs

    def slots(self, results: Results) -> list[Slot]:
        return self._play(results)[0]

    def byes(self, results: Results) -> dict[int, float]:
        return self._play(results)[1]

    def _play(self, results: Results) -> tuple[list[Slot], dict[int, float]]:
        slots: list[Slot] = []
        byes: dict[int, float] = {}
        for number in range(1, self.rounds + 1):
            if any(slot.pair not in results for slot in slots):
                break
            meetings, bye = self._pair(slots, results, byes)
            if bye is not None:
                byes[bye] = byes.get(bye, 0.0) + 2.0 * self.pairs
            for first, second in meetings:
                for cycle in range(self.pairs):
                    opening = (number - 1) * self.pairs + cycle
                    slots.append(Slot(len(slots) + 1, number, first, second, opening))
        return slots, byes

    def _pair(
        self, slots: list[Slot], results: Results, byes: Mapping[int, float]
    ) -> tuple[list[tuple[int, int]], int | None]:
        order = self._standings(slots, results, byes)
        bye = None
        if len(order) % 2:
            fewest = min(byes.get(engine, 0.0) for engine in order)
            bye = next(engine for engine in reversed(order) if byes.get(engine, 0.0) == fewest)
            order.remove(bye)
        if not slots:
            half = len(order) // 2
            return list(zip(order[:half], order[half:], strict=True)), bye
        met = {frozenset((slot.first, slot.second)) for slot in slots}
        return self._without_repeats(order, met) or self._nearest(order, met), bye

    def _standings(self, slots: list[Slot], results: Results, byes: Mapping[int, float]) -> list[int]:
        points = [byes.get(engine, 0.0) for engine in range(self.engines)]
        opponents: list[list[int]] = [[] for _ in range(self.engines)]
        for slot in slots:
            points[slot.first] += results[slot.pair]
            points[slot.second] += 2.0 - results[slot.pair]
            opponents[slot.first].append(slot.second)
            opponents[slot.second].append(slot.first)
        buchholz = [sum(points[other] for other in met) for met in opponents]
        return sorted(range(self.engines), key=lambda engine: (-points[engine], -buchholz[engine], engine))

    @staticmethod
    def _without_repeats(order: list[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
        """Pair down the list without a repeated meeting, by backtracking; None if that fails or takes long."""
        tries = 0

        def pair(rest: list[int]) -> list[tuple[int, int]] | None:
            nonlocal tries
            if not rest:
                return []
            first = rest[0]
            for second in rest[1:]:
                if frozenset((first, second)) not in met:
                    tries += 1
                    if tries > MOST_TRIES:
                        return None
                    following = pair([engine for engine in rest[1:] if engine != second])
                    if following is not None:
                        return [(first, second), *following]
            return None

        return pair(order)

    @staticmethod
    def _nearest(order: list[int], met: set[frozenset[int]]) -> list[tuple[int, int]]:
        """Pair down the list, taking a repeated meeting only where nobody new is left."""
        rest = list(order)
        meetings = []
        while rest:
            first = rest.pop(0)
            fresh = [engine for engine in rest if frozenset((first, engine)) not in met]
            second = (fresh or rest)[0]
            rest.remove(second)
            meetings.append((first, second))
        return meetings


def make_schedule(kind: Format, engines: int, games: int, *, rounds: int | None = None, seeds: int = 1) -> Schedule:
    """Return the schedule of a tournament with `games` games (an even number) for each meeting.

    Raises `OptionError` for numbers that make no tournament. A Swiss tournament has by default as many rounds as
    are needed to find one winner.
    """
    if games < 2 or games % 2:
        raise OptionError(f"games must be an even number of at least 2 (pairs with swapped colours), got {games}")
    pairs = games // 2
    if kind is Format.GAUNTLET:
        return Gauntlet(engines, pairs, seeds)
    if kind is Format.SWISS:
        return Swiss(engines, pairs, (max(engines, 2) - 1).bit_length() if rounds is None else rounds)
    return RoundRobin(engines, pairs)
