"""Legal moves by trying everything: one hop after another on a dictionary of pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.reference.spec import Capture, Direction, Spec

Board = dict[int, str]  # square -> "w" "b" man, "W" "B" king
NO_RUN = (0, 0)


class Move(NamedTuple):
    """What a move is: the same four facts by another route are the same move."""

    frm: int
    to: int
    captured: frozenset[int]
    promoted: bool


class Explosion(Exception):
    """The position needs more hops than the caller allows."""


@dataclass
class Position:
    """Pieces, side to move ("w" or "b"); per side (square, quiet moves in a row) of its limited king."""

    board: Board
    turn: str
    runs: dict[str, tuple[int, int]] = field(default_factory=lambda: {"w": NO_RUN, "b": NO_RUN})


class Budget:
    """Counts the hops tried."""

    def __init__(self, hops: int | None) -> None:
        self.left = hops

    def spend(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Explosion


def other(side: str) -> str:
    return "b" if side == "w" else "w"


def of_side(board: Board, side: str) -> list[int]:
    return [square for square, piece in board.items() if piece.lower() == side]


def has_man(board: Board, side: str) -> bool:
    return side in board.values()


def hops(
    spec: Spec, board: Board, at: int, side: str, king: bool, taken: frozenset[int], came: Direction | None
) -> Iterator[tuple[Direction, int, list[int]]]:
    """(direction, victim, landing squares) of every single hop from `at`."""
    for direction in spec.king_captures if king else spec.man_captures:
        if not spec.may_turn_back and came is not None and direction == (-came[0], -came[1]):
            continue
        line = spec.rays[side, at, direction]
        reach = len(line) if king and spec.flying else 1
        distance = next((index for index, square in enumerate(line) if square in board), len(line))
        if distance >= reach or distance == len(line):
            continue
        victim = line[distance]
        if board[victim].lower() == side or victim in taken:
            continue
        if not king and board[victim].isupper() and not spec.men_take_kings:
            continue
        landings = []
        for square in line[distance + 1 :]:
            if square in board:
                break
            landings.append(square)
            if not (king and spec.flying) or spec.lands_behind:
                break
        if landings:
            yield direction, victim, landings


def captures_from(spec: Spec, board: Board, frm: int, budget: Budget) -> Iterator[Capture]:
    """Every finished capture of the piece on `frm`, before precedence."""
    side = board[frm].lower()
    by_king = board[frm].isupper()

    def go_on(
        board: Board, at: int, king: bool, taken: tuple[tuple[int, bool], ...], came: Direction | None
    ) -> Iterator[Capture]:
        gone = frozenset(square for square, _ in taken)
        for direction, victim, landings in hops(spec, board, at, side, king, gone, came):
            budget.spend()
            now_taken = (*taken, (victim, board[victim].isupper()))
            after = dict(board)
            if spec.removed_at_once:
                del after[victim]
            further: list[Capture] = []
            for landing in landings:
                crowned = not king and spec.on_last_row(side, landing)
                if crowned and spec.promotion == "stop":
                    continue
                now_king = king or (crowned and spec.promotion == "king")
                further += go_on(after, landing, now_king, now_taken, direction)
            if further:
                yield from further
                continue
            if king and spec.stops_behind_king and now_taken[-1][1]:
                landings = landings[:1]
            for landing in landings:
                promoted = not by_king and (king or spec.on_last_row(side, landing))
                yield Capture(frm, landing, now_taken, by_king, promoted)

    lifted = {square: piece for square, piece in board.items() if square != frm}
    return go_on(lifted, frm, by_king, (), None)


def quiet_moves(spec: Spec, position: Position) -> Iterator[Move]:
    """Every quiet move, as if no capture were due."""
    board, side = position.board, position.turn
    limited, count = position.runs[side]
    for square in of_side(board, side):
        king = board[square].isupper()
        if king and spec.king_limit and square == limited and count >= 3 and has_man(board, side):
            continue
        for direction in spec.king_moves if king else spec.man_moves:
            for target in spec.rays[side, square, direction]:
                if target in board:
                    break
                yield Move(square, target, frozenset(), not king and spec.on_last_row(side, target))
                if not (king and spec.flying):
                    break


def legal_moves(spec: Spec, position: Position, hops: int | None = None) -> set[Move]:
    """All legal moves; `Explosion` when more than `hops` hops are needed to find them."""
    board = position.board
    if spec.breakthrough and any(piece.isupper() for piece in board.values()):
        return set()
    budget = Budget(hops)
    captures = [
        capture for square in of_side(board, position.turn) for capture in captures_from(spec, board, square, budget)
    ]
    moves = set()
    if captures:
        best = max(map(spec.precedence, captures))
        moves = {
            Move(capture.frm, capture.to, frozenset(square for square, _ in capture.taken), capture.promoted)
            for capture in captures
            if spec.precedence(capture) == best
        }
    if not captures or not spec.must_capture:
        moves |= set(quiet_moves(spec, position))
    return moves


def play(spec: Spec, position: Position, move: Move) -> Position:
    """The position after a legal move."""
    side, enemy = position.turn, other(position.turn)
    before = position.board
    board = {square: piece for square, piece in before.items() if square != move.frm and square not in move.captured}
    board[move.to] = before[move.frm].upper() if move.promoted else before[move.frm]
    runs = dict(position.runs)
    if spec.king_limit:
        square, count = runs[side]
        if move.captured or before[move.frm].islower() or not has_man(board, side):
            runs[side] = NO_RUN
        else:
            runs[side] = (move.to, count + 1 if square == move.frm else 1)
        if has_man(before, enemy) and not has_man(board, enemy):
            runs[enemy] = NO_RUN
    return Position(board, enemy, runs)


def perft(spec: Spec, position: Position, depth: int) -> int:
    """The number of move sequences of this length."""
    moves = legal_moves(spec, position)
    if depth <= 1:
        return len(moves) if depth else 1
    return sum(perft(spec, play(spec, position, move), depth - 1) for move in moves)
