"""One game over DXP: the moves, the clocks of both sides and how it ends.

DXP knows no result, so it is worked out here.
"""

from engine import Game, Move, Position, Side
from protocol.dxp_actions import GameRecord
from protocol.dxp_messages import EndReason, MoveMessage

UNDER_A_MINUTE = 20.0  # seconds; what a clock of 000 minutes is played as (dxp.md sections 2 and 6)

Verdict = tuple[str, str]  # result, White first, and the reason in words
UNFINISHED: Verdict = ("*", "unfinished")


class DxpGame:
    """A game in which we play `side`; `minutes` and `move_limit` are for each player, as in a GAMEREQ.

    Times are seconds and measured here; what the other side says that it used is never looked at.
    """

    def __init__(self, start: Position, side: Side, minutes: float, move_limit: int, now: float) -> None:
        self.board = Game(start)
        self.side = side
        self.minutes = minutes
        self.move_limit = move_limit
        self.verdict = UNFINISHED
        self.seconds: list[float] = []  # by move
        self._budget = 60 * minutes or UNDER_A_MINUTE
        self._used = [0.0, 0.0]
        self._turn_began = now

    @property
    def turn(self) -> Side:
        """The side to move."""
        return self.board.position.turn

    @property
    def our_turn(self) -> bool:
        """Whether we are to move."""
        return self.turn is self.side

    @property
    def plies(self) -> int:
        """Moves played by both sides together."""
        return len(self.board.moves)

    def elapsed(self, now: float) -> float:
        """Seconds since the side to move came to move."""
        return max(0.0, now - self._turn_began)

    def left(self, side: Side) -> float:
        """Seconds on the clock of a side when it last came to move; negative when overstepped."""
        return self._budget - self._used[side]

    def moves_left(self) -> int:
        """Moves that the side to move still has to make, 0 when the game has no limit of moves."""
        return self.move_limit and max(0, self.move_limit - self._moves_made(self.turn))

    @property
    def complete(self) -> bool:
        """Whether the side to move has made all the moves that were agreed on."""
        return bool(self.move_limit) and self._moves_made(self.turn) >= self.move_limit

    def _moves_made(self, side: Side) -> int:
        return (self.plies + (1 if side is self.board.start.turn else 0)) // 2

    def find(self, message: MoveMessage) -> Move | None:
        """The legal move that a MOVE message stands for; the order of the captured squares is free."""
        wanted = (message.frm, message.to, tuple(sorted(message.captured)))
        legal = self.board.legal_moves()
        return next((move for move in legal if (move.frm, move.to, move.captured) == wanted), None)

    def play(self, move: Move, now: float) -> None:
        """Play a legal move of the side to move and press its clock."""
        used = self.elapsed(now)
        self._used[self.turn] += used
        self.seconds.append(used)
        self.board.play(move)
        self._turn_began = now

    def go_back(self, plies: int, now: float) -> None:
        """Undo moves until `plies` are left; clocks are not turned back."""
        self._used[self.turn] += self.elapsed(now)
        self.board.undo(self.plies - plies)
        del self.seconds[plies:]
        self._turn_began = now

    def plies_before(self, move: int, side: Side) -> int | None:
        """Plies played before `side` makes its move number `move` (1 is the first), None if that is not in
        the game."""
        plies = 2 * (move - 1) + (0 if side is self.board.start.turn else 1)
        return plies if 0 <= plies <= self.plies else None

    def decide(self, grace: float | None) -> EndReason | None:
        """Set the verdict if the game ends before our move: on the board, by the limit of moves, or by more
        than `grace` seconds over the other clock (None: never).

        Returns what we say about it.
        """
        if (outcome := self.board.outcome) is not None:
            self.verdict = (outcome.score, outcome.reason)
            if outcome.winner is None:
                return EndReason.DRAW
            return EndReason.I_WIN if outcome.winner is self.side else EndReason.I_LOSE
        if self.complete:
            self.verdict = ("1/2-1/2", "move limit")
            return EndReason.UNKNOWN
        if grace is not None and self.minutes and self.left(self.side.other) < -grace:
            self.verdict = (points(self.side), "time forfeit")
            return EndReason.I_WIN
        return None

    def claim(self, reason: EndReason, side: Side, name: str) -> None:
        """Set the verdict when `side` ends the game with `reason`: the board counts more than what it
        says."""
        if (outcome := self.board.outcome) is not None:
            self.verdict = (outcome.score, outcome.reason)
        elif reason is EndReason.UNKNOWN and self.complete:
            self.verdict = ("1/2-1/2", "move limit")
        else:
            self.verdict = {
                EndReason.UNKNOWN: ("*", f"ended by {name}"),
                EndReason.I_LOSE: (points(side.other), f"{name} resigns"),
                EndReason.DRAW: ("1/2-1/2", f"draw by {name}"),
                EndReason.I_WIN: (points(side), f"win claimed by {name}"),
            }[reason]

    def abandon(self, reason: str, *, forfeit: bool = False) -> None:
        """Set the verdict of a game that stops in the middle; `forfeit` gives it to us."""
        if (outcome := self.board.outcome) is not None:
            self.verdict = (outcome.score, outcome.reason)
        else:
            self.verdict = (points(self.side) if forfeit else "*", reason)

    def record(self, our_name: str, peer: str) -> GameRecord:
        """The game as it stands."""
        white, black = (our_name, peer) if self.side is Side.WHITE else (peer, our_name)
        result, termination = self.verdict
        return GameRecord(
            side=self.side,
            white=white,
            black=black,
            start=self.board.start,
            moves=tuple(self.board.moves),
            seconds=tuple(self.seconds),
            result=result,
            termination=termination,
            minutes=self.minutes,
            move_limit=self.move_limit,
        )


def points(winner: Side) -> str:
    """The result of a game that a side has won."""
    return "1-0" if winner is Side.WHITE else "0-1"
