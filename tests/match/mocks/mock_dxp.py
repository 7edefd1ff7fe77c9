"""A DXP engine without a search: it takes the first legal move, and misbehaves on request.

Arguments: PORT BEHAVIOUR. It waits for one call at a time, as a follower.
"""

import socket
import sys
import time

from engine.game import Game
from engine.position import Position
from engine.types import Side
from protocol.dxp_framing import FrameBuffer
from protocol.dxp_messages import (
    AcceptCode,
    BackRequest,
    Chat,
    EndReason,
    GameAccept,
    GameEnd,
    GameRequest,
    Message,
    MoveMessage,
    decode,
    encode,
)

PORT, BEHAVIOUR = int(sys.argv[1]), sys.argv[2]


class Mock:
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.side = Side.WHITE
        self.game: Game | None = None

    def send(self, message: Message) -> None:
        self.connection.sendall(encode(message) + b"\0")

    def run(self) -> None:
        """Follow until the other side leaves."""
        frames = FrameBuffer()
        while data := self.connection.recv(4096):
            for frame in frames.feed(data):
                self.answer(decode(frame))

    def answer(self, message: Message) -> None:
        """Obey a message."""
        if isinstance(message, GameRequest):
            if BEHAVIOUR == "refuse":
                self.send(Chat("not today"))
                self.send(GameAccept("Mock", AcceptCode.NOT_THIS))
                return
            self.side = message.follower
            start = Position.start("international")
            self.game = Game(Position.from_hub(message.setup.hub(), "international") if message.setup else start)
            self.send(GameAccept("Mock", AcceptCode.ACCEPTED))
        elif isinstance(message, MoveMessage) and self.game is not None:
            move = next(
                move
                for move in self.game.legal_moves()
                if (move.frm, move.to, move.captured) == (message.frm, message.to, tuple(sorted(message.captured)))
            )
            self.game.play(move)
        elif isinstance(message, GameEnd):
            if self.game is not None:
                self.send(GameEnd())
            self.game = None
            return
        self.think()

    def think(self) -> None:
        """Move if it is our turn, or do what the command line asks for."""
        if self.game is None or self.game.position.turn is not self.side or self.game.outcome is not None:
            return
        move = min(self.game.legal_moves(), key=str)
        if BEHAVIOUR == "hang":
            time.sleep(600)
        elif BEHAVIOUR == "late":
            time.sleep(0.9)
        elif BEHAVIOUR == "illegal":
            self.send(MoveMessage(1, 50))
            return
        elif BEHAVIOUR == "resign":
            self.send(Chat("well played"))
            self.send(GameEnd(EndReason.I_LOSE))
            self.game = None
            return
        elif BEHAVIOUR == "leave":
            self.connection.close()
            sys.exit(0)
        elif BEHAVIOUR == "nuisance":
            self.connection.sendall(b"?what\0")
            self.send(Chat("thinking"))
            self.send(BackRequest(1, self.side))
        self.game.play(move)
        self.send(MoveMessage(move.frm, move.to, move.captured))


def main() -> None:
    """Wait for calls."""
    with socket.create_server(("127.0.0.1", PORT)) as server:
        while True:
            connection, _ = server.accept()
            try:
                Mock(connection).run()
            except OSError:
                connection.close()


if __name__ == "__main__":
    main()
