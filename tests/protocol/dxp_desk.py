"""A machine with a player that moves at once: what both ends of the DXP tests sit at."""

import random
from collections.abc import Callable, Iterable

from engine import Game, Move, find_variant
from protocol.dxp import DxpMachine
from protocol.dxp_actions import (
    Action,
    Close,
    Finished,
    GameRecord,
    Notice,
    Policy,
    Refused,
    Send,
    StopThinking,
    Think,
)

Player = Callable[[Game], Move | None]


def random_player(seed: int) -> Player:
    """Any legal move, the same ones for the same seed."""
    choice = random.Random(seed).choice
    return lambda game: choice(game.legal_moves())


def request(
    colour: str = "W", *, minutes: str = "001", moves: str = "000", setup: str = "", version: str = "01"
) -> bytes:
    """A GAMEREQ of somebody called Tester; `setup` is the side to move and 50 letters."""
    start = "B" + setup if setup else "A"
    return f"R{version}{'Tester':32}{colour}{minutes}{moves}{start}".encode()


class Desk:
    """Drives one machine: sends frames to it, keeps what it does; thinks when asked if there is a player."""

    def __init__(self, policy: Policy | None = None, player: Player | None = None, variant: str = "international"):
        self.machine = DxpMachine(find_variant(variant), policy)
        self.player = player
        self.now = 0.0
        self.sent: list[bytes] = []
        self.notices: list[str] = []
        self.records: list[GameRecord] = []
        self.refusals: list[Refused] = []
        self.thought: Think | None = None  # the search that runs
        self.closed = ""

    def handle(self, actions: Iterable[Action]) -> None:
        """Carry out actions, checking the order of things on the way."""
        for action in actions:
            assert not self.closed, f"{action} after {self.closed}"
            match action:
                case Send(data):
                    assert data.count(b"\0") == 1
                    assert data.endswith(b"\0")
                    self.sent.append(data[:-1])
                case Think():
                    assert self.thought is None, "two searches at once"
                    self.thought = action
                case StopThinking():
                    assert self.thought is not None, "nothing to stop"
                    self.thought = None
                case Notice(text):
                    self.notices.append(text)
                case Finished(record):
                    self.records.append(record)
                case Refused():
                    self.refusals.append(action)
                case Close(reason):
                    assert self.thought is None, "a search runs on"
                    self.closed = reason
        if self.thought is not None and self.player is not None:
            self.move(self.player(self.thought.game))

    def move(self, move: Move | str | None) -> None:
        """The search that runs has found this move."""
        thought, self.thought = self.thought, None
        assert thought is not None
        if isinstance(move, str):
            move = next(legal for legal in thought.game.legal_moves() if legal.hub() == move)
        self.handle(self.machine.moved(thought.ticket, move, self.now))

    def get(self, *frames: bytes) -> list[bytes]:
        """Deliver frames; returns what is sent because of them."""
        before = len(self.sent)
        self.handle(self.machine.receive(b"".join(frame + b"\0" for frame in frames), self.now))
        return self.sent[before:]

    def wait(self, seconds: float) -> list[bytes]:
        """Let time pass; returns what is sent because of it."""
        before = len(self.sent)
        self.now += seconds
        self.handle(self.machine.timeout(self.now))
        return self.sent[before:]

    def take(self) -> bytes:
        """All that was sent since the last call, as it goes over the wire."""
        data = b"".join(frame + b"\0" for frame in self.sent)
        self.sent.clear()
        return data


def connect(left: Desk, right: Desk, limit: int = 100_000) -> None:
    """Carry bytes between two desks until both are silent."""
    for _ in range(limit):
        there, back = left.take(), right.take()
        if not there and not back:
            return
        if there:
            right.handle(right.machine.receive(there, right.now))
        if back:
            left.handle(left.machine.receive(back, left.now))
    raise AssertionError("they never fall silent")


ACCEPT = b"A" + b"damier".ljust(32) + b"0"


def playing(**kwargs: object) -> Desk:
    """White is ours, 32-28 has been played: the other side is to move."""
    desk = Desk(**kwargs)  # type: ignore[arg-type]
    assert desk.get(request("W")) == [ACCEPT]
    desk.move("32-28")
    assert desk.sent[-1] == b"M0000322800"
    return desk
