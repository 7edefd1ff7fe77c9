"""The initiator's side of DXP as an engine client, without input or output (dxp.md).

DXP is a game between equals and knows no searches: the first `go` of a game asks for one from the position on the
board, later ones send the last move, and the answer is the other side's MOVE. What has to be answered in between
(GAMEEND, BACKREQ) goes out with the next thing that is said. A frame is a line whose end is NUL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.errors import IllegalMoveError, MoveError
from engine.move import Move
from engine.position import Position
from engine.rules import Rules
from engine.types import Side
from protocol.dxp_messages import (
    AcceptCode,
    BackAccept,
    BackCode,
    BackRequest,
    Chat,
    EndReason,
    FrameError,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MoveMessage,
    Setup,
    decode,
    encode,
)
from protocol.match.client import Answer, EngineClient, Stage
from protocol.match.clock import SearchLimits
from protocol.match.record import EngineFault, Termination

NAME = "damier match"
SIZE = 10  # columns and rows of the only board that DXP carries
LONGEST = 999  # minutes and moves of a request

_REASONS = {
    EndReason.UNKNOWN: "it ended the game",
    EndReason.I_LOSE: "it resigned",
    EndReason.DRAW: "it ended the game as a draw",
    EndReason.I_WIN: "it claimed a win",
}


def _frames(*messages: Message) -> bytes:
    return b"".join(encode(message) + b"\0" for message in messages)


class DxpClient(EngineClient):
    """Asks a DXP program for games and moves. The pipe to it says when it is connected, by a CHAT."""

    line_end = b"\0"

    def __init__(self) -> None:
        super().__init__()
        self._asked = False  # a GAMEREQ or a game is open
        self._ending = False  # our GAMEEND waits for its answer
        self._told: tuple[Move, ...] = ()  # the moves that the other side knows of
        self._start: Position | None = None  # where they begin
        self._owed: list[Message] = []  # answers that go out with the next bytes

    def hello(self) -> bytes:
        self.stage = Stage.DECLARING
        return b""

    def configure(self, rules: Rules, options: Mapping[str, str]) -> bytes:
        if (rules.columns, rules.rows) != (SIZE, SIZE) or rules.all_squares:
            raise EngineFault(Termination.PROTOCOL, f"DXP cannot carry {rules.name}, only boards of 10x10")
        if options:
            raise EngineFault(Termination.PROTOCOL, f"DXP has no options, but {', '.join(options)} is to be set")
        self.stage = Stage.IDLE
        return b""

    def new_game(self) -> bytes:
        return self._end_game()

    def go(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        self._begin_search()
        said = self._settled()
        if self._asked and start == self._start and tuple(moves[:-1]) == self._told and moves:
            last = moves[-1]
            said += _frames(MoveMessage(last.frm, last.to, last.captured))
        else:
            said += self._end_game() + self._request(start, moves, limits)
        self._start, self._told = start, tuple(moves)
        return said

    def _request(self, start: Position, moves: Sequence[Move], limits: SearchLimits) -> bytes:
        position = start
        for move in moves:
            position = position.play(move)
        setup = Setup.from_hub(position.hub()[: 1 + position.rules.squares])
        minutes = LONGEST if limits.time is None else min(limits.time / 60, LONGEST)
        self._asked = True
        return _frames(GameRequest(NAME, Side(position.turn), minutes, min(limits.moves, LONGEST), setup))

    def stop(self) -> bytes:
        if self.stage is not Stage.SEARCHING:
            return b""
        self.stage = Stage.STOPPING
        return self._end_game()

    def quit(self) -> bytes:
        return self._settled() + _frames(GameEnd(EndReason.UNKNOWN, stop=True))

    def receive(self, line: str) -> None:
        try:
            message = decode(line.encode("latin-1", "replace"))
        except FrameError:
            return
        match message:
            case Chat(text):
                self.complaint = text
                if self.stage is Stage.DECLARING:
                    self.complaint = ""
                    self.stage = Stage.DECLARED
            case GameAccept(name, AcceptCode.ACCEPTED):
                self.identity = name
            case GameAccept(_, code):
                self._fail(f"it refused the game with code {code:d}")
            case MoveMessage() if self.stage is Stage.SEARCHING:
                self._end_search(Answer(line))
            case GameEnd(reason):
                self._ended(reason)
            case BackRequest():
                self._owed.append(BackAccept(BackCode.NEVER))
            case GameRequest():
                self._owed.append(GameAccept(NAME, AcceptCode.NOT_THIS))

    def read_move(self, text: str, position: Position) -> Move:
        try:
            message = decode(text.encode("latin-1", "replace"))
        except FrameError as error:
            raise MoveError(error.reason, text) from None
        if isinstance(message, MoveMessage):
            captured = tuple(sorted(message.captured))
            for move in position.legal_moves():
                if (move.frm, move.to, move.captured) == (message.frm, message.to, captured):
                    self._told = (*self._told, move)
                    return move
        raise IllegalMoveError("illegal move", text)

    def _end_game(self) -> bytes:
        """End the game that is open, if any; `in_sync` waits for the answer."""
        said = self._settled()
        if not self._asked:
            return said
        self._asked = False
        self._ending = True
        self.in_sync = False
        return said + _frames(GameEnd())

    def _ended(self, reason: EndReason) -> None:
        if self._ending:
            self._ending = False
            self.in_sync = True
            if self.stage is Stage.STOPPING:
                self.stage = Stage.IDLE
        elif self._asked:
            self._owed.append(GameEnd())
            self._fail(_REASONS[reason])

    def _fail(self, complaint: str) -> None:
        """No game, so no move."""
        self._asked = False
        self.complaint = complaint
        self._end_search(Answer(None))

    def _settled(self) -> bytes:
        """What is owed to the other side."""
        said = _frames(*self._owed)
        self._owed.clear()
        return said
