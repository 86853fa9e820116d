"""Runs one function over many pieces: in this process, in several, or on a Ray cluster.

Results come back in the order of the pieces whatever the engine, so they are the same. This is the
only pool of processes; the second process of the aligner and of feature systems (`fork.py`) is a
fork that shares the text, and has only its end in common with these.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import TypeVar

from crosspro.data_prep.core.errors import CrossproError, choices, how_to_install, input_error
from crosspro.data_prep.core.files.limits import limits_now, within_limits

Piece = TypeVar("Piece")
Pending = TypeVar("Pending")
Result = TypeVar("Result")

ENGINES = ("local", "ray")


def map_shards(
    function: Callable[[Piece], Result],
    shards: Iterable[Piece],
    engine: str = "local",
    jobs: int = 1,
) -> Iterator[Result]:
    """The result of each shard, in order; `function` must be importable by other processes.

    Only a few shards are taken before their results are; on Ray, `jobs` above 1 are the workers of
    a cluster that is begun here.
    """
    if engine not in ENGINES:
        raise input_error("settings", "engine", choices(ENGINES), engine)
    if engine == "ray":
        yield from _map_ray(function, shards, jobs)
    elif jobs <= 1:
        yield from map(function, shards)
    else:
        yield from map_processes(function, shards, jobs)


def map_processes(
    function: Callable[[Piece], Result], pieces: Iterable[Piece], jobs: int
) -> Iterator[Result]:
    """The result of each piece, in order, from as many processes; they end with this one."""
    # Spawned, not forked: threads of numpy and spaCy do not survive a fork.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker) as pool:
        waiting: deque[Future[Result]] = deque()
        limits = limits_now()

        def submit(piece: Piece) -> Future[Result]:
            return pool.submit(within_limits, function, limits, piece)

        try:
            yield from _in_order(pieces, submit, Future.result, waiting, 2 * jobs)
        finally:
            for future in waiting:
                future.cancel()


def end_with_parent() -> None:
    """In a process that multiprocessing started: end it as soon as its parent is gone.

    A parent that was killed cannot tell its children, and a pool's would wait for work for ever.
    """
    parent = parent_process()
    if parent is not None:
        Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def _start_worker() -> None:
    # Each worker has a core of its own: threads of the matrix library would only fight for it.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    end_with_parent()


def _in_order(
    pieces: Iterable[Piece],
    submit: Callable[[Piece], Pending],
    result: Callable[[Pending], Result],
    waiting: deque[Pending],
    most: int,
) -> Iterator[Result]:
    """Results in order; pieces are not read ahead of the work, nor results piled up in memory."""
    for piece in pieces:
        waiting.append(submit(piece))
        if len(waiting) > most:
            yield result(waiting.popleft())
    while waiting:
        yield result(waiting.popleft())


def _map_ray(
    function: Callable[[Piece], Result], shards: Iterable[Piece], jobs: int
) -> Iterator[Result]:
    try:
        import ray
    except ImportError as error:
        raise CrossproError(
            f"engine: expected the package ray, found nothing: {how_to_install('ray')}"
        ) from error
    if not ray.is_initialized():
        elsewhere = jobs <= 1 or "RAY_ADDRESS" in os.environ
        ray.init(log_to_driver=False, num_cpus=None if elsewhere else jobs)
    width = 2 * int(ray.cluster_resources().get("CPU", 1))
    submit = partial(ray.remote(within_limits).remote, function, limits_now())
    yield from _in_order(shards, submit, ray.get, deque(), width)
