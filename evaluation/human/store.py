"""A campaign's tables, in the same file as the verdicts: who takes part, who judges what, events.

Many people write at once: the file is in WAL mode, so that readers (`protest score`) and one writer
do not wait for each other. Every request that reads has a connection to itself; what is to be
written waits in the queue of one writer (`GroupWriter`), which has its own. What `submit` has
given a result for, and what `writing` has left, is on disk. One process at a time serves a store:
what it keeps in memory (links, the plan) would be out of date in another.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.evaluation.human.verdicts import (
    PATIENCE,
    UnknownValueError,
    VerdictStore,
    connect,
    only_added,
    transaction,
)

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
    """The queue of a file and the thread that serves it; `close` it at the end.

    Left to SQLite or to a lock, writers wait in growing naps or in any order, and under load some
    are passed again and again. Here they stand in a queue. While the disk is waited for, others
    arrive; all that wait are then written in one transaction, each within a savepoint, so that the
    disk is waited for once and what fails is undone alone. Nobody hears of a result before the
    transaction is on disk. The thread keeps its connection, since opening one takes longer than
    storing an answer. Other processes may write to the same file, and are waited for as SQLite
    does it.
    """

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
        wanted = [job for job in jobs if job.future.set_running_or_notify_cancel()]
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


_TABLES = (
    "CREATE TABLE IF NOT EXISTS campaign (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS person (annotator INTEGER PRIMARY KEY REFERENCES annotator, "
    "generation INTEGER NOT NULL DEFAULT 0, added TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS question (token TEXT NOT NULL, digest TEXT NOT NULL, "
    "asked INTEGER NOT NULL, PRIMARY KEY (token, digest))",
    "CREATE TABLE IF NOT EXISTS assignment (annotator INTEGER NOT NULL REFERENCES annotator, "
    "place INTEGER NOT NULL, kind TEXT NOT NULL, token TEXT NOT NULL, digest TEXT NOT NULL, "
    "PRIMARY KEY (annotator, place))",
)
_ONLY_ADDED = {
    "event": "CREATE TABLE event (id INTEGER PRIMARY KEY, "
    "annotator INTEGER NOT NULL REFERENCES annotator, kind TEXT NOT NULL, "
    "token TEXT NOT NULL, digest TEXT NOT NULL, text TEXT NOT NULL, time TEXT NOT NULL)",
    "answer": "CREATE TABLE answer (id INTEGER PRIMARY KEY, "
    "annotator INTEGER NOT NULL REFERENCES annotator, kind TEXT NOT NULL, "
    "token TEXT NOT NULL, digest TEXT NOT NULL, content TEXT NOT NULL, good INTEGER NOT NULL, "
    "withdrawn INTEGER NOT NULL, time TEXT NOT NULL)",
}
_INDICES = (
    "CREATE INDEX IF NOT EXISTS assignment_of_question ON assignment (token, digest, annotator)",
    "CREATE INDEX IF NOT EXISTS event_by_annotator ON event (annotator, id)",
    "CREATE INDEX IF NOT EXISTS answer_by_annotator ON answer (annotator, id)",
)


PAGE_PATIENCE = 15.0
"""Seconds that somebody who waits for a page, or for a save, lets another program write."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_WORDS = {
    sqlite3.SQLITE_BUSY: "one that another program has locked for too long",
    sqlite3.SQLITE_LOCKED: "one that another program has locked for too long",
    sqlite3.SQLITE_READONLY: "one that may only be read",
    sqlite3.SQLITE_PERM: "one that may not be used",
    sqlite3.SQLITE_FULL: "a full disk",
    sqlite3.SQLITE_IOERR: "a disk that fails or is full",
    sqlite3.SQLITE_CANTOPEN: "one that cannot be opened",
}
_DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError, UnknownValueError, json.JSONDecodeError)


class StoreError(InputError):
    """A store that cannot be used: nothing was stored, and who runs the server has to act."""

    def __init__(self, path: Path, error: Exception) -> None:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        self.busy = code in _BUSY
        self.full = code == sqlite3.SQLITE_FULL
        found = f"{_WORDS.get(code, 'a damaged one')} ({error})"
        expected = "a store that can be read and written"
        super().__init__([Problem(str(path), None, "store", expected, found)])


