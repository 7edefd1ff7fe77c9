"""The parameters that every text protocol shares: the engine's table, and how the wire is read.

The rules of the game (variant and house rules) follow from them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from engine import OptionError, Param, Rules, RulesError, find_variant
from engine.params import Value
from protocol.hub_syntax import read_integer, read_real

VARIANT = "variant"
SQUARE_ORDER = Param(
    name="square-order",
    type="enum",
    default="auto",
    values=("auto", "top", "pdn"),
    help="numbers of squares in moves: top row first, the variant's PDN numbers, or what the client turns out to use",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A parameter that was set: its canonical name and value, whether it is the engine's, and whether the rules
    of the game are different now."""

    name: str
    value: Value
    for_engine: bool
    rules_changed: bool


class Settings:
    """Declared parameters with their current values, and the rules that follow from them."""

    def __init__(self, params: Iterable[Param]) -> None:
        self.params: dict[str, Param] = {param.name: param for param in (*params, SQUARE_ORDER)}
        self.values: dict[str, Value] = {param.name: param.default for param in self.params.values()}
        self.rules: Rules = self._rules_of(self.values)

    @property
    def square_order(self) -> str:
        """`auto`, `top` or `pdn`."""
        return str(self.values[SQUARE_ORDER.name])

    def find(self, name: str) -> Param | None:
        """The parameter of that name; `_` counts as `-`."""
        return self.params.get(name) or self.params.get(name.replace("_", "-"))

    def assign(self, name: str, text: str) -> Change | None:
        """Set a parameter from a text; None for an unknown name. Numbers out of range are clamped.

        Raises OptionError for a value that cannot be read; the old value stays then.
        """
        param = self.find(name)
        return None if param is None else self.put(param.name, read_value(param, text))

    def put(self, name: str, value: Value) -> Change:
        """Set a parameter to a value of its type. Raises OptionError if the rules do not allow it."""
        values = self.values | {name: value}
        old = self.rules
        self.rules = self._rules_of(values)
        self.values = values
        return Change(name, value, name != SQUARE_ORDER.name, self.rules != old)

    @staticmethod
    def _rules_of(values: dict[str, Value]) -> Rules:
        """The variant under the chosen readings; a value at its default leaves the variant's own."""
        try:
            rules = find_variant(str(values[VARIANT]))
            chosen = {name: values[name] for name in _chosen(rules, values)}
            return rules.with_options(chosen)
        except RulesError as error:
            raise OptionError(str(error)) from None


def _chosen(rules: Rules, values: dict[str, Value]) -> list[str]:
    """The options of a variant that differ from its default."""
    names = []
    for option in rules.options:
        value = values.get(option.name, option.default)
        own = isinstance(option.default, int) and not isinstance(option.default, bool) and int(value) < option.minimum
        if value != option.default and not own:
            names.append(option.name)
    return names


def read_value(param: Param, text: str) -> Value:
    """Read the value of a parameter as clients write it: garbage behind a number and the case of a word do not matter.

    Raises OptionError when it is none.
    """
    word = text.strip()
    if param.type in ("int", "real"):
        number = read_integer(word) if param.type == "int" else read_real(word)
        word = word if number is None else str(number)
    elif param.type == "enum":
        word = next((known for known in param.values if known.lower() == word.lower()), word)
    return param.check(word)
