"""A slow, plain referee for every variant, to compare the product with.

Nothing here is taken from the product: boards are dictionaries, captures are found by trying one hop after
another, and the draw counters are spelled out one by one. The rules are those of docs/rules.md.
"""

from tests.reference.ends import Ending, Referee, ending_of
from tests.reference.moves import Explosion, Move, Position, legal_moves, perft, play
from tests.reference.spec import SPECS, Spec, losing
from tests.reference.text import find_move, parse_fen, start_position

__all__ = [
    "SPECS",
    "Ending",
    "Explosion",
    "Move",
    "Position",
    "Referee",
    "Spec",
    "ending_of",
    "find_move",
    "legal_moves",
    "losing",
    "parse_fen",
    "perft",
    "play",
    "start_position",
]
