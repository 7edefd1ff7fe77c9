"""Just enough FEN and move text for the data files of the tests."""

from __future__ import annotations

import re

from tests.reference.moves import Move, Position
from tests.reference.spec import Spec


def parse_square(spec: Spec, text: str) -> int:
    """A square as the texts of the variant write it; plain numbers on a lettered board count from the top."""
    if text[0].isalpha():
        return spec.squares[ord(text[0]) - ord("a"), spec.rows - int(text[1:])]
    return len(spec.cells) + 1 - int(text) if spec.text == "bottom" else int(text)


def parse_fen(spec: Spec, fen: str) -> Position:
    """A well-formed PDN FEN."""
    turn, *lists = fen.split(":")
    board: dict[int, str] = {}
    for pieces in lists:
        side, entries = pieces[0].lower(), pieces[1:]
        for entry in filter(None, entries.split(",")):
            letter = side.upper() if entry[0] == "K" else side
            entry = entry.removeprefix("K")
            if match := re.fullmatch(r"(\d+)-(\d+)", entry):
                names = [str(number) for number in range(int(match[1]), int(match[2]) + 1)]
            else:
                names = [entry]
            board |= {parse_square(spec, name): letter for name in names}
    return Position(board, turn.lower())


def start_position(spec: Spec) -> Position:
    return Position({square: side for side in "wb" for square in spec.home(side)}, spec.first)


def find_move(spec: Spec, moves: set[Move], text: str) -> Move:
    """The legal move that a text like `32-28`, `c3xe5` or `4x15x13x37x20` (captured squares last) names."""
    frm, to, *captured = (parse_square(spec, square) for square in re.split("[-x:]", text))
    found = [
        move for move in moves if (move.frm, move.to) == (frm, to) and (not captured or move.captured == set(captured))
    ]
    if len(found) != 1:
        raise ValueError(f"{text} names {len(found)} moves")
    return found[0]
