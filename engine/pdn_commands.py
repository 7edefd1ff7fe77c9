"""Commands in PDN comments: `[%clk 0:04:58]`, `[%eval 0.12]` (pdn.md section 6)."""

import re
from collections.abc import Iterator

from engine.types import Side

_COMMAND = re.compile(r"\[%\s*([A-Za-z]\w*+)\s*+([^\[\]]*+)\]")
_TIME = re.compile(r"([wWbB]?)\s*(\d{1,4}):(\d{1,2})(?::(\d{1,2}(?:\.\d+)?))?")
_TIMES = ("clk", "emt", "egt", "mct", "clock")


def commands(comment: str) -> Iterator[tuple[str, str]]:
    """(name, value) of each command of a comment, known or not."""
    for found in _COMMAND.finditer(comment):
        yield found[1], found[2].strip()


def seconds(text: str) -> float | None:
    """A time `h:mm:ss` (or `m:ss`) in seconds."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        return None
    if found[4] is None:
        return int(found[2]) * 60 + int(found[3])
    return int(found[2]) * 3600 + int(found[3]) * 60 + float(found[4])


def times(comment: str) -> dict[str, float]:
    """The plain times of a comment in seconds, by command (`clk`, `emt`, `egt`, `mct`)."""
    found = {}
    for name, value in commands(comment):
        if name in _TIMES and (time := seconds(value)) is not None:
            found[name] = time
    return found


def clocks(comment: str) -> dict[Side, tuple[float, bool]]:
    """Both clocks of `[%clock w0:00:10 B0:00:03]`: seconds left, and whether it runs (capital letter)."""
    found = {}
    for name, value in commands(comment):
        if name not in ("clock", "clk"):
            continue
        for clock in _TIME.finditer(value):
            side = clock[1]
            if side and (time := seconds(clock[0][1:])) is not None:
                found[Side.WHITE if side in "wW" else Side.BLACK] = (time, side.isupper())
    return found


def evaluation(comment: str) -> float | None:
    """The value of `[%eval 0.12]` in men, White's view."""
    for name, value in commands(comment):
        if name == "eval":
            try:
                return float(value)
            except ValueError:
                return None
    return None


def eval_command(centimen: int, turn: Side) -> str:
    """The command for a score given in centi-men for the side `turn`."""
    white = centimen if turn is Side.WHITE else -centimen
    return f"[%eval {white / 100:.2f}]"
