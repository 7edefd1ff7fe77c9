"""The values of a match's settings: a reader each, for what the command line or a TOML file holds.

All raise OptionError (or another DamierError) that says what was wanted; `config` adds the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from engine.errors import OptionError
from engine.variants import find_variant
from protocol.match.adjudication import parse_draw_rule, parse_resign_rule
from protocol.match.clock import TimeControl
from protocol.match.schedule import Format
from protocol.match.statistics import Model, Sprt


def refusal(wanted: str, value: object) -> OptionError:
    """What a reader raises."""
    return OptionError(f"must be {wanted}, got {value!r}")


def text_value(value: object) -> str:
    """A text that says something."""
    if not isinstance(value, str) or not value.strip():
        raise refusal("a text", value)
    return value


def path_value(value: object) -> Path:
    """A path."""
    return Path(text_value(value))


def flag_value(value: object) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    if value in ("true", "false"):
        return value == "true"
    raise refusal("true or false", value)


def whole_number(minimum: int) -> Callable[[object], int]:
    """A reader of whole numbers from `minimum` on."""

    def read(value: object) -> int:
        text = str(value)
        if isinstance(value, bool | float) or not re.fullmatch(r"[0-9]{1,12}", text) or int(text) < minimum:
            raise refusal(f"a whole number of at least {minimum}", value)
        return int(text)

    return read


def seconds_value(value: object) -> float:
    """Seconds, not negative."""
    if not isinstance(value, bool) and re.fullmatch(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE]-?[0-9]+)?", str(value)):
        return float(str(value))
    raise refusal("a number of seconds that is not negative", value)


def balance_value(value: object) -> int | None:
    """A score in men as centi-men, None for `off`."""
    if value in ("off", "none", False):
        return None
    if not isinstance(value, bool) and re.fullmatch(r"[0-9]{1,3}(\.[0-9]+)?", str(value)):
        return round(100 * float(str(value)))
    raise refusal("a score in men or `off`", value)


def one_of(*names: str) -> Callable[[object], str]:
    """A reader of some words."""

    def read(value: object) -> str:
        if value not in names:
            raise refusal("one of " + ", ".join(names), value)
        return str(value)

    return read


def openings_value(value: object) -> str:
    """`start`, `ply=N` or the name of a file."""
    text = text_value(value)
    if text.startswith("ply="):
        whole_number(0)(text.removeprefix("ply="))
    elif text != "start" and not Path(text).is_file():
        raise OptionError(f"there is no file {text!r}; or use `start` or `ply=N`")
    return text


def sprt_value(value: object) -> Sprt:
    """Read `0,5`, `elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized` or a table of these names."""
    names = ("elo0", "elo1", "alpha", "beta", "model")
    values: dict[str, Any] = {}
    if isinstance(value, Mapping):
        given = [(str(name), str(item)) for name, item in value.items()]
    else:
        given = []
        for place, item in enumerate(str(value).split(",")):
            name, sign, text = item.strip().partition("=")
            given.append((name, text) if sign else (names[place] if place < 2 else item, item.strip()))
    for name, text in given:
        if name not in names:
            raise OptionError(f"{name!r} is not one of {', '.join(names)}")
        if name == "model":
            values[name] = Model(one_of(*Model)(text))
            continue
        try:
            values[name] = float(text)
        except ValueError:
            raise OptionError(f"{name} must be a number, got {text!r}") from None
    if "elo0" not in values or "elo1" not in values:
        raise OptionError("needs both bounds: elo0,elo1")
    return Sprt(**values)


READERS: dict[str, Callable[[object], Any]] = {
    "variant": lambda value: find_variant(text_value(value)),
    "tc": lambda value: TimeControl.parse(text_value(value)),
    "games": whole_number(2),
    "format": lambda value: Format(one_of(*Format)(value)),
    "rounds": whole_number(1),
    "seeds": whole_number(1),
    "openings": openings_value,
    "opening-plies": whole_number(0),
    "opening-order": one_of("random", "sequential"),
    "opening-start": whole_number(0),
    "seed": whole_number(0),
    "balance": balance_value,
    "balance-depth": whole_number(1),
    "sprt": sprt_value,
    "draw": lambda value: parse_draw_rule(text_value(value)),
    "resign": lambda value: parse_resign_rule(text_value(value)),
    "max-plies": whole_number(0),
    "margin": seconds_value,
    "start-timeout": seconds_value,
    "stall": seconds_value,
    "grace": seconds_value,
    "concurrency": whole_number(1),
    "cluster": text_value,
    "pin": flag_value,
    "on-fault": one_of("recover", "stop"),
    "event": text_value,
    "pdn": path_value,
    "pdn-order": one_of("finished", "schedule"),
    "journal": path_value,
    "resume": flag_value,
    "force": flag_value,
    "overwrite": flag_value,
    "report": path_value,
    "log": path_value,
}
"""Every setting but `engine` and `rule`, by its name on the command line and in TOML."""
