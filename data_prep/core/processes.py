"""Work in several processes, and its progress."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar

from crosspro.data_prep.core.errors import CrossproError, how_to_install

Item = TypeVar("Item")
Result = TypeVar("Result")
Engine = Literal["local", "ray"]

Report = Callable[[str, str, int, int], None]
"""Called with a step, a detail of it, how many items are done, and out of how many (0: unknown)."""


def processors() -> int:
    """The processors that this process may use, where the system says; elsewhere 1."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def parallel_map(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int = 1,
    engine: Engine = "local",
) -> Iterator[Result]:
    """The result of each item, in order; other processes must be able to import `function`.

    Items are taken as they are needed. On Ray, `jobs` above 1 start a local cluster of so many
    workers; otherwise all processors of the cluster work.
    """
    if engine == "ray":
        return _map_ray(function, items, jobs)
    return _map_spawned(function, items, jobs) if jobs > 1 else map(function, items)


def _map_spawned(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Spawned, not forked: threads of numpy and spaCy do not survive a fork.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker)
    try:
        pending = (pool.submit(function, item) for item in items)
        yield from _in_order(pending, Future.result, 2 * jobs)
    except BrokenProcessPool as error:
        raise CrossproError(
            "a worker process was ended, perhaps for want of memory: fewer jobs need less"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Use one thread of the matrix library, and exit when the parent process is killed."""
    from multiprocessing import parent_process

    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    parent = parent_process()

    def exit_after_parent() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=exit_after_parent, daemon=True).start()


def _map_ray(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Iterator[Result]:
    # Tasks, not ray.util.multiprocessing.Pool: its imap returns exceptions as results, and stops
    # when an iterator has more than ten items for each actor.
    try:
        import ray
    except ImportError as error:
        raise CrossproError(
            f"engine: expected the package ray, found nothing: {how_to_install('ray')}"
        ) from error
    if not ray.is_initialized():
        local = jobs > 1 and "RAY_ADDRESS" not in os.environ
        ray.init(log_to_driver=False, num_cpus=jobs if local else None)
    task = ray.remote(max_retries=-1)(function)  # the tasks of a node that is lost are tried again
    ahead = 2 * int(ray.cluster_resources().get("CPU", 1))
    yield from _in_order(map(task.remote, items), ray.get, ahead)


def _in_order(pending: Iterable[Any], result: Callable[[Any], Any], ahead: int) -> Iterator[Any]:
    """Results in order, computed so many items ahead; neither items nor results pile up."""
    waiting: deque[Any] = deque()
    for task in pending:
        waiting.append(task)
        if len(waiting) > ahead:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())
