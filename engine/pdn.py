"""Games as PDN holds them: tags, moves with their notes, and what was wrong with the text.

Reading is in `pdn_reader`, writing in `pdn_writer`, legal moves and results in `pdn_replay`. Nothing here knows the
rules: a move is a text until a replay gives it a meaning.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

SEVEN_TAGS = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
# Names that archives use, by the names of the standard.
ITALIAN_TAGS = {"Bianco": "White", "Nero": "Black", "Risultato": "Result", "Luogo": "Site", "Anno": "Date"}
UNKNOWN = "..."  # text of a move that nobody wrote down


class Grade(IntEnum):
    """How bad a fault is."""

    NOTE = 0  # strict PDN 3.0 does not write so; its meaning is clear
    ERROR = 1  # something had to be guessed or left out


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong with a text: 1-based line and column in the file, and what it is."""

    line: int
    column: int
    reason: str
    grade: Grade = Grade.ERROR

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.grade.name.lower()}: {self.reason}"


@dataclass(slots=True)
class PdnMove:
    """One step of a line of play: a move, an unknown move (`text` is `...`), or a set-up (`text` is empty)."""

    text: str
    at: int = field(default=-1, compare=False)  # index in the source of the game, -1 for none
    strength: str = ""  # `!?`, as written, without brackets
    nags: tuple[int, ...] = ()
    before: tuple[str, ...] = ()  # comments in front of it
    comments: tuple[str, ...] = ()  # comments behind it
    variations: tuple[list["PdnMove"], ...] = ()  # lines that replace it
    setup: str = ""  # FEN of a set-up


@dataclass(slots=True)
class PdnGame:
    """One game of a file."""

    tags: dict[str, str] = field(default_factory=dict)
    moves: list[PdnMove] = field(default_factory=list)
    comments: tuple[str, ...] = ()  # of a game without moves
    terminator: str = ""  # result or `*` behind the moves, empty if there is none
    number: int = field(default=1, compare=False)  # in its file, from 1
    faults: list[Fault] = field(default_factory=list, compare=False)
    source: str = field(default="", compare=False, repr=False)  # the text it was read from
    line: int = field(default=1, compare=False)  # line of the file on which `source` starts

    def tag(self, name: str, default: str = "") -> str:
        """Value of a tag, also under the names that Italian archives use; `default` for none and for `?`."""
        value = self.tags.get(name)
        if value is None:
            value = next((self.tags[k] for k, v in ITALIAN_TAGS.items() if v == name and k in self.tags), "")
        return default if value in ("", "?") else value

    @property
    def result(self) -> str:
        """The result as written: the tag, or the terminator where the tag is missing or says nothing."""
        tag = self.tag("Result")
        return self.terminator or "*" if tag in ("", "*") else tag

    def place(self, at: int) -> tuple[int, int]:
        """(line, column) of the file for an index of `source`."""
        starts = _line_starts(self.source)
        row = bisect_right(starts, at)
        return self.line + row, at - (starts[row - 1] if row else 0) + 1

    def fault(self, at: int, reason: str, grade: Grade = Grade.ERROR) -> None:
        """Note a fault; more than `MAX_FAULTS` of one game are only said to exist."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(Fault(*self.place(at), reason, grade))
        elif len(self.faults) == MAX_FAULTS:
            self.faults.append(Fault(*self.place(at), "more faults, not listed", grade))

    @property
    def errors(self) -> list[Fault]:
        """The faults that are more than notes."""
        return [fault for fault in self.faults if fault.grade is Grade.ERROR]


MAX_FAULTS = 100
_BREAK = re.compile(r"\r\n?|\n")


@lru_cache(maxsize=4)
def _line_starts(source: str) -> list[int]:
    """Indices of the lines of a text but the first."""
    return [found.end() for found in _BREAK.finditer(source)]
