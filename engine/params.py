"""Engine parameters: one table that every protocol declares and sets from."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from engine.egdb_slices import MOST_PIECES
from engine.errors import OptionError, RulesError
from engine.rules import RuleOption
from engine.variants import DEFAULT_VARIANT, LOSING_GAMES, VARIANTS, find_variant

Value = bool | int | float | str
TRAINED, HAND_MADE = "trained", "hand-made"
OWN = -1  # value of an integer rule option that leaves the variant's own figure


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter. `rule` marks a reading of the rules, which only some variants have (`variants`)."""

    name: str
    type: Literal["bool", "int", "real", "string", "enum"]
    default: Value
    help: str
    minimum: int | float | None = None
    maximum: int | float | None = None
    values: tuple[str, ...] = ()
    rule: bool = False
    variants: tuple[str, ...] = ()

    def check(self, value: object) -> Value:
        """Convert a value (a text or a Python value) to the parameter's type; numbers out of range are clamped.

        Raises OptionError for anything else.
        """
        text = str(value).strip()
        if self.type == "bool":
            if text.lower() in ("true", "1", "on"):
                return True
            if text.lower() in ("false", "0", "off"):
                return False
            raise OptionError(f"{self.name}: {text!r} is not true or false")
        if self.type in ("int", "real"):
            try:
                number = int(text) if self.type == "int" else float(text)
            except ValueError:
                raise OptionError(f"{self.name}: {text!r} is not a number") from None
            if number != number:  # not a number, as floats say it
                raise OptionError(f"{self.name}: {text!r} is not a number")
            low = number if self.minimum is None else self.minimum
            high = number if self.maximum is None else self.maximum
            return type(number)(max(low, min(high, number)))
        if self.name == "variant":
            try:
                return find_variant(text).name
            except RulesError as error:
                raise OptionError(str(error)) from None
        if self.type == "enum" and text not in self.values:
            raise OptionError(f"{self.name}: {text!r} is not one of {' '.join(self.values)}")
        return text


def value_text(value: object) -> str:
    """A value as every protocol writes it: `true`, `24`, `trained`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rule_param(option: RuleOption, variants: tuple[str, ...]) -> Param:
    default = option.default
    only = "" if len(variants) == len(VARIANTS) else f" ({', '.join(variants)})"
    text = option.help + only
    if isinstance(default, bool):
        return Param(option.name, "bool", default, text, rule=True, variants=variants)
    if isinstance(default, int):
        own = any(o.default != default for r in VARIANTS.values() for o in r.options if o.name == option.name)
        low = OWN if own else option.minimum
        start = OWN if own else default
        return Param(option.name, "int", start, text, low, option.maximum, rule=True, variants=variants)
    return Param(option.name, "enum", default, text, values=option.values, rule=True, variants=variants)


def _rule_params() -> list[Param]:
    """Every rule option of any variant, once."""
    found: dict[str, tuple[RuleOption, list[str]]] = {}
    for rules in VARIANTS.values():
        for option in rules.options:
            found.setdefault(option.name, (option, []))[1].append(rules.name)
    return [_rule_param(option, tuple(names)) for option, names in found.values()]


PARAMS: Mapping[str, Param] = MappingProxyType(
    {
        param.name: param
        for param in (
            Param("variant", "enum", DEFAULT_VARIANT, "the game that is played", values=(*VARIANTS, *LOSING_GAMES)),
            Param("threads", "int", 1, "search threads", 1, 64),
            Param("tt-size", "int", 22, "binary logarithm of the table's entries of 16 bytes", 10, 30),
            Param(
                "bb-size", "int", MOST_PIECES, "pieces up to which endgame databases are used; 0 none", 0, MOST_PIECES
            ),
            Param("bb-path", "string", "", "folder of the endgame databases; empty: this user's data folder"),
            Param("book", "bool", True, "whether an opening book is played from (not in analysis)"),
            Param("book-ply", "int", 12, "plies of a game in which the book plays good moves at random", 0, 100),
            Param("book-margin", "int", 12, "centi-men by which such a move may be worse than the best", 0, 100),
            Param("book-file", "string", "", "opening book of the variant; empty: the one that comes with damier"),
            Param(
                "evaluation",
                "enum",
                TRAINED,
                "trained where there are weights for the variant",
                values=(TRAINED, HAND_MADE),
            ),
            Param("weights-path", "string", "", "file or folder of trained weights; empty: those of the program"),
            Param("move-overhead", "int", 15, "milliseconds a move that are lost outside the engine", 0, 5000),
            Param("multi-pv", "int", 1, "lines that are searched and reported", 1, 64),
            Param("contempt", "int", 0, "centi-men by which a draw is worse than 0 (not in analysis)", -100, 100),
            Param("strength", "int", 20, "playing strength; below 20 it looks less far and errs", 1, 20),
            Param("ponder", "bool", False, "whether the client lets the engine ponder; for information"),
            *_rule_params(),
        )
    }
)
