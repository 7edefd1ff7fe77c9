"""A unit of work: the games of one pair, played in one worker with the same two engine processes."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import trio

from engine.position import Position
from engine.types import Side
from engine.variants import find_variant
from protocol.match.adjudication import Adjudication
from protocol.match.engine_spec import EngineSpec
from protocol.match.game import PlayedGame, play_game
from protocol.match.openings import Opening
from protocol.match.player import Patience, Player
from protocol.match.record import GameRecord

ABORT_SECONDS = 0.1
"""How often a unit looks whether it is to be broken off."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What all games of a match share. Plain data: it travels to workers on other machines."""

    variant: str
    rule_options: Mapping[str, object]
    adjudication: Adjudication
    patience: Patience
    log_directory: str | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """A pair of games from one opening: game 1 with `first` as White, game 2 with the colours swapped.

    `games` lists those that are still to be played.
    """

    pair: int
    round: int
    opening_index: int
    opening: Opening
    first: EngineSpec
    second: EngineSpec
    games: tuple[int, ...] = (1, 2)


class Control:
    """What a worker may ask while it plays; the base class never stops."""

    def finishing(self) -> bool:
        """Whether no further game should be started."""
        return False

    def aborted(self) -> bool:
        """Whether the running game should be broken off."""
        return False


def play_unit(
    unit: Unit, setting: Setting, control: Control, on_game: Callable[[GameRecord], None]
) -> list[GameRecord]:
    """Play the games of a unit one after the other, and return those that were finished.

    `on_game` is called after each, so that a game is not lost if the worker dies in the next one.
    """
    return trio.run(_play_unit, unit, setting, control, on_game)


async def _play_unit(
    unit: Unit, setting: Setting, control: Control, on_game: Callable[[GameRecord], None]
) -> list[GameRecord]:
    rules = find_variant(setting.variant).with_options(setting.rule_options)
    start = Position.from_fen(unit.opening.fen, rules)
    opening = unit.opening.read_moves(start)
    records: list[GameRecord] = []
    async with trio.open_nursery() as nursery:
        players = [
            Player(nursery, spec, rules, setting.patience, _log(setting, spec)) for spec in (unit.first, unit.second)
        ]
        nursery.start_soon(_watch, control, nursery.cancel_scope)
        try:
            for number in unit.games:
                if control.finishing():
                    break
                white, black = players if number == 1 else reversed(players)
                played = await play_game((white, black), start, opening, setting.adjudication)
                record = _record(unit, number, setting.variant, white, black, played)
                on_game(record)
                records.append(record)
        finally:
            with trio.CancelScope(shield=True):  # every engine is ended, and each within a short time
                for player in players:
                    await (player.abandon() if control.aborted() else player.close())
        nursery.cancel_scope.cancel()
    return records


async def _watch(control: Control, scope: trio.CancelScope) -> None:
    """Break everything off when the runner says so."""
    while not control.aborted():  # noqa: ASYNC110 - another thread or machine says so
        await trio.sleep(ABORT_SECONDS)
    scope.cancel()


def _log(setting: Setting, spec: EngineSpec) -> Path | None:
    """The stderr file of an engine."""
    if setting.log_directory is None:
        return None
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in spec.name)
    return Path(setting.log_directory, f"{safe}.stderr.log")


def _record(unit: Unit, number: int, variant: str, white: Player, black: Player, played: PlayedGame) -> GameRecord:
    ending = played.ending
    fault = ""
    if ending.loser is not None:
        fault = (white if ending.loser is Side.WHITE else black).spec.name
    return GameRecord(
        pair=unit.pair,
        game=number,
        round=unit.round,
        opening=unit.opening_index,
        white=white.spec.name,
        black=black.spec.name,
        result=ending.result,
        termination=ending.termination,
        reason=ending.reason,
        variant=variant,
        fen=unit.opening.fen,
        opening_plies=len(unit.opening.moves),
        moves=played.moves,
        seconds=round(played.seconds, 3),
        date=time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        fault=fault,
        time_controls=(white.spec.control.pdn(), black.spec.control.pdn()),
        host=socket.gethostname(),
        engines=(white.identity, black.identity),
    )
