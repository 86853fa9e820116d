"""People's verdicts in a small SQLite file: annotators, tags, remarks, conflicts, resolutions.

An *item* is a token in one system's output as it was seen: a changed output is a new item. Each
annotator has one verdict an item, about the pronoun and, for anaphoric tokens, the antecedent's
head (001 §3). Items on which annotators disagree are conflicts until somebody resolves them. The
tables are plain so that other programs, such as a review page, can use them, too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from crosspro.data_prep.errors import InputError, Problem, choices, input_error

Value = Literal["right", "wrong", "unclear"]
VALUES = ("right", "wrong", "unclear")
State = Literal["right", "wrong", "unclear", "conflict"]

_PATIENCE = 60.0
"""Seconds to wait while other annotators write."""

APPLICATION = 0x70726F74
VERSION = 1

_SCHEMA = """
CREATE TABLE suite (digest TEXT NOT NULL);
CREATE TABLE annotator (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL, system TEXT NOT NULL, digest TEXT NOT NULL,
    pronoun TEXT NOT NULL, head TEXT NOT NULL, anaphoric INTEGER NOT NULL,
    UNIQUE (token, system, digest)
);
CREATE TABLE verdict (
    item INTEGER NOT NULL REFERENCES item, annotator INTEGER NOT NULL REFERENCES annotator,
    pronoun TEXT NOT NULL CHECK (pronoun IN ('right', 'wrong', 'unclear')),
    antecedent TEXT CHECK (antecedent IN ('right', 'wrong', 'unclear')),
    remark TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (item, annotator)
);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE verdict_tag (
    item INTEGER NOT NULL, annotator INTEGER NOT NULL, tag INTEGER NOT NULL REFERENCES tag,
    PRIMARY KEY (item, annotator, tag),
    FOREIGN KEY (item, annotator) REFERENCES verdict ON DELETE CASCADE
);
CREATE TABLE resolution (
    item INTEGER PRIMARY KEY REFERENCES item,
    annotator INTEGER NOT NULL REFERENCES annotator,
    pronoun TEXT NOT NULL CHECK (pronoun IN ('right', 'wrong', 'unclear')),
    antecedent TEXT CHECK (antecedent IN ('right', 'wrong', 'unclear')),
    remark TEXT NOT NULL DEFAULT ''
);
CREATE VIEW conflict AS
    SELECT item FROM verdict WHERE item NOT IN (SELECT item FROM resolution)
    GROUP BY item
    HAVING COUNT(DISTINCT pronoun) > 1 OR COUNT(DISTINCT COALESCE(antecedent, '')) > 1;
"""


@dataclass(frozen=True, slots=True)
class Item:
    """What was judged: a token in a system's output, and the words that stood for it there."""

    token: str
    system: str
    digest: str
    pronoun: str
    head: str
    anaphoric: bool

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells items apart."""
        return self.token, self.system, self.digest


@dataclass(frozen=True, slots=True)
class AnnotatorVerdict:
    """One person's opinion of an item; no antecedent for tokens that have none."""

    item: Item
    annotator: str
    pronoun: Value
    antecedent: Value | None
    tags: tuple[str, ...] = ()
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all verdicts on an item amount to: that of the resolution, or of all if they agree."""

    item: Item
    pronoun: State
    antecedent: State | None
    annotators: tuple[str, ...]
    tags: tuple[str, ...]
    remarks: tuple[str, ...]
    resolved: bool

    @property
    def in_conflict(self) -> bool:
        """Whether annotators disagree and nobody has decided."""
        return "conflict" in (self.pronoun, self.antecedent)


_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What a damaged file raises; also its own messages may be no text."""


