"""PDN in: whole files or streams, one game after another, whatever state they are in (pdn.md sections 1 to 8).

Reading never fails on content. What a strict reader would refuse is read as well as it can be and noted in
`PdnGame.faults` with line and column; `strict=True` raises PdnError at the first fault instead. Files are cut into
pieces at the first tag of each game, so that memory does not grow with the file and a broken game ends where the next
tags begin.
"""

import io
import re
from collections.abc import Callable, Iterator
from os import PathLike
from typing import BinaryIO, TextIO

from engine.errors import PdnError
from engine.pdn import SEVEN_TAGS, UNKNOWN, Fault, Grade, PdnGame, PdnMove
from engine.pdn_lexer import (
    BROKEN_TAG,
    LOOSE_TAGS,
    NAME,
    TAG_LINE,
    TOKEN,
    WRAPPER,
    Token,
    unescape,
)

Source = bytes | str | PathLike[str] | BinaryIO | TextIO

LINE_BYTES = 1 << 20  # longest piece of a line that is handled at once
PIECE_BYTES = 1 << 20  # text without tags is cut after a result beyond this size
LIMIT_BYTES = 1 << 25  # and anywhere beyond this one
MAX_DEPTH = 64  # nested variations

_ENDS_GAME = re.compile(rb"(?:\*|1/2-1/2|[12]-0|0-[012]|1-1)\s*$")
_NUMBER = re.compile(r"\s*([0-9]+)\s*\.")
_SIGNS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-") | {"\u00d7": "x", "X": "x"})
_PLAIN_TAG = re.compile(rf'\[{NAME} "(?:[^"\\\r\n]|\\.)*"\]')
_DAMAGED_TAG = re.compile(r'[^\r\n]*"\][ \t]*(?=[\r\n]|\Z)')
_BLANKS = re.compile(r"\s+")
_BLANK_LINE = re.compile(r"(?:\r\n?+|\n)[ \t]*+[\r\n]\s*+\Z")
_STANDARD_NAMES = {
    name.lower(): name
    for name in (*SEVEN_TAGS, "GameType", "FEN", "SetUp", "PlyCount", "Variant", "TimeControl", "Termination")
}
_ROUND = str.maketrans("{}", "()")  # braces cannot stand in a comment
_FORCED, _ZUGZWANG = 7, 22  # NAGs of the box and circle that lidraughts writes


def read_games(source: Source, *, strict: bool = False) -> Iterator[PdnGame]:
    """The games of a PDN text, one at a time: text, bytes, a path, or an open file (binary or text).

    Raises PdnError only with `strict`, and OSError where the file cannot be read.
    """
    number = 1
    carried: list[Fault] = []  # of text between games, told with the next one
    for piece, line in _pieces(source):
        text, faults = _decode(piece, line)
        parser = _Parser(text, line, number, strict, carried + faults)
        games, carried = parser.parse(), parser.carried
        for game in games:
            number = game.number + 1
            if strict and game.faults:
                fault = game.faults[0]
                raise PdnError(f"line {fault.line}, column {fault.column}: {fault.reason}")
            yield game
    if carried:
        yield PdnGame(number=number, faults=carried)


def read_game(text: str) -> PdnGame:
    """The first game of a text; an empty one if there is none."""
    return next(read_games(text), PdnGame())


def _pieces(source: Source) -> Iterator[tuple[bytes, int]]:
    """Bytes that hold whole games, with the line they start on."""
    if isinstance(source, str):
        yield from _cut(io.BytesIO(source.encode("utf-8", "surrogatepass")))
    elif isinstance(source, bytes):
        yield from _cut(io.BytesIO(source))
    elif isinstance(source, PathLike):
        with open(source, "rb") as file:
            yield from _cut(file)
    else:
        yield from _cut(source)


