"""The session around a machine: order of events, faults of the engine, ways to leave. No process, no real search."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from engine import PARAMS, OptionError
from protocol.hub_server import HubDialect
from protocol.log import WireLog
from protocol.machine import TextMachine
from protocol.session import Session
from tests.protocol.fake_engine import FakeEngine


class Client:
    """The other end of a session: what was written, and a stream of bytes to it."""

    def __init__(self, engine: FakeEngine, log: WireLog | None = None) -> None:
        self.lines: list[str] = []
        self.machine = TextMachine(HubDialect, PARAMS.values())
        self.session = Session(self.machine, engine, self, log)
        self.wire, self.source = trio.open_memory_channel[bytes](1000)
        self.code: int | None = None
        self.news = trio.Event()
        self.ended = trio.Event()

    def put(self, line: str, *, droppable: bool, paced: bool) -> None:
        self.lines.append(line)
        self.news.set()

    def send(self, *lines: str) -> None:
        self.wire.send_nowait("".join(line + "\n" for line in lines).encode())

    async def read(self) -> bytes:
        try:
            return await self.source.receive()
        except trio.EndOfChannel:
            return b""

    async def run(self) -> None:
        self.code = await self.session.run(self.read)
        self.ended.set()

    async def until(self, found: Callable[[list[str]], object]) -> list[str]:
        """Wait until the lines so far satisfy a condition; returns and forgets them."""
        with trio.fail_after(30):
            while not found(self.lines):
                self.news = trio.Event()
                await self.news.wait()
        lines, self.lines = self.lines, []
        return lines

    async def until_line(self, start: str) -> list[str]:
        return await self.until(lambda lines: any(line.startswith(start) for line in lines))


@asynccontextmanager
async def client_of(engine: FakeEngine, log: WireLog | None = None) -> AsyncIterator[Client]:
    client = Client(engine, log)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(client.run)
        yield client
        client.wire.close()
        with trio.move_on_after(30):
            await client.ended.wait()
        nursery.cancel_scope.cancel()
    assert client.code == 0


async def test_reports_come_before_the_answer() -> None:
    async with client_of(FakeEngine()) as client:
        for _ in range(20):
            client.send("hub", "init", "level depth=2", "go")
            lines = await client.until_line("done")
            assert [line.split()[0] for line in lines[-4:]] == ["ready", "info", "info", "done"]


async def test_a_search_that_breaks_plays_a_legal_move_and_the_next_one_works(tmp_path: Path) -> None:
    engine = FakeEngine()
    engine.breaks = True
    log = WireLog.open(str(tmp_path / "log"))
    async with client_of(engine, log) as client:
        client.send("pos start", "level depth=2", "go")
        lines = await client.until_line("error")
        assert lines[-2].startswith("done move=3")
        assert lines[-1] == 'error message="internal error: ZeroDivisionError: the fake search broke"'
        engine.breaks = False
        client.send("go think", "stop")
        lines = await client.until_line("done")
        assert not any(line.startswith("error") for line in lines)
    log.close()
    assert "ZeroDivisionError" in (tmp_path / "log").read_text()
    assert "Traceback" in (tmp_path / "log").read_text()


async def test_stop_before_the_thread_has_begun() -> None:
    async with client_of(FakeEngine()) as client:
        for _ in range(50):
            client.send("level infinite", "go analyze", "stop", "ping")
            lines = await client.until_line("pong")
            assert sum(line.startswith("done") for line in lines) == 1


async def test_ponder_hit_reaches_the_search() -> None:
    async with client_of(FakeEngine()) as client:
        client.send("level depth=2", "go ponder")
        await client.until_line("info depth=2")
        client.send("ping")
        assert await client.until_line("pong") == ["pong"]
        client.send("ponder-hit")
        assert (await client.until_line("done"))[-1].startswith("done move=")


async def test_preparation_that_fails_or_breaks() -> None:
    engine = FakeEngine()
    async with client_of(engine) as client:
        engine.problem = OptionError("no memory")
        client.send("set-param name=tt-size value=30", "init")
        lines = await client.until_line("ready")
        assert lines == ['error message="no memory"', "ready"]
        assert engine.calls[-1] == "tt-size=22"
        engine.problem = RuntimeError("broken")
        client.send("new-game", "ping")
        lines = await client.until_line("pong")
        assert lines[0] == 'error message="internal error: RuntimeError: broken"'


async def test_a_parameter_that_the_engine_refuses() -> None:
    engine = FakeEngine()
    engine.refuses = {"threads"}
    async with client_of(engine) as client:
        client.send("set-param name=threads value=2", "ping")
        assert await client.until_line("pong") == ['error message="threads: refused"', "pong"]


async def test_leaving_during_a_search_and_a_preparation() -> None:
    for lines in (["level infinite", "go analyze"], ["init"]):
        for leave in ("quit", ""):
            engine = FakeEngine()
            engine.preparing_takes = 0.02
            async with client_of(engine) as client:
                client.send(*lines)
                await trio.sleep(0.03 if lines != ["init"] else 0)
                if leave:
                    client.send(leave)
            assert not any(line.startswith("done") for line in client.lines)
            assert client.lines.count("ready") == (lines == ["init"])


async def test_a_preparation_that_takes_too_long_does_not_hold_up_the_exit() -> None:
    engine = FakeEngine()
    engine.preparing_takes = 1.0
    async with client_of(engine) as client:
        client.send("init", "quit")
        start = trio.current_time()
        await client.ended.wait()
        assert trio.current_time() - start < 0.8


async def test_nobody_reads_any_more() -> None:
    async with client_of(FakeEngine()) as client:
        client.send("level infinite", "go analyze")
        await client.until_line("info")
        client.session.output_closed()
        await client.ended.wait()
        assert client.code == 0


async def test_one_search_at_a_time() -> None:
    engine = FakeEngine()
    async with client_of(engine) as client:
        client.send(*["level infinite", "go analyze"] * 20, "stop")
        await client.until(lambda lines: sum(line.startswith("done") for line in lines) == 20)
        assert engine.calls.count("analyze") == 20


async def test_a_flood_is_read_as_fast_as_it_is_answered() -> None:
    async with client_of(FakeEngine()) as client:
        for _ in range(500):
            client.send(*["ping"] * 50)
        lines = await client.until(lambda lines: len(lines) == 25_000)
        assert set(lines) == {"pong"}
