"""Text protocols for browsers: each WebSocket connection is a session with an engine of its own.

One text message is one line, as a Hub client in a browser knows it from websocketd (hub.md section 1).
"""

import contextlib
import math
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import trio
from trio_websocket import ConnectionClosed, WebSocketConnection, WebSocketRequest, WebSocketServer

from engine import PARAMS, Engine
from protocol.auto import AutoDialect
from protocol.framing import LONGEST_LINE
from protocol.log import WireLog
from protocol.machine import TextMachine
from protocol.serve import configure
from protocol.session import Session

MOST_PENDING = 256  # messages; beyond it droppable ones are left out
CLOSING = 1.0  # s that a client has to take its last messages
LOOPBACK = ("localhost", "127.0.0.1", "::1")
FORBIDDEN, UNAVAILABLE = 403, 503  # HTTP
ANY = "*"


def is_allowed(origin: str | None, allowed: Sequence[str]) -> bool:
    """Whether a page of that origin may use the engine: pages from this machine, and those that are listed.

    A client that is no browser sends no origin and is allowed; `null`, the origin of local files, must be listed.
    """
    if origin is None or ANY in allowed:
        return True
    if origin.rstrip("/") in (known.rstrip("/") for known in allowed):
        return True
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK
    except ValueError:
        return False


class WebSocketHost:
    """Serves connections, at most `limit` at a time."""

    def __init__(
        self,
        *,
        limit: int,
        origins: Sequence[str] = (),
        parameters: Sequence[tuple[str, str]] = (),
        log: WireLog | None = None,
        engine: Callable[[], Engine] = Engine,
    ) -> None:
        self._limit = limit
        self._origins = tuple(origins)
        self._parameters = tuple(parameters)
        self._log = log or WireLog()
        self._make_engine = engine
        self.served = 0
        self.open = 0

    def check_parameters(self) -> None:
        """Raises OptionError if a connection could not be configured."""
        configure(TextMachine(AutoDialect, PARAMS.values()), self._parameters)

    async def run(self, listeners: Sequence[trio.SocketListener]) -> None:
        """Serve whoever connects, until cancelled."""
        server = WebSocketServer(self._request, listeners, max_message_size=LONGEST_LINE, message_queue_size=8)
        await server.run()

    async def _request(self, request: WebSocketRequest) -> None:
        """Accept or turn away a connection."""
        headers = {name.lower(): value for name, value in request.headers}
        origin = headers.get(b"origin")
        if not is_allowed(None if origin is None else origin.decode("latin-1"), self._origins):
            await request.reject(FORBIDDEN, body=b"this page may not use the engine: see damier ws --origin\n")
            return
        if self.open >= self._limit:
            await request.reject(UNAVAILABLE, body=b"all engines are in use\n")
            return
        self.open += 1
        self.served += 1
        try:
            await self._serve(await request.accept())
        finally:
            self.open -= 1

    async def _serve(self, connection: WebSocketConnection) -> None:
        machine = TextMachine(AutoDialect, PARAMS.values())
        configure(machine, self._parameters)
        machine.paced = False
        send, lines = trio.open_memory_channel[str](math.inf)
        session = Session(machine, self._make_engine(), _Sink(send), self._log)

        async def read() -> bytes:
            try:
                while True:
                    message = await connection.get_message()
                    if isinstance(message, str):  # binary messages belong to no protocol of ours
                        return message.replace("\n", " ").encode() + b"\n"
            except ConnectionClosed:
                return b""

        written = trio.Event()

        async def write() -> None:
            async for line in lines:
                try:
                    await connection.send_message(line)
                except ConnectionClosed:
                    session.output_closed()
                    break
            written.set()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write)
            await session.run(read)
            send.close()
            with trio.move_on_after(CLOSING), contextlib.suppress(ConnectionClosed):
                await written.wait()
                await connection.aclose()
            nursery.cancel_scope.cancel()


class _Sink:
    """Lines on their way to a connection."""

    def __init__(self, channel: "trio.MemorySendChannel[str]") -> None:
        self._channel = channel

    def put(self, line: str, *, droppable: bool, paced: bool) -> None:
        """Send a line soon, after all earlier ones; a WebSocket needs no pauses."""
        if not (droppable and self._channel.statistics().current_buffer_used > MOST_PENDING):
            with contextlib.suppress(trio.ClosedResourceError, trio.BrokenResourceError):
                self._channel.send_nowait(line)
