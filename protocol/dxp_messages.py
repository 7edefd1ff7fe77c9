"""The messages of DXP (DamExchange) and their text: one letter, then fields of fixed width.

A frame here is the bytes of one message without the NUL byte that ends it. `encode` writes what every known
program reads; `decode` takes what they are known to send and raises FrameError for the rest, nothing else.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from engine import FormatError, Side

VERSION = 1
NAME_LENGTH = 32
MAX_CHAT = 126
MAX_CAPTURED = 20
BOARD_SQUARES = 50


class AcceptCode(IntEnum):
    """Answer to a game request."""

    ACCEPTED = 0
    VERSION = 1  # another protocol version
    NOT_THIS = 2  # not this game, another is welcome
    NEVER = 3  # no games at all


class EndReason(IntEnum):
    """Why a game ends, in the view of the one who sends it."""

    UNKNOWN = 0
    I_LOSE = 1
    DRAW = 2
    I_WIN = 3


class BackCode(IntEnum):
    """Answer to a request to take moves back."""

    YES = 0
    NEVER = 1  # not supported
    NOT_NOW = 2  # the game goes on


class FrameError(FormatError):
    """A frame that is no DXP message.

    `code` is the answer that a game request deserves; `letter` the type of message that was meant ("" if
    unknown).
    """

    def __init__(self, reason: str, frame: bytes = b"", *, code: AcceptCode = AcceptCode.NOT_THIS) -> None:
        super().__init__(reason, printable(frame))
        self.code = code
        letter = frame[:1].decode("latin-1")
        self.letter = letter if letter in _DECODERS else ""


@dataclass(frozen=True, slots=True)
class Setup:
    """A position to start from: the side to move and 50 letters `w z W Z e`, square 1 first."""

    turn: Side
    board: str

    def hub(self) -> str:
        """The same position as a Hub string."""
        return self.turn.letter + self.board.replace("z", "b").replace("Z", "B")

    @classmethod
    def from_hub(cls, text: str) -> "Setup":
        """Read a Hub string of a board with 50 squares."""
        return cls(Side("WB".index(text[0])), text[1:].replace("b", "z").replace("B", "Z"))


@dataclass(frozen=True, slots=True)
class GameRequest:
    """R: a proposal by the initiator; `follower` is the side that the receiver would play.

    `minutes` is for the whole game and each player, 0 stands for "less than one"; `moves` is the length of
    the game for each player, 0 for no limit.
    """

    name: str
    follower: Side
    minutes: float
    moves: int = 0
    setup: Setup | None = None


@dataclass(frozen=True, slots=True)
class GameAccept:
    """A: the follower's answer to a request."""

    name: str
    code: AcceptCode


@dataclass(frozen=True, slots=True)
class MoveMessage:
    """M: a move; `seconds` were used for it, `captured` are squares in any order."""

    frm: int
    to: int
    captured: tuple[int, ...] = ()
    seconds: int = 0


@dataclass(frozen=True, slots=True)
class GameEnd:
    """E: the end of the game or the answer to it; `stop` ends the session as well."""

    reason: EndReason = EndReason.UNKNOWN
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """C: a remark for the human on the other side."""

    text: str


@dataclass(frozen=True, slots=True)
class BackRequest:
    """B: go back to where `side` is to make its move number `move` (the first of the game is 1)."""

    move: int
    side: Side


@dataclass(frozen=True, slots=True)
class BackAccept:
    """K: the answer to a BackRequest."""

    code: BackCode


Message = GameRequest | GameAccept | MoveMessage | GameEnd | Chat | BackRequest | BackAccept


def printable(data: bytes) -> str:
    """Bytes of a peer as text that is safe to show: control and non-ASCII characters become question
    marks."""
    return "".join(chr(byte) if 32 <= byte < 127 else "?" for byte in data)


def encode(message: Message) -> bytes:
    """The frame of a message, without NUL.

    Raises ValueError for a field that has no place in it.
    """
    match message:
        case GameRequest(name, follower, minutes, moves, setup):
            # Fractions and 000 are not portable (dxp.md section 2): never less than one minute is written.
            whole = max(1, math.floor(minutes))
            start = "A" if setup is None else f"B{_colour(setup.turn)}{setup.board}"
            if setup is not None and (len(setup.board) != BOARD_SQUARES or set(setup.board) - set("wzWZe")):
                raise ValueError(f"not a board of {BOARD_SQUARES} squares: {setup.board!r}")
            text = f"R{VERSION:02}{_name(name)}{_colour(follower)}{_digits(whole, 3)}{_digits(moves, 3)}{start}"
        case GameAccept(name, code):
            text = f"A{_name(name)}{code:d}"
        case MoveMessage(frm, to, captured, seconds):
            if len(captured) > MAX_CAPTURED:
                raise ValueError(f"{len(captured)} captured pieces, at most {MAX_CAPTURED} can be sent")
            squares = "".join(_digits(square, 2) for square in captured)
            used = min(max(seconds, 0), 9999)
            text = f"M{used:04}{_digits(frm, 2)}{_digits(to, 2)}{len(captured):02}{squares}"
        case GameEnd(reason, stop):
            text = f"E{reason:d}{stop:d}"
        case Chat(said):
            # Moby Dam obeys what follows "console " (dxp.md section 2): a blank in front makes it plain talk.
            harmless = f" {said}" if said.startswith("console") else said
            text = "C" + (_ascii(harmless)[:MAX_CHAT] or " ")
        case BackRequest(move, side):
            text = f"B{_digits(move, 3)}{_colour(side)}"
        case BackAccept(answer):
            text = f"K{answer:d}"
    return text.encode("ascii")


