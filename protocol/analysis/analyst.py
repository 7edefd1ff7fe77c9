"""Who answers the questions of an analysis: damier's own engine in this process."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from engine import Control, Engine, Game, Limits, Move, Report, Rules
from engine.version import VERSION


class Analyst(Protocol):
    """Something that scores positions."""

    name: str

    def lines(self, game: Game, limits: Limits, multipv: int) -> list[Report]:
        """The best lines of a position that has legal moves, best first; none if it was stopped.

        Raises DamierError if it cannot go on.
        """

    def stop(self) -> None:
        """End the search and every later one; may be called from a signal handler."""

    def close(self) -> None:
        """Let go of what it holds."""


def _under(game: Game, rules: Rules) -> Game:
    """The game under other readings of its variant's rules; without its history where that cannot be played so."""
    if game.start.rules == rules:
        return game
    other = Game(replace(game.start, rules=rules))
    for move in game.moves:
        if move not in other.legal_moves():
            return Game(replace(game.position, rules=rules))
        other.play(move)
    return other


class OwnAnalyst:
    """damier's engine."""

    def __init__(self, parameters: Sequence[tuple[str, str]] = ()) -> None:
        """Raises OptionError."""
        self.name = f"damier {VERSION}"
        self.engine = Engine()
        for name, value in parameters:
            self.engine.set_param(name, value)
        self.control = Control()
        self.stopped = False

    def lines(self, game: Game, limits: Limits, multipv: int) -> list[Report]:
        """Search; further lines are searches of the moves not yet chosen, with an equal share of the time."""
        self.engine.set_param("variant", game.start.rules.name)
        game = _under(game, self.engine.rules)
        legal = game.legal_moves()
        count = min(multipv, len(legal))
        if limits.move_time is not None:
            limits = replace(limits, move_time=limits.move_time / count)
        found: list[Report] = []
        chosen: list[Move] = []
        while len(found) < count and not self.stopped:
            self.control = Control()
            left = tuple(move for move in legal if move not in chosen) if chosen else ()
            result = self.engine.search(game, replace(limits, search_moves=left), "analyze", None, self.control)
            if result.report is None or result.move is None:
                break
            chosen.append(result.move)
            found.append(replace(result.report, multipv=len(chosen)))
        return [] if self.stopped else sorted(found, key=lambda report: -report.score)

    def stop(self) -> None:
        self.stopped = True
        self.control.stop()

    def close(self) -> None:
        """Nothing to do: the engine lives in this process."""
