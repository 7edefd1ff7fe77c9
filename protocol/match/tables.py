"""Counting games: each meeting of two engines with its statistics, standings and the cross table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from protocol.match.record import GameRecord, Termination
from protocol.match.statistics import Sample


@dataclass(slots=True)
class Count:
    """Wins, draws and losses."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, score: float) -> None:
        """Count one game."""
        if score == 1.0:
            self.wins += 1
        elif score == 0.0:
            self.losses += 1
        else:
            self.draws += 1

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win is one point, a draw half a point."""
        return self.wins + self.draws / 2

    def merged(self, other: Count) -> Count:
        """The sum of two counts."""
        return Count(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def swapped(self) -> Count:
        """The same games from the other side."""
        return Count(self.losses, self.draws, self.wins)

    def sample(self) -> Sample:
        """The games for `statistics`."""
        return Sample.trinomial(self.wins, self.draws, self.losses)

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}"


@dataclass(slots=True)
class Meeting:
    """All games between two engines, seen from `first`."""

    first: str
    second: str
    as_white: Count = field(default_factory=Count)
    as_black: Count = field(default_factory=Count)
    openings: dict[int, Count] = field(default_factory=dict)
    pairs: list[int] = field(default_factory=lambda: [0] * 5)  # LL, LD, DD or WL, WD, WW
    _open: dict[int, float] = field(default_factory=dict)

    def add(self, record: GameRecord) -> None:
        """Count one game; its pair counts once both games are there."""
        score = record.score_of(self.first)
        (self.as_white if record.white == self.first else self.as_black).add(score)
        self.openings.setdefault(record.opening, Count()).add(score)
        if record.pair in self._open:
            self.pairs[round(2 * (self._open.pop(record.pair) + score))] += 1
        else:
            self._open[record.pair] = score

    @property
    def total(self) -> Count:
        """All games."""
        return self.as_white.merged(self.as_black)

    def pentanomial(self) -> Sample:
        """The complete pairs for `statistics`."""
        return Sample.pentanomial(self.pairs)


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the final table. `tie_break` is Sonneborn-Berger: points of the opponents beaten, half for draws."""

    place: int
    engine: str
    count: Count
    points: float
    tie_break: float
    faults: int


class Tally:
    """The state of a match, fed with game records."""

    def __init__(self, engines: Sequence[str]) -> None:
        self.engines = list(engines)
        self.meetings: dict[tuple[str, str], Meeting] = {}
        self.terminations: dict[Termination, int] = {}
        self.faults: dict[str, dict[Termination, int]] = {engine: {} for engine in engines}
        self.games = 0
        self.plies = 0
        self.seconds = 0.0
        self._order = {engine: index for index, engine in enumerate(engines)}

    def add(self, record: GameRecord) -> None:
        """Count one game."""
        self.meeting(record.white, record.black).add(record)
        self.terminations[record.termination] = self.terminations.get(record.termination, 0) + 1
        if record.fault:
            faults = self.faults[record.fault]
            faults[record.termination] = faults.get(record.termination, 0) + 1
        self.games += 1
        self.plies += record.plies
        self.seconds += record.seconds

    def meeting(self, one: str, other: str) -> Meeting:
        """The meeting of two engines, seen from the one that comes first in the list."""
        first, second = sorted((one, other), key=self._order.__getitem__)
        return self.meetings.setdefault((first, second), Meeting(first, second))

    def against(self, engine: str, opponent: str) -> Count:
        """The games of `engine` against one opponent."""
        found = self.meetings.get((engine, opponent))
        if found is not None:
            return found.total
        found = self.meetings.get((opponent, engine))
        return Count() if found is None else found.total.swapped()

    def count(self, engine: str) -> Count:
        """All games of an engine."""
        total = Count()
        for opponent in self.engines:
            if opponent != engine:
                total = total.merged(self.against(engine, opponent))
        return total

    def standings(self, byes: Mapping[str, float] | None = None) -> list[Standing]:
        """The table, best first. `byes` are points got without playing."""
        counts = {engine: self.count(engine) for engine in self.engines}
        points = {engine: counts[engine].points + (byes or {}).get(engine, 0.0) for engine in self.engines}
        rows = []
        for engine in self.engines:
            games = ((other, self.against(engine, other)) for other in self.engines if other != engine)
            tie_break = sum(count.points * points[other] for other, count in games)
            faults = sum(self.faults[engine].values())
            rows.append((engine, counts[engine], points[engine], tie_break, faults))
        rows.sort(key=lambda row: (-row[2], -row[3], self._order[row[0]]))
        return [Standing(place, *row) for place, row in enumerate(rows, 1)]
