"""What a protocol machine asks of the session that runs it. Plain data, no I/O."""

from collections.abc import Callable
from dataclasses import dataclass

from engine import Game, Limits, Mode
from engine.params import Value


@dataclass(frozen=True, slots=True)
class Write:
    """Send one line. A droppable line (progress of a search) may be left out when the client does not read."""

    line: str
    droppable: bool = False


@dataclass(frozen=True, slots=True)
class Configure:
    """Set a parameter of the engine; answered by `TextMachine.refused` if the engine will not have it."""

    name: str
    value: Value
    before: Value


@dataclass(frozen=True, slots=True)
class Prepare:
    """Allocate and load with the current parameters; answered by `TextMachine.prepared`."""

    new_game: bool = False  # also forget what earlier searches learned


@dataclass(frozen=True, slots=True)
class Compute:
    """Do something that takes long; answered by `TextMachine.computed` with the lines that it gives."""

    work: Callable[[], list[str]]


@dataclass(frozen=True, slots=True)
class Search:
    """Start a search; answered by any number of `reported` and one `finished`."""

    game: Game
    limits: Limits
    mode: Mode
    arrived: float  # when the command was read, on the session's clock: the time limits count from there


@dataclass(frozen=True, slots=True)
class Stop:
    """End the running search soon."""


@dataclass(frozen=True, slots=True)
class PonderHit:
    """The running ponder search becomes a normal one."""


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave; nothing is written after it. `when_prepared`: as soon as the running preparation is over, and
    soon in any case."""

    when_prepared: bool = False


Action = Write | Configure | Prepare | Compute | Search | Stop | PonderHit | Quit
