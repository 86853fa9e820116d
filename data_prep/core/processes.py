"""Work in several processes, and how far it is.

`map_shards` runs one function over many pieces: in this process, in several, or on a Ray cluster.
Results come back in the order of the pieces whatever the engine, so they are the same. This is the
only pool of processes. `forked` is one other process that shares all that this one has read: a fork
copies no text and needs no function that another process could import, and what comes back is one
result; `map_forked` has several of them. Where there are threads a fork may find their locks held
for ever, so callers ask first whether one is possible, and do the work themselves otherwise.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crosspro.data_prep.core.errors import CrossproError, choices, how_to_install, input_error
from crosspro.data_prep.core.limits import limit_factor, within_limits

if TYPE_CHECKING:  # they take a while, and many commands need but one process
    from concurrent.futures import Future
    from multiprocessing.connection import Connection


def processors() -> int:
    """Those that this process may use, where it can be asked; elsewhere 1."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def may_have_gpu() -> bool:
    """Whether this machine shows a GPU that CUDA could use; no library is asked."""
    if sys.platform == "win32":
        return True
    return Path("/dev/dxg").exists() or any(Path("/dev").glob("nvidia[0-9]*"))


@contextlib.contextmanager
def collector_off() -> Iterator[None]:
    """Nothing that is made must be collected, and looking for it would take much longer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True)
class Step:
    """How far a step is: its name, what it does now, and how much of it is done."""

    name: str
    detail: str = ""
    done: int = 0
    total: int = 0


Report = Callable[[Step], None]
"""A step begins with its first report, and ends where another begins."""


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
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    # Spawned, not forked: threads of numpy and spaCy do not survive a fork.
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start_worker) as pool:
        waiting: deque[Future[Result]] = deque()
        factor = limit_factor()

        def submit(piece: Piece) -> Future[Result]:
            return pool.submit(within_limits, function, factor, piece)

        try:
            yield from _in_order(pieces, submit, Future.result, waiting, 2 * jobs)
        finally:
            for future in waiting:
                future.cancel()


def end_with_parent() -> None:
    """In a process that multiprocessing started: end it as soon as its parent is gone.

    A parent that was killed cannot tell its children, and a pool's would wait for work for ever.
    """
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def _exit_after(sentinel: int) -> None:
    from multiprocessing.connection import wait

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
    submit = partial(ray.remote(within_limits).remote, function, limit_factor())
    yield from _in_order(shards, submit, ray.get, deque(), width)


def may_fork() -> bool:
    """Whether a fork is safe here: there are no threads of ours, and another process may begin.

    A thread that draws progress is none: it holds locks of the display alone, and no fork draws.
    """
    from multiprocessing import current_process

    threads = [one for one in threading.enumerate() if type(one).__module__ != "rich.live"]
    return len(threads) == 1 and not current_process().daemon and sys.platform == "linux"


@contextlib.contextmanager
def forked(
    work: Callable[[], Result], expected: str, advice: str = ""
) -> Iterator[Callable[[], Result]]:
    """Do some work in another process from here on; what is yielded waits for its result.

    `expected` says what it is, for users whose machine ended the process, probably for memory, and
    `advice` how to need less. What the work raises is raised here.
    """
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, work), daemon=True)
    try:
        process.start()
    except OSError as error:
        found = f"no room for a process: {error.strerror or error}"
        raise CrossproError(f"{expected}, found {found}. {advice}".rstrip()) from error
    sender.close()
    try:
        yield lambda: _receive(receiver, expected, advice)
    finally:
        receiver.close()
        process.terminate()
        process.join()


def map_forked(
    function: Callable[[Piece], Result], pieces: Sequence[Piece], jobs: int, expected: str
) -> list[Result]:
    """The result of each piece, in order, from so many processes that share what this one has read.

    Each process takes every so many-th piece; this one takes part, and does all where none is
    possible.
    """
    jobs = min(jobs, len(pieces))
    if jobs < 2 or not may_fork():
        return [function(piece) for piece in pieces]

    def share(number: int) -> list[Result]:
        return [function(piece) for piece in pieces[number::jobs]]

    with contextlib.ExitStack() as stack:
        begun = (forked(partial(share, number), expected, _FEWER) for number in range(1, jobs))
        others = [stack.enter_context(one) for one in begun]
        shares = [share(0), *(result() for result in others)]
    return [shares[number % jobs][number // jobs] for number in range(len(pieces))]


def parts_of(size: int, jobs: int) -> list[slice]:
    """So many items in parts for `map_forked`: some take longer than others, so each has two."""
    step = max(1, -(-size // (2 * jobs if jobs > 1 else 1)))
    return [slice(start, start + step) for start in range(0, size, step)]


_FEWER = "Fewer --jobs need less."


def _send(sender: Connection, work: Callable[[], Any]) -> None:
    """The other process: it ends when the first does or says so, and leaves interrupts to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent()
    result: tuple[Any, Exception | None]
    try:
        result = (work(), None)
    except Exception as error:
        result = (None, error)
    with contextlib.suppress(BrokenPipeError):
        sender.send(result)


def _receive(receiver: Connection, expected: str, advice: str) -> Any:
    try:
        result, error = receiver.recv()
    except (EOFError, OSError):  # before or within what it sends
        raise _ended(expected, advice) from None
    if isinstance(error, MemoryError):
        raise _ended(expected, advice) from error
    if error is not None:
        raise error
    return result


def _ended(expected: str, advice: str) -> CrossproError:
    found = f"found that it was ended; is there enough memory? {advice}".rstrip()
    return CrossproError(f"{expected}, {found}")
