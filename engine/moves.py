"""Legal moves of positions, through the compiled board."""

import importlib
from functools import cache, lru_cache
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from engine.geometry import layout
from engine.move import Move
from engine.position import Position
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.board import Board


def is_compiled(module: ModuleType) -> bool:
    """Whether a hot module runs compiled."""
    return not str(module.__file__).endswith(".py")


@cache
def hot_module(name: str, wide: bool) -> ModuleType:
    """A hot module in the build with 64-bit or (`wide`) 128-bit words.

    Plain modules have no width, so where the wide build was never made the plain module serves.
    """
    narrow = importlib.import_module(f"engine.{name}")
    if not wide or not is_compiled(narrow):
        return narrow
    return importlib.import_module(f"engine.wide.{name}")


def is_wide(rules: Rules) -> bool:
    """Whether the variant's board needs more than 64 bits."""
    return layout(rules).bits > 64


@lru_cache(maxsize=64)
def _board(rules: Rules) -> "tuple[Board, Lock]":
    return hot_module("board", is_wide(rules)).Board(rules), Lock()


def load(board: "Board", position: Position) -> None:
    """Set a board up to a position."""
    place = layout(position.rules)
    board.load(
        place.spread(position.white_men | position.white_kings),
        place.spread(position.black_men | position.black_kings),
        place.spread(position.white_kings | position.black_kings),
        int(position.turn),
    )
    for side, (square, count) in enumerate(position.king_runs):
        if count:
            board.load_run(side, 1 << place.bit[square - 1], count)


def to_moves(rules: Rules, raw: list[tuple[int, int, int, int, bool]]) -> tuple[Move, ...]:
    """The moves of `Board.legal`, in its order."""
    place = layout(rules)
    square = place.square
    return tuple(
        Move(square[frm], square[to], place.squares(low | high << 64) if low or high else (), promotes)
        for frm, to, low, high, promotes in raw
    )


def legal_moves(position: Position) -> tuple[Move, ...]:
    """All legal moves of a position."""
    board, lock = _board(position.rules)
    with lock:
        load(board, position)
        raw = board.legal()
    return to_moves(position.rules, raw)


def perft(position: Position, depth: int) -> int:
    """Number of move sequences of `depth` plies."""
    if depth == 0:
        return 1
    board, lock = _board(position.rules)
    with lock:
        load(board, position)
        return board.perft(depth)
