"""An engine that takes part in games: a process and a conversation with it, every wait limited in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio

from engine.move import Move
from engine.position import Position
from engine.rules import Rules
from protocol.match.client import EngineClient, SearchReport, Stage
from protocol.match.clients import make_client
from protocol.match.clock import Clock
from protocol.match.engine_spec import EngineSpec
from protocol.match.process import EngineProcess
from protocol.match.record import EngineFault, Termination

SYNC_SECONDS = 10.0
"""How long an engine may deal with a new game before it is asked for a move all the same.

One that never says that it is done (Hub's `ping` unknown to it) is waited for only once.
"""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long the runner waits where no clock runs, in seconds."""

    stall: float = 60.0  # for an answer to a search without a time limit
    grace: float = 2.0  # for an engine whose flag fell to stop


@dataclass(frozen=True, slots=True)
class Decision:
    """What an engine played and how long it took."""

    move: Move
    seconds: float
    report: SearchReport


class Player:
    """One engine seated in a unit. It is started when a game needs it and again after a fault."""

    def __init__(
        self,
        nursery: trio.Nursery,
        spec: EngineSpec,
        rules: Rules,
        patience: Patience,
        log: Path | None = None,
    ) -> None:
        self.spec = spec
        self._nursery = nursery
        self._rules = rules
        self._patience = patience
        self._log = log
        self._process: EngineProcess | None = None
        self._client: EngineClient = make_client(spec.protocol)
        self._changed = trio.Event()
        self._heard = ""
        self._moment = 0.0
        self._was_ready = False
        self._answers_sync = True

    async def prepare(self) -> None:
        """Start the engine if it does not run, and announce a new game. Raises `EngineFault`."""
        if self._process is not None and self._process.failure is not None:
            await self.close()
        if self._process is None:
            try:
                await self._start()
            except EngineFault:
                await self.close()
                raise
        assert self._process is not None
        await self._say(self._client.new_game())
        if self._answers_sync:
            self._answers_sync = await self._until(lambda: self._client.in_sync, SYNC_SECONDS)

    async def _start(self) -> None:
        self._client = make_client(self.spec.protocol)
        self._heard = ""
        deadline = trio.current_time() + self.spec.start_timeout
        self._process = await EngineProcess.start(
            self._nursery, self.spec, self._log, self._receive, self._notify, self._client.line_end
        )
        await self._say(self._client.hello())
        await self._reach(Stage.DECLARED, deadline)
        await self._say(self._client.configure(self._rules, self.spec.options))
        await self._reach(Stage.IDLE, deadline)
        self._was_ready = True

    @property
    def identity(self) -> str:
        """What the engine calls itself; empty before it was ready."""
        return (self._client.identity or self.spec.name) if self._was_ready else ""

    async def _reach(self, stage: Stage, deadline: float) -> None:
        """Wait for a stage of the start. Raises `EngineFault`."""
        try:
            if await self._until(lambda: self._client.stage is stage, deadline - trio.current_time()):
                return
        except EngineFault as fault:
            if fault.termination is Termination.DISCONNECT:
                failure = self._process.failure if self._process is not None else None
                detail = failure.detail if failure is not None else "ended"
                raise EngineFault(Termination.START, f"{detail} before it was ready{self._stderr()}") from None
            raise
        asked = "introduction" if stage is Stage.DECLARED else "readiness"
        detail = f"no {asked} within {self.spec.start_timeout:g} s"
        if stage is Stage.DECLARED and self._heard:
            shown = self._heard if len(self._heard) <= 80 else self._heard[:77] + "..."
            raise EngineFault(Termination.PROTOCOL, f"{detail}; it does not speak {self.spec.protocol}: {shown!r}")
        raise EngineFault(Termination.STALL, detail + self._stderr())

    async def think(self, start: Position, moves: Sequence[Move], position: Position, clock: Clock) -> Decision:
        """Ask for a move in `position`, which arises from `start` by `moves`, and book the time on the clock.

        The time runs from the moment the request has been written to the arrival of the answer's line end.
        Raises `EngineFault` for anything but a legal move in time.
        """
        allowance = clock.allowance()
        wait = self._patience.stall if allowance is None else allowance + clock.margin
        with trio.move_on_after(self._patience.stall):
            await self._say(self._client.go(start, moves, clock.limits()))
        began = time.perf_counter()
        self._moment = began
        await self._until(lambda: self._client.answer is not None, wait)
        if self._client.answer is None:
            await self._give_up(wait, limited=allowance is not None)
        answer = self._client.answer
        seconds = max(0.0, self._moment - began)
        if not clock.spend(seconds):
            raise EngineFault(
                Termination.TIME,
                f"{seconds:.3f} s used, {allowance or 0.0:.3f} s left and a margin of {clock.margin:g} s",
                restart=False,
            )
        if answer is None or answer.move is None:
            complaint = f"; it says {self._client.complaint!r}" if self._client.complaint else ""
            raise EngineFault(Termination.NO_MOVE, f"an answer without a move{complaint}", restart=False)
        return Decision(self._client.read_move(answer.move, position), seconds, self._client.report)

    async def _give_up(self, waited: float, *, limited: bool) -> None:
        """Nothing came in time: find out whether the engine is late or hangs. Raises unless an answer came now."""
        await self._say(self._client.stop())
        if self._client.answer is not None:
            return  # it crossed our giving up; the clock judges it
        idle = await self._until(lambda: self._client.idle, self._patience.grace)
        late = idle and limited
        detail = f"no answer within {waited:.3f} s" + ("" if idle else f", nor {self._patience.grace:g} s after a stop")
        raise EngineFault(Termination.TIME if late else Termination.STALL, detail + self._stderr(), restart=not idle)

    async def _say(self, data: bytes) -> None:
        if self._process is not None and data:
            await self._process.write(data)

    async def _until(self, predicate: Callable[[], bool], seconds: float) -> bool:
        """Wait until something holds; False when it did not in time. Raises `EngineFault` when it never will."""
        with trio.move_on_after(max(0.0, seconds)):
            while not predicate():
                failure = self._process.failure if self._process is not None else None
                if failure is not None:
                    raise EngineFault(failure.termination, failure.detail + self._stderr())
                await self._changed.wait()
        return predicate()

    def _stderr(self) -> str:
        text = self._process.stderr.text() if self._process is not None else ""
        return f"; stderr: {text}" if text else ""

    def _receive(self, line: str, arrived: float) -> None:
        if not self._heard:
            self._heard = line.strip()
        open_search = self._client.answer is None
        self._client.receive(line)
        if open_search and self._client.answer is not None:
            self._moment = arrived

    def _notify(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def close(self) -> None:
        """End the engine and everything it started."""
        if self._process is not None:
            process, self._process = self._process, None
            await process.close(self._client.quit())

    async def abandon(self) -> None:
        """Kill an engine that cannot be used any more; the next game starts it anew."""
        if self._process is not None:
            self._process.kill()
            await self.close()
