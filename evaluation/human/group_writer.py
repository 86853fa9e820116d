"""One thread that writes for everybody: first come, first served, and many in one transaction.

Left to SQLite or to a lock, writers wait in growing naps or in any order, and under load some are
passed again and again. Here they stand in a queue. While the disk is waited for, others arrive; all
that wait are then written in one transaction, each within a savepoint, so that the disk is waited
for once and what fails is undone alone. Nobody hears of a result before the transaction is on disk.
The thread keeps its connection, since opening one takes longer than storing an answer.

Other processes may write to the same file, and are waited for as SQLite does it.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from crosspro.evaluation.protest.verdict_tables import PATIENCE, connect, transaction

Result = TypeVar("Result")
Job = Callable[[sqlite3.Connection], Result]


class _Waiting(Generic[Result]):
    """A job, what came of it, and where that is told once it is on disk."""

    def __init__(self, job: Job[Result]) -> None:
        self.future: Future[Result] = Future()
        self._job = job
        self._results: list[Result] = []
        self._error: Exception | None = None

    def run(self, connection: sqlite3.Connection) -> None:
        """Do it so that, if it fails, only its own part is undone."""
        connection.execute("SAVEPOINT job")
        try:
            self._results.append(self._job(connection))
        except Exception as error:
            if not connection.in_transaction:  # on a full disk SQLite undoes everything by itself
                raise
            connection.execute("ROLLBACK TO job")
            self._error = error
        connection.execute("RELEASE job")

    def tell(self, failed: BaseException | None) -> None:
        """Say what came of it: nothing, if the transaction has failed."""
        error = self._error or failed
        if error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(self._results[0])


class _Turn:
    """A place in the queue of somebody who writes with a connection of their own."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.ended = threading.Event()


class GroupWriter:
    """The queue of a file and the thread that serves it; `close` it at the end."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self._path = path
        self._patience = patience
        self._queue: deque[_Waiting[Any] | _Turn] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, name="writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[Result]) -> Future[Result]:
        """Put something that writes into the queue.

        When its future has a result, it is on disk; when it has an exception, nothing of it is.
        """
        waiting = _Waiting(job)
        self._put(waiting)
        return waiting.future

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn; nobody else of this process writes until the block is left."""
        own = _Turn()
        self._put(own)
        own.begun.wait()
        try:
            yield
        finally:
            own.ended.set()

    def close(self) -> None:
        """Write what waits, and stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _put(self, one: _Waiting[Any] | _Turn) -> None:
        with self._changed:
            if self._closed:
                raise ValueError("the file is closed")
            self._queue.append(one)
            self._changed.notify()

    def _next(self) -> _Turn | list[_Waiting[Any]] | None:
        """The turn that is next, or all jobs up to it; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._closed)
            jobs: list[_Waiting[Any]] = []
            while self._queue:
                one = self._queue.popleft()
                if isinstance(one, _Turn) and not jobs:
                    return one
                if isinstance(one, _Turn):
                    self._queue.appendleft(one)
                    break
                jobs.append(one)
            return jobs or None

    def _serve(self) -> None:
        connection: sqlite3.Connection | None = None
        while (found := self._next()) is not None:
            if isinstance(found, _Turn):
                found.begun.set()
                found.ended.wait()
            else:
                connection = self._written(found, connection)
        if connection is not None:
            connection.close()

    def _written(
        self, jobs: list[_Waiting[Any]], connection: sqlite3.Connection | None
    ) -> sqlite3.Connection | None:
        """Write jobs in one transaction and tell everybody; the connection, if it can go on."""
        wanted = [one for one in jobs if one.future.set_running_or_notify_cancel()]
        failed: BaseException | None = None
        try:
            connection = connection or connect(self._path, self._patience)
            with transaction(connection, "IMMEDIATE"):
                for one in wanted:
                    one.run(connection)
        except BaseException as error:  # whatever it was: everybody is told, and others come
            failed = error
            if connection is not None:
                connection.close()  # which ends a transaction that a failing commit leaves open
        for one in wanted:
            one.tell(failed)
        return connection if failed is None else None