def _cut(file: BinaryIO | TextIO) -> Iterator[tuple[bytes, int]]:
    """Cut a file before the first tag line that follows something else."""
    kept: list[bytes] = []
    size, start, line = 0, 1, 1
    moves = False  # something else than tags was seen
    open_value = False  # inside a tag value that goes on over several lines
    at_line_start = True
    while given := file.readline(LINE_BYTES):
        part = given if isinstance(given, bytes) else given.encode("utf-8", "surrogatepass")
        tag = TAG_LINE.match(part) if at_line_start and b"[" in part[:80] else None
        if tag is not None:
            if moves and tag[1].upper() != b"FILENAME":
                yield b"".join(kept), start
                kept, size, start, moves = [], 0, line, False
            open_value = part.count(b'"') % 2 == 1
        elif open_value and part.strip():
            open_value = part.count(b'"') % 2 == 0
        elif not moves and part.strip():
            moves = not part.rstrip().endswith(b'"]')  # else a damaged tag
        kept.append(part)
        size += len(part)
        at_line_start = part.endswith((b"\n", b"\r"))
        line += part.count(b"\n") or (part.count(b"\r") if b"\r" in part else 0)
        if size > PIECE_BYTES and (size > LIMIT_BYTES or (_ENDS_GAME.search(part) and _balanced(b"".join(kept)))):
            yield b"".join(kept), start
            kept, size, start, moves, open_value = [], 0, line, False, False
    if kept:
        yield b"".join(kept), start


def _balanced(piece: bytes) -> bool:
    return piece.count(b"{") == piece.count(b"}")


def _decode(piece: bytes, line: int) -> tuple[str, list[Fault]]:
    """Text of a piece: UTF-8, or Latin-1 where it is none."""
    faults = []
    if line == 1 and piece.startswith(b"\xef\xbb\xbf"):
        piece = piece[3:]
        faults.append(Fault(1, 1, "byte order mark", Grade.NOTE))
    try:
        return piece.decode("utf-8"), faults
    except UnicodeDecodeError as error:
        before = piece[: error.start]
        row = before.count(b"\n")
        column = error.start - before.rfind(b"\n")
        faults.append(Fault(line + row, column, "not UTF-8, read as Latin-1", Grade.NOTE))
        return piece.decode("latin-1"), faults


