"""The rules of a draughts variant as data: one frozen `Rules` object says everything that differs."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum

from engine.counters import Counter
from engine.errors import FormatError, RulesError
from engine.types import Side


class Precedence(IntEnum):
    """Which captures are legal when several are possible. The values are known to the compiled board."""

    FREE = 0
    MAJORITY = 1  # most pieces, king = man
    ITALIAN = 2  # most pieces, with a king, most kings, kings met earliest
    QUALITY = 3  # most pieces, then most kings
    KING_FIRST = 4  # a king must capture rather than a man
    VALUE = 5  # highest value (king a little less than two men), then with a king


class Promotion(IntEnum):
    """What happens to a man that reaches the last row in mid-capture."""

    ENDS_MOVE = 0  # crowned, the move ends
    PASSES = 1  # goes on as a man, crowned only if the move ends there
    CONTINUES = 2  # crowned at once, goes on as a king


class Objective(Enum):
    """How a game is won apart from draws."""

    BLOCK = "block"  # the side without a legal move loses
    LOSE = "lose"  # the side without a legal move wins
    BREAKTHROUGH = "breakthrough"  # also: the first king wins


@dataclass(frozen=True, slots=True)
class RuleOption:
    """A reading of the rules that players choose: its name, default and what it changes."""

    name: str
    default: bool | int | str
    help: str
    apply: Callable[["Rules", bool | int | str], "Rules"]
    values: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 0

    def check(self, value: object) -> bool | int | str:
        """Return `value` as the option's own type, or raise RulesError."""
        default = self.default
        if isinstance(default, bool):
            words = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
            text = str(value).lower()
            if text in words:
                return words[text]
        elif isinstance(default, int):
            try:
                number = int(str(value))
            except ValueError:
                number = self.minimum - 1
            if self.minimum <= number <= self.maximum:
                return number
            raise RulesError(f"option {self.name}: {value!r} is not in {self.minimum}..{self.maximum}")
        elif str(value) in self.values:
            return str(value)
        allowed = "true or false" if isinstance(default, bool) else ", ".join(self.values)
        raise RulesError(f"option {self.name}: {value!r} is not one of {allowed}")


