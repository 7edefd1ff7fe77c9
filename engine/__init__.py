"""damier's engine: rules, positions, games and search of every draughts variant.

>>> from engine import Game, Position
>>> game = Game(Position.start("russian"))
>>> len(game.legal_moves())
7
"""

from engine.clock import Limits
from engine.engine import Engine
from engine.errors import (
    BookError,
    DamierError,
    DatabaseError,
    FenError,
    FormatError,
    IllegalMoveError,
    MoveError,
    OptionError,
    PdnError,
    RulesError,
    WeightsError,
)
from engine.game import Game, Outcome
from engine.move import Move
from engine.params import PARAMS, Param
from engine.position import Position
from engine.report import Control, Mode, Report, Result
from engine.rules import Rules
from engine.types import Side
from engine.variants import DEFAULT_VARIANT, VARIANTS, find_variant
from engine.version import VERSION

__all__ = [
    "DEFAULT_VARIANT",
    "PARAMS",
    "VARIANTS",
    "VERSION",
    "BookError",
    "Control",
    "DamierError",
    "DatabaseError",
    "Engine",
    "FenError",
    "FormatError",
    "Game",
    "IllegalMoveError",
    "Limits",
    "Mode",
    "Move",
    "MoveError",
    "OptionError",
    "Outcome",
    "Param",
    "PdnError",
    "Position",
    "Report",
    "Result",
    "Rules",
    "RulesError",
    "Side",
    "WeightsError",
    "find_variant",
]
