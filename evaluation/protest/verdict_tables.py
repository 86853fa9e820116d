"""The tables of a store of verdicts: what is written into them stays.

Verdicts and resolutions are only ever added (triggers say so): an annotator's verdict on an item is
the last one by its number, whatever the clock said, and one that is taken back is a further row.
Version 1 kept the last verdicts only; such a file becomes version 2 when it is opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

APPLICATION = 0x70726F74
VERSION = 2

PATIENCE = 60.0
"""Seconds to wait while others write."""

_ITEMS = """
CREATE TABLE suite (digest TEXT NOT NULL);
CREATE TABLE annotator (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL, system TEXT NOT NULL, digest TEXT NOT NULL,
    pronoun TEXT NOT NULL, head TEXT NOT NULL, anaphoric INTEGER NOT NULL,
    UNIQUE (token, system, digest)
);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
"""

_OPINION = """
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL REFERENCES item, annotator INTEGER NOT NULL REFERENCES annotator,
    pronoun TEXT NOT NULL CHECK (pronoun IN ('right', 'wrong', 'unclear')),
    antecedent TEXT CHECK (antecedent IN ('right', 'wrong', 'unclear')),
    remark TEXT NOT NULL DEFAULT '',
    time TEXT NOT NULL DEFAULT ''
"""

_VERDICTS = f"""
CREATE TABLE verdict ({_OPINION},
    bad INTEGER NOT NULL DEFAULT 0,
    words_at TEXT, words TEXT NOT NULL DEFAULT '',
    alternative TEXT NOT NULL DEFAULT '',
    withdrawn INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX verdict_on_item ON verdict (item, annotator, id);
CREATE INDEX verdict_by_annotator ON verdict (annotator, item, id);
CREATE TABLE verdict_tag (
    verdict INTEGER NOT NULL REFERENCES verdict, tag INTEGER NOT NULL REFERENCES tag,
    PRIMARY KEY (verdict, tag)
);
CREATE TABLE resolution ({_OPINION});
CREATE INDEX resolution_of_item ON resolution (item, id);
CREATE VIEW last_verdict AS
    SELECT * FROM verdict AS one WHERE NOT withdrawn AND NOT EXISTS (
        SELECT 1 FROM verdict AS later
        WHERE later.item = one.item AND later.annotator = one.annotator AND later.id > one.id);
CREATE VIEW last_resolution AS
    SELECT * FROM resolution WHERE id IN (SELECT MAX(id) FROM resolution GROUP BY item);
CREATE VIEW conflict AS
    SELECT item FROM last_verdict WHERE item NOT IN (SELECT item FROM resolution)
    GROUP BY item
    HAVING COUNT(DISTINCT pronoun) > 1 OR COUNT(DISTINCT COALESCE(antecedent, '')) > 1
"""  # noqa: S608 - no word of it is from outside

_ONLY_ADDED = ("verdict", "verdict_tag", "resolution")

_FROM_VERSION_1 = (
    "INSERT INTO verdict (id, item, annotator, pronoun, antecedent, remark)"
    " SELECT rowid, item, annotator, pronoun, antecedent, remark FROM old_verdict",
    "INSERT INTO verdict_tag SELECT old_verdict.rowid, old_verdict_tag.tag FROM old_verdict_tag"
    " JOIN old_verdict USING (item, annotator)",
    "INSERT INTO resolution (item, annotator, pronoun, antecedent, remark)"
    " SELECT item, annotator, pronoun, antecedent, remark FROM old_resolution",
    "DROP TABLE old_verdict_tag",
    "DROP TABLE old_verdict",
    "DROP TABLE old_resolution",
)


def connect(path: Path, patience: float = PATIENCE) -> sqlite3.Connection:
    """A connection that waits for others, and that begins no transaction by itself.

    It may go from thread to thread, but no two of them may use it at once.
    """
    connection = sqlite3.connect(
        path, timeout=patience, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")  # what is committed has reached the disk
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(
    connection: sqlite3.Connection, kind: Literal["DEFERRED", "IMMEDIATE"]
) -> Iterator[sqlite3.Connection]:
    """A transaction: a view that does not change, or (IMMEDIATE) the only writer.

    A writer that begins as a reader cannot wait for another one, and fails where this waits.
    """
    connection.execute(f"BEGIN {kind}")
    try:
        yield connection
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def make_tables(connection: sqlite3.Connection, suite: str) -> None:
    """The tables of a new store, within a transaction."""
    _run(connection, _ITEMS)
    _make_verdicts(connection)
    connection.execute("INSERT INTO suite VALUES (?)", (suite,))
    connection.execute(f"PRAGMA application_id = {APPLICATION}")


def upgrade(connection: sqlite3.Connection) -> None:
    """Make version 2 of a file of version 1, within a transaction: nothing is lost."""
    connection.execute("DROP VIEW conflict")
    for table in ("verdict_tag", "verdict", "resolution"):
        connection.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    _make_verdicts(connection)
    for statement in _FROM_VERSION_1:
        connection.execute(statement)


def now() -> str:
    """The time as it is written with a verdict."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def moment(time: str) -> datetime:
    """A time that was written with a verdict; raises ValueError if it is none.

    Verdicts of version 1 have no time, and are older than all others.
    """
    if not time:
        return datetime.min.replace(tzinfo=UTC)
    found = datetime.fromisoformat(time)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def later(time: str, last: str) -> str:
    """The time of a verdict that follows another: a clock that goes back does not make it older."""
    try:
        before = moment(last)
        if moment(time) > before:
            return time
        after = before.astimezone(UTC) + timedelta(milliseconds=1)
    except (ValueError, OverflowError):  # no time that can be compared
        return time
    return after.isoformat(timespec="milliseconds")


def only_added(table: str) -> Iterator[str]:
    """The statements that keep rows of a table as they are."""
    for action in ("UPDATE", "DELETE"):
        yield (
            f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'rows are only added'); END"
        )


def _make_verdicts(connection: sqlite3.Connection) -> None:
    _run(connection, _VERDICTS)
    for table in _ONLY_ADDED:
        for statement in only_added(table):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _run(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        connection.execute(statement)