class VerdictStore:
    """A store of verdicts on one suite; a context manager that closes the file."""

    def __init__(self, path: str | Path, suite: str, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise input_error(self.path, "verdicts", "a file of verdicts", "none")
        try:
            # Transactions are begun here, not by the module: see `_begun`.
            self.connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
            self.connection.execute("PRAGMA foreign_keys = ON")
            self._prepare(suite)
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error

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
        """Store verdicts, in place of older ones by the same annotators; all of them or none."""
        count = 0
        with self._transaction() as database:
            for one in verdicts:
                item, annotator = self._item(one.item), self._name("annotator", one.annotator)
                key = (item, annotator)
                database.execute("DELETE FROM verdict WHERE item = ? AND annotator = ?", key)
                database.execute(
                    "INSERT INTO verdict VALUES (?, ?, ?, ?, ?)",
                    (*key, one.pronoun, one.antecedent, one.remark),
                )
                for tag in dict.fromkeys(one.tags):
                    row = (*key, self._name("tag", tag))
                    database.execute("INSERT INTO verdict_tag VALUES (?, ?, ?)", row)
                count += 1
        return count

    def resolve(self, verdicts: Iterable[AnnotatorVerdict]) -> int:
        """Store verdicts as the final ones on their items."""
        count = 0
        with self._transaction() as database:
            for one in verdicts:
                row = (
                    self._item(one.item),
                    self._name("annotator", one.annotator),
                    one.pronoun,
                    one.antecedent,
                    one.remark,
                )
                database.execute("INSERT OR REPLACE INTO resolution VALUES (?, ?, ?, ?, ?)", row)
                count += 1
        return count

    def judgements(self) -> dict[tuple[str, str, str], Judgement]:
        """What the verdicts on each item amount to, by token, system and digest."""
        by_item: dict[tuple[str, str, str], list[AnnotatorVerdict]] = {}
        for verdict in self.verdicts():
            by_item.setdefault(verdict.item.key, []).append(verdict)
        final = {verdict.item.key: verdict for verdict in self._resolutions()}
        keys = dict.fromkeys([*by_item, *final])
        return {key: _judgement(by_item.get(key, []), final.get(key)) for key in keys}

    def conflicts(self) -> list[tuple[Item, list[AnnotatorVerdict]]]:
        """The items on which annotators disagree, with their verdicts."""
        query = "SELECT token, system, digest FROM item WHERE id IN (SELECT item FROM conflict)"
        keys = set(map(tuple, self._rows(query)))
        found: dict[Item, list[AnnotatorVerdict]] = {}
        for verdict in self.verdicts():
            if verdict.item.key in keys:
                found.setdefault(verdict.item, []).append(verdict)
        return list(found.items())

    def verdicts(self) -> list[AnnotatorVerdict]:
        """All verdicts, in the order of their items."""
        query = """
            SELECT item.token, item.system, item.digest, item.pronoun, item.head, item.anaphoric,
                   annotator.name, verdict.pronoun, verdict.antecedent, verdict.remark,
                   (SELECT GROUP_CONCAT(name, ' ') FROM (SELECT tag.name AS name FROM verdict_tag
                    JOIN tag ON tag.id = verdict_tag.tag WHERE verdict_tag.item = verdict.item
                    AND verdict_tag.annotator = verdict.annotator ORDER BY tag.name))
            FROM verdict JOIN item ON item.id = verdict.item
            JOIN annotator ON annotator.id = verdict.annotator
            ORDER BY item.id, annotator.name"""
        return [self._verdict(row) for row in self._rows(query)]

    def _resolutions(self) -> list[AnnotatorVerdict]:
        query = """
            SELECT item.token, item.system, item.digest, item.pronoun, item.head, item.anaphoric,
                   annotator.name, resolution.pronoun, resolution.antecedent, resolution.remark, ''
            FROM resolution JOIN item ON item.id = resolution.item
            JOIN annotator ON annotator.id = resolution.annotator ORDER BY item.id"""
        return [self._verdict(row) for row in self._rows(query)]

    def _verdict(self, row: Sequence[object]) -> AnnotatorVerdict:
        token, system, digest, words, head, anaphoric, *rest = row
        names = [str(one) for one in (token, system, digest)]
        item = Item(names[0], names[1], names[2], str(words), str(head), bool(anaphoric))
        annotator, pronoun, antecedent, remark, tags = rest
        values = [_value(pronoun), None if antecedent is None else _value(antecedent)]
        if values[0] is None:
            raise self._refused(f"the verdict {pronoun!r}")
        own_tags = tuple(str(tags or "").split())
        return AnnotatorVerdict(item, str(annotator), values[0], values[1], own_tags, str(remark))

    def _prepare(self, suite: str) -> None:
        """Make the tables of a new file, all or nothing, or see whose verdicts a file has."""
        with self._begun("DEFERRED"):
            new = self._is_empty()
        if new:
            with self._begun("IMMEDIATE"):
                if self._is_empty():  # nobody was quicker
                    self._make_tables(suite)
        with self._begun("DEFERRED") as database:
            (application,) = database.execute("PRAGMA application_id").fetchone()
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if application != APPLICATION or version != VERSION:
                raise self._refused("another kind of database")
            row = database.execute("SELECT digest FROM suite").fetchone()
        if row is None:
            raise self._refused("no name of a suite")
        if row[0] != suite:
            raise input_error(self.path, "suite", f"verdicts on the suite {suite}", f"on {row[0]}")

    def _is_empty(self) -> bool:
        (tables,) = self.connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        return not tables

    def _make_tables(self, suite: str) -> None:
        for statement in _SCHEMA.split(";"):
            self.connection.execute(statement)
        self.connection.execute("INSERT INTO suite VALUES (?)", (suite,))
        self.connection.execute(f"PRAGMA application_id = {APPLICATION}")
        self.connection.execute(f"PRAGMA user_version = {VERSION}")

    def _refused(self, found: str) -> InputError:
        return input_error(self.path, "verdicts", "a file of verdicts (SQLite)", found)

    def _rows(self, query: str) -> list[tuple[object, ...]]:
        try:
            return self.connection.execute(query).fetchall()
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._begun("IMMEDIATE") as database:
                yield database
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error

    @contextmanager
    def _begun(self, kind: Literal["DEFERRED", "IMMEDIATE"]) -> Iterator[sqlite3.Connection]:
        """A transaction: a view that does not change, or (IMMEDIATE) the only writer.

        A writer that begins as a reader cannot wait for another one, and fails where this waits.
        """
        self.connection.execute(f"BEGIN {kind}")
        try:
            yield self.connection
        except BaseException:
            self.connection.rollback()
            raise
        self.connection.commit()

    def _item(self, item: Item) -> int:
        columns = (*item.key, item.pronoun, item.head, item.anaphoric)
        self.connection.execute(
            "INSERT OR IGNORE INTO item (token, system, digest, pronoun, head, anaphoric) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            columns,
        )
        query = "SELECT id FROM item WHERE token = ? AND system = ? AND digest = ?"
        return int(self.connection.execute(query, item.key).fetchone()[0])

    def _name(self, table: Literal["annotator", "tag"], name: str) -> int:
        statements = {
            "annotator": (
                "INSERT OR IGNORE INTO annotator (name) VALUES (?)",
                "SELECT id FROM annotator WHERE name = ?",
            ),
            "tag": (
                "INSERT OR IGNORE INTO tag (name) VALUES (?)",
                "SELECT id FROM tag WHERE name = ?",
            ),
        }
        insert, query = statements[table]
        self.connection.execute(insert, (name,))
        return int(self.connection.execute(query, (name,)).fetchone()[0])


def check_value(path: str, line: int, field: str, text: str) -> Value | Problem:
    """A verdict as people write it, or what is wrong with it."""
    value = _value(text.strip().lower())
    return Problem(path, line, field, choices(VALUES), repr(text)) if value is None else value


def _value(text: object) -> Value | None:
    values: dict[object, Value] = {"right": "right", "wrong": "wrong", "unclear": "unclear"}
    return values.get(text)


def _judgement(verdicts: Sequence[AnnotatorVerdict], final: AnnotatorVerdict | None) -> Judgement:
    item = (final or verdicts[0]).item
    remarks = tuple(one.remark for one in verdicts if one.remark)
    names = tuple(one.annotator for one in verdicts)
    tags = tuple(sorted({tag for one in verdicts for tag in one.tags}))
    if final is not None:
        more = (final.remark,) if final.remark else ()
        return Judgement(item, final.pronoun, final.antecedent, names, tags, remarks + more, True)
    pronouns = {one.pronoun for one in verdicts}
    antecedents = {one.antecedent for one in verdicts}
    pronoun: State = verdicts[0].pronoun if len(pronouns) == 1 else "conflict"
    antecedent: State | None = verdicts[0].antecedent if len(antecedents) == 1 else "conflict"
    return Judgement(item, pronoun, antecedent, names, tags, remarks, False)
