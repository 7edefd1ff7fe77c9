"""Both ends of a DXP connection over loopback: a host with an engine that moves at once, and a plain caller."""

import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import trio

from engine import Control, Game, Limits, Mode, Report, Result, find_variant
from protocol.dxp_actions import GameRecord, Policy
from protocol.dxp_framing import FrameBuffer
from protocol.dxp_match import Match
from protocol.session_dxp import DxpHost


class RandomEngine:
    """Plays any legal move, at once or (`endless`) only when it is stopped."""

    def __init__(self, seed: int = 1, *, endless: bool = False) -> None:
        self.random = random.Random(seed)
        self.endless = endless
        self.searching = False
        self.limits: list[Limits] = []

    def set_param(self, name: str, value: object) -> None:
        """There is nothing to set."""

    def new_game(self) -> None:
        """There is nothing to forget."""

    def prepare(self) -> None:
        """There is nothing to prepare."""

    def take_problems(self) -> list[str]:
        return []

    def search(
        self,
        game: Game,
        limits: Limits,
        mode: Mode,
        on_report: Callable[[Report], None],
        control: Control,
    ) -> Result:
        """A random move."""
        self.limits.append(limits)
        self.searching = True
        while self.endless and not control.stopped:
            time.sleep(0.001)
        self.searching = False
        return Result(self.random.choice(game.legal_moves()))


class Caller:
    """The other side of a connection, frame by frame."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.chunks: list[bytes] = []  # as they were read
        self._frames: list[bytes] = []
        self._buffer = FrameBuffer()

    async def send(self, *frames: bytes) -> None:
        """Send frames in one piece."""
        await self.stream.send_all(b"".join(frame + b"\0" for frame in frames))

    async def get(self, within: float = 30.0) -> bytes:
        """The next frame; b"" when the connection was closed."""
        with trio.fail_after(within):
            while not self._frames:
                data = bytes(await self.stream.receive_some(4096))
                if not data:
                    return b""
                self.chunks.append(data)
                self._frames += self._buffer.feed(data)
        return self._frames.pop(0)

    async def ask(self, *frames: bytes) -> bytes:
        """Send frames and wait for one."""
        await self.send(*frames)
        return await self.get()


class Table:
    """A listening host: `call()` connects to it."""

    def __init__(self, host: DxpHost, listeners: list[trio.SocketListener], notices: list[str]) -> None:
        self.host = host
        self.port = int(listeners[0].socket.getsockname()[1])
        self.notices = notices
        self._calls: list[Caller] = []

    async def call(self) -> Caller:
        """A new connection."""
        caller = Caller(await trio.open_tcp_stream("127.0.0.1", self.port))
        self._calls.append(caller)
        return caller

    async def hang_up(self) -> None:
        """Close all connections."""
        for caller in self._calls:
            await trio.aclose_forcefully(caller.stream)


@asynccontextmanager
async def table(
    engine: RandomEngine | None = None,
    policy: Policy | None = None,
    match: Match | None = None,
    variant: str = "international",
) -> AsyncIterator[Table]:
    """A host on a free port while the block runs; whatever happens in it takes less than a minute."""
    notices: list[str] = []
    records: list[GameRecord] = []
    host = DxpHost(
        engine or RandomEngine(),
        find_variant(variant),
        policy or Policy(),
        match=match,
        announce=notices.append,
        on_game=records.append,
    )
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    with trio.fail_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(host.listen, listeners)
            place = Table(host, listeners, notices)
            try:
                yield place
            finally:
                await place.hang_up()
                host.shut_down()
