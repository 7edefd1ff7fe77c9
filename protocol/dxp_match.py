"""The games that an initiator wants to play, and their score."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine import Position, Side
from protocol.dxp_actions import GameRecord, Proposal
from protocol.dxp_game import points


@dataclass(frozen=True, slots=True)
class Score:
    """Games by how they ended for us; `open` are those without a result."""

    won: int = 0
    drawn: int = 0
    lost: int = 0
    open: int = 0

    def __str__(self) -> str:
        text = f"{self.won} won, {self.drawn} drawn, {self.lost} lost"
        return text + (f", {self.open} without a result" if self.open else "")


class Match:
    """A number of games on one connection: each opening is played twice in a row, with colours changed.

    `side` is our colour in the first game; `minutes` and `moves` are those of a GAMEREQ.
    """

    def __init__(
        self,
        games: int,
        openings: Sequence[Position],
        side: Side = Side.WHITE,
        minutes: float = 5.0,
        moves: int = 0,
    ) -> None:
        self.games = games
        self.openings = tuple(openings)
        self.side = side
        self.minutes = minutes
        self.moves = moves
        self.records: list[GameRecord] = []

    @property
    def over(self) -> bool:
        """Whether all games have been played."""
        return len(self.records) >= self.games

    def next(self) -> Proposal | None:
        """The game to ask for now, None after the last one."""
        if self.over:
            return None
        number = len(self.records)
        opening = self.openings[number // 2 % len(self.openings)]
        return Proposal(opening, Side((self.side + number) % 2), self.minutes, self.moves)

    def add(self, record: GameRecord) -> None:
        """A game has ended."""
        self.records.append(record)

    @property
    def score(self) -> Score:
        """The games so far."""
        won = sum(record.result == points(record.side) for record in self.records)
        lost = sum(record.result == points(record.side.other) for record in self.records)
        drawn = sum(record.result == "1/2-1/2" for record in self.records)
        return Score(won, drawn, lost, len(self.records) - won - lost - drawn)
