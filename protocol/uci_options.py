"""The options of the UCI dialect: other names for the parameters that every protocol shares (ucilike.md section 6)."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine import Param
from engine.params import Value, value_text
from protocol.settings import SQUARE_ORDER, Settings

MIB_SHIFT = 16  # 2^n entries of 16 bytes are 2^(n - 16) MiB
FORMATS = ("short", "hub", "path", "coordinate")
# UCI names of shared parameters. Those that the engine does not declare are left out.
NAMES = {
    "Hash": "tt-size",
    "Threads": "threads",
    "MultiPV": "multi-pv",
    "Ponder": "ponder",
    "UCI_Variant": "variant",
    "OwnBook": "book",
    "BookFile": "book-file",
    "BitbasePath": "bb-path",
    "BitbaseSize": "bb-size",
    "Move Overhead": "move-overhead",
}
OVERHEAD = 30  # ms, the default of the dialect


@dataclass(slots=True)
class Local:
    """Options that only this protocol knows."""

    analyse: bool = False
    format: str = "short"


def declarations(settings: Settings, local: Local, about: str) -> Iterator[str]:
    """One `option` line for each option, with the current value as default."""
    shared = {hub: uci for uci, hub in NAMES.items()}
    known = {name: settings.params[name] for name in NAMES.values() if name in settings.params}
    for name, param in known.items():
        yield declaration(shared[name], param, settings.values[name])
    yield "option name Clear Hash type button"
    yield f"option name UCI_AnalyseMode type check default {value_text(local.analyse)}"
    yield f"option name UCI_MoveFormat type combo default {local.format} {_vars(FORMATS)}"
    yield "option name UCI_Opponent type string default <empty>"
    yield f"option name UCI_EngineAbout type string default {about}"
    for name, param in settings.params.items():
        if name not in known and name != SQUARE_ORDER.name:
            yield declaration(name, param, settings.values[name])


def declaration(name: str, param: Param, value: Value) -> str:
    """The `option` line of a shared parameter."""
    head = f"option name {name} type"
    if name == "Hash":
        low, high = to_mib(int(param.minimum or 0)), to_mib(int(param.maximum or 0))
        return f"{head} spin default {to_mib(int(value))} min {low} max {high}"
    match param.type:
        case "bool":
            return f"{head} check default {value_text(value)}"
        case "int":
            return f"{head} spin default {value} min {param.minimum} max {param.maximum}"
        case "enum":
            return f"{head} combo default {value} {_vars(param.values)}"
    return f"{head} string default {value_text(value) or '<empty>'}"


def shared_name(settings: Settings, name: str) -> str | None:
    """The shared parameter that an option name in any case means; None if there is none."""
    for uci, hub in NAMES.items():
        if uci.lower() == name.lower():
            return hub if hub in settings.params else None
    return next((known for known in settings.params if known.lower() == name.lower()), None)


def to_mib(size: int) -> int:
    """MiB of a table of 2^size entries, at least 1."""
    return max(1, 1 << max(0, size - MIB_SHIFT))


def from_mib(mib: int) -> int:
    """The largest table that fits into that many MiB, as a binary logarithm of entries."""
    return max(1, mib).bit_length() - 1 + MIB_SHIFT


def _vars(values: tuple[str, ...]) -> str:
    return " ".join(f"var {value}" for value in values)