@dataclass(frozen=True)
class Rules:
    """One variant. Squares are 1-based Hub numbers everywhere: top row first, left to right, seen with White below."""

    name: str
    title: str
    gametype: int | None  # PDN GameType number
    gametype_tag: str  # full PDN GameType value
    aliases: tuple[str, ...] = ()  # other names in Hub, UCI and PDN, lower case
    hub_name: str = ""  # name declared over Hub; empty: `name`

    # board
    columns: int = 8
    rows: int = 8
    all_squares: bool = False  # play on every square, along rows and columns (Turkish)
    left_dark: bool = True  # the bottom-left corner is a playing square
    algebraic: bool = False  # PDN squares are written a1, not 32
    first_square: str = "top-left"  # corner of PDN square number 1 as White sees it
    men: int = 12  # men of each side in the start position
    empty_back_rows: int = 0  # rows behind the men in the start position
    starts: Side = Side.WHITE

    # movement
    flying: bool = True  # kings move any distance
    lands_behind: bool = False  # a flying king must land right behind the captured piece
    stops_behind_king: bool = False  # ... only when the last captured piece is a king
    men_capture_back: bool = True
    men_capture_kings: bool = True
    orthogonal_captures: bool = False  # captures also along rows and columns of the dark squares
    instant_removal: bool = False  # captured pieces vanish one by one, not at the end of the move
    may_reverse: bool = True  # a king may turn by 180 degrees between two captures
    mandatory: bool = True  # captures are compulsory
    precedence: Precedence = Precedence.FREE
    promotion: Promotion = Promotion.PASSES
    king_move_limit: int = 0  # quiet moves in a row with one king while its side has men; 0 = no limit

    # ends of the game
    objective: Objective = Objective.BLOCK
    repetition: int = 3  # n-th occurrence of a position is a draw; 0 = never
    counters: tuple[Counter, ...] = ()
    bare_kings_draw: str = ""  # counter that a lone king against a lone king does not wait for, unless one can be taken
    claims: bool = False  # draws are only claimable

    # notation
    capture_sign: str = "x"
    international_results: bool = False  # 2-0, 1-1, 0-2
    first_player_results: bool = False  # PDN results give the first player's points first
    mixed_results: bool = False  # PDN results give the first player's points or White's first

    options: tuple[RuleOption, ...] = ()
    settings: Mapping[str, bool | int | str] = field(default_factory=dict)  # options that differ from the default
    base: "Rules | None" = None  # the same variant without settings

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.settings.items()))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self.name == other.name and self.settings == other.settings

    @property
    def squares(self) -> int:
        """Number of playable squares."""
        return self.columns * self.rows // (1 if self.all_squares else 2)

    @property
    def row_length(self) -> int:
        """Playable squares in a row."""
        return self.columns if self.all_squares else self.columns // 2

    def coordinates(self, square: int) -> tuple[int, int]:
        """(column, row) of a square; column 0 is White's left, row 0 the top row."""
        row, x = divmod(square - 1, self.row_length)
        if self.all_squares:
            return x, row
        return 2 * x + self._offset(row), row

    def square_at(self, column: int, row: int) -> int | None:
        """The square at a place of the board, None where there is none."""
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return None
        if self.all_squares:
            return row * self.columns + column + 1
        if column % 2 != self._offset(row):
            return None
        return row * self.row_length + column // 2 + 1

    def _offset(self, row: int) -> int:
        """Column of the first playable square in a row (0 or 1)."""
        return (self.rows - 1 - row + (0 if self.left_dark else 1)) % 2

    def square_number(self, square: int) -> int:
        """PDN number of a square: the variant's own numbering; a1 = 1 upwards where PDN writes letters."""
        if self.first_square == "top-left":
            return square
        if self.first_square == "bottom-right":
            return self.squares + 1 - square
        row, x = divmod(square - 1, self.row_length)
        return (self.rows - 1 - row) * self.row_length + x + 1

    def number_square(self, number: int) -> int:
        """Inverse of `square_number`; raises FormatError for a number off the board."""
        if not 1 <= number <= self.squares:
            raise FormatError(f"square {number} is not on a board of {self.squares} squares")
        return self.square_number(number)  # both numberings are involutions

    def square_name(self, square: int) -> str:
        """The square as PDN and FEN write it: `32` or `c3`."""
        return self.file_and_rank(square) if self.algebraic else str(self.square_number(square))

    def file_and_rank(self, square: int) -> str:
        """The square as chess writes it, on any board: `c3`."""
        column, row = self.coordinates(square)
        return f"{chr(ord('a') + column)}{self.rows - row}"

    def parse_square(self, text: str) -> int:
        """Inverse of `square_name`; boards with letters also take Hub numbers. Raises FormatError."""
        if found := re.fullmatch(r"([a-zA-Z])(\d{1,2})", text):
            column = ord(found[1].lower()) - ord("a")
            square = self.square_at(column, self.rows - int(found[2]))
            if square is None:
                raise FormatError("not a playable square", text)
            return square
        if not re.fullmatch(r"[0-9]{1,3}", text):
            raise FormatError("not a square", text)
        number = int(text)
        if not 1 <= number <= self.squares:
            raise FormatError(f"no square of a board of {self.squares} squares", text)
        return number if self.algebraic else self.number_square(number)

    def with_options(self, values: Mapping[str, object]) -> "Rules":
        """The same variant under other readings; names take `-` or `_`. Raises RulesError.

        Options are applied to the variant's defaults together with those chosen before.
        """
        known = {option.name: option for option in self.options}
        settings = dict(self.settings)
        for name, value in values.items():
            option = known.get(name.replace("_", "-").lower())
            if option is None:
                raise RulesError(f"{self.name} has no option {name!r}")
            settings[option.name] = option.check(value)
            if settings[option.name] == option.default:
                del settings[option.name]
        origin = self.base or self
        rules = origin
        for name, chosen in settings.items():
            rules = known[name].apply(rules, chosen)
        return replace(rules, settings=settings, base=origin)
