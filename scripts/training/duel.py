"""Pairs of games between two sets of weights at a fixed number of nodes, in this process: cheap and repeatable."""

import random
from collections import Counter
from dataclasses import dataclass

from engine import VARIANTS
from training.play import Player, Settings

OPENING = Settings(nodes=2000, plies=(4, 8), balance=100)  # how the pairs' openings are chosen


@dataclass(frozen=True)
class Duel:
    """What is played. `new` and `old` are the bytes of weights, None for the hand-made evaluation."""

    variant: str
    nodes: int
    seed: int
    new: bytes | None
    old: bytes | None
    cap: int = 400  # plies after which a game is a draw


@dataclass(frozen=True)
class Tally:
    """Games of the new weights; `pairs` counts LL, LD, DD or WL, WD and WW."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def __add__(self, other: "Tally") -> "Tally":
        pairs = tuple(a + b for a, b in zip(self.pairs, other.pairs, strict=True))
        return Tally(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses, pairs)  # type: ignore[arg-type]

    @property
    def games(self) -> int:
        """Games played."""
        return self.wins + self.draws + self.losses


def tally(pairs: list[tuple[int, int]]) -> Tally:
    """Count the new weights' results in pairs of games: 1, 0 or -1 each."""
    results = Counter(result for pair in pairs for result in pair)
    sums = Counter(sum(pair) for pair in pairs)
    return Tally(results[1], results[0], results[-1], (sums[-2], sums[-1], sums[0], sums[1], sums[2]))


def play_pairs(duel: Duel, first: int, count: int) -> Tally:
    """Play pairs number `first` and on: one opening each, sides changed."""
    rules = VARIANTS[duel.variant]
    opener = Player(rules, OPENING)
    new, old = Player(rules, OPENING, duel.new), Player(rules, OPENING, duel.old)
    pairs = []
    for number in range(first, first + count):
        moves, _ = opener.open(random.Random(f"duel/{duel.seed}/{duel.variant}/{number}"))
        white = play_game(new, old, moves, duel)
        pairs.append((white, -play_game(old, new, moves, duel)))
    return tally(pairs)


def play_game(white: Player, black: Player, opening: list[int], duel: Duel) -> int:
    """White's result of one game, played to its end by the rules: 1, 0 or -1."""
    players = (white, black)
    turn = 0
    for player in players:
        turn = player.restart(opening)
        player.forget()
    for _ in range(duel.cap - len(opening)):
        legal = [player.line.legal() for player in players]
        mover = players[turn]
        over = mover.ended(len(legal[turn]), mover.board.words(), turn)
        if over is not None:
            return over
        _, move = mover.think(duel.nodes) if len(legal[turn]) > 1 else (0, 0)
        for player in players:
            player.line.apply(move)
        turn ^= 1
    return 0
