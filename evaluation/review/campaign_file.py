"""A campaign's tables, in the same file as the verdicts: who takes part, who judges what, events.

Many people write at once: the file is in WAL mode, so that readers (`protest score`) and one writer
do not wait for each other. Every request that reads has a connection of its own. What is to be
written waits in a queue; whoever is first writes all that waits there in one transaction, so that
the disk is waited for once. What `write` and `writing` have left is on disk.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

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

Result = TypeVar("Result")


class _Waiting(Generic[Result]):
    """Something to be written, and what came of it."""

    def __init__(self, job: Callable[[sqlite3.Connection], Result]) -> None:
        self.job = job
        self.done = False
        self.results: list[Result] = []
        self.error: BaseException | None = None

    def run(self, connection: sqlite3.Connection) -> None:
        """Do it so that, if it fails, only its own part is undone."""
        connection.execute("SAVEPOINT job")
        try:
            self.results.append(self.job(connection))
        except Exception as error:
            connection.execute("ROLLBACK TO job")
            self.error = error
        connection.execute("RELEASE job")

    def result(self) -> Result:
        """What it gave, or what went wrong."""
        if self.error is not None:
            raise self.error
        return self.results[0]


class CampaignFile:
    """The store of a campaign while a program serves it; `close` it at the end."""

    def __init__(self, path: str | Path, digest: str) -> None:
        self.path = Path(path)
        VerdictStore(self.path, digest).connection.close()  # it is there, and of this suite
        self._lock = threading.Lock()
        self._queue: deque[_Waiting[Any]] = deque()
        # As long as one connection stays open, closing others does not fold the log into the file.
        self._kept = connect(self.path)
        self._kept.execute("PRAGMA journal_mode = WAL")
        with self.writing() as database:
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

    def close(self) -> None:
        """Fold the log into the file."""
        self._kept.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the store as it was at one moment."""
        connection = connect(self.path)
        try:
            with transaction(connection, "DEFERRED"):
                yield connection
        finally:
            connection.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that alone may write; all is on disk when the block is left, or nothing."""
        with self._lock:
            connection = connect(self.path)
            try:
                with transaction(connection, "IMMEDIATE"):
                    yield connection
            finally:
                connection.close()

    def write(self, job: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something that writes, with all that others want to write at this moment.

        It is on disk when this returns; if it raises, nothing of it is.
        """
        waiting = _Waiting(job)
        self._queue.append(waiting)
        with self._lock:
            if not waiting.done:
                self._write_all()
        return waiting.result()

    def _write_all(self) -> None:
        """Write what waits, for everybody who has put it there."""
        some = [self._queue.popleft() for _ in range(len(self._queue))]
        connection = connect(self.path)
        try:
            with transaction(connection, "IMMEDIATE"):
                for one in some:
                    one.run(connection)
        except BaseException as error:
            for one in some:
                one.error = one.error or error
            raise
        finally:
            for one in some:
                one.done = True
            connection.close()

    def backup(self, path: Path) -> None:
        """A whole copy as of one moment, while others write."""
        target = sqlite3.connect(path)
        try:
            with self.reading() as source:
                source.backup(target)
        finally:
            target.close()


def settings_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """What was noted about a campaign."""
    rows = connection.execute("SELECT name, value FROM campaign").fetchall()
    return {name: json.loads(value) for name, value in rows}


def note_settings(connection: sqlite3.Connection, settings: Mapping[str, Any]) -> None:
    """Note something about a campaign."""
    rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in settings.items()]
    connection.executemany("INSERT OR REPLACE INTO campaign VALUES (?, ?)", rows)
