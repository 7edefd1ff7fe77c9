"""Hub position strings: a side letter and one letter per square, top row first (hub.md section 5)."""

import re

from engine.errors import FenError
from engine.position import NO_RUN, KingRun, Position
from engine.rules import Rules
from engine.types import Side

_WOLF = re.compile(r"([WwBb])([0-9]{1,2})=([0-9]{1,2})")
_NOT_A_PIECE = re.compile(r"[^wbWBe]")


def parse_hub_position(text: str, rules: Rules, wolf: str = "") -> Position:
    """Read a Hub position; `wolf` holds the running king moves of Frisian draughts (`W33=2 B7=1`).

    The side letter may be lower case (Hub v1). Odd positions (see `is_odd`) are taken only if the side to move has a
    legal move. Raises FenError.
    """
    side, squares = text[:1], text[1:]
    if side not in ("W", "B", "w", "b"):
        raise FenError("position does not start with the side to move, W or B", text, 0)
    if fault := _NOT_A_PIECE.search(squares):
        raise FenError(f"{fault[0]!r} is none of w, b, W, B, e", text, fault.start() + 1)
    if len(squares) != rules.squares:
        raise FenError(f"{len(squares)} squares, {rules.name} has {rules.squares}", text)
    boards = dict.fromkeys("wWbBe", 0)
    for index, letter in enumerate(squares):
        boards[letter] |= 1 << index
    position = Position(
        rules,
        Side.WHITE if side in "Ww" else Side.BLACK,
        boards["w"],
        boards["W"],
        boards["b"],
        boards["B"],
        _parse_wolf(wolf, rules, (boards["W"], boards["B"])),
    )
    check_playable(position, text)
    return position


def check_playable(position: Position, text: str) -> None:
    """Raise FenError if no game comes to a position (see `is_odd`) and it has no legal move either."""
    if is_odd(position) and not position.legal_moves():
        raise FenError("no such position: a man on its promotion row or an empty side, and no legal move", text)


def is_odd(position: Position) -> bool:
    """Whether no game comes to this position: a man on its own promotion row, or the side not to move is empty.

    FEN is read without this question, so that it can hold any setup; a man that stands on its promotion row stays a
    man, and moves only where it still can. Whoever lets an engine play from a position asks.
    """
    if position.turn is Side.WHITE:
        other = position.black_men | position.black_kings
    else:
        other = position.white_men | position.white_kings
    return not other or has_man_on_last_row(position)


def has_man_on_last_row(position: Position) -> bool:
    """Whether a man stands where it should have become a king."""
    rules = position.rules
    row = (1 << rules.row_length) - 1
    return bool(position.white_men & row or position.black_men & row << (rules.squares - rules.row_length))


def format_hub_position(position: Position) -> str:
    """The position as a Hub string."""
    letters = ["e"] * position.rules.squares
    for square, letter in position.pieces().items():
        letters[square - 1] = letter
    return position.turn.letter + "".join(letters)


def format_wolf(position: Position) -> str:
    """The running king moves for the `wolf` argument of `pos`; empty if there are none."""
    parts = zip("WB", position.king_runs, strict=True)
    return " ".join(f"{letter}{square}={count}" for letter, (square, count) in parts if count)


def _parse_wolf(text: str, rules: Rules, kings: tuple[int, int]) -> tuple[KingRun, KingRun]:
    """Runs of both sides. Those of variants without a limit and of squares without such a king are dropped."""
    runs = [NO_RUN, NO_RUN]
    for found in re.finditer(r"\S+", text):
        part = _WOLF.fullmatch(found[0])
        if part is None:
            raise FenError("not a king's run (side with square, equals sign, count)", text, found.start())
        side, square, count = int(part[1] in "Bb"), int(part[2]), int(part[3])
        if not 1 <= square <= rules.squares:
            raise FenError(f"no square {square} on a board of {rules.squares} squares", text, found.start())
        runs[side] = king_run(square, count, rules, kings[side])
    return runs[0], runs[1]


def king_run(square: int, count: int, rules: Rules, kings: int) -> KingRun:
    """A run as positions hold it: none where the rules know no limit or no such king stands there."""
    if not rules.king_move_limit or not count or not kings >> (square - 1) & 1:
        return NO_RUN
    return square, min(count, rules.king_move_limit)
