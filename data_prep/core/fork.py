"""One other process that shares everything that this one has read, and works beside it.

A fork copies no text and needs no function that another process could import; what comes back is
one result. Where there are threads a fork may find their locks held for ever, so callers ask first
whether one is possible, and do the work themselves otherwise.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from crosspro.data_prep.core.engine import end_with_parent
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.processors import processors

Result = TypeVar("Result")


def two_processes_help() -> bool:
    """Whether there is a processor for another process, and nothing that forbids a fork."""
    return (
        processors() > 1
        and threading.active_count() == 1
        and not multiprocessing.current_process().daemon
    )


@contextlib.contextmanager
def forked(
    work: Callable[[], Result], expected: str, advice: str = ""
) -> Iterator[Callable[[], Result]]:
    """Do some work in another process from here on; what is yielded waits for its result.

    `expected` says what it is, for users whose machine ended the process, probably for memory, and
    `advice` how to need less. What the work raises is raised here.
    """
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
