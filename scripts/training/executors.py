"""Where work is done: processes on this machine, or the workers of a Dask cluster. The same functions run on both."""

import functools
import importlib
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

Result = TypeVar("Result")
AHEAD = 2  # tasks given out for each worker


@dataclass(frozen=True)
class Where:
    """Where and until when work is done."""

    workers: int = 2
    cluster: str | None = None  # address of a Dask scheduler, in place of processes here
    until: float = float("inf")  # seconds since the epoch; no games begin afterwards


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that ended."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise SystemExit("--cluster needs the extra damier[cluster]: pip install 'damier[cluster]'") from None


class _Travelling:
    """A call that takes the code of the scripts along: workers of a cluster need to have nothing but damier."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = functools.partial(function, *arguments)

    def __call__(self) -> Any:
        return self.call()

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        cloudpickle = _library("cloudpickle")
        cloudpickle.register_pickle_by_value(importlib.import_module(__package__ or ""))
        return cloudpickle.loads, (cloudpickle.dumps(self.call),)


class _Cluster(Executor):
    """The workers of a Dask scheduler."""

    def __init__(self, address: str) -> None:
        distributed = _library("distributed")
        try:
            self._client = distributed.Client(address, timeout=10, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise SystemExit(f"cluster {address}: {error}") from None
        self.size = max(1, sum(self._client.nthreads().values()))
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return self._executor.submit(_Travelling(function, *arguments))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._executor.shutdown(wait)
        self._client.close()


@contextmanager
def open_executor(where: Where) -> Iterator[tuple[Executor, int]]:
    """An executor and how many tasks it runs at once. What has not begun when the block is left is dropped."""
    if where.cluster:
        with _Cluster(where.cluster) as remote:
            yield remote, remote.size
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(where.workers, mp_context=context, initializer=_end_with_parent)
    try:
        yield pool, where.workers
    finally:
        pool.shutdown(cancel_futures=True)


def results(
    executor: Executor,
    size: int,
    function: Callable[..., Result],
    tasks: Iterable[tuple[Any, ...]],
    *,
    in_order: bool = False,
) -> Iterator[Result]:
    """Call a function with each tuple of arguments; tasks are read when there is a worker for them.

    Results come as they are ready, or `in_order` of the tasks.
    """
    waiting: deque[Future[Result]] = deque()
    source = iter(tasks)
    while True:
        while len(waiting) < AHEAD * size and (task := next(source, None)) is not None:
            waiting.append(executor.submit(function, *task))
        if not waiting:
            return
        if in_order:
            yield waiting.popleft().result()
            continue
        done = wait(waiting, return_when=FIRST_COMPLETED).done
        waiting = deque(future for future in waiting if future not in done)
        for future in done:
            yield future.result()
