"""People's verdicts in a small SQLite file: annotators, tags, remarks, conflicts, resolutions.

`verdict_records` says what a verdict is, `verdict_tables` how it is kept: nothing is ever written
over. The tables are plain so that other programs can use them, too; the review server does, while
commands read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.evaluation.protest.verdict_records import (
    VALUES,
    AnnotatorVerdict,
    CorrectedWords,
    Item,
    Judgement,
    State,
    Value,
    check_value,
    judgement_of,
)
from crosspro.evaluation.protest.verdict_rows import (
    UnknownValueError,
    add_resolution,
    add_verdict,
    last_verdicts,
    resolutions,
)
from crosspro.evaluation.protest.verdict_tables import (
    APPLICATION,
    VERSION,
    connect,
    make_tables,
    transaction,
    upgrade,
)

__all__ = [
    "VALUES",
    "AnnotatorVerdict",
    "CorrectedWords",
    "Item",
    "Judgement",
    "State",
    "Value",
    "VerdictStore",
    "check_value",
]

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError, UnknownValueError)
"""What a damaged file raises; also its own messages may be no text."""


class VerdictStore:
    """A store of verdicts on one suite; a context manager that closes the file."""

    def __init__(self, path: str | Path, suite: str, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise input_error(self.path, "verdicts", "a file of verdicts", "none")
        try:
            self.connection = connect(self.path)
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error
        try:
            self._prepare(suite)
        except BaseException as error:
            self.connection.close()  # which else holds its lock for as long as the error lives
            if isinstance(error, _UNREADABLE):
                raise self._refused(str(error)) from error
            raise

    def __enter__(self) -> VerdictStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.connection.close()

    def record(self, verdicts: Iterable[AnnotatorVerdict]) -> int:
        """Store verdicts, which count instead of older ones by the same annotators; all or none."""
        count = 0
        with self._transaction() as database:
            for one in verdicts:
                add_verdict(database, one)
                count += 1
        return count

    def resolve(self, verdicts: Iterable[AnnotatorVerdict]) -> int:
        """Store verdicts as the final ones on their items."""
        count = 0
        with self._transaction() as database:
            for one in verdicts:
                add_resolution(database, one)
                count += 1
        return count

    def judgements(self) -> dict[tuple[str, str, str], Judgement]:
        """What the verdicts on each item amount to, by token, system and digest."""
        by_item: dict[tuple[str, str, str], list[AnnotatorVerdict]] = {}
        with self._view() as database:
            for verdict in last_verdicts(database):
                by_item.setdefault(verdict.item.key, []).append(verdict)
            final = {verdict.item.key: verdict for verdict in resolutions(database)}
        keys = dict.fromkeys([*by_item, *final])
        return {key: judgement_of(by_item.get(key, []), final.get(key)) for key in keys}

    def conflicts(self) -> list[tuple[Item, list[AnnotatorVerdict]]]:
        """The items on which annotators disagree, with their verdicts."""
        query = "SELECT token, system, digest FROM item WHERE id IN (SELECT item FROM conflict)"
        found: dict[Item, list[AnnotatorVerdict]] = {}
        with self._view() as database:
            keys = set(database.execute(query).fetchall())
            for verdict in last_verdicts(database):
                if verdict.item.key in keys:
                    found.setdefault(verdict.item, []).append(verdict)
        return list(found.items())

    def verdicts(self) -> list[AnnotatorVerdict]:
        """All verdicts that count, in the order of their items."""
        with self._view() as database:
            return last_verdicts(database)

    def _prepare(self, suite: str) -> None:
        """Make the tables of a new file, all or nothing, or see whose verdicts a file has."""
        with transaction(self.connection, "DEFERRED"):
            new, old = self._is_empty(), self._is_old()
        if new:
            with transaction(self.connection, "IMMEDIATE"):
                if self._is_empty():  # nobody was quicker
                    make_tables(self.connection, suite)
        elif old:
            with transaction(self.connection, "IMMEDIATE"):
                if self._is_old():
                    upgrade(self.connection)
        with transaction(self.connection, "DEFERRED") as database:
            if self._kind() != (APPLICATION, VERSION):
                raise self._refused("another kind of database")
            row = database.execute("SELECT digest FROM suite").fetchone()
        if row is None:
            raise self._refused("no name of a suite")
        if row[0] != suite:
            raise input_error(self.path, "suite", f"verdicts on the suite {suite}", f"on {row[0]}")

    def _is_empty(self) -> bool:
        (tables,) = self.connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        return not tables

    def _is_old(self) -> bool:
        return self._kind() == (APPLICATION, 1)

    def _kind(self) -> tuple[int, int]:
        (application,) = self.connection.execute("PRAGMA application_id").fetchone()
        (version,) = self.connection.execute("PRAGMA user_version").fetchone()
        return application, version

    def _refused(self, found: str) -> InputError:
        return input_error(self.path, "verdicts", "a file of verdicts (SQLite)", found)

    @contextmanager
    def _view(self) -> Iterator[sqlite3.Connection]:
        """What the store holds at one moment, while others may write."""
        try:
            with transaction(self.connection, "DEFERRED") as database:
                yield database
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            with transaction(self.connection, "IMMEDIATE") as database:
                yield database
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error
