"""Workers that play units: the interface, and worker processes on this machine.

Each local worker is one process with one pipe. A thread in it reads the pipe, so it notices at once when the
runner wants to end or has died; its guard (see `guard`) then kills the engines. A worker that dies fails only its
own unit, and is replaced.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from typing import Any

from engine.errors import DamierError
from protocol.match.record import GameRecord
from protocol.match.unit import Control, Setting, Unit, play_unit

OnGame = Callable[[GameRecord], None]
UnitFuture = Future[list[GameRecord]]


class WorkerLost(DamierError):
    """The worker that played a unit is gone; the unit has to be given to another one."""


class Pool(ABC):
    """Plays units somewhere. `size` is how many at once.

    Finished games come twice: through `on_game`, called from any thread as soon as a game is over, and as the
    result of the future of their unit. The future fails with `WorkerLost` when the unit must be repeated.
    """

    size: int

    @abstractmethod
    def submit(self, unit: Unit) -> UnitFuture:
        """Play a unit."""

    @abstractmethod
    def finish(self) -> None:
        """Let running games end and start no further ones."""

    @abstractmethod
    def abort(self) -> None:
        """Break off the running games."""

    @abstractmethod
    def close(self) -> None:
        """End all workers. Nothing is left behind."""


class _Task:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.future: UnitFuture = Future()


class LocalPool(Pool):
    """Worker processes on this machine."""

    def __init__(self, size: int, setting: Setting, on_game: OnGame, *, pin: bool = False) -> None:
        """Start the workers' attendants; with `pin` each worker and its engines keep to one CPU."""
        self.size = size
        self._cpus = _cpus() if pin else []
        self._setting = setting
        self._on_game = on_game
        self._context = multiprocessing.get_context("spawn")
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._workers: set[_Worker] = set()
        self._order = ""  # "finish" or "abort" once one was given
        self._threads = [threading.Thread(target=self._attend, args=(place,), daemon=True) for place in range(size)]
        for thread in self._threads:
            thread.start()

    def submit(self, unit: Unit) -> UnitFuture:
        task = _Task(unit)
        self._tasks.put(task)
        return task.future

    def finish(self) -> None:
        self._command("finish")

    def abort(self) -> None:
        self._command("abort")

    def _command(self, order: str) -> None:
        with self._lock:
            self._order = order
            for worker in self._workers:
                with contextlib.suppress(OSError):
                    worker.send(order)

    def close(self) -> None:
        for _ in self._threads:
            self._tasks.put(None)
        for thread in self._threads:
            thread.join()

    def _attend(self, place: int) -> None:
        """Look after one worker process: give it units, replace it when it is lost."""
        worker: _Worker | None = None
        while (task := self._tasks.get()) is not None:
            try:
                if worker is None:
                    worker = self._start_worker(place)
                task.future.set_result(worker.play(task.unit, self._on_game))
            except (EOFError, OSError) as error:
                if worker is not None:
                    self._end_worker(worker)
                worker = None
                task.future.set_exception(WorkerLost(f"a worker process ended: {error}".rstrip(": ")))
            except Exception as error:  # what went wrong belongs to whoever waits for the unit
                task.future.set_exception(error)
        if worker is not None:
            self._end_worker(worker)

    def _start_worker(self, place: int) -> _Worker:
        cpu = self._cpus[place % len(self._cpus)] if self._cpus else None
        worker = _Worker(self._context, self._setting, cpu)
        with self._lock:
            self._workers.add(worker)
            if self._order:
                worker.send(self._order)
        return worker

    def _end_worker(self, worker: _Worker) -> None:
        with self._lock:
            self._workers.discard(worker)
        worker.end()


class _Worker:
    """The runner's end of a worker process."""

    def __init__(self, context: SpawnContext, setting: Setting, cpu: int | None) -> None:
        self._pipe, theirs = context.Pipe()
        self._lock = threading.Lock()
        self._process = context.Process(target=worker_main, args=(theirs, setting, cpu), daemon=True)
        self._process.start()
        theirs.close()

    def send(self, message: Unit | str) -> None:
        """Send a unit or an order. Raises OSError when the process is gone."""
        with self._lock:
            self._pipe.send(message)

    def play(self, unit: Unit, on_game: OnGame) -> list[GameRecord]:
        """Play a unit. Raises EOFError or OSError when the process is gone."""
        self.send(unit)
        while True:
            message = self._pipe.recv()
            if isinstance(message, GameRecord):
                on_game(message)
            elif isinstance(message, Exception):
                raise message
            else:
                records: list[GameRecord] = message
                return records

    def end(self) -> None:
        """Close the pipe, upon which the process leaves."""
        self._pipe.close()
        self._process.join(5.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


class _PipeControl(Control):
    """What the runner said through the pipe."""

    def __init__(self) -> None:
        self.order = ""

    def finishing(self) -> bool:
        return bool(self.order)

    def aborted(self) -> bool:
        return self.order == "abort"


def _cpus() -> list[int]:
    """The CPUs this process may use; none where the system cannot say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def worker_main(pipe: Connection[Any, Any], setting: Setting, cpu: int | None) -> None:
    """The body of a worker process."""
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})  # engines inherit it
    with contextlib.suppress(ValueError):
        # the terminal sends ^C to us as well; the runner decides what happens then (a handler of our own is not
        # passed on to engines, SIG_IGN would be)
        signal.signal(signal.SIGINT, lambda *_: None)
    control = _PipeControl()
    units: queue.SimpleQueue[Unit] = queue.SimpleQueue()

    def listen() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                message = pipe.recv()
                if isinstance(message, Unit):
                    units.put(message)
                else:
                    control.order = message
        os._exit(0)  # the runner is gone, in whatever way; our guard kills engines that still run

    threading.Thread(target=listen, daemon=True).start()
    while True:
        unit = units.get()
        answer: list[GameRecord] | Exception
        try:
            answer = play_unit(unit, setting, control, pipe.send)
        except Exception as error:  # goes to the runner, which knows what to do
            answer = RuntimeError(f"pair {unit.pair}:\n" + "".join(traceback.format_exception(error)))
        pipe.send(answer)
