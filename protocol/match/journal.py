"""The journal of a match: one JSON line a finished game, from which the whole state is rebuilt.

The first line holds the settings, their hash and the openings; a match that is resumed uses those openings. Each
line is on the disk before anything else is done with the game. A last line without an end (the writer was killed)
is cut off; such a game is simply played again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import OptionError
from protocol.match.openings import Numbered, Opening
from protocol.match.record import GameRecord

VERSION = 1


def settings_hash(settings: Mapping[str, Any]) -> str:
    """A digest of everything that decides which games are played."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(slots=True)
class JournalContent:
    """What a journal says."""

    settings: Mapping[str, Any]
    openings: list[Numbered]
    records: dict[tuple[int, int], GameRecord] = field(default_factory=dict)


def read_journal(path: Path) -> tuple[JournalContent | None, int]:
    """Read a journal; returns its content and the length of its whole lines in bytes.

    There is no content without a whole line. A game that stands there twice counts once. Raises `OptionError` with
    the line that is no journal line.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise OptionError(f"journal {path}: {error.strerror or error}") from None
    length = data.rfind(b"\n") + 1
    content: JournalContent | None = None
    for number, line in enumerate(data[:length].splitlines(), 1):
        try:
            values = json.loads(line)
            if values["type"] == "match":
                if values["version"] != VERSION:
                    raise ValueError(f"version {values['version']}")
                openings = [Numbered(index, Opening(fen, tuple(moves))) for index, fen, moves in values["openings"]]
                records = content.records if content is not None else {}
                content = JournalContent(values["settings"], openings, records)
            elif content is None:
                raise ValueError("the first line does not describe the match")
            elif values["type"] == "game":
                record = GameRecord.from_json(values)
                content.records.setdefault(record.key, record)
        except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
            raise OptionError(f"journal {path}, line {number}: not a line of a journal ({error})") from None
    return content, length


class Journal:
    """A journal open for writing."""

    def __init__(self, path: Path, length: int | None = None) -> None:
        """Create the file, or go on after `length` bytes of it."""
        flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if length is None else 0)
        try:
            self._descriptor = os.open(path, flags, 0o666)
        except OSError as error:
            raise OptionError(f"journal {path}: {error.strerror or error}") from None
        if length is not None:
            os.ftruncate(self._descriptor, length)
            os.lseek(self._descriptor, 0, os.SEEK_END)
        _sync_directory(path.parent)

    def begin(self, settings: Mapping[str, Any], openings: Iterable[Numbered]) -> None:
        """Write what the match is."""
        listed = [[n.index, n.opening.fen, list(n.opening.moves)] for n in openings]
        self._write(
            {
                "type": "match",
                "version": VERSION,
                "hash": settings_hash(settings),
                "settings": settings,
                "openings": listed,
            }
        )

    def add(self, record: GameRecord) -> None:
        """Write a finished game; it is on the disk when this returns."""
        self._write(record.to_json())

    def _write(self, values: Mapping[str, Any]) -> None:
        data = json.dumps(values, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        while data:
            data = data[os.write(self._descriptor, data) :]
        os.fsync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


def _sync_directory(directory: Path) -> None:
    """Make the name of a new file last, where the system can."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
