"""A campaign's tables, in the same file as the verdicts: who takes part, who judges what, events.

Many people write at once: the file is in WAL mode, so that readers (`protest score`) and one writer
do not wait for each other. Every request that reads has a connection to itself; what is to be
written waits in the queue of one writer (`group_writer`), which has its own. What `submit` has
given a result for, and what `writing` has left, is on disk. One process at a time serves a store:
what it keeps in memory (links, the plan) would be out of date in another.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.evaluation.human.group_writer import GroupWriter, Job, Result
from crosspro.evaluation.protest.verdict_rows import UnknownValueError
from crosspro.evaluation.protest.verdict_tables import connect, only_added, transaction
from crosspro.evaluation.protest.verdicts import VerdictStore

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
