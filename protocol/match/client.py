"""The client side of an engine protocol, without input or output: the interface every protocol implements.

The runner writes the bytes that the methods return and hands every line of the engine to `receive`; it then
looks at the public state. *Answered* and *idle* are different events: a search that was given up because its
time is over makes the engine idle later without answering anything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from engine.move import Move
from engine.position import Position
from engine.rules import Rules
from protocol.match.clock import SearchLimits


class Stage(Enum):
    """Where the conversation stands."""

    NEW = auto()  # nothing said yet
    DECLARING = auto()  # greeted, the engine lists its parameters
    DECLARED = auto()
    PREPARING = auto()  # asked to get ready
    IDLE = auto()
    SEARCHING = auto()
    STOPPING = auto()  # a search was given up; its answer is awaited only to be thrown away


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a search as the engine wrote it; `move` is None for an answer without a move."""

    move: str | None
    ponder: str | None = None


@dataclass(slots=True)
class SearchReport:
    """The last thing an engine said about a search; `score` in centi-men from its own view."""

    score: int | None = None
    depth: int | None = None
    nodes: int | None = None


class EngineClient(ABC):
    """One conversation with one engine process. A restarted process needs a new object."""

    line_end = b"\n"  # what ends a line of the engine

    def __init__(self) -> None:
        self.stage = Stage.NEW
        self.identity = ""
        self.options: dict[str, Mapping[str, str]] = {}
        self.answer: Answer | None = None
        self.report = SearchReport()
        self.complaint = ""  # the last error message of the engine
        self.in_sync = True  # False while the answer to `new_game` is awaited

    @property
    def idle(self) -> bool:
        """Whether the engine waits for us."""
        return self.stage is Stage.IDLE

    @abstractmethod
    def hello(self) -> bytes:
        """Greet; the stage becomes DECLARED when the engine has introduced itself."""

    @abstractmethod
    def configure(self, rules: Rules, options: Mapping[str, str]) -> bytes:
        """Choose the variant and set options, then ask to get ready; the stage becomes IDLE when it is.

        Raises `EngineFault` when the engine says that it cannot play the variant.
        """

    @abstractmethod
    def new_game(self) -> bytes:
        """Announce a new game; `in_sync` becomes true when the engine has dealt with it."""

    @abstractmethod
    def go(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        """Search the position after `moves`; `answer` is set when the engine has decided."""

    @abstractmethod
    def stop(self) -> bytes:
        """Give the search up: what comes now is no answer. Nothing to say unless a search runs."""

    @abstractmethod
    def quit(self) -> bytes:
        """Say good-bye."""

    @abstractmethod
    def receive(self, line: str) -> None:
        """Take one line of the engine, without its line end. Never raises."""

    @abstractmethod
    def read_move(self, text: str, position: Position) -> Move:
        """The move of an answer in its position. Raises `MoveError` (not a move, or not a legal one)."""

    def _begin_search(self) -> None:
        self.answer = None
        self.report = SearchReport()
        self.complaint = ""
        self.stage = Stage.SEARCHING

    def _end_search(self, answer: Answer) -> None:
        """The engine is idle again; the answer counts only if the search was not given up."""
        if self.stage is Stage.SEARCHING:
            self.answer = answer
        if self.stage in (Stage.SEARCHING, Stage.STOPPING):
            self.stage = Stage.IDLE


def wire(*lines: str) -> bytes:
    """Lines of text as they are sent."""
    return "".join(line + "\n" for line in lines).encode()


def milliseconds(seconds: float) -> int:
    """Seconds as protocols with whole milliseconds write them."""
    return round(1000 * seconds)


class TextClient(EngineClient):
    """What all text protocols share."""

    def stop(self) -> bytes:
        if self.stage is not Stage.SEARCHING:
            return b""
        self.stage = Stage.STOPPING
        return wire("stop")

    def quit(self) -> bytes:
        return wire("quit")
