"""The evaluation of a single position, without a search."""

from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from engine import pattern_weights
from engine.errors import WeightsError
from engine.moves import hot_module, is_wide, load
from engine.position import Position
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.board import Board
    from engine.evaluate import Evaluation


@lru_cache(maxsize=64)
def _tools(rules: Rules) -> "tuple[Board, Evaluation, Lock]":
    wide = is_wide(rules)
    evaluation: Evaluation = hot_module("evaluate", wide).Evaluation(rules)
    try:
        evaluation.use(pattern_weights.chosen(rules))
    except WeightsError:
        evaluation.use(None)  # as the engine does, which has told of it
    return hot_module("board", wide).Board(rules), evaluation, Lock()


def static_score(position: Position) -> int:
    """The static score in centi-men for the side to move, by the evaluation that the engine plays with by default.

    What is about to be captured is not looked at.
    """
    board, evaluation, lock = _tools(position.rules)
    with lock:
        load(board, position)
        return int(evaluation.of(board))