class CampaignFile:
    """The store of a campaign while a program serves it; `close` it at the end."""

    def __init__(self, path: str | Path, digest: str) -> None:
        self.path = Path(path)
        self._lock = _locked(self.path)
        self._idle: list[sqlite3.Connection] = []
        self._writer: GroupWriter | None = None
        try:
            VerdictStore(self.path, digest).connection.close()  # it is there, and of this suite
            with self._sound():
                # As long as one connection is open, closing others does not fold in the log.
                self._idle.append(connect(self.path, PAGE_PATIENCE))
                self._idle[0].execute("PRAGMA journal_mode = WAL")
                ((state, *_), *_) = self._idle[0].execute("PRAGMA quick_check(1)").fetchall()
                if state != "ok":
                    raise sqlite3.DatabaseError(state)
            self._writer = GroupWriter(self.path, PAGE_PATIENCE)
            with self.writing() as database:
                _make_tables(database)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Write what waits, fold the log into the file, and let others serve it."""
        if self._writer is not None:
            self._writer.close()
        while self._idle:
            self._idle.pop().close()
        self._lock.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the store as it was at one moment."""
        with self._sound():
            try:
                connection = self._idle.pop()
            except IndexError:  # all are in use
                connection = connect(self.path, PAGE_PATIENCE)
            try:
                with transaction(connection, "DEFERRED"):
                    yield connection
            except BaseException:
                connection.close()
                raise
            self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that alone may write; all is on disk when the block is left, or nothing."""
        assert self._writer is not None  # noqa: S101 - there is one once the file is open
        with self._sound(), self._writer.turn():
            connection = connect(self.path, PAGE_PATIENCE)
            try:
                with transaction(connection, "IMMEDIATE"):
                    yield connection
            finally:
                connection.close()

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """A block in which a store that cannot be used is told as such."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except _DAMAGE as error:
            raise StoreError(self.path, error) from error

    def submit(self, job: Job[Result]) -> Future[Result]:
        """Have something written together with what others want to write at this moment.

        It is on disk when the future has a result; when it has an exception, nothing of it is.
        """
        assert self._writer is not None  # noqa: S101 - there is one once the file is open
        return self._writer.submit(job)

    def backup(self, path: Path) -> None:
        """A whole copy as of one moment, while others write."""
        target = sqlite3.connect(path)
        try:
            with self.reading() as source:
                source.backup(target)
        finally:
            target.close()


def _make_tables(database: sqlite3.Connection) -> None:
    for statement in _TABLES:
        database.execute(statement)
    known = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    names = {name for (name,) in known.fetchall()}
    for table, statement in _ONLY_ADDED.items():
        if table not in names:
            for one in (statement, *only_added(table)):
                database.execute(one)
    for statement in _INDICES:
        database.execute(statement)


def _locked(store: Path) -> IO[str]:
    """The file that a server of a store has locked; the lock goes when its process does."""
    path = Path(f"{os.path.realpath(store)}.lock")
    try:
        handle = path.open("a+", encoding="ascii")
    except OSError as error:
        expected = "a store in a folder that can be written"
        raise input_error(store, "store", expected, error.strerror or str(error)) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        handle.seek(0)
        found = f"one that process {handle.read(20).strip() or 'of another user'} serves"
        handle.close()
        expected = "a store that no other server uses (one server for each store)"
        raise input_error(store, "store", expected, found) from error
    except OSError:  # a file system without locks
        return handle
    with suppress(OSError):  # on a full disk nobody learns who it is
        handle.truncate(0)
        handle.write(f"{os.getpid()}\n")
        handle.flush()
    return handle


def settings_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """What was noted about a campaign."""
    rows = connection.execute("SELECT name, value FROM campaign").fetchall()
    return {name: json.loads(value) for name, value in rows}


def note_settings(connection: sqlite3.Connection, settings: Mapping[str, Any]) -> None:
    """Note something about a campaign."""
    rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in settings.items()]
    connection.executemany("INSERT OR REPLACE INTO campaign VALUES (?, ?)", rows)
