"""One game between two players, judged by our own board."""

from __future__ import annotations

import time
from dataclasses import dataclass

from engine.errors import MoveError
from engine.game import Game
from engine.move import Move
from engine.position import Position
from engine.types import Side
from protocol.match.adjudication import Adjudication, Referee
from protocol.match.clock import Clock
from protocol.match.player import Player
from protocol.match.record import EngineFault, MoveRecord, Termination


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended. `loser` is the side whose engine failed, when one did."""

    winner: Side | None
    termination: Termination
    reason: str
    loser: Side | None = None

    @property
    def result(self) -> str:
        """White's points first."""
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner is Side.WHITE else "0-1"


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A finished game: the ending, the moves with the opening first, and its length in seconds."""

    ending: Ending
    moves: tuple[MoveRecord, ...]
    seconds: float


async def play_game(
    players: tuple[Player, Player],
    start: Position,
    opening: tuple[Move, ...],
    adjudication: Adjudication,
) -> PlayedGame:
    """Play a game of `players` (White, Black) from `start`, the moves of `opening` first.

    An engine that fails loses, whatever it does; it is killed if it cannot be used again.
    """
    began = time.perf_counter()
    moves: list[MoveRecord] = []

    def finish(ending: Ending) -> PlayedGame:
        return PlayedGame(ending, tuple(moves), time.perf_counter() - began)

    game = Game(start)
    for move in opening:
        game.play(move)
        moves.append(MoveRecord(move.hub()))
    for side in Side:
        try:
            await players[side].prepare()
        except EngineFault as fault:
            return finish(await _failed(players, side, fault))
    clocks = tuple(Clock(player.spec.control, player.spec.margin) for player in players)
    referee = Referee(adjudication)
    while True:
        if game.outcome is not None:
            return finish(Ending(game.outcome.winner, Termination.NORMAL, game.outcome.reason))
        side = game.position.turn
        try:
            decision = await players[side].think(start, game.moves, game.position, clocks[side])
        except MoveError as error:
            illegal = EngineFault(Termination.ILLEGAL_MOVE, str(error), restart=False)
            return finish(await _failed(players, side, illegal))
        except EngineFault as fault:
            return finish(await _failed(players, side, fault))
        game.play(decision.move)
        report = decision.report
        moves.append(
            MoveRecord(decision.move.hub(), round(decision.seconds, 4), report.score, report.depth, report.nodes)
        )
        verdict = referee.judge(side, report.score, len(moves))
        if verdict is not None and game.outcome is None:
            return finish(Ending(verdict.winner, Termination.ADJUDICATION, verdict.reason))


async def _failed(players: tuple[Player, Player], side: Side, fault: EngineFault) -> Ending:
    """The ending of a game that one engine lost by a fault."""
    if fault.restart:
        await players[side].abandon()
    return Ending(side.other, fault.termination, fault.detail, loser=side)
