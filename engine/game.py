"""A game: positions with history, judged by the rules of its variant."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import IllegalMoveError
from engine.move import Move
from engine.moves import hot_module, is_wide, load, to_moves
from engine.position import Position
from engine.rules import Objective
from engine.types import Side

if TYPE_CHECKING:
    from engine.line import Line


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: the winner, None for a draw, and the rule that ended it (docs/rules.md names them)."""

    winner: Side | None
    reason: str

    @property
    def score(self) -> str:
        """`1-0`, `1/2-1/2` or `0-1`, White's points first."""
        return "1/2-1/2" if self.winner is None else ("1-0", "0-1")[self.winner]


class Game:
    """Moves from a position on, with the result that the rules give.

    The rules' draw counters start at the first position, which is also its own first occurrence. Playing on after the
    end is allowed (an analyst may want to); `outcome` always speaks of the position on the board.
    """

    def __init__(self, start: Position) -> None:
        self.start = start
        self.position = start
        self.moves: list[Move] = []
        self._indices: list[int] = []  # each move's place among the legal ones, for a quick replay
        self._past: list[tuple[Position, tuple[Move, ...]]] = []  # before each move: position and legal moves
        rules = start.rules
        self._line: Line = hot_module("line", is_wide(rules)).Line(rules)
        load(self._line.board, start)
        self._line.restart()
        self._look()

    def _look(self) -> None:
        """Note the legal moves of the position on the board."""
        self._legal = to_moves(self.start.rules, self._line.legal())

    def legal_moves(self) -> tuple[Move, ...]:
        """All legal moves, also where the game is over by a draw rule."""
        return self._legal

    def play(self, move: Move | str) -> Move:
        """Play a legal move, given as a Move or as text; returns it.

        Raises MoveError or IllegalMoveError, and then nothing has changed.
        """
        if isinstance(move, str):
            from engine.notation import parse_move

            move = parse_move(move, self.position, self._legal)
        try:
            index = self._legal.index(move)
        except ValueError:
            raise IllegalMoveError(f"illegal move {move} in {self.position}") from None
        self._line.apply(index)
        self._indices.append(index)
        self._past.append((self.position, self._legal))
        self.position = self.position.play(move)
        self.moves.append(move)
        self._look()
        return move

    def undo(self, plies: int = 1) -> None:
        """Take back the last moves; at most all of them."""
        count = min(plies, len(self.moves))
        if count <= 0:
            return
        self.position, self._legal = self._past[-count]
        for history in (self.moves, self._indices, self._past):
            del history[-count:]
        self.replay(self._line)
        self._line.legal()  # what the next `apply` chooses from

    def replay(self, line: "Line") -> None:
        """Set another line of the same variant up to this game, history included."""
        load(line.board, self.start)
        line.restart()
        for index in self._indices:
            line.legal()
            line.apply(index)

    def copy(self) -> "Game":
        """An independent game with the same history."""
        other = Game(self.start)
        other.position, other._legal = self.position, self._legal
        other.moves, other._indices, other._past = self.moves[:], self._indices[:], self._past[:]
        self.replay(other._line)
        other._line.legal()
        return other

    def _repr_svg_(self) -> str:
        """The board as a picture, for notebooks."""
        return self.position._repr_svg_()

    @property
    def outcome(self) -> Outcome | None:
        """The result if the game is over here, else None. Under `draw-mode claim` draws do not end it."""
        if (lost := self._decided()) is not None:
            return lost
        draw = self.claimable
        return None if draw is None or self.start.rules.claims else Outcome(None, draw)

    @property
    def claimable(self) -> str | None:
        """The rule by which the position is drawn, None if there is none; says nothing of won positions."""
        rules = self.start.rules
        if rules.repetition and self._line.times() >= rules.repetition:
            return "repetition"
        if rules.bare_kings_draw and _are_bare_kings(self.position) and not _is_capture_near(self.position):
            return rules.bare_kings_draw
        fired = self._line.fired()
        return rules.counters[fired - 1].id if fired else None

    @property
    def occurrences(self) -> int:
        """How often the position has occurred, this time included, since the last move that cannot be taken back."""
        return self._line.times()

    def _decided(self) -> Outcome | None:
        """A win by the objective of the game, in the order of draws.md section 2."""
        position = self.position
        objective = position.rules.objective
        if objective is Objective.BREAKTHROUGH:
            if position.white_kings:
                return Outcome(Side.WHITE, "king")
            if position.black_kings:
                return Outcome(Side.BLACK, "king")
        if self._legal:
            return None
        own = position.white_men | position.white_kings, position.black_men | position.black_kings
        reason = "blocked" if own[position.turn] else "no pieces"
        winner = position.turn if objective is Objective.LOSE else position.turn.other
        return Outcome(winner, reason)

    def counters(self) -> dict[str, int]:
        """Plies counted by each draw counter that is on, by its name."""
        values = self._line.counter_values()
        return {c.id: v for c, v in zip(self.start.rules.counters, values, strict=True) if v >= 0}


def _are_bare_kings(position: Position) -> bool:
    """Whether one king stands against one king."""
    men = position.white_men | position.black_men
    return not men and position.white_kings.bit_count() == position.black_kings.bit_count() == 1


def _is_capture_near(position: Position) -> bool:
    """Whether the side to move can capture at once or force it with its next move, or cannot help being captured."""
    if _can_capture(position):
        return True
    moves = position.legal_moves()
    safe = [after for after in map(position.play, moves) if not _can_capture(after)]
    return not safe or any(all(_can_capture(after.play(reply)) for reply in after.legal_moves()) for after in safe)


def _can_capture(position: Position) -> bool:
    """Whether the side to move has a capture."""
    return any(move.captured for move in position.legal_moves())
