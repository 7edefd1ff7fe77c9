"""A position of any variant, as an immutable value."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.move import Move
from engine.rules import Rules
from engine.types import Side
from engine.variants import find_variant

KingRun = tuple[int, int]
NO_RUN: KingRun = (0, 0)


def _rules(variant: Rules | str) -> Rules:
    return find_variant(variant) if isinstance(variant, str) else variant


def _bits(board: int) -> Iterator[int]:
    """Squares of a bitboard, ascending."""
    while board:
        low = board & -board
        yield low.bit_length()
        board ^= low


@dataclass(frozen=True, slots=True)
class Position:
    """Pieces, side to move and, where kings may not move for ever, the running king moves of each side.

    Bit `square - 1` of a bitboard is set for a piece on that 1-based Hub square. `king_runs` holds (square, count) for
    White and Black: the king that made the side's last `count` moves without capture, (0, 0) for none.
    """

    rules: Rules
    turn: Side
    white_men: int
    white_kings: int
    black_men: int
    black_kings: int
    king_runs: tuple[KingRun, KingRun] = (NO_RUN, NO_RUN)

    @classmethod
    def start(cls, variant: Rules | str) -> "Position":
        """The start position of a variant."""
        rules = _rules(variant)
        men = (1 << rules.men) - 1
        back = rules.empty_back_rows * rules.row_length
        return cls(rules, rules.starts, men << (rules.squares - back - rules.men), 0, men << back, 0)

    @classmethod
    def from_fen(cls, text: str, variant: Rules | str) -> "Position":
        """Read a PDN FEN. Raises FenError."""
        from engine.fen import parse_fen

        return parse_fen(text, _rules(variant))

    @classmethod
    def from_hub(cls, text: str, variant: Rules | str) -> "Position":
        """Read a Hub position string. Raises FenError."""
        from engine.hub_position import parse_hub_position

        return parse_hub_position(text, _rules(variant))

    def fen(self) -> str:
        """The position as PDN FEN, without ranges."""
        from engine.fen import format_fen

        return format_fen(self)

    def hub(self) -> str:
        """The position as a Hub string."""
        from engine.hub_position import format_hub_position

        return format_hub_position(self)

    def piece(self, square: int) -> str:
        """`w`, `b` (men), `W`, `B` (kings) or `e` (empty)."""
        bit = 1 << (square - 1)
        boards = (self.white_men, self.black_men, self.white_kings, self.black_kings)
        return next((letter for letter, board in zip("wbWB", boards, strict=True) if board & bit), "e")

    def pieces(self) -> dict[int, str]:
        """Letter of each piece by square, in ascending order of squares."""
        boards = {"w": self.white_men, "b": self.black_men, "W": self.white_kings, "B": self.black_kings}
        found = {square: letter for letter, board in boards.items() for square in _bits(board)}
        return dict(sorted(found.items()))

    def legal_moves(self) -> tuple[Move, ...]:
        """All legal moves."""
        from engine.moves import legal_moves

        return legal_moves(self)

    def play(self, move: Move) -> "Position":
        """The position after a legal move; legality is not checked (see Game)."""
        frm, to = 1 << (move.frm - 1), 1 << (move.to - 1)
        taken = sum(1 << (square - 1) for square in move.captured)
        men, kings = (
            (self.white_men, self.white_kings) if self.turn is Side.WHITE else (self.black_men, self.black_kings)
        )
        was_man = bool(men & frm)
        if was_man:
            men ^= frm
            kings, men = (kings | to, men) if move.promotes else (kings, men | to)
        else:
            kings = kings ^ frm | to
        if self.turn is Side.WHITE:
            after = replace(
                self,
                turn=Side.BLACK,
                white_men=men,
                white_kings=kings,
                black_men=self.black_men & ~taken,
                black_kings=self.black_kings & ~taken,
            )
        else:
            after = replace(
                self,
                turn=Side.WHITE,
                black_men=men,
                black_kings=kings,
                white_men=self.white_men & ~taken,
                white_kings=self.white_kings & ~taken,
            )
        if not self.rules.king_move_limit:
            return after
        return replace(after, king_runs=self._runs_after(move, was_man, men, after))

    def _runs_after(self, move: Move, was_man: bool, men: int, after: "Position") -> tuple[KingRun, KingRun]:
        """King runs after a move (draws.md section 4: reset by captures, man moves and the loss of the last man)."""
        square, count = self.king_runs[self.turn]
        if not men or move.captured or was_man:
            mine = NO_RUN
        else:
            mine = (move.to, count + 1 if square == move.frm else 1)
        theirs = self.king_runs[self.turn.other]
        if move.captured and not (after.black_men if self.turn is Side.WHITE else after.white_men):
            theirs = NO_RUN
        return (mine, theirs) if self.turn is Side.WHITE else (theirs, mine)

    def parse_move(self, text: str) -> Move:
        """Read a move in any usual notation. Raises MoveError."""
        from engine.notation import parse_move

        return parse_move(text, self)

    def format_move(self, move: Move) -> str:
        """The move as PDN writes it here."""
        from engine.notation import format_move

        return format_move(move, self)

    def __str__(self) -> str:
        return self.fen()

    def _repr_svg_(self) -> str:
        """The board as a picture, for notebooks."""
        from engine.svg import board_svg

        return board_svg(self)
