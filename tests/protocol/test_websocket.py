"""The WebSocket bridge: one message a line, one engine a connection, only pages that may."""

import gc
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio_websocket import WebSocketConnection, open_websocket_url

from engine import OptionError
from protocol.tcp import LOOPBACK, listen
from protocol.websocket import WebSocketHost, is_allowed

PATIENCE = 60


@asynccontextmanager
async def served(
    limit: int = 2, **fields: Sequence[str] | Sequence[tuple[str, str]]
) -> AsyncIterator[tuple[WebSocketHost, str]]:
    host = WebSocketHost(limit=limit, **fields)  # type: ignore[arg-type]
    with trio.fail_after(PATIENCE):
        async with trio.open_nursery() as nursery:
            listeners = await listen(LOOPBACK, 0)
            nursery.start_soon(host.run, listeners)
            yield host, f"ws://{LOOPBACK}:{listeners[0].socket.getsockname()[1]}"
            nursery.cancel_scope.cancel()


async def refusal(url: str, origin: str = "http://localhost") -> str:
    """The status line that a handshake gets."""
    address = url.removeprefix("ws://")
    host, port = address.split(":")
    request = (
        f"GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nOrigin: {origin}\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    async with await trio.open_tcp_stream(host, int(port)) as stream:
        await stream.send_all(request.encode())
        data = bytes(await stream.receive_some())
    return data.split(b"\r\n")[0].decode()


async def until(client: WebSocketConnection, start: str) -> list[str]:
    lines: list[str] = []
    while not lines or not lines[-1].startswith(start):
        lines.append(await client.get_message())
    return lines


async def test_a_session_in_messages() -> None:
    async with served() as (host, url), open_websocket_url(url) as client:
        await client.send_message("hub")
        lines = await until(client, "wait")
        assert lines[0].startswith("id name=damier")
        assert not any("\n" in line for line in lines)
        for line in ("init", "pos start moves=32-28", "level depth=2", "go think"):
            await client.send_message(line)
        await client.send_message(b"\x00binary")
        lines = await until(client, "done")
        assert lines[0] == "ready"
        assert lines[-1].startswith("done move=")
        await client.send_message("level infinite\n")
        await client.send_message("go analyze")
        await client.send_message("stop")
        assert (await until(client, "done"))[-1].startswith("done move=")
        assert host.open == 1


async def test_each_connection_has_its_own_engine_and_protocol() -> None:
    async with served() as (host, url), open_websocket_url(url) as first, open_websocket_url(url) as second:
        await first.send_message("hub")
        await first.send_message("set-param name=variant value=russian")
        await second.send_message("uci")
        assert (await until(second, "uciok"))[0].startswith("id name damier")
        await first.send_message("pos start")
        await first.send_message("legal")
        assert "21-17" in (await until(first, "legal"))[-1]
        await second.send_message("legalmoves")
        assert "32-28" in await second.get_message()
        assert host.open == 2
        assert " 503" in await refusal(url)


async def test_a_place_becomes_free_when_a_client_leaves_during_a_search() -> None:
    async with served(limit=1) as (host, url):
        for _ in range(3):
            async with open_websocket_url(url) as client:
                await client.send_message("level infinite")
                await client.send_message("go analyze")
                await until(client, "info")
            while host.open:  # noqa: ASYNC110 - nothing tells the end of a session
                await trio.sleep(0.01)
        assert host.served == 3


# The client's library leaves its socket to the collector when the server closes first.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_quit_closes_the_connection() -> None:
    async with served() as (_, url), open_websocket_url(url) as client:
        await client.send_message("ping")
        await client.send_message("quit")
        assert await client.get_message() == "pong"
        while client.closed is None:  # noqa: ASYNC110 - nor that of a connection
            await trio.sleep(0.01)
    del client
    gc.collect()  # here, where the warning is expected


async def test_pages_of_other_origins_are_turned_away() -> None:
    async with served(origins=["https://example.org"]) as (_, url):
        for origin in ("https://example.org", "http://localhost:8000"):
            async with open_websocket_url(url, extra_headers=[(b"Origin", origin.encode())]) as client:
                await client.send_message("ping")
                assert await client.get_message() == "pong"
        assert " 403" in await refusal(url, "https://evil.example")


@pytest.mark.parametrize(
    ("origin", "allowed", "expected"),
    [
        (None, [], True),
        ("http://localhost", [], True),
        ("http://127.0.0.1:8080", [], True),
        ("https://[::1]:8080", [], True),
        ("null", [], False),
        ("null", ["null"], True),
        ("https://example.org", [], False),
        ("https://example.org", ["https://example.org/"], True),
        ("https://example.org.evil.example", ["https://example.org"], False),
        ("http://localhost.evil.example", [], False),
        ("https://anything", ["*"], True),
        ("file://localhost", [], False),
        ("http://[bad", [], False),
        ("", [], False),
    ],
)
def test_origins(origin: str | None, allowed: list[str], expected: bool) -> None:
    assert is_allowed(origin, allowed) is expected


def test_parameters_are_checked_before_anybody_calls() -> None:
    WebSocketHost(limit=1, parameters=[("variant", "english")]).check_parameters()
    with pytest.raises(OptionError):
        WebSocketHost(limit=1, parameters=[("colour", "red")]).check_parameters()
