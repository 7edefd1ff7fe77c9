"""Hub lines as text: reading, writing, quoting and numbers (hub.md section 2).

    line  = blank* [ command ( blank+ arg )* ] blank*
    arg   = name [ blank* "=" blank* value ]
    value = name | DQUOTE any-char-but-DQUOTE* DQUOTE

Reading never fails: what does not fit the grammar is skipped, an open quote runs to the end of the line.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

Number = TypeVar("Number", int, float)
Argument = tuple[str, str | None]
"""A name with its value; None for a flag, which has no `=`."""

_BLANKS = re.compile(r"[\x00-\x20\x7f]*")
_NAME = re.compile(r'[^\x00-\x20\x7f="]+')
_QUOTED = re.compile(r'"((?:[^"\\]++|\\.)*+)"')
_QUOTED_PLAIN = re.compile(r'"([^"]*)("|$)')
_ESCAPE = re.compile(r'\\(["\\])')
_INTEGER = re.compile(r"[+-]?[0-9]+")
_REAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LARGEST = 10**15


@dataclass(frozen=True, slots=True)
class HubLine:
    """A command with its arguments in the order in which they came."""

    command: str
    arguments: tuple[Argument, ...] = ()

    def get(self, name: str) -> str | None:
        """The value of an argument, empty for a flag, None when it is absent. The last of several wins."""
        for key, value in reversed(self.arguments):
            if key == name:
                return value or ""
        return None

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self.arguments)

    def integer(self, name: str) -> int | None:
        """An argument as an integer by its longest numeric prefix; None when absent or no number.

        Of several the last one that is a number wins.
        """
        return self._number(name, read_integer)

    def real(self, name: str) -> float | None:
        """As `integer`, for a finite real number."""
        return self._number(name, read_real)

    def _number(self, name: str, read: Callable[[str], Number | None]) -> Number | None:
        numbers = (read(value or "") for key, value in reversed(self.arguments) if key == name)
        return next((number for number in numbers if number is not None), None)


def parse_line(text: str) -> HubLine | None:
    """Read one line without its line end; None for a line without a command. Never raises."""
    at = _skip_blanks(text, 0)
    command = _NAME.match(text, at)
    if command is None:
        return None
    arguments: list[Argument] = []
    escapes = True
    at = _skip_blanks(text, command.end())
    while at < len(text):
        name = _NAME.match(text, at)
        if name is None:  # an argument that starts with `=` or a quote: skip it whole
            _, at, escapes = _read_value(text, _skip_blanks(text, at + 1) if text[at] == "=" else at, escapes)
        else:
            after = _skip_blanks(text, name.end())
            if after < len(text) and text[after] == "=":
                value, at, escapes = _read_value(text, _skip_blanks(text, after + 1), escapes)
                arguments.append((name[0], value))
            else:
                arguments.append((name[0], None))
                at = after
        at = _skip_blanks(text, at)
    return HubLine(command[0], tuple(arguments))


def _skip_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _read_value(text: str, at: int, escapes: bool) -> tuple[str, int, bool]:
    """Read a plain or quoted value at `at`; returns it, the index behind it, and whether escapes are read further on.

    A backslash escapes a quote or a backslash, unless that would leave the quote open (a Windows path). Then every
    quote of the rest has a backslash before it, so none begins another value, and none is tried again.
    """
    if at < len(text) and text[at] == '"':
        if escapes and (quoted := _QUOTED.match(text, at)):
            return _ESCAPE.sub(r"\1", quoted[1]), quoted.end(), True
        plain = _QUOTED_PLAIN.match(text, at)
        assert plain is not None
        return plain[1].replace("\\\\", "\\"), plain.end(), False
    name = _NAME.match(text, at)
    return (name[0], name.end(), escapes) if name else ("", at, escapes)


def read_integer(text: str) -> int | None:
    """The longest integer prefix of a text, held within 10**15; None without one."""
    found = _INTEGER.match(text)
    if found is None:
        return None
    digits = found[0]
    if len(digits) > 16:  # long before the limit at which int() refuses
        digits = digits[0].strip("0123456789") + str(_LARGEST)
    return max(-_LARGEST, min(_LARGEST, int(digits)))


def read_real(text: str) -> float | None:
    """The longest real prefix of a text, held within 10**15; None without one."""
    found = _REAL.match(text)
    return None if found is None else max(-float(_LARGEST), min(float(_LARGEST), float(found[0])))


def format_line(command: str, arguments: Iterable[Argument] = ()) -> str:
    """Write a line without its line end. Values are quoted only when they must be, and never escaped."""
    parts = [command]
    for name, value in arguments:
        parts.append(name if value is None else f"{name}={quote(value)}")
    return " ".join(parts)


def quote(value: str) -> str:
    """A value as it goes over the wire. What the grammar cannot carry is replaced: a double quote by a single
    one, a control character by a blank."""
    value = re.sub(r"[\x00-\x1f\x7f]", " ", value).replace('"', "'")
    return value if _NAME.fullmatch(value) else f'"{value}"'
