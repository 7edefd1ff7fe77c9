"""Tunes the searcher's figures (engine/tuning.py) by SPSA over self-play.

Every step moves all chosen tunables at once by a random sign of their step, plays pairs of games between the two
opposite settings at a fixed number of nodes a move, and moves the figures towards the better one (J. C. Spall,
"Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", 1992).

Example: python scripts/tune_spsa.py --variant russian --names lmr-scale futility-margin --steps 200 --out spsa.jsonl
Appends one JSON line a step to the file and goes on from its last line when it is there already.
"""

import argparse
import json
import random
import sys
from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from rich.progress import track

from engine import VARIANTS, Engine, Game, Limits, Position, Side
from engine.tuning import TUNABLES

TT_SIZE = 18
LONGEST = 300  # plies; a longer game counts as drawn
BALANCED = 60  # centi-men either way that an opening may be off, by a search of so many nodes
OPENING_NODES = 20000
ALPHA, GAMMA, STABILITY = 0.602, 0.101, 0.1  # Spall's exponents; the share of the steps that damps the first ones


@dataclass(frozen=True)
class Pair:
    """Two games of the same opening with sides changed, between two settings."""

    variant: str
    seed: int
    limits: Limits
    plus: dict[str, int]
    minus: dict[str, int]


def make_engine(variant: str, tuning: Mapping[str, int]) -> Engine:
    """An engine without databases and book, so that all depends on the figures alone."""
    engine = Engine(tuning)
    engine.set_param("variant", variant)
    engine.set_param("tt-size", TT_SIZE)
    engine.set_param("bb-size", 0)
    engine.set_param("book", False)
    return engine


def opening(engine: Engine, seed: int) -> Game:
    """A balanced position after some random plies."""
    chance = random.Random(seed)
    while True:
        game = Game(Position.start(engine.rules))
        for _ in range(chance.randint(4, 8)):
            if game.legal_moves() and game.outcome is None:
                game.play(chance.choice(game.legal_moves()))
        if game.outcome is None:
            report = engine.search(game, Limits(nodes=OPENING_NODES)).report
            if report is not None and abs(report.score) <= BALANCED:
                return game


def points(white: Engine, black: Engine, game: Game, limits: Limits) -> float:
    """White's points of a game played to its end."""
    for engine in (white, black):
        engine.new_game()
    while game.outcome is None and len(game.moves) < LONGEST:
        engine = white if game.position.turn is Side.WHITE else black
        move = engine.search(game, limits).move
        assert move is not None
        game.play(move)
    outcome = game.outcome
    if outcome is None or outcome.winner is None:
        return 0.5
    return 1.0 if outcome.winner is Side.WHITE else 0.0


def play_pair(pair: Pair) -> float:
    """The score of `plus`, from 0 to 2."""
    plus, minus = make_engine(pair.variant, pair.plus), make_engine(pair.variant, pair.minus)
    game = opening(plus, pair.seed)
    return points(plus, minus, game.copy(), pair.limits) + 1 - points(minus, plus, game, pair.limits)


def rounded(values: Mapping[str, float]) -> dict[str, int]:
    """Real figures as the searcher takes them: whole and within their ranges."""
    return {
        name: max(TUNABLES[name].minimum, min(TUNABLES[name].maximum, round(value))) for name, value in values.items()
    }


def step(theta: Mapping[str, float], number: int, options: argparse.Namespace, pool: Executor) -> dict[str, object]:
    """One step of the descent: the new figures, and the score that led there."""
    chance = random.Random(f"{options.seed} {number}")
    span = 1 / (number + 1) ** GAMMA
    signs = {name: chance.choice((-1, 1)) for name in theta}
    moved = [
        rounded({name: theta[name] + side * signs[name] * span * TUNABLES[name].step for name in theta})
        for side in (1, -1)
    ]
    limits = Limits(nodes=options.nodes)
    pairs = [Pair(options.variant, chance.randrange(2**32), limits, *moved) for _ in range(options.pairs)]
    score = sum(pool.map(play_pair, pairs)) / (2 * options.pairs)
    gain = options.rate / (number + 1 + STABILITY * options.steps) ** ALPHA
    new = {name: theta[name] + gain * (2 * score - 1) / span * signs[name] * TUNABLES[name].step for name in theta}
    return {"step": number, "score": score, "theta": new, "rounded": rounded(new)}


def main() -> int:
    """Run the steps that are still to do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=VARIANTS, default="russian")
    parser.add_argument("--names", nargs="+", choices=TUNABLES, required=True, metavar="TUNABLE")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=8, help="pairs of games a step (default: %(default)s)")
    parser.add_argument("--nodes", type=int, default=5000, help="nodes a move (default: %(default)s)")
    parser.add_argument("--rate", type=float, default=10.0, help="gain of the first steps, in steps of a tunable")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="file of one JSON line a step")
    options = parser.parse_args()
    theta: dict[str, float] = {name: float(TUNABLES[name].default) for name in options.names}
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    done = [json.loads(line) for line in lines if line.endswith("}")]
    if done:
        theta = done[-1]["theta"]
    with (
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
        options.out.open("a", encoding="utf-8") as out,
    ):
        for number in track(range(len(done), options.steps), description="SPSA"):
            record = step(theta, number, options, pool)
            theta = record["theta"]  # type: ignore[assignment]
            print(json.dumps(record), file=out, flush=True)
    print(json.dumps(rounded(theta)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
