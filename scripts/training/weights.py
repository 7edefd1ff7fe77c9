"""Which weights an engine plays with, as the scripts name them: `hand-made`, `installed`, or a file."""

from dataclasses import dataclass
from pathlib import Path

from engine import VARIANTS, pattern_weights
from engine.params import HAND_MADE
from engine.rules import Rules

INSTALLED = "installed"


@dataclass(frozen=True)
class Source:
    """The weights of one variant: their file, None for the hand-made evaluation."""

    rules: Rules
    file: Path | None

    @property
    def data(self) -> bytes | None:
        """The bytes of the file, which travel to other processes and machines."""
        return None if self.file is None else self.file.read_bytes()

    @property
    def checksum(self) -> str:
        """Names the weights in records."""
        return HAND_MADE if self.file is None else pattern_weights.load(self.file, self.rules).checksum

    @property
    def options(self) -> dict[str, str]:
        """The parameters of an engine that plays with them."""
        return {"evaluation": HAND_MADE} if self.file is None else {"weights-path": str(self.file.resolve())}


def find(variant: str, text: str) -> Source:
    """What a text on the command line names. Raises WeightsError for a file that does not serve."""
    rules = VARIANTS[variant]
    if text == HAND_MADE:
        return Source(rules, None)
    if text == INSTALLED:
        return Source(rules, pattern_weights.find(rules, ""))
    path = Path(text)
    file = path / pattern_weights.file_name(rules) if path.is_dir() else path
    pattern_weights.load(file, rules)
    return Source(rules, file)


def owners(variants: list[str]) -> list[str]:
    """Those variants that have weights of their own: some share a file with another one of the same moves."""
    return [name for name in variants if Path(pattern_weights.file_name(VARIANTS[name])).stem == name]


def installed_place(variant: str) -> Path:
    """Where the engine looks for a variant's weights."""
    return Path(pattern_weights.__file__).parent / "weights" / pattern_weights.file_name(VARIANTS[variant])
