"""DXP over TCP: carries bytes, searches and the time to the state machines of all connections.

The engine plays one game at a time. Everybody may connect; whoever gets a game has the engine until the
connection ends or has been without a game for a while, the others are answered that another game is welcome
later. A connection has three tasks: one reads, one writes with a pause between messages, one watches the
machine's deadline. They and the search hand everything to the machine in the trio loop and never wait while
they do, so that it sees one order of events.
"""

import math
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import trio

from engine import Limits, Move, Rules
from protocol.actions import Search
from protocol.dxp import DxpMachine, check_board
from protocol.dxp_actions import (
    Action,
    Close,
    Finished,
    GameRecord,
    NewGame,
    Notice,
    Policy,
    Refused,
    Send,
    StopThinking,
    Think,
)
from protocol.dxp_match import Match
from protocol.dxp_messages import printable
from protocol.dxp_states import State
from protocol.log import WireLog
from protocol.tcp import keep_alive
from protocol.worker import SearchEngine, SearchWorker, clock

PAUSE = 0.05  # s between two messages to the same side; pydraughts glues what comes together (dxp.md section 6)
HOLD = 30.0  # s without a game for which a connection keeps the engine
CALLERS = 64  # connections at once
CHUNK = 1024  # bytes read at once
BACKLOG = 32  # unsent messages at which reading pauses
SEND_TIMEOUT = 30.0  # s for one message to be taken
LINGER = 1.0  # s that a connection stays half open, so that the last message is not lost
GRACE = 0.5  # s for good-byes when the program ends
RESERVE = 0.1  # s of the clock that are not for thinking: the pause and the way over the wire

Announce = Callable[[str], None]


class DxpHost:
    """The engine as the DXP connections share it.

    `cap` limits each search beside the clock (depth, nodes, move_time); with a `match` it asks for games,
    without one it waits for requests. `announce` gets a line for the user, `on_game` each game that has
    ended.
    """

    def __init__(
        self,
        engine: SearchEngine,
        rules: Rules,
        policy: Policy,
        *,
        cap: Limits | None = None,
        match: Match | None = None,
        announce: Announce = lambda text: None,
        on_game: Callable[[GameRecord], None] = lambda record: None,
        log: WireLog | None = None,
    ) -> None:
        check_board(rules)
        self.rules = rules
        self.policy = policy
        self.match = match
        self.announce = announce
        self.log = log or WireLog()
        self._engine = engine
        self._cap = cap or Limits()
        self._on_game = on_game
        self._callers: list[Connection] = []
        self._seat: Connection | None = None
        self._worker: SearchWorker | None = None
        self._over = trio.Event()

    # ---- the two ways to meet somebody

    async def listen(self, listeners: Sequence[trio.SocketListener]) -> None:
        """Serve whoever calls, until the match is over or `shut_down` is called."""

        async with trio.open_nursery() as nursery:
            self._begin(nursery)
            nursery.start_soon(partial(trio.serve_listeners, self.serve, list(listeners)))
            await self._over.wait()
            await self._leave()
            nursery.cancel_scope.cancel()

    async def call(self, stream: trio.abc.HalfCloseableStream) -> None:
        """Play on a connection that we opened, until it ends."""

        async with trio.open_nursery() as nursery:
            self._begin(nursery)

            async def serve() -> None:
                await self.serve(stream)
                self._over.set()

            nursery.start_soon(serve)
            await self._over.wait()
            await self._leave()
            nursery.cancel_scope.cancel()

    @property
    def failed(self) -> bool:
        """Whether there was a match and it came to an end before its last game."""
        return self.match is not None and not self.match.over

    def shut_down(self) -> None:
        """Say good-bye on every connection and return from `listen` or `call` soon."""
        self._over.set()

    def _begin(self, nursery: trio.Nursery) -> None:
        self._worker = SearchWorker(self._engine, nursery, self.log)
        self._worker.prepare(False, self._prepared)

    async def _leave(self) -> None:
        for caller in self._callers:
            caller.leave("the program ends")
        with trio.move_on_after(GRACE):
            for caller in list(self._callers):
                await caller.done.wait()
            if self._worker is not None:
                await self._worker.wait_idle()

    async def serve(self, stream: trio.abc.HalfCloseableStream) -> None:
        """One connection from its first byte to its last; no fault of it touches the others."""
        if not self._has_room():
            await trio.aclose_forcefully(stream)
            return
        if isinstance(stream, trio.SocketStream):
            keep_alive(stream)
        connection = Connection(self, stream)
        self._callers.append(connection)
        try:
            await connection.run()
        except Exception as error:  # a fault of ours must not end the game of somebody else
            self.log.note("".join(traceback.format_exception(error)))
            self.announce(f"internal error: {type(error).__name__}: {error}")
        finally:
            self._callers.remove(connection)

    def _has_room(self) -> bool:
        """Whether one more may come, after parting from the first caller without a game if need be."""
        there = [caller for caller in self._callers if not caller.machine.closed]
        if len(there) < CALLERS:
            return True
        idle = [caller for caller in there if caller is not self._seat and not caller.machine.playing]
        if idle:
            idle[0].leave("too many callers")
        return bool(idle)

    # ---- the engine

    def busy_for(self, connection: "Connection") -> bool:
        """Whether somebody else has the engine."""
        seat = self._seat
        if seat is None or seat is connection:
            return False
        return seat.machine.state is not State.IDLE or trio.current_time() - seat.idle_since < HOLD

    def take(self, connection: "Connection") -> None:
        """The connection has the engine from now on."""
        self._seat = connection

    def release(self, connection: "Connection") -> None:
        """The connection is over, and with it the match that was played on it."""
        if self._seat is not connection:
            return
        self._seat = None
        if self.match is not None and self.match.records:
            self._over.set()

    def new_game(self) -> None:
        """Forget the last game."""
        assert self._worker is not None
        self._worker.prepare(True, self._prepared)

    def think(self, connection: "Connection", think: Think) -> None:
        """Search; the move goes to the machine of the connection."""
        assert self._worker is not None
        limits = replace(self._cap, time=think.time - RESERVE, moves=think.moves)
        self._worker.search(
            Search(think.game, limits, "think", clock()),
            lambda report: None,
            lambda result, problem: connection.thought(think.ticket, result.move, problem),
        )

    def stop_thinking(self) -> None:
        """End the search soon."""
        assert self._worker is not None
        self._worker.stop()

    def _prepared(self, problem: str, without: Sequence[str]) -> None:
        for text in (problem, *without):
            if text:
                self.announce(text)

    # ---- games

    def finished(self, record: GameRecord) -> None:
        """A game has ended."""
        self._on_game(record)
        if self.match is not None:
            self.match.add(record)
        moves = (len(record.moves) + 1) // 2
        self.announce(f"{record.white} - {record.black}: {record.result} ({record.termination}, {moves} moves)")


