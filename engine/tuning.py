"""Every tunable figure of the searcher, once: its name, default and range, for the searcher and the tuner alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import OptionError


@dataclass(frozen=True, slots=True)
class Tunable:
    """An integer of the search; depths are in plies, margins in centi-men. `step` is the tuner's first step."""

    name: str
    default: int
    minimum: int
    maximum: int
    step: int
    help: str


TUNABLES: Mapping[str, Tunable] = MappingProxyType(
    {
        tunable.name: tunable
        for tunable in (
            Tunable("window", 24, 4, 200, 6, "half of the first aspiration window"),
            Tunable("table-depth", 2, 1, 4, 1, "from this depth on the transposition table is asked and told"),
            Tunable("single-reply", 1, 0, 1, 1, "plies not counted for a move without an alternative"),
            Tunable("iir-depth", 4, 0, 12, 1, "from this depth on one ply less without a hash move; 0 never"),
            Tunable("lmr-depth", 3, 0, 12, 1, "from this depth on late quiet moves are reduced; 0 never"),
            Tunable("lmr-moves", 3, 1, 12, 1, "moves searched to full depth first"),
            Tunable("lmr-scale", 45, 0, 200, 8, "reduction: scale / 100 * ln(depth) * ln(move number)"),
            Tunable("lmr-history", 4096, 256, 32768, 512, "history that changes a reduction by one ply"),
            Tunable("lmp-depth", 0, 0, 8, 1, "up to this depth the last quiet moves are left out; 0 never"),
            Tunable("lmp-moves", 4, 1, 16, 1, "quiet moves kept at depth 0; grows with the square of the depth"),
            Tunable("futility-depth", 4, 0, 10, 1, "up to this depth hopeless quiet moves are left out; 0 never"),
            Tunable("futility-margin", 60, 10, 300, 10, "margin at depth 0"),
            Tunable("futility-slope", 40, 5, 200, 8, "margin for each ply of depth"),
            Tunable("probcut-depth", 0, 0, 16, 1, "from this depth on a shallow search may cut; 0 never"),
            Tunable("probcut-margin", 40, 10, 300, 10, "margin of that shallow search"),
            Tunable("threat-plies", 0, 0, 3, 1, "quiet plies searched below the horizon while a capture threatens"),
        )
    }
)


def tuned(changes: Mapping[str, int] | None = None) -> dict[str, int]:
    """The value of each tunable after `changes`. Raises OptionError for an unknown name or a value out of range."""
    values = {name: tunable.default for name, tunable in TUNABLES.items()}
    for name, value in (changes or {}).items():
        if name not in TUNABLES:
            raise OptionError(f"unknown tunable {name!r}")
        if not TUNABLES[name].minimum <= value <= TUNABLES[name].maximum:
            raise OptionError(f"tunable {name}: {value} is not in {TUNABLES[name].minimum}..{TUNABLES[name].maximum}")
        values[name] = value
    return values
