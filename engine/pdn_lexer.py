"""The tokens of PDN as one regular expression (pdn.md sections 1, 2 and 5).

Every alternative is one group, so that `match.lastindex` names the token. The first is the move as well-written files
have it, together with its number; whatever is read beyond the standard comes later.
"""

import re
from enum import IntEnum


class Token(IntEnum):
    """Groups of the expression."""

    MOVE = 1
    COMMENT = 2
    RESULT = 3
    NUMBER = 4
    STRENGTH = 5
    NAG = 6
    OPEN = 7
    CLOSE = 8
    STAR = 9
    TAG = 10
    BRACKET = 11
    SETUP = 12
    LINE_COMMENT = 13
    BRACE = 14
    LOOSE_MOVE = 15
    UNKNOWN = 16
    BARE_NUMBER = 17
    WORD = 18
    OTHER = 19
    END = 20


_SIGN = r"[-xX:\u00d7\u2010-\u2015\u2212]"
_SQUARE = r"(?:[1-9][0-9]?|0[1-9]|[a-jA-J][1-9])"
_PLAIN = r"(?:[1-9][0-9]?(?:[-x:][1-9][0-9]?)+|[a-j][1-9](?:[-x:][a-j][1-9])+)"
RESULTS = r"(?:1/2-1/2|[12]-0|0-[012]|1-1|\u00bd-\u00bd|0\.5-0\.5|1/2:1/2)"
NAME = r"[A-Za-z][A-Za-z0-9_]*"
QUOTE = '"\u201c\u201d\u201e'

TOKEN = re.compile(
    rf"""\s*+(?:
    (?:[0-9]{{1,4}}\.(?:\.\.)?\s*+)?
        ((?!1-1(?![-0-9])) {_PLAIN}) (?![\w:/\u2010-\u2015-]|\s*+[xX:]\s*+[0-9])     # 1 move
  | (\{{[^{{}}]*+\}})                                                                 # 2 comment
  | ({RESULTS}) (?=[\s\[\](){{}};*,]|\.?(?:\s|\Z))                                    # 3 result
  | ([0-9]{{1,4}}\s*+\.(?:(?:\.\.|\s++\.\.\.)(?!\.))?)                                # 4 number
  | (\(\s?[!?]{{1,4}}\s?\)|\([+x]?[0-9]{{1,2}}\)|[!?]++|[\u25a1\u2a00])              # 5 strength
  | (\$[0-9]{{1,3}})                                                                  # 6 nag
  | (\()                                                                              # 7 open
  | (\))                                                                              # 8 close
  | (\*)                                                                              # 9 star
  | (\[{NAME}[ \t]"(?:[^"\\\r\n]|\\.)*+"\][ \t]*+(?=[\r\n]|\Z))                       # 10 tag
  | (\[)                                                                              # 11 bracket
  | (/FEN\s*+"[^"]*+"\s*+/)                                                           # 12 setup
  | ([;%][^\r\n]*+)                                                                   # 13 line comment
  | (\{{)                                                                             # 14 brace
  | ({_SQUARE}(?:{_SIGN}{_SQUARE}|\s*+{_SIGN}\s*+{_SQUARE}(?!\s*+\.))(?![0-9a-zA-Z/])
        (?:{_SIGN}{_SQUARE}|\s*+[xX:\u00d7]\s*+{_SQUARE})*+(?![0-9a-zA-Z/])
      | (?:[a-jA-J][1-9]){{2,}}(?!\w)
      | (?:[0-9][0-9]){{2,}}(?![\w.]))                                                # 15 loose move
  | (\.{{2,}}|(?:[-\u2013\u2014]{{1,2}})(?![0-9a-zA-Z]))                              # 16 unknown move
  | ([0-9]{{1,3}}(?!\w))                                                              # 17 number, no dot
  | ([^\s()\[\]{{}}]++)                                                               # 18 word
  | (.)                                                                               # 19 other
  | (\Z)                                                                              # 20 end
    )""",
    re.VERBOSE | re.DOTALL,
)

# A tag as loosely as it is met: blanks, curly quotes, any value up to the last quote before a bracket that ends the
# line or stands before the next tag.
LOOSE_TAGS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        # a value with nothing odd in it
        rf"\[\s*({NAME})\s*[{QUOTE}]((?:[^{QUOTE}\\\r\n]|\\.)*+)[{QUOTE}]\s*\]"
        rf"(?=[ \t]*(?:[\r\n]|\Z|\[\s*{NAME}\s*[{QUOTE}]))",
        # quotes or brackets inside: up to the last quote and bracket of the line
        rf"\[\s*({NAME})\s*[{QUOTE}]([^\r\n]*)[{QUOTE}][ \t]*\](?=[ \t]*(?:[\r\n]|\Z))",
        # moves behind it on the same line
        rf"\[\s*({NAME})\s*[{QUOTE}]((?:[^{QUOTE}\\\r\n]|\\.)*+)[{QUOTE}]\s*\]",
        # a value over several lines
        rf"\[\s*({NAME})\s*[{QUOTE}]((?:[^{QUOTE}\\\[]|\\.)*+)[{QUOTE}]\s*\]",
    )
)
# No end in sight: the rest of the line.
BROKEN_TAG = re.compile(rf"\[\s*({NAME})[^\S\r\n]*([^\r\n]*)")
WRAPPER = re.compile(r"\[/?pdn\]", re.IGNORECASE)
TAG_LINE = re.compile(rb'[ \t]*\[[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*(?:"|\xe2\x80[\x9c-\x9e])')


def unescape(value: str) -> str:
    """A tag value without its escapes: a backslash before a quote or a backslash."""
    return re.sub(r'\\(["\\])', r"\1", value) if "\\" in value else value


def escape(value: str) -> str:
    r"""Inverse of `unescape`; a backslash is doubled only where it would be read as an escape."""
    value = re.sub(r'\\(?=["\\])|\\$|(?<=\\)\\', r"\\\\", value)
    return value.replace('"', '\\"')