class Connection:
    """One other side: its stream, its machine and what is still to be sent."""

    def __init__(self, host: DxpHost, stream: trio.abc.HalfCloseableStream) -> None:
        self.machine = DxpMachine(host.rules, host.policy, trio.current_time())
        self.idle_since = trio.current_time()
        self._host = host
        self._stream = stream
        self._outbox, self._unsent = trio.open_memory_channel[bytes](math.inf)
        self._changed = trio.Event()  # set when the machine's deadline may have moved
        self._ready = 0.0  # when the next message may go out
        self._room = trio.Event()  # set when a message has been sent
        self.done = trio.Event()

    async def run(self) -> None:
        """Serve until either side leaves."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._read)
                nursery.start_soon(self._watch)
                self._perform([])
                await self._write()
                nursery.cancel_scope.cancel()
        finally:
            self._perform(self.machine.receive(b"", trio.current_time()))
            await self._hang_up()
            self.done.set()

    def thought(self, ticket: int, move: Move | None, problem: str) -> None:
        """A search has ended."""
        if problem:
            self._host.announce(problem)
        self._perform(self.machine.moved(ticket, move, trio.current_time()))

    def leave(self, reason: str) -> None:
        """Say good-bye."""
        self._perform(self.machine.close(reason, trio.current_time()))

    # ---- tasks

    async def _read(self) -> None:
        while not self.machine.closed:
            while self._unsent.statistics().current_buffer_used > BACKLOG:
                self._room = trio.Event()
                await self._room.wait()
            try:
                data = bytes(await self._stream.receive_some(CHUNK))
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            for frame in filter(None, data.split(b"\0")):
                self._host.log.received(printable(frame))
            self.machine.busy = self._host.busy_for(self)
            self._perform(self.machine.receive(data, trio.current_time()))

    async def _write(self) -> None:
        async for data in self._unsent:
            await trio.sleep_until(self._ready)
            try:
                with trio.fail_after(SEND_TIMEOUT):
                    await self._stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
                return
            self._host.log.sent(printable(data[:-1]))
            self._ready = trio.current_time() + PAUSE
            self._room.set()

    async def _watch(self) -> None:
        while not self.machine.closed:
            self._changed = trio.Event()
            deadline = self.machine.deadline
            with trio.move_on_at(math.inf if deadline is None else deadline):
                await self._changed.wait()
            self._perform(self.machine.timeout(trio.current_time()))

    async def _hang_up(self) -> None:
        """Close without losing what was sent: unread bytes would make the system cut the connection."""
        try:
            with trio.move_on_after(LINGER), suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._stream.send_eof()
                for _ in range(CHUNK):
                    if not await self._stream.receive_some(CHUNK):
                        break
        finally:
            await trio.aclose_forcefully(self._stream)

    # ---- actions

    def _perform(self, actions: Iterable[Action]) -> None:
        for action in actions:
            match action:
                case Send(data):
                    self._outbox.send_nowait(data)
                case NewGame():
                    self._host.take(self)
                    self._host.new_game()
                case Think():
                    if not self._unsent.statistics().current_buffer_used:
                        self._ready = 0.0  # a move came, so all that we sent has been read
                    self._host.think(self, action)
                case StopThinking():
                    self._host.stop_thinking()
                case Notice(text):
                    self._host.announce(text)
                case Finished(record):
                    self.idle_since = trio.current_time()
                    self._host.finished(record)
                case Refused(code):
                    why = "no answer" if code is None else f"code {code:d}"
                    self._host.announce(f"the game was refused: {why}")
                    if self._host.match is not None:
                        self._perform(self.machine.close("refused", trio.current_time()))
                case Close(reason):
                    self._host.announce(f"connection closed: {reason}")
                    self._outbox.close()
                    self._host.release(self)
        self._changed.set()
        self._next_game()

    def _next_game(self) -> None:
        """As the initiator: ask for the next game of the match, or leave after the last."""
        match = self._host.match
        if match is None or self.machine.state is not State.IDLE or self._host.busy_for(self):
            return
        if (proposal := match.next()) is None:
            self.leave("the match is over")
        else:
            self._host.take(self)
            self._perform(self.machine.propose(proposal, trio.current_time()))