class _Parser:
    """Turns one piece of text into games."""

    def __init__(self, text: str, line: int, number: int, strict: bool, carried: list[Fault]) -> None:
        self.text = text
        self.line = line
        self.number = number
        self.strict = strict
        self.carried = carried
        self.games: list[PdnGame] = []
        self.game = self.begin()
        self.braces_hopeless = False  # a nested comment was tried and never closed

    def begin(self) -> PdnGame:
        """A fresh game; the one before is kept if it holds anything."""
        self.game = PdnGame(source=self.text, line=self.line, number=self.number, faults=self.carried)
        self.carried = []
        self.moves = self.game.moves  # the line of play that grows
        self.last: PdnMove | None = None  # its last step
        self.pending: tuple[str, ...] = ()  # comments in front of the next step
        self.stack: list[tuple[list[PdnMove], PdnMove, tuple[str, ...], int, int]] = []
        self.body = False  # something else than tags was seen
        self.ended = False  # the terminator was seen
        self.word_end = -1  # where the last stretch of garbage ended
        return self.game

    def finish(self, at: int) -> None:
        """Close the game and keep it."""
        game = self.game
        self.close_all(at)
        if self.pending and self.last is not None:
            self.last.comments += self.pending
        else:
            game.comments += self.pending
        self.pending = ()
        if game.tags or game.moves or game.comments or game.terminator:
            self.games.append(game)
            self.number += 1
        else:
            self.carried = game.faults

    def restart(self, at: int) -> None:
        self.finish(at)
        self.begin()

    def note(self, at: int, reason: str) -> None:
        self.game.fault(at, reason, Grade.NOTE)

    def parse(self) -> list[PdnGame]:
        """All games of the text."""
        text, at, end = self.text, 0, len(self.text)
        move_kind = int(Token.MOVE)  # most tokens are moves: looked at first, and without the enumeration
        handlers: dict[int, Callable[[re.Match[str]], int | None]] = {
            Token.COMMENT: self.comment,
            Token.RESULT: self.result,
            Token.NUMBER: self.move_number,
            Token.STRENGTH: self.strength,
            Token.NAG: self.nag,
            Token.OPEN: self.open,
            Token.CLOSE: lambda m: self.close_bracket(m.start(Token.CLOSE)),
            Token.STAR: self.star,
            Token.TAG: self.tag,
            Token.BRACKET: self.bracket,
            Token.SETUP: self.setup,
            Token.LINE_COMMENT: self.line_comment,
            Token.BRACE: self.brace,
            Token.LOOSE_MOVE: self.loose_move,
            Token.UNKNOWN: self.unknown,
            Token.BARE_NUMBER: self.bare_number,
            Token.WORD: lambda m: self.garbage(m, Token.WORD),
            Token.OTHER: lambda m: self.garbage(m, Token.OTHER),
        }
        while at < end:
            for m in TOKEN.finditer(text, at):
                kind = m.lastindex
                if kind == move_kind:
                    if self.ended:
                        self.go_on(m)
                    self.body = True
                    move = PdnMove(m[move_kind], m.start(move_kind))
                    if self.pending:
                        move.before, self.pending = self.pending, ()
                    self.last = move
                    self.moves.append(move)
                    continue
                assert kind is not None
                if kind == Token.END:
                    at = end
                    break
                resume = handlers[kind](m)
                if resume is not None:
                    at = max(resume, m.start(kind) + 1)
                    break
            else:
                at = end
        self.finish(end)
        return self.games

    # ---------------------------------------------------------------------------------------- tags
    def tag(self, m: re.Match[str]) -> None:
        """A tag as the standard writes it."""
        name, _, rest = m[Token.TAG][1:].partition('"')
        self.add_tag(name.strip(), unescape(rest.rstrip()[:-2]), m.start(Token.TAG))

    def add_tag(self, name: str, value: str, at: int) -> None:
        known = name if name[0].isupper() else _STANDARD_NAMES.get(name.lower(), name)
        if self.body:
            if name.upper() == "FILENAME":  # stands behind its game
                self.game.tags[name] = value
                return
            self.restart(at)
        elif known in self.game.tags and _BLANK_LINE.search(self.text[max(0, at - 80) : at]):
            self.restart(at)  # the game before has no moves
        if not name[0].isupper():
            self.note(at, f"tag name {name} in lower case")
            name = known
        if name in self.game.tags:
            self.game.fault(at, f"tag {name} given twice, the first one counts")
            return
        self.game.tags[name] = value

    def close_all(self, at: int) -> None:
        """Close open variations at the end of a game."""
        while self.stack:
            self.game.fault(self.stack[-1][3], "variation not closed")
            self.close(at)

    def bracket(self, m: re.Match[str]) -> int | None:
        """A tag in any other state, or a stray bracket."""
        at = m.start(Token.BRACKET)
        if wrapper := WRAPPER.match(self.text, at):
            return wrapper.end()
        for pattern in LOOSE_TAGS:
            if found := pattern.match(self.text, at):
                value = found[2]
                self.add_tag(found[1], unescape(_BLANKS.sub(" ", value)), at)
                if not _PLAIN_TAG.fullmatch(found[0]):
                    self.note(at, f"odd spelling of tag {found[1]}")
                return found.end()
        broken = BROKEN_TAG.match(self.text, at)
        line_start = self.text[max(0, at - 40) : at].rstrip(" \t")[-1:] in ("", "\n", "\r")
        if broken is None or not line_start:
            return self.garbage(m, Token.BRACKET)
        self.add_tag(broken[1], broken[2].strip(' \t]"\u201c\u201d'), at)
        self.game.fault(at, f"tag {broken[1]} is not closed")
        return broken.end()

    # ---------------------------------------------------------------------------------------- moves
    def go_on(self, m: re.Match[str]) -> None:
        """Moves behind a result: the next game, or this one if the numbers go on."""
        number = _NUMBER.match(m[0])
        if self.game.terminator != "*" and number and int(number[1]) > 1 and self.moves:
            self.game.fault(m.start(), f"result {self.game.terminator} in the middle of the moves")
            self.game.terminator = ""
            self.ended = False
        else:
            self.restart(m.start())

    def step(self, move: PdnMove) -> None:
        """Add a step to the line of play."""
        move.before, self.pending = self.pending, ()
        self.body = True
        self.last = move
        self.moves.append(move)

    def loose_move(self, m: re.Match[str]) -> None:
        if self.ended:
            self.go_on(m)
        given, at = m[Token.LOOSE_MOVE], m.start(Token.LOOSE_MOVE)
        text = _BLANKS.sub("", given.translate(_SIGNS)).lower()
        if text.isdigit():
            signs = "no sign between the squares"
        elif text != given:
            signs = "blanks, capitals or other signs in it"
        else:
            signs = "leading zeros" if re.search(r"\b0", given) else "unusual spelling"
        self.note(at, f"move {text}: {signs}")
        self.step(PdnMove(text, at))

    def unknown(self, m: re.Match[str]) -> None:
        if self.ended:
            self.go_on(m)
        self.note(m.start(Token.UNKNOWN), "unknown move")
        self.step(PdnMove(UNKNOWN, m.start(Token.UNKNOWN)))

    def move_number(self, m: re.Match[str]) -> None:
        if self.ended:
            self.go_on(m)
        self.body = True

    def bare_number(self, m: re.Match[str]) -> None:
        self.note(m.start(Token.BARE_NUMBER), f"move number {m[Token.BARE_NUMBER]} without a dot")
        if self.ended:
            self.restart(m.start(Token.BARE_NUMBER))
        self.body = True

    def setup(self, m: re.Match[str]) -> None:
        if self.ended:
            self.restart(m.start(Token.SETUP))
        self.step(PdnMove("", m.start(Token.SETUP), setup=m[Token.SETUP].split('"')[1]))

    def strength(self, m: re.Match[str]) -> None:
        mark, at = m[Token.STRENGTH].strip("() \t\r\n"), m.start(Token.STRENGTH)
        if self.last is None:
            self.game.fault(at, f"mark {mark} without a move")
        elif any(char.isdigit() for char in mark):
            self.note(at, "count of captured pieces behind a move")
        elif mark in ("\u25a1", "\u2a00"):
            self.last.nags += (_FORCED if mark == "\u25a1" else _ZUGZWANG,)
            self.note(at, "symbol in place of a NAG")
        else:
            if self.last.strength or at != m.start():
                self.note(at, f"mark {mark} does not follow its move directly")
            self.last.strength += mark

    def nag(self, m: re.Match[str]) -> None:
        if self.last is None:
            self.game.fault(m.start(Token.NAG), f"NAG {m[Token.NAG]} without a move")
        else:
            self.last.nags += (int(m[Token.NAG][1:]),)

    # ---------------------------------------------------------------------------------------- ends
    def result(self, m: re.Match[str]) -> None:
        text, at = m[Token.RESULT], m.start(Token.RESULT)
        if text == "1-1" and not self.is_result(m):
            self.step(PdnMove(text, at))
        else:
            self.terminate(text, at, m.end())

    def is_result(self, m: re.Match[str]) -> bool:
        """Whether `1-1` ends a game here: nothing follows that goes on with it."""
        after = TOKEN.match(self.text, m.end())
        kind = after.lastindex if after else Token.END
        if after is None or kind not in (Token.MOVE, Token.NUMBER, Token.LOOSE_MOVE, Token.STRENGTH):
            return True
        number = _NUMBER.match(after[0])
        return bool(number and int(number[1]) == 1)

    def star(self, m: re.Match[str]) -> None:
        at = m.start(Token.STAR)
        glued = at == m.start() and at > 0 and not self.text[at - 1].isspace()
        if glued and self.last is not None and not self.ended and self.text[at - 1] not in ")}":
            self.last.nags += (_FORCED,)
            self.note(at, "forced move marked with *")
        else:
            self.terminate("*", at, m.end())

    def terminate(self, text: str, at: int, end: int) -> None:
        after = TOKEN.match(self.text, end)
        if self.stack and after is not None and after.lastindex == Token.CLOSE:
            self.note(at, f"result {text} inside a variation")
            self.add_comment(text)
            return
        self.close_all(at)
        if self.ended:
            if text not in ("*", self.game.terminator):
                self.note(at, f"second result {text}")
            return
        if self.strict and text != "*":
            self.note(at, f"result {text} in place of *")
        self.body = self.ended = True
        self.game.terminator = text

    # ---------------------------------------------------------------------------------------- comments
    def add_comment(self, text: str) -> None:
        words = " ".join(text.split())
        if self.last is not None:
            self.last.comments += (words,)
        else:
            self.pending += (words,)
        self.body = True

    def comment(self, m: re.Match[str]) -> None:
        self.add_comment(m[Token.COMMENT][1:-1])

    def line_comment(self, m: re.Match[str]) -> None:
        text, at = m[Token.LINE_COMMENT], m.start(Token.LINE_COMMENT)
        if text[0] == ";":
            self.note(at, "comment with ;")
        self.add_comment(text[1:])

    def brace(self, m: re.Match[str]) -> int:
        """A comment with another one inside, or without an end."""
        at = m.start(Token.BRACE)
        depth = 0
        if not self.braces_hopeless:
            for brace in re.finditer(r"[{}]", self.text[at:]):
                depth += 1 if brace[0] == "{" else -1
                if depth == 0:
                    self.note(at, "comment inside a comment")
                    end = at + brace.end()
                    self.add_comment(self.text[at + 1 : end - 1].translate(_ROUND))
                    return end
            self.braces_hopeless = True
        end = self.text.find("}", at)
        self.game.fault(at, "comment not closed")
        if end < 0:
            end = len(self.text)
        self.add_comment(self.text[at + 1 : end].replace("{", "("))
        return end + 1

    # ---------------------------------------------------------------------------------------- variations
    def open(self, m: re.Match[str]) -> int | None:
        at = m.start(Token.OPEN)
        if self.last is None or self.ended or len(self.stack) >= MAX_DEPTH:
            return self.garbage(m, Token.OPEN)
        self.stack.append((self.moves, self.last, self.pending, at, len(self.game.faults)))
        self.moves, self.last, self.pending = [], None, ()
        return None

    def close_bracket(self, at: int) -> None:
        if self.stack:
            self.close(at)
        else:
            self.game.fault(at, "closing bracket without an opening one")

    def close(self, at: int) -> None:
        """End the innermost variation. One without moves was a comment."""
        moves, comments = self.moves, self.pending
        self.moves, self.last, self.pending, start, faults = self.stack.pop()
        assert self.last is not None
        if moves:
            moves[-1].comments += comments
            self.last.variations += (moves,)
            return
        del self.game.faults[faults:]
        self.note(start, "comment in round brackets")
        self.add_comment(self.text[start + 1 : at].translate(_ROUND))

    # ---------------------------------------------------------------------------------------- garbage
    def garbage(self, m: re.Match[str], group: int) -> int | None:
        """Text that is nothing; a stretch of it is one fault. Returns where to go on."""
        at = m.start(group)
        if self.ended:
            self.restart(at)  # it belongs to the game that comes, if to any
        if self.word_end != m.start() or not self.game.faults:
            if not self.body and (damaged := _DAMAGED_TAG.match(self.text, at)):
                self.game.fault(at, f"damaged tag: {_shown(damaged[0])}")
                return damaged.end()
            if m[group] == ".":
                self.note(at, "stray dot")
            else:
                self.game.fault(at, f"no PDN: {_shown(m[group])}")
        self.word_end = m.end()
        return None


def _shown(text: str) -> str:
    """A short text fit for a message."""
    short = text[:20]
    return short if short.isprintable() else ascii(short)[1:-1]
