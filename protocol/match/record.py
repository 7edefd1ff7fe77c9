"""What is kept of a game: who failed and how is data, not log text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Termination(StrEnum):
    """How a game ended. Everything from `TIME` on is the fault of one engine, except `INTERRUPT`."""

    NORMAL = "normal"  # by the rules of the variant
    ADJUDICATION = "adjudication"  # by the runner: scores, ply cap
    TIME = "time forfeit"  # the flag fell; the engine still answers
    STALL = "stall"  # no answer at all within the time limits
    DISCONNECT = "disconnect"  # the process ended or closed its output
    ILLEGAL_MOVE = "illegal move"  # a move that the rules board refuses
    NO_MOVE = "no move"  # an answer without a move although there is one
    PROTOCOL = "protocol error"  # output that the protocol does not allow: endless line, no handshake
    START = "start failure"  # the program could not be started, or ended before it was ready
    INTERRUPT = "interrupt"  # the match was stopped; such a game is not counted

    @property
    def is_fault(self) -> bool:
        """Whether an engine lost by its own misbehaviour (a lost flag included)."""
        return self not in (Termination.NORMAL, Termination.ADJUDICATION, Termination.INTERRUPT)


class EngineFault(Exception):
    """An engine lost its game by misbehaving. `restart` says that its process cannot be used again."""

    def __init__(self, termination: Termination, detail: str, *, restart: bool = True) -> None:
        super().__init__(f"{termination}: {detail}")
        self.termination = termination
        self.detail = detail
        self.restart = restart


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """One move of a game in Hub notation, the seconds it took and what the engine said about it.

    `score` is in centi-men from the mover's view. Opening moves have no seconds.
    """

    move: str
    seconds: float | None = None
    score: int | None = None
    depth: int | None = None
    nodes: int | None = None

    def to_json(self) -> list[Any]:
        """Return a compact list for the journal, without trailing blanks."""
        values = [self.move, self.seconds, self.score, self.depth, self.nodes]
        while values[-1] is None:
            values.pop()
        return values

    @classmethod
    def from_json(cls, values: list[Any]) -> MoveRecord:
        """Inverse of `to_json`."""
        return cls(*values)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One finished game. `pair` and `game` (1 or 2) name it; engines are named, results are White's view."""

    pair: int
    game: int
    round: int
    opening: int
    white: str
    black: str
    result: str
    termination: Termination
    reason: str
    variant: str
    fen: str
    opening_plies: int
    moves: tuple[MoveRecord, ...]
    seconds: float
    date: str
    fault: str = ""
    time_controls: tuple[str, str] = ("-", "-")
    host: str = ""
    engines: tuple[str, str] = ("", "")  # what White and Black call themselves

    @property
    def key(self) -> tuple[int, int]:
        """(pair, game): no two games of a match share it."""
        return self.pair, self.game

    @property
    def plies(self) -> int:
        """Number of plies, the opening included."""
        return len(self.moves)

    def score_of(self, engine: str) -> float:
        """Points of one of the two engines: 1, 1/2 or 0."""
        white = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[self.result]
        return white if engine == self.white else 1.0 - white

    def to_json(self) -> dict[str, Any]:
        """Return the record as a journal line."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values["moves"] = [move.to_json() for move in self.moves]
        return {"type": "game", **values, "plies": self.plies}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> GameRecord:
        """Inverse of `to_json`. Raises KeyError, TypeError or ValueError for something else."""
        fields = {name: values[name] for name in cls.__dataclass_fields__ if name in values}
        fields["moves"] = tuple(MoveRecord.from_json(move) for move in values["moves"])
        fields["termination"] = Termination(values["termination"])
        for name in ("time_controls", "engines"):
            fields[name] = tuple(fields.get(name, ("", "")))
        if fields["result"] not in ("1-0", "1/2-1/2", "0-1"):
            raise ValueError(f"result {fields['result']!r}")
        return cls(**fields)
