"""A fixed amount of searching: its node count tells two builds apart, its speed two machines."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine import VARIANTS, Engine, Game, Limits, Position, Rules
from engine.params import TRAINED

DEPTH = 14
PLIES = (0, 6, 12, 18, 24, 30, 36, 44)  # how far into a game each position lies
TABLE = 18  # binary logarithm of the entries: the same on every machine, and quick to allocate


@dataclass(frozen=True, slots=True)
class Bench:
    """Nodes searched in all, which depend on the program alone, and seconds spent."""

    nodes: int
    seconds: float

    @property
    def speed(self) -> int:
        """Nodes per second."""
        return round(self.nodes / max(self.seconds, 1e-9))


def positions(rules: Rules) -> list[Position]:
    """Positions of a variant that never change: from one game whose moves a fixed generator of numbers chose."""
    game = Game(Position.start(rules))
    found = [game.position]
    state = 1
    while len(found) < len(PLIES) and game.legal_moves() and game.outcome is None:
        state = (state * 1103515245 + 12345) % 2**31
        moves = game.legal_moves()
        game.play(moves[(state >> 16) % len(moves)])
        if len(game.moves) in PLIES and game.legal_moves():
            found.append(game.position)
    return found


def run(
    variant: str | None = None,
    depth: int = DEPTH,
    on_variant: Callable[[Rules, int], None] | None = None,
    evaluation: str = TRAINED,
) -> Bench:
    """Search the positions of a variant, by default of all, to a fixed depth; `on_variant` gets each variant's nodes.

    Raises RulesError for an unknown variant, WeightsError for damaged weights.
    """
    names = VARIANTS if variant is None else (variant,)
    nodes, seconds = 0, 0.0
    for name in names:
        engine = Engine()
        engine.set_param("variant", name)
        engine.set_param("tt-size", TABLE)
        engine.set_param("evaluation", evaluation)
        engine.set_param("bb-size", 0)  # what is on this machine must not change the count
        engine.prepare()
        counted = 0
        for position in positions(engine.rules):
            engine.new_game()
            start = time.perf_counter()
            result = engine.search(Game(position), Limits(depth=depth), "analyze")
            seconds += time.perf_counter() - start
            counted += result.report.nodes if result.report else 0
        nodes += counted
        if on_variant is not None:
            on_variant(engine.rules, counted)
    return Bench(nodes, seconds)
