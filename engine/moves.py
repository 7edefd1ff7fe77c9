"""Legal moves of positions, through the compiled board."""

import importlib
from functools import lru_cache
from threading import Lock
from types import ModuleType

from engine.geometry import Layout, layout
from engine.move import Move
from engine.position import Position
from engine.rules import Rules


@lru_cache(maxsize=None)
def hot_module(name: str, rules: Rules) -> ModuleType:
    """The build of a hot module that can hold the variant's board: 64 bits, or 128 for the wide boards.

    Uncompiled modules have no width, so where the wide build is missing the plain one serves.
    """
    if layout(rules).bits > 64:
        try:
            return importlib.import_module(f"engine.wide.{name}")
        except ImportError:
            pass
    return importlib.import_module(f"engine.{name}")


def is_compiled(module: ModuleType) -> bool:
    """Whether a hot module runs compiled."""
    return not str(module.__file__).endswith(".py")
