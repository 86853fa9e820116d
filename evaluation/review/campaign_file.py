"""A campaign's tables, in the same file as the verdicts: who takes part, who judges what, events.

Many people write at once: the file is in WAL mode, so that readers (`protest score`) and one writer
do not wait for each other. Every request that reads has a connection of its own; what is to be
written waits in the queue of one writer (`group_writer`), which has its own. What `submit` has
given a result for, and what `writing` has left, is on disk.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crosspro.evaluation.protest.verdict_tables import connect, only_added, transaction
from crosspro.evaluation.protest.verdicts import VerdictStore
from crosspro.evaluation.review.group_writer import GroupWriter, Job, Result

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


class CampaignFile:
    """The store of a campaign while a program serves it; `close` it at the end."""

    def __init__(self, path: str | Path, digest: str) -> None:
        self.path = Path(path)
        VerdictStore(self.path, digest).connection.close()  # it is there, and of this suite
        # As long as one connection stays open, closing others does not fold the log into the file.
        self._kept = connect(self.path)
        self._kept.execute("PRAGMA journal_mode = WAL")
        self._writer = GroupWriter(self.path)
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
        """Write what waits, and fold the log into the file."""
        self._writer.close()
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
        with self._writer.turn():
            connection = connect(self.path)
            try:
                with transaction(connection, "IMMEDIATE"):
                    yield connection
            finally:
                connection.close()

    def submit(self, job: Job[Result]) -> Future[Result]:
        """Have something written together with what others want to write at this moment.

        It is on disk when the future has a result; when it has an exception, nothing of it is.
        """
        return self._writer.submit(job)

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
