"""The games of a match as one PDN file (pdn.md section 9).

The journal is the truth: when a match is resumed the file is written anew from it, so a game that was being written
when the runner died is whole again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.errors import OptionError
from engine.game import Game
from engine.pdn_writer import format_game
from engine.pdn_writer import record as pdn_record
from engine.position import Position
from engine.rules import Rules
from protocol.match.record import GameRecord, MoveRecord
from protocol.match.report import replace_file


def format_record(record: GameRecord, rules: Rules, event: str) -> str:
    """A game as PDN text: each move with score, depth and time, the end with its reason."""
    game = Game(Position.from_fen(record.fen, rules))
    for move in record.moves:
        legal = {found.hub(): found for found in game.legal_moves()}
        game.play(legal[move.move])
    tags = {
        "Event": event,
        "Site": record.host or "?",
        "Date": record.date[:10].replace("-", "."),
        "Round": f"{record.pair}.{record.game}",
        "White": record.white,
        "Black": record.black,
        "WhiteType": "program",
        "BlackType": "program",
        "Termination": str(record.termination),
        **_time_controls(record.time_controls),
        "OpeningIndex": str(record.opening),
        "OpeningPlies": str(record.opening_plies),
    }
    pdn = pdn_record(game, tags, record.result)
    for step, move in zip(pdn.moves, record.moves, strict=True):
        if comment := _comment(move):
            step.comments = (*step.comments, comment)
    end = f"{record.fault}: {record.reason}" if record.fault else record.reason
    last = pdn.moves[-1] if pdn.moves else pdn
    last.comments = (*last.comments, end)
    return format_game(pdn, rules=rules)


def _time_controls(controls: tuple[str, str]) -> dict[str, str]:
    white, black = controls
    if white == black:
        return {"TimeControl": white}
    return {"TimeControlWhite": white, "TimeControlBlack": black}


def _comment(move: MoveRecord) -> str:
    """`+0.12/15 0.40s`: score of the mover in men, depth, seconds; what is unknown is left out."""
    if move.seconds is None:
        return ""
    score = "" if move.score is None else f"{move.score / 100:+.2f}"
    depth = "" if move.depth is None else f"/{move.depth}"
    return f"{score}{depth} {move.seconds:.2f}s".strip()


class PdnOutput:
    """A PDN file that grows by whole games, as they finish or in the order of the schedule."""

    def __init__(self, path: Path, rules: Rules, event: str, order: Sequence[tuple[int, int]] | None = None) -> None:
        """`order` lists the keys of all games when they are to be written in that order."""
        self._path = path
        self._rules = rules
        self._event = event
        self._order = order
        self._next = 0
        self._waiting: dict[tuple[int, int], str] = {}
        self._descriptor = -1

    def begin(self, records: Iterable[GameRecord]) -> None:
        """Write the file anew with the games played so far."""
        texts = [text for record in records for text in self._in_order(record)]
        try:
            replace_file(self._path, "".join(texts).encode())
            self._descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        except OSError as error:
            raise OptionError(f"{self._path}: {error.strerror or error}") from None

    def add(self, record: GameRecord) -> None:
        """Append a game, or keep it until its turn has come."""
        for text in self._in_order(record):
            self._append(text)

    def close(self) -> None:
        """Write what still waits for games that will not come now, and close the file."""
        for key in sorted(self._waiting):
            self._append(self._waiting[key])
        self._waiting.clear()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _in_order(self, record: GameRecord) -> list[str]:
        """The texts whose turn has come with this game."""
        text = format_record(record, self._rules, self._event)
        if self._order is None:
            return [text]
        self._waiting[record.key] = text
        ready = []
        while self._next < len(self._order) and self._order[self._next] in self._waiting:
            ready.append(self._waiting.pop(self._order[self._next]))
            self._next += 1
        return ready

    def _append(self, text: str) -> None:
        data = text.encode()
        while data:
            data = data[os.write(self._descriptor, data) :]