def decode(frame: bytes) -> Message:
    """The message in a frame.

    Raises FrameError.
    """
    decoder = _DECODERS.get(frame[:1].decode("latin-1"))
    if decoder is None:
        raise FrameError("unknown type of message", frame)
    return decoder(frame)


def _decode_request(frame: bytes) -> GameRequest:
    text = printable(frame)
    version = text[1:3].strip()
    if not version.isdigit() or int(version) != VERSION:
        raise FrameError(
            f"protocol version {version or '?'}, only {VERSION:02} is spoken", frame, code=AcceptCode.VERSION
        )
    fixed = 1 + 2 + NAME_LENGTH + 1 + 3 + 3 + 1
    if len(text) < fixed:
        raise FrameError(f"game request of {len(text)} bytes, {fixed} are the least", frame)
    name, rest = text[3 : 3 + NAME_LENGTH].strip(), text[3 + NAME_LENGTH :]
    follower = _side(rest[0], frame)
    minutes = _minutes(rest[1:4], frame)
    moves = _number(rest[4:7], "number of moves", frame, blank=0)
    match rest[7]:
        case "A" if not rest[8:].strip():
            return GameRequest(name, follower, minutes, moves)
        case "B" if len(text) == fixed + 1 + BOARD_SQUARES:
            board = rest[9:]
            if wrong := set(board) - set("wzWZe"):
                raise FrameError(f"no piece has the letter {min(wrong)!r}", frame)
            return GameRequest(name, follower, minutes, moves, Setup(_side(rest[8], frame), board))
    raise FrameError(f"start position {rest[7]!r} with {len(rest) - 8} more bytes", frame)


def _decode_accept(frame: bytes) -> GameAccept:
    text = printable(frame)
    code = text[1 + NAME_LENGTH : 2 + NAME_LENGTH]
    if code not in ("0", "1", "2", "3"):
        raise FrameError("answer to a game request without a code 0..3", frame)
    return GameAccept(text[1 : 1 + NAME_LENGTH].strip(), AcceptCode(int(code)))


def _decode_move(frame: bytes) -> MoveMessage:
    text = printable(frame).rstrip()
    if len(text) < 11:
        raise FrameError(f"move of {len(text)} bytes, 11 are the least", frame)
    used = text[1:5].strip()  # informational only, so never a reason to refuse the move
    count = _number(text[9:11], "number of captured pieces", frame)
    if count > MAX_CAPTURED or len(text) != 11 + 2 * count:
        raise FrameError(f"move with {count} captured pieces has {len(text)} bytes", frame)
    squares = [_number(text[at : at + 2], "square", frame) for at in (5, 7, *range(11, len(text), 2))]
    return MoveMessage(squares[0], squares[1], tuple(squares[2:]), int(used) if used.isdigit() else 0)


def _decode_end(frame: bytes) -> GameEnd:
    text = printable(frame)
    if len(text) < 3 or text[1] not in "0123" or text[2] not in "01":
        raise FrameError("end of game without a reason 0..3 and a stop code 0 or 1", frame)
    return GameEnd(EndReason(int(text[1])), text[2] == "1")


def _decode_chat(frame: bytes) -> Chat:
    return Chat(printable(frame[1 : 1 + MAX_CHAT]))


def _decode_back_request(frame: bytes) -> BackRequest:
    text = printable(frame)
    return BackRequest(_number(text[1:4], "move number", frame), _side(text[4:5], frame))


def _decode_back_accept(frame: bytes) -> BackAccept:
    code = printable(frame)[1:2]
    if code not in ("0", "1", "2"):
        raise FrameError("answer to a take-back without a code 0..2", frame)
    return BackAccept(BackCode(int(code)))


_DECODERS: dict[str, Callable[[bytes], Message]] = {
    "R": _decode_request,
    "A": _decode_accept,
    "M": _decode_move,
    "E": _decode_end,
    "C": _decode_chat,
    "B": _decode_back_request,
    "K": _decode_back_accept,
}


def _minutes(field: str, frame: bytes) -> float:
    """Scan and Moby Dam read a real here, with blanks around it."""
    whole, _, fraction = field.strip().partition(".")
    if not (whole + fraction).isdigit():
        raise FrameError(f"{field!r} is no number of minutes", frame)
    return int(whole or "0") + (int(fraction) / 10 ** len(fraction) if fraction else 0.0)


def _number(field: str, what: str, frame: bytes, blank: int | None = None) -> int:
    digits = field.strip()
    if not digits and field and blank is not None:
        return blank
    if not digits.isdigit():
        raise FrameError(f"{field!r} is no {what}", frame)
    return int(digits)


def _side(letter: str, frame: bytes) -> Side:
    if letter not in ("W", "Z"):
        raise FrameError(f"{letter!r} is no colour, W and Z are", frame)
    return Side("WZ".index(letter))


def _colour(side: Side) -> str:
    return "WZ"[side]


def _digits(number: int, width: int) -> str:
    text = f"{number:0{width}}"
    if len(text) > width or number < 0:
        raise ValueError(f"{number} does not fit in {width} digits")
    return text


def _name(name: str) -> str:
    return _ascii(name).strip()[:NAME_LENGTH].ljust(NAME_LENGTH)


def _ascii(text: str) -> str:
    return "".join(char if " " <= char <= "~" else "?" for char in text)
