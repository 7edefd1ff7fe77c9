"""What people type at the UCI dialect and programs never need: counts and evaluations as plain lines."""

from engine import Game, Position
from engine.moves import perft as count
from engine.notation import format_move
from engine.static import static_score
from protocol import bench as benchmark


def perft(position: Position, depth: int) -> list[str]:
    """The count behind each first move, and their sum."""
    if depth == 0:
        return ["nodes 1"]
    legal = position.legal_moves()
    lines, nodes = [], 0
    for move in legal:
        behind = count(position.play(move), depth - 1)
        nodes += behind
        lines.append(f"{format_move(move, position, legal, 'path')}: {behind}")
    return [*lines, f"nodes {nodes}"]


def bench(variant: str, depth: int | None) -> list[str]:
    """Signature and speed of a variant."""
    total = benchmark.run(variant, benchmark.DEPTH if depth is None else max(1, min(depth, 50)))
    return [f"signature {total.nodes}", f"nps {total.speed}"]


def static(game: Game) -> list[str]:
    """The static evaluation for the side to move, and what the rules say."""
    lines = [f"eval {static_score(game.position)}"]
    if game.outcome is not None:
        lines.append(f"game over {game.outcome.score} {game.outcome.reason}")
    return lines
