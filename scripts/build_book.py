"""Builds the opening book of a variant from the engine's own searches, by drop-out expansion.

The book grows from the start position. Every round the leaves that are cheapest to reach are expanded: all their moves
are searched, and all scores are carried back to the start by minimax. A leaf costs so much for each ply of the way to
it, and one for each centi-man that a player gives away there: lines that good players may choose grow long, bad moves
are answered and no more (T. R. Lincke, "Strategies for the Automatic Construction of Opening Books", 2000).

Example: python scripts/build_book.py --variant russian --positions 1000 --nodes 30000 --workers 2
Every search is noted in the journal; the same command goes on where it was stopped. The book depends on the options
and the engine alone, not on the number of workers.
"""

import argparse
import hashlib
import heapq
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from engine import VARIANTS, VERSION, DamierError, Engine, Game, Limits, Move, Position, WeightsError, pattern_weights
from engine.book import BookMove, pack, packaged_book, position_key
from engine.scores import DECIDED, WIN

TT_SIZE = 16
PROBE_DEPTH = 9  # plies of the search that tells one engine from another


# ---------------------------------------------------------------------- the searches
_engines: dict[tuple[str, str], Engine] = {}  # one a process, variant and file of weights


def engine_for(variant: str, weights: str) -> Engine:
    """An engine whose scores depend on the position alone. Raises WeightsError."""
    if (variant, weights) not in _engines:
        engine = Engine()
        for name, value in {"variant": variant, "tt-size": TT_SIZE, "bb-size": 0, "weights-path": weights}.items():
            engine.set_param(name, value)
        engine.prepare()
        for problem in engine.take_problems():
            raise WeightsError(problem)
        _engines[variant, weights] = engine
    return _engines[variant, weights]


def evaluate(variant: str, weights: str, nodes: int, text: str) -> int:
    """The score of a position (a Hub string) for the side to move, in centi-men."""
    game = Game(Position.from_hub(text, variant))
    if (outcome := game.outcome) is not None:
        return 0 if outcome.winner is None else WIN if outcome.winner is game.position.turn else -WIN
    engine = engine_for(variant, weights)
    engine.new_game()
    report = engine.search(game, Limits(nodes=nodes), "analyze").report
    assert report is not None
    return report.score


def identity(variant: str, weights: str) -> dict[str, str]:
    """What scores depend on: the weights, and nodes and score of a small fixed search, which tell searchers apart."""
    engine = engine_for(variant, weights)
    engine.new_game()
    report = engine.search(Game(Position.start(variant)), Limits(depth=PROBE_DEPTH), "analyze").report
    assert report is not None
    used = pattern_weights.chosen(engine.rules, weights)
    checksum = "hand-made" if used is None else used.checksum[:16]
    return {"damier": VERSION, "weights": checksum, "search": f"{report.nodes}/{report.score}"}


# ---------------------------------------------------------------------- the tree
@dataclass
class Node:
    """A position of the book. `score` is that of its own search; it is expanded once it has `moves`."""

    position: Position
    score: int
    moves: tuple[tuple[Move, str], ...] = ()  # with the Hub string of the position behind each
    value: int = 0  # score by minimax, set by `Tree.carry_back`


class Tree:
    """The growing book: positions by Hub string. Different orders of the same moves meet in one node."""

    def __init__(self, variant: str, ply_cost: int, seed: int) -> None:
        self.ply_cost = ply_cost
        self.seed = seed
        start = Position.start(variant)
        self.root = start.hub()
        self.nodes = {self.root: Node(start, 0)}
        self.expanded = 0

    def successors(self, name: str) -> list[tuple[Move, str]]:
        """The moves of a position with the positions behind them."""
        position = self.nodes[name].position
        return [(move, position.play(move).hub()) for move in position.legal_moves()]

    def expand(self, name: str, scores: dict[str, int]) -> None:
        """Give a leaf its moves; `scores` knows the positions behind them."""
        node = self.nodes[name]
        node.moves = tuple(self.successors(name))
        for move, after in node.moves:
            if after not in self.nodes:
                self.nodes[after] = Node(node.position.play(move), scores[after])
        self.expanded += 1

    def carry_back(self) -> None:
        """Set every value by minimax. A way back to a position on the way counts as that position's own search."""
        done: set[str] = set()

        def value(name: str) -> int:
            node = self.nodes[name]
            if name not in done:
                done.add(name)
                node.value = node.score  # what a way back finds
                if node.moves:
                    node.value = max(-value(after) for _, after in node.moves)
            return node.value

        value(self.root)

    def cheapest_leaves(self, count: int) -> list[str]:
        """The undecided leaves that are cheapest to reach, after `carry_back`; the seed orders equal ones."""
        leaves: list[str] = []
        seen: set[str] = set()
        queue = [(0, self._lot(self.root), self.root)]
        while queue and len(leaves) < count:
            cost, _, name = heapq.heappop(queue)
            if name in seen:
                continue
            seen.add(name)
            node = self.nodes[name]
            if not node.moves:
                if abs(node.score) < DECIDED:
                    leaves.append(name)
                continue
            for _, after in node.moves:
                if after not in seen:
                    loss = max(0, node.value + self.nodes[after].value)
                    heapq.heappush(queue, (cost + self.ply_cost + loss, self._lot(after), after))
        return leaves

    def _lot(self, name: str) -> bytes:
        return hashlib.blake2b(f"{self.seed} {name}".encode(), digest_size=8).digest()

    def entries(self, keep: int) -> dict[int, list[BookMove]]:
        """What goes into the book: of each expanded position the moves that are at most `keep` worse than the best.
        Positions that only other moves lead to are left out."""
        found: dict[int, list[BookMove]] = {}
        seen = {self.root}
        todo = [self.root]
        while todo:
            node = self.nodes[todo.pop()]
            kept = [(move, after) for move, after in node.moves if -self.nodes[after].value >= node.value - keep]
            if kept:
                found[position_key(node.position)] = [BookMove(move, -self.nodes[after].value) for move, after in kept]
            fresh = {after for _, after in kept} - seen
            seen |= fresh
            todo += fresh
        return found

    def depth(self) -> int:
        """Plies of the line of best play."""
        name, plies = self.root, 0
        while self.nodes[name].moves and plies < 200:
            name = min((after for _, after in self.nodes[name].moves), key=lambda after: self.nodes[after].value)
            plies += 1
        return plies


