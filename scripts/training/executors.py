"""Where work is done: processes on this machine, or the workers of a Dask cluster. The same functions run on both."""

import importlib
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

Result = TypeVar("Result")
AHEAD = 2  # tasks waiting for each worker


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however that ended."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _open_cluster(address: str) -> Any:
    """A client of the scheduler; the code of the scripts travels with the tasks, so that workers need only damier."""
    try:
        distributed: Any = importlib.import_module("distributed")
        cloudpickle: Any = importlib.import_module("cloudpickle")
    except ImportError:
        raise SystemExit("--cluster needs the extra damier[cluster]: pip install 'damier[cluster]'") from None
    for name in ("records", "play", "chunks"):
        cloudpickle.register_pickle_by_value(importlib.import_module(f"training.{name}"))
    try:
        return distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise SystemExit(f"cluster {address}: {error}") from None


@contextmanager
def open_executor(workers: int, cluster: str | None) -> Iterator[tuple[Executor, int]]:
    """An executor and how many tasks it runs at once. What has not begun when the block is left is dropped."""
    with ExitStack() as stack:
        if cluster:
            client = stack.enter_context(_open_cluster(cluster))
            yield stack.enter_context(client.get_executor(pure=False)), max(1, sum(client.nthreads().values()))
        else:
            context = multiprocessing.get_context("spawn")
            pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
            try:
                yield pool, workers
            finally:
                pool.shutdown(cancel_futures=True)


def results(
    executor: Executor, size: int, function: Callable[..., Result], tasks: Iterable[tuple[Any, ...]]
) -> Iterator[Result]:
    """Call a function with each tuple of arguments; results come as they are ready, tasks are read when needed."""
    waiting: set[Future[Result]] = set()
    source = iter(tasks)
    while True:
        for task in source:
            waiting.add(executor.submit(function, *task))
            if len(waiting) >= AHEAD * size:
                break
        if not waiting:
            return
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()
