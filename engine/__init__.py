"""damier's engine: rules, positions, games and search of every draughts variant.

>>> from engine import Game, Position
>>> game = Game(Position.start("russian"))
>>> len(game.legal_moves())
7
"""

from engine.errors import (
    DamierError,
    FenError,
    FormatError,
    IllegalMoveError,
    MoveError,
    OptionError,
    PdnError,
    RulesError,
)
from engine.game import Game, Outcome
from engine.move import Move
from engine.position import Position
from engine.rules import Rules
from engine.types import Side
from engine.variants import VARIANTS, find_variant
from engine.version import VERSION

__all__ = [
    "VARIANTS",
    "VERSION",
    "DamierError",
    "FenError",
    "FormatError",
    "Game",
    "IllegalMoveError",
    "Move",
    "MoveError",
    "OptionError",
    "Outcome",
    "PdnError",
    "Position",
    "Rules",
    "RulesError",
    "Side",
    "find_variant",
]
