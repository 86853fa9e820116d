"""Verdicts of annotators, and the SQLite file that keeps them.

An *item* is a pronoun token of a test suite in one translation. A digest of the translation is part
of its key: another output is another item, and systems with the same translation share an item.
Verdicts are about the pronoun and, if it is anaphoric, the head of its antecedent (001 §3).

The file has one table to which rows are only added; triggers refuse everything else. The last
verdict of an annotator on an item counts. A decision is a verdict that ends a disagreement.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Literal, get_args

from crosspro.data_prep.core.errors import InputError, input_error

PronounVerdict = Literal["right", "wrong", "unclear", "bad"]
"""`bad`: the translation is too bad to be judged (000 §3.1)."""
AntecedentVerdict = Literal["right", "wrong", "unclear"]
Kind = Literal["verdict", "decision"]
PRONOUN_VERDICTS: tuple[PronounVerdict, ...] = get_args(PronounVerdict)
ANTECEDENT_VERDICTS: tuple[AntecedentVerdict, ...] = get_args(AntecedentVerdict)
KINDS: tuple[Kind, ...] = get_args(Kind)
CONFLICT: Literal["conflict"] = "conflict"
ItemKey = tuple[str, str]
"""A token and the digest of a translation."""

_WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Item:
    """A token in a translation, the systems that translate so, and the words that were marked."""

    token: str
    digest: str
    system: str
    pronoun: str
    head: str

    @property
    def key(self) -> ItemKey:
        """What names it; the systems and the marked words do not."""
        return self.token, self.digest


@dataclass(frozen=True, slots=True)
class Verdict:
    """The antecedent has none where the pronoun is not anaphoric or the translation is bad."""

    item: Item
    annotator: str
    pronoun: PronounVerdict
    antecedent: AntecedentVerdict | None = None
    remark: str = ""
    kind: Kind = "verdict"
    time: str = field(default="", compare=False)


@dataclass(slots=True)
class Judgement:
    """The verdicts on an item that count: the last of each annotator, and the last decision.

    Its values are those of the decision, or what all annotators agree on.
    """

    item: Item
    by_annotator: dict[str, Verdict] = field(default_factory=dict)
    decision: Verdict | None = None

    def add(self, verdict: Verdict) -> bool:
        """Count a verdict; one that its annotator (or a decision) repeats changes nothing."""
        if verdict.kind == "decision":
            repeated, self.decision = verdict == self.decision, verdict
        else:
            repeated = verdict == self.by_annotator.get(verdict.annotator)
            self.by_annotator[verdict.annotator] = verdict
        return not repeated

    @property
    def pronoun(self) -> PronounVerdict | Literal["conflict"]:
        values = {verdict.pronoun for verdict in self._deciding}
        return values.pop() if len(values) == 1 else CONFLICT

    @property
    def antecedent(self) -> AntecedentVerdict | Literal["conflict"] | None:
        values = {verdict.antecedent for verdict in self._deciding}
        return values.pop() if len(values) == 1 else CONFLICT

    @property
    def in_conflict(self) -> bool:
        """Whether annotators disagree and nobody has decided."""
        return CONFLICT in (self.pronoun, self.antecedent)

    @property
    def annotators(self) -> list[str]:
        return list(dict.fromkeys(verdict.annotator for verdict in self._all))

    @property
    def remarks(self) -> list[str]:
        return [verdict.remark for verdict in self._all if verdict.remark]

    @property
    def _all(self) -> list[Verdict]:
        return [*self.by_annotator.values(), *filter(None, [self.decision])]

    @property
    def _deciding(self) -> list[Verdict]:
        return self._all if self.decision is None else [self.decision]


Judgements = dict[ItemKey, Judgement]


def judgements_of(verdicts: Iterable[Verdict]) -> Judgements:
    """The verdicts that count, from all verdicts in the order in which they were added."""
    judgements: Judgements = {}
    for verdict in verdicts:
        judgements.setdefault(verdict.item.key, Judgement(verdict.item)).add(verdict)
    return judgements


_APPLICATION = 0x70726F74
_VERSION = 4


def _choices(values: Sequence[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)


_SCHEMA = (
    f"""CREATE TABLE verdict (
        id INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        suite TEXT NOT NULL, token TEXT NOT NULL, digest TEXT NOT NULL,
        system TEXT NOT NULL, words TEXT NOT NULL, head TEXT NOT NULL,
        annotator TEXT NOT NULL,
        pronoun TEXT NOT NULL CHECK (pronoun IN ({_choices(PRONOUN_VERDICTS)})),
        antecedent TEXT CHECK (antecedent IN ({_choices(ANTECEDENT_VERDICTS)})),
        remark TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ({_choices(KINDS)}))
    )""",
    "CREATE INDEX verdict_on_item ON verdict (suite, token, digest, id)",
    *(
        f"CREATE TRIGGER verdict_no_{action} BEFORE {action} ON verdict "
        "BEGIN SELECT RAISE(ABORT, 'rows are only added'); END"
        for action in ("UPDATE", "DELETE")
    ),
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_VERSION}",
)
_COLUMNS = "token, digest, system, words, head, annotator, pronoun, antecedent, remark, kind, time"


class VerdictStore:
    """The verdicts on one suite in a file; each call opens the file, so threads may share this."""

    def __init__(self, path: str | Path, suite: str, create: bool = True) -> None:
        self.path = Path(path)
        self.suite = suite
        if not create and not self.path.is_file():
            raise input_error(self.path, "verdicts", "a file of verdicts", "none")
        with self._transaction("IMMEDIATE" if create else "DEFERRED") as connection:
            self._check_or_create(connection)

    def add(self, verdicts: Iterable[Verdict]) -> int:
        """Add verdicts, all or none, and return how many; they are on the disk afterwards.

        A verdict that its annotator's last verdict on the item repeats is not added again.
        """
        with self._transaction("IMMEDIATE") as connection:
            judgements = judgements_of(self._select(connection, None))
            new = [
                verdict
                for verdict in verdicts
                if judgements.setdefault(verdict.item.key, Judgement(verdict.item)).add(verdict)
            ]
            connection.executemany(
                f"INSERT INTO verdict (suite, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "  # noqa: S608
                "COALESCE(NULLIF(?, ''), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))",
                [(self.suite, *astuple(v.item), *astuple(v)[1:]) for v in new],
            )
        return len(new)

    def verdicts(self, annotator: str | None = None) -> list[Verdict]:
        """All verdicts ever given, or those of an annotator, in the order in which they came."""
        with self._transaction("DEFERRED") as connection:
            return self._select(connection, annotator)

    def _select(self, connection: sqlite3.Connection, annotator: str | None) -> list[Verdict]:
        query = (
            f"SELECT {_COLUMNS} FROM verdict "  # noqa: S608
            "WHERE suite = ?1 AND (?2 IS NULL OR annotator = ?2) ORDER BY id"
        )
        rows = connection.execute(query, (self.suite, annotator))
        return [Verdict(Item(*row[:5]), *row[5:]) for row in rows]

    def judgements(self, annotator: str | None = None) -> Judgements:
        return judgements_of(self.verdicts(annotator))

    def _check_or_create(self, connection: sqlite3.Connection) -> None:
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not tables:
            for statement in _SCHEMA:
                connection.execute(statement)
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) != (_APPLICATION, _VERSION):
            raise self._refused("another kind of database")
        suites = [suite for (suite,) in connection.execute("SELECT DISTINCT suite FROM verdict")]
        if suites and self.suite not in suites:
            expected, others = f"verdicts on suite {self.suite}", ", ".join(map(str, suites))
            raise input_error(self.path, "suite", expected, f"verdicts on {others}")

    @contextmanager
    def _transaction(self, kind: Literal["DEFERRED", "IMMEDIATE"]) -> Iterator[sqlite3.Connection]:
        """A transaction. IMMEDIATE waits for other writers; its commit has reached the disk."""
        try:
            connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
            try:
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(f"BEGIN {kind}")
                with connection:
                    yield connection
            finally:
                connection.close()
        except (sqlite3.Error, ValueError) as error:
            raise self._refused(str(error)) from error

    def _refused(self, actual: str) -> InputError:
        return input_error(self.path, "verdicts", "a file of verdicts (SQLite)", actual)


def read_judgements(path: Path | None, suite: str) -> Judgements:
    return {} if path is None else VerdictStore(path, suite, create=False).judgements()
