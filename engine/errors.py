"""The exceptions that damier raises on purpose; anything else is a fault of the program."""


class DamierError(Exception):
    """Base of all errors below."""


class FormatError(DamierError):
    """A text (FEN, move, PDN, Hub string) that cannot be read.

    `reason` says what is wrong, `text` is what was read and `at` the 0-based index of the fault in it, when known.
    """

    def __init__(self, reason: str, text: str = "", at: int | None = None) -> None:
        self.reason = reason
        self.text = text
        self.at = at
        place = "" if at is None else f" at column {at + 1}"
        shown = text if len(text) <= 80 else text[:77] + "..."
        super().__init__(f"{reason}{place}" + (f": {shown!r}" if text else ""))


class FenError(FormatError):
    """A FEN or Hub position string that cannot be read."""


class MoveError(FormatError):
    """A text that is not a move."""


class IllegalMoveError(MoveError):
    """A move that is well written and not legal in its position."""


class PdnError(FormatError):
    """A PDN text that cannot be read."""


class RulesError(DamierError):
    """An unknown variant, an unknown rule option, or a value that an option does not take."""


class OptionError(DamierError):
    """An unknown engine parameter or a value outside its range."""


class DatabaseError(DamierError):
    """An endgame database is missing, torn, damaged or of other rules."""


class BookError(DamierError):
    """An opening book is missing, damaged or of another variant."""


class WeightsError(DamierError):
    """A file of trained weights is missing, damaged or of another variant."""