# ---------------------------------------------------------------------- the journal
def read_journal(path: Path, settings: dict[str, object]) -> dict[str, int]:
    """Scores of an earlier run with the same settings; leaves the file ready to be appended to."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    whole = [line for line in lines if line.endswith("}")]
    if not whole:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings) + "\n", encoding="utf-8")
        return {}
    if json.loads(whole[0]) != settings:
        sys.exit(f"{path} belongs to a run with other settings: {whole[0]}")
    path.write_text("".join(f"{line}\n" for line in whole), encoding="utf-8")
    return {record["position"]: record["score"] for record in map(json.loads, whole[1:])}


class Searcher:
    """Scores of positions: from the journal, or searched in worker processes and noted there."""

    def __init__(
        self, known: dict[str, int], journal: TextIO, pool: ProcessPoolExecutor, score: Callable[[str], int]
    ) -> None:
        self.scores = known
        self._journal = journal
        self._pool = pool
        self._score = score

    def search(self, names: Iterable[str]) -> Iterator[None]:
        """Learn the scores of some positions; gives a sign for each."""
        new = [name for name in dict.fromkeys(names) if name not in self.scores]
        for name, score in zip(new, self._pool.map(self._score, new, chunksize=2), strict=True):
            self.scores[name] = score
            print(json.dumps({"position": name, "score": score}), file=self._journal, flush=True)
            yield


def grow(tree: Tree, searcher: Searcher, positions: int, batch: int, bar: Progress) -> None:
    """Expand leaves until so many positions are in the book or nothing undecided is left."""
    task = bar.add_task("", total=positions)
    while tree.expanded < positions:
        tree.carry_back()
        leaves = tree.cheapest_leaves(min(batch, positions - tree.expanded))
        if not leaves:
            break
        reached = f"{tree.depth()} plies, score {tree.nodes[tree.root].value}"
        for _ in searcher.search(after for leaf in leaves for _, after in tree.successors(leaf)):
            bar.update(task, description=f"{reached}, {len(searcher.scores)} searches")
        for leaf in leaves:
            tree.expand(leaf, searcher.scores)
        bar.update(task, completed=tree.expanded)
    tree.carry_back()


def main() -> int:
    """Build one book."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", choices=VARIANTS, required=True)
    parser.add_argument("--positions", type=int, default=1000, help="positions with moves (default: %(default)s)")
    parser.add_argument("--nodes", type=int, default=30_000, help="nodes of each search (default: %(default)s)")
    parser.add_argument("--ply-cost", type=int, default=2, help="centi-men that a ply counts (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=16, help="positions expanded in a round (default: %(default)s)")
    parser.add_argument("--keep", type=int, default=100, help="centi-men below the best move (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="orders leaves of equal cost (default: %(default)s)")
    parser.add_argument("--weights", default="", metavar="PATH", help="evaluation (default: the weights in use)")
    parser.add_argument("--workers", type=int, default=2, help="processes that search (default: %(default)s)")
    parser.add_argument("--journal", type=Path, help="one JSON line a search (default: build/books/VARIANT.jsonl)")
    parser.add_argument("--out", type=Path, help="the book (default: where damier looks for it)")
    options = parser.parse_args()
    variant = options.variant
    journal = options.journal or Path("build", "books", f"{variant}.jsonl")
    out = options.out or packaged_book(variant)
    try:
        made = identity(variant, options.weights)
    except DamierError as error:
        sys.exit(str(error))
    known = read_journal(journal, {"variant": variant, "nodes": options.nodes, **made})
    tree = Tree(variant, options.ply_cost, options.seed)
    with (
        ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool,
        journal.open("a", encoding="utf-8") as notes,
        Progress(
            TextColumn(variant),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=False),
        ) as bar,
    ):
        searcher = Searcher(known, notes, pool, partial(evaluate, variant, options.weights, options.nodes))
        grow(tree, searcher, options.positions, options.batch, bar)
    command = (
        f"python scripts/build_book.py --variant {variant} --positions {options.positions} --nodes {options.nodes}"
        f" --ply-cost {options.ply_cost} --batch {options.batch} --keep {options.keep} --seed {options.seed}"
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(pack(variant, tree.entries(options.keep), {"command": command, **made}))
    print(
        f"{out}: {tree.expanded} positions, best line {tree.depth()} plies, score {tree.nodes[tree.root].value},"
        f" {out.stat().st_size} bytes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
