"""Joins a protocol machine, the search worker and a client: one nursery, one channel of events.

Only the dispatcher touches the machine. Reader, reports, results and signals post what they have to say into one
channel, so that everything happens in one order.
"""

import math
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

import trio

from protocol.actions import Action, Compute, Configure, PonderHit, Prepare, Quit, Search, Stop, Write
from protocol.framing import LineFramer
from protocol.log import WireLog
from protocol.machine import TextMachine
from protocol.worker import SearchEngine, SearchWorker, clock

Event = Callable[[], list[Action]]

GRACE = 0.1  # s that a leaving session waits for a preparation or for the search thread
CHUNKS = 8  # pieces of input read ahead of the dispatcher
LONGEST_BACKLOG = 10_000  # queued lines above which reading pauses


class LineSink(Protocol):
    """Where answers go. `put` never blocks; a droppable line may be lost when the client does not read."""

    def put(self, line: str, *, droppable: bool, paced: bool) -> None:
        """Send a line soon, after all earlier ones."""


class Session:
    """One client from its first byte to its last."""

    def __init__(self, machine: TextMachine, engine: SearchEngine, sink: LineSink, log: WireLog | None = None) -> None:
        self._machine = machine
        self._engine = engine
        self._sink = sink
        self._log = log or WireLog()
        self._code = 0
        self._send, self._events = trio.open_memory_channel[Event](math.inf)
        self._read_ahead = trio.Semaphore(CHUNKS)
        self._unreleased = 0  # pieces of input that were handled, and whose place the reader has not got back yet

    async def run(self, read: Callable[[], Awaitable[bytes]], *, signals: bool = False) -> int:
        """Serve until the client leaves; returns the exit code. `read` gives bytes, none at the end of input.

        With `signals` SIGTERM and SIGINT end the session with 143 and 130 (main thread only).
        """
        async with trio.open_nursery() as nursery:
            worker = SearchWorker(self._engine, nursery, self._log)
            nursery.start_soon(self._read, read)
            if signals:
                nursery.start_soon(self._watch_signals)
            try:
                await self._dispatch(worker, nursery)
            finally:
                worker.stop()  # also if the session is cancelled: nothing else ends the thread
            with trio.move_on_after(GRACE):
                await worker.wait_idle()
            nursery.cancel_scope.cancel()
        self._log.note(f"end, code {self._code}")
        return self._code

    def output_closed(self) -> None:
        """The client does not take answers any more: the same as the end of its input."""
        self._send.send_nowait(self._machine.end_of_input)

    async def _read(self, read: Callable[[], Awaitable[bytes]]) -> None:
        framer = LineFramer()
        while True:
            await self._read_ahead.acquire()
            data = await read()
            if not data:
                self._log.note("end of input")
                self._send.send_nowait(self._machine.end_of_input)
                return
            for line in framer.feed(data):
                self._log.received(line)
            self._send.send_nowait(partial(self._received, data, clock()))

    def _received(self, data: bytes, arrived: float) -> list[Action]:
        self._unreleased += 1
        return self._machine.receive(data, arrived)

    async def _watch_signals(self) -> None:
        watched = [
            number
            for number in (signal.SIGINT, signal.SIGTERM)
            if signal.getsignal(number) is not signal.SIG_IGN  # whoever started us wants it ignored
        ]
        with trio.open_signal_receiver(*watched) as arrivals:
            async for number in arrivals:
                self._log.note(f"signal {number}")
                self._send.send_nowait(partial(self._killed, 128 + number))

    def _killed(self, code: int) -> list[Action]:
        self._code = code
        return [Quit()]

    async def _dispatch(self, worker: SearchWorker, nursery: trio.Nursery) -> None:
        self._send.send_nowait(partial(self._machine.receive, b""))  # what was set before the first byte
        async for event in self._events:
            actions = event()
            while actions:
                action = actions.pop(0)
                if isinstance(action, Quit) and not action.when_prepared:
                    return
                actions[:0] = self._perform(action, worker, nursery)
            while self._unreleased and self._machine.backlog <= LONGEST_BACKLOG:
                self._unreleased -= 1
                self._read_ahead.release()

    def _perform(self, action: Action, worker: SearchWorker, nursery: trio.Nursery) -> list[Action]:
        machine = self._machine
        match action:
            case Write(line, droppable):
                self._log.sent(line)
                self._sink.put(line, droppable=droppable, paced=machine.paced)
            case Configure(name, value, _):
                try:
                    self._engine.set_param(name, value)
                except Exception as error:  # a parameter that cannot be set must not end the session
                    return machine.refused(action, str(error))
            case Prepare(new_game):
                worker.prepare(
                    new_game, lambda problem, without: self._post(partial(machine.prepared, problem, without))
                )
            case Compute(work):
                worker.compute(work, lambda lines: self._post(partial(machine.computed, lines)))
            case Search():
                worker.search(
                    action,
                    lambda report: self._post(partial(machine.reported, report)),
                    lambda result, problem: self._post(partial(machine.finished, result, problem)),
                )
            case Stop():
                worker.stop()
            case PonderHit():
                worker.ponder_hit()
            case Quit():
                nursery.start_soon(self._quit_later)
        return []

    def _post(self, event: Event) -> None:
        self._send.send_nowait(event)

    async def _quit_later(self) -> None:
        await trio.sleep(GRACE)
        self._post(lambda: [Quit()])
