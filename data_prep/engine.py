"""Runs one function over many shards: in this process, in several, or on a Ray cluster.

Results come back in the order of the shards whatever the engine, so they are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from crosspro.data_prep.errors import CrossproError, choices, input_error

Shard = TypeVar("Shard")
Result = TypeVar("Result")

ENGINES = ("local", "ray")


def map_shards(
    function: Callable[[Shard], Result],
    shards: Sequence[Shard],
    engine: str = "local",
    jobs: int = 1,
) -> Iterator[Result]:
    """The result of each shard, in order; `function` must be importable by other processes."""
    if engine not in ENGINES:
        raise input_error("settings", "engine", choices(ENGINES), engine)
    if engine == "ray":
        yield from _map_ray(function, shards)
    elif jobs <= 1 or len(shards) <= 1:
        yield from map(function, shards)
    else:
        yield from _map_processes(function, shards, min(jobs, len(shards)))


def _map_processes(
    function: Callable[[Shard], Result], shards: Sequence[Shard], jobs: int
) -> Iterator[Result]:
    # Spawned, not forked: threads of numpy and spaCy do not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for shard in shards:
                waiting.append(pool.submit(function, shard))
                if len(waiting) > 2 * jobs:  # results are not piled up in memory
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _map_ray(function: Callable[[Shard], Result], shards: Sequence[Shard]) -> Iterator[Result]:
    try:
        import ray
    except ImportError as error:
        raise CrossproError(
            "engine: expected the package ray, found nothing: pip install 'crosspro[ray]'"
        ) from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    remote = ray.remote(function)
    width = 2 * int(ray.cluster_resources().get("CPU", 1))
    waiting: deque[object] = deque()
    for shard in shards:
        waiting.append(remote.remote(shard))
        if len(waiting) > width:
            yield ray.get(waiting.popleft())
    while waiting:
        yield ray.get(waiting.popleft())
