"""What an analysis has found out, position by position, as JSON lines that can be read again."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from engine import DamierError, Side


class JournalError(DamierError):
    """A file of records that cannot be continued."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of play: score in centi-men for the side to move, depth in plies, moves as PDN writes them."""

    score: int
    depth: int
    nodes: int
    time: float
    pv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One position of a game. `lines` are best first; a finished game has none, and `over` says why it ended."""

    game: int  # number in the input, from 1
    ply: int  # moves played before it
    fen: str
    turn: str  # W or B
    played: str  # the move of the game, empty in the last position
    lines: tuple[Line, ...]
    score: int  # of the best line or, where the game is over, of the result; for the side to move
    over: str = ""

    @property
    def side(self) -> Side:
        return Side.BLACK if self.turn == "B" else Side.WHITE

    @property
    def white_score(self) -> int:
        """The score from White's view."""
        return self.score if self.turn == "W" else -self.score

    def json(self) -> str:
        """The entry as one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))


def entry_from(data: Mapping[str, Any]) -> Entry:
    """Inverse of `Entry.json`. Raises KeyError, TypeError, ValueError."""
    lines = tuple(
        Line(int(line["score"]), int(line["depth"]), int(line["nodes"]), float(line["time"]), tuple(line["pv"]))
        for line in data["lines"]
    )
    return Entry(
        int(data["game"]),
        int(data["ply"]),
        str(data["fen"]),
        str(data["turn"]),
        str(data["played"]),
        lines,
        int(data["score"]),
        str(data["over"]),
    )


class Journal:
    """A file of records: the settings first, then an entry a line, written as they come."""

    def __init__(self, path: Path, settings: Mapping[str, object], resume: bool) -> None:
        """Begin a file, or go on with one. Raises JournalError if it was made with other settings, OSError."""
        self.path = path
        self.known: dict[tuple[int, int, str], Entry] = {}
        header = json.dumps({"analysis": dict(settings)}, separators=(",", ":"))
        if resume and path.exists():
            kept = list(self._read(path, header))
            self.known = {(entry.game, entry.ply, entry.fen): entry for entry in kept}
        text = "".join(line + "\n" for line in (header, *(entry.json() for entry in self.known.values())))
        path.write_text(text, encoding="utf-8", newline="\n")
        self.file: TextIO = path.open("a", encoding="utf-8", newline="\n")

    @staticmethod
    def _read(path: Path, header: str) -> Iterator[Entry]:
        with path.open(encoding="utf-8", errors="replace") as file:
            first = file.readline().rstrip("\n")
            if first != header:
                raise JournalError(f"{path} was made with other settings: {first[:200]}")
            for line in file:
                try:
                    yield entry_from(json.loads(line))
                except (ValueError, KeyError, TypeError):
                    return  # the line that was being written when it ended

    def add(self, entry: Entry) -> None:
        """Write an entry."""
        self.file.write(entry.json() + "\n")
        self.file.flush()

    def close(self) -> None:
        self.file.close()
