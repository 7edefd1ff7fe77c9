"""Workers of a Dask cluster (extra `damier[cluster]`): the same units, played on other machines.

The engines' commands must work on every machine of the cluster. When a Dask worker dies, the scheduler gives its
units to others; games that were reported before are not counted again by the runner.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import threading
import uuid
from concurrent.futures import CancelledError, Future
from typing import Any

from engine.errors import OptionError
from protocol.match.pool import OnGame, Pool, UnitFuture, WorkerLost
from protocol.match.record import GameRecord
from protocol.match.unit import Control, Setting, Unit, play_unit

CONNECT_SECONDS = 10.0
POLL_SECONDS = 1.0


def _distributed() -> Any:
    """The library, which is an extra and slow to import."""
    return importlib.import_module("distributed")


def _pack(record: GameRecord) -> str:
    return json.dumps(record.to_json())


def _unpack(text: str) -> GameRecord:
    return GameRecord.from_json(json.loads(text))


class ClusterPool(Pool):
    """Plays units on a Dask scheduler; by default as many at once as its workers have threads."""

    def __init__(self, address: str, size: int | None, setting: Setting, on_game: OnGame) -> None:
        """Connect. Raises `OptionError` when there is no Dask or nobody at the address."""
        try:
            distributed = _distributed()
        except ImportError:
            raise OptionError("--cluster needs the extra damier[cluster]: pip install 'damier[cluster]'") from None
        try:
            self._client: Any = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise OptionError(f"cluster {address}: {error}") from None
        self._lost = (distributed.scheduler.KilledWorker, CancelledError)
        self.size = size or max(1, sum(self._client.nthreads().values()))
        self._setting = setting
        self._topic = f"damier-match-{uuid.uuid4().hex}"
        self._order: Any = distributed.Variable(self._topic, client=self._client)
        self._order.set("")
        self._client.subscribe_topic(self._topic, lambda event: on_game(_unpack(event[1])))

    def submit(self, unit: Unit) -> UnitFuture:
        future: UnitFuture = Future()
        task = self._client.submit(
            play_on_cluster, unit, self._setting, self._topic, pure=False, key=f"{self._topic}-{uuid.uuid4().hex}"
        )
        task.add_done_callback(lambda done: self._pass_on(done, future))
        return future

    def _pass_on(self, task: Any, future: UnitFuture) -> None:
        try:
            future.set_result([_unpack(text) for text in task.result()])
        except self._lost as error:
            future.set_exception(WorkerLost(str(error)))
        except Exception as error:  # what went wrong belongs to whoever waits for the unit
            future.set_exception(error)

    def finish(self) -> None:
        self._order.set("finish")

    def abort(self) -> None:
        self._order.set("abort")

    def close(self) -> None:
        with contextlib.suppress(Exception):  # a scheduler that is gone needs no good-bye
            self._client.unsubscribe_topic(self._topic)
            self._order.delete()
        self._client.close()


class _ClusterControl(Control):
    """Asks the scheduler now and then what the runner wants, in a thread of its own."""

    def __init__(self, topic: str) -> None:
        distributed = _distributed()
        self._order = ""
        self._ended = threading.Event()
        self._variable: Any = distributed.Variable(topic, client=distributed.get_client())
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def _poll(self) -> None:
        while not self._ended.wait(POLL_SECONDS):
            try:
                self._order = self._variable.get(timeout=CONNECT_SECONDS)
            except TimeoutError:  # the runner took the variable away
                self._order = "abort"

    def finishing(self) -> bool:
        return bool(self._order)

    def aborted(self) -> bool:
        return self._order == "abort"

    def close(self) -> None:
        """End the thread."""
        self._ended.set()


def play_on_cluster(unit: Unit, setting: Setting, topic: str) -> list[str]:
    """Play a unit inside a Dask worker; finished games are announced under `topic` as well."""
    worker = _distributed().get_worker()
    control = _ClusterControl(topic)
    try:
        records = play_unit(unit, setting, control, lambda record: worker.log_event(topic, _pack(record)))
    finally:
        control.close()
    return [_pack(record) for record in records]
