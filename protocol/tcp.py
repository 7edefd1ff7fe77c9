"""TCP for the commands: addresses, listening, calling, and a pipe between a connection and the standard streams."""

import re
import socket
from collections.abc import Sequence

import trio

from engine import FormatError
from protocol.stdio import Reader, write_all

LOOPBACK = "127.0.0.1"
FREE_PORT = "{port}"  # in an address and in the command that listens there: a port that nobody uses
RETRY = 0.25  # s between attempts to connect
CHUNK = 4096
SILENCE = 30  # s without a sign of life before the system asks for one
LINGER = 2.0  # s that the other side has to close after we did


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


async def listen(host: str, port: int) -> Sequence[trio.SocketListener]:
    """Open the listening sockets.

    Raises OSError that names the address.
    """
    try:
        return await trio.open_tcp_listeners(port, host=host)
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None


async def connect(host: str, port: int, patience: float) -> trio.SocketStream:
    """Call, again and again until somebody answers.

    Raises OSError when nobody did for `patience` seconds.
    """
    give_up = trio.current_time() + patience
    while True:
        try:
            with trio.move_on_at(give_up):
                return await trio.open_tcp_stream(host, port)
        except OSError as error:
            if trio.current_time() + RETRY > give_up:
                raise OSError(f"cannot connect to {host}:{port}: {error}") from None
        else:
            raise OSError(f"cannot connect to {host}:{port}: no answer for {patience:g} seconds")
        await trio.sleep(RETRY)


def keep_alive(stream: trio.SocketStream) -> None:
    """Let the system find out when the other machine has vanished without a word."""
    stream.setsockopt(trio.socket.SOL_SOCKET, trio.socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", SILENCE), ("TCP_KEEPINTVL", SILENCE // 3), ("TCP_KEEPCNT", 3)):
        if hasattr(trio.socket, name):
            stream.setsockopt(trio.socket.IPPROTO_TCP, getattr(trio.socket, name), value)


def address(text: str, default_port: int) -> tuple[str, int]:
    """Read `PORT`, `HOST`, `HOST:PORT` or `[HOST]:PORT`; no host stands for this machine alone.

    Raises FormatError.
    """
    if text.isdigit():
        host, port = "", text
    elif text.startswith("[") and "]" in text:
        host, _, port = text[1:].partition("]")
        port = port.removeprefix(":")
    elif text.count(":") > 1:  # an IPv6 address alone
        host, port = text, ""
    else:
        host, _, port = text.partition(":")
    port = port or str(default_port)
    if not re.fullmatch("[0-9]{1,5}", port) or int(port) > 65535:
        raise FormatError("not a port from 0 to 65535", port)
    return host or LOOPBACK, int(port)


async def pipe(stream: trio.SocketStream, greeting: bytes = b"") -> None:
    """Carry standard input to the connection and what comes from it to standard output, until one of them ends.

    `greeting` is written first.
    """

    async def outward(scope: trio.CancelScope) -> None:
        read = Reader(0)
        try:
            while data := await read():
                await stream.send_all(data)
            await stream.send_eof()
            await trio.sleep(LINGER)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        scope.cancel()

    await _write(greeting)
    async with stream, trio.open_nursery() as nursery:
        nursery.start_soon(outward, nursery.cancel_scope)
        try:
            while data := await stream.receive_some(CHUNK):
                await _write(bytes(data))
        except trio.BrokenResourceError:
            pass
        nursery.cancel_scope.cancel()


async def _write(data: bytes) -> None:
    """Write to standard output. Raises BrokenPipeError."""
    await trio.to_thread.run_sync(write_all, data, abandon_on_cancel=True)
