"""Time controls as text and data, and the clock that the runner keeps for each engine of a game."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from engine.errors import OptionError

_CONTROL = re.compile(
    r"(?:(?P<moves>\d+)/)?(?P<base>\d+:\d\d(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:\+(?P<inc>\d+(?:\.\d*)?|\.\d+))?"
)


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Limits of one search as an engine is told them; times in seconds.

    `time` is what is left on the clock *without* this move's increment, so `time + inc` may be used now; it may
    be negative. `moves` are the moves to the next control, 0 for none.
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: float | None = None
    time: float | None = None
    inc: float = 0.0
    moves: int = 0


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What limits an engine: a clock (`moves` per `base` seconds, plus `increment` each move) or fixed limits.

    Everything given applies together. `base` None means that there is no clock.
    """

    moves: int = 0
    base: float | None = None
    increment: float = 0.0
    move_time: float | None = None
    depth: int | None = None
    nodes: int | None = None

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read `5+0.05`, `40/60`, `40/60+0.5`, `2:30`, `movetime=0.1`, `depth=8`, `nodes=5000` or several of them.

        Several items are separated by blanks or commas. Raises `OptionError` with the item that is wrong.
        """
        values: dict[str, float | int] = {}

        def put(name: str, value: float | int) -> None:
            if name in values:
                raise OptionError(f"time control {text!r}: {name.replace('_', '')} is given twice")
            values[name] = value

        items = [item for item in re.split(r"[,\s]+", text) if item]
        if not items:
            raise OptionError("time control is empty; use for example 5+0.05, 40/60, movetime=0.1 or depth=8")
        for item in items:
            name, sign, value = item.partition("=")
            if sign and name in ("depth", "nodes"):
                put(name, _whole(value, f"time control {text!r}: {name}"))
            elif sign and name == "movetime":
                put("move_time", _seconds(value, f"time control {text!r}: {name}"))
            elif not sign and (found := _CONTROL.fullmatch(item)):
                put("base", _seconds(found["base"], f"time control {text!r}: time"))
                if found["moves"] is not None:
                    put("moves", _whole(found["moves"], f"time control {text!r}: moves"))
                if found["inc"] is not None:
                    put("increment", float(found["inc"]))
            else:
                raise OptionError(
                    f"time control {text!r}: cannot read {item!r}; "
                    "use [MOVES/]SECONDS[+INC], movetime=SECONDS, depth=N or nodes=N"
                )
        return cls(**values)  # type: ignore[arg-type]

    def __str__(self) -> str:
        items = []
        if self.base is not None:
            moves = f"{self.moves}/" if self.moves else ""
            increment = f"+{self.increment:g}" if self.increment else ""
            items.append(f"{moves}{self.base:g}{increment}")
        for name, value in (("movetime", self.move_time), ("depth", self.depth), ("nodes", self.nodes)):
            if value is not None:
                items.append(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}")
        return ",".join(items)

    def pdn(self) -> str:
        """The value of a PDN `TimeControl` tag: `40/60`, `300+5`, `-` without a clock."""
        return str(TimeControl(self.moves, self.base, self.increment)) or "-"


def _seconds(text: str, place: str) -> float:
    """Read a positive number of seconds, also `m:ss`."""
    minutes, colon, rest = text.rpartition(":")
    try:
        value = float(rest) + (60 * int(minutes) if colon else 0)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0.0):
        raise OptionError(f"{place} must be a positive number of seconds, got {text!r}")
    return value


def _whole(text: str, place: str) -> int:
    """Read a positive whole number."""
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < 1:
        raise OptionError(f"{place} must be a whole number of at least 1, got {text!r}")
    return int(text)


class Clock:
    """One engine's clock in one game; the increment of a move may be used in that move.

    `margin` seconds beyond the allowance are forgiven: pipes and the scheduler of the operating system cost
    time that no engine can account for.
    """

    def __init__(self, control: TimeControl, margin: float = 0.05) -> None:
        self.control = control
        self.margin = margin
        self.remaining = control.base
        self._to_go = control.moves

    def limits(self) -> SearchLimits:
        """Limits to tell the engine for the coming move."""
        control = self.control
        return SearchLimits(
            depth=control.depth,
            nodes=control.nodes,
            move_time=control.move_time,
            time=self.remaining,
            inc=control.increment,
            moves=self._to_go,
        )

    def allowance(self) -> float | None:
        """Seconds the coming move may take, without the margin; None where no clock runs."""
        limits = [] if self.control.move_time is None else [self.control.move_time]
        if self.remaining is not None:
            limits.append(self.remaining + self.control.increment)
        return min(limits, default=None)

    def spend(self, seconds: float) -> bool:
        """Book a move of `seconds`; return False when the flag fell (allowance and margin used up)."""
        allowance = self.allowance()
        in_time = allowance is None or seconds <= allowance + self.margin
        if self.remaining is not None and self.control.base is not None:
            # what the margin forgave is not charged to the next move
            self.remaining = max(self.remaining + self.control.increment - seconds, -self.control.increment)
            if self.control.moves:
                self._to_go -= 1
                if self._to_go == 0:
                    self._to_go = self.control.moves
                    self.remaining += self.control.base
        return in_time
