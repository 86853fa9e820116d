"""People's verdicts: the record of one, what several amount to, and the store that keeps them.

An *item* is a pronoun in one system's output as it was seen: a changed output is a new item. Each
annotator has one verdict an item, about the pronoun and, for anaphoric pronouns, the antecedent's
head (001 §3). Items on which annotators disagree are conflicts until somebody decides.

The store is an SQLite file. Rows are only ever added (triggers say so): an annotator's verdict on
an item is the last one by its number, whatever the clock said, and taking one back is a further
row, as is a decision. The tables are plain so that other programs can use them, too. The functions
take a connection, so that the review server, which keeps several, writes the same rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.settings import Must

Value = Literal["right", "wrong", "unclear"]
VALUES: tuple[Value, ...] = get_args(Value)
State = Literal["right", "wrong", "unclear", "conflict"]
VerdictKind = Literal["verdict", "withdrawn", "decision"]
ItemKey = tuple[str, str, str]
"""A token, a system, and a digest of the output that was seen."""

PATIENCE = 60.0
"""Seconds to wait while others write."""


def is_name(text: str) -> bool:
    """Whether a verdict may have such an author."""
    return bool(text.strip()) and text.isprintable()


def moment(time: str) -> datetime:
    """A time that was written with a verdict; raises ValueError if it is none.

    A verdict without a time is older than all others.
    """
    if not time:
        return datetime.min.replace(tzinfo=UTC)
    found = datetime.fromisoformat(time)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _is_time(text: str) -> bool:
    try:
        moment(text)
    except ValueError:
        return False
    return True


Annotator = Annotated[str, Must("the name of an annotator", is_name)]
Tag = Annotated[str, Must("tags without spaces", lambda tag: tag.split() == [tag])]
Time = Annotated[str, Must("a time in the form of ISO 8601", _is_time)]
Position = Annotated[int, Must("positions from 0", lambda at: at >= 0)]


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
    def key(self) -> ItemKey:
        """What tells items apart."""
        return self.token, self.system, self.digest


@dataclass(frozen=True, slots=True)
class CorrectedWords:
    """The words that are the pronoun's translation, where others were marked; perhaps none are."""

    at: tuple[Position, ...]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One person's opinion of an item; no antecedent for pronouns that have none.

    `bad` says that the translation is too bad to be judged, `alternative` is a pronoun that would
    be right. `time` is when it was stored (in UTC), and `number` its place among all that were. A
    verdict that is `withdrawn` takes back what its author has said; a `decision` is final.
    """

    item: Item
    annotator: Annotator
    pronoun: Value
    antecedent: Value | None
    tags: tuple[Tag, ...] = ()
    remark: str = ""
    bad: bool = False
    corrected: CorrectedWords | None = None
    alternative: str = ""
    time: Time = field(default="", compare=False)
    number: int = field(default=0, compare=False)
    kind: VerdictKind = "verdict"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all verdicts on an item amount to: the decision, or what all of them agree on.

    `corrected` is what all of them say about the pronoun's words, `alternatives` are pronouns that
    would be right, and who says so. If all find the translation too bad to be judged, and nobody
    has decided otherwise, it is `bad`.
    """

    item: Item
    pronoun: State
    antecedent: State | None
    annotators: tuple[str, ...]
    tags: tuple[str, ...]
    remarks: tuple[str, ...]
    resolved: bool
    corrected: CorrectedWords | None = None
    alternatives: tuple[tuple[str, str], ...] = ()
    bad: bool = False

    @property
    def in_conflict(self) -> bool:
        """Whether annotators disagree and nobody has decided."""
        return "conflict" in (self.pronoun, self.antecedent)


Judgements = dict[ItemKey, Judgement]


def judgement_of(verdicts: Sequence[Verdict], decision: Verdict | None) -> Judgement:
    """What the verdicts on an item amount to; there may be a decision."""
    corrections = {verdict.corrected for verdict in verdicts}
    remarks = [one.remark for one in (*verdicts, *([decision] if decision else ()))]
    pronoun: State
    antecedent: State | None
    if decision is not None:
        pronoun, antecedent = decision.pronoun, decision.antecedent
    else:
        agreed = len({one.pronoun for one in verdicts}) == 1
        pronoun = verdicts[0].pronoun if agreed else "conflict"
        agreed = len({one.antecedent for one in verdicts}) == 1
        antecedent = verdicts[0].antecedent if agreed else "conflict"
    all_bad = bool(verdicts) and all(one.bad for one in verdicts)
    return Judgement(
        (decision or verdicts[0]).item,
        pronoun,
        antecedent,
        annotators=tuple(one.annotator for one in verdicts),
        tags=tuple(sorted({tag for one in verdicts for tag in one.tags})),
        remarks=tuple(filter(None, remarks)),
        resolved=decision is not None,
        corrected=next(iter(corrections)) if len(corrections) == 1 else None,
        alternatives=tuple((v.alternative, v.annotator) for v in verdicts if v.alternative),
        bad=all_bad and (decision is None or decision.pronoun == "unclear"),
    )


def value_of(text: object) -> Value | None:
    """A verdict in a word, or nothing if it is another word."""
    return text if text in VALUES else None


# The tables ---------------------------------------------------------------------------------------

APPLICATION = 0x70726F74
VERSION = 3

_TABLES = """
CREATE TABLE suite (digest TEXT NOT NULL);
CREATE TABLE annotator (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL, system TEXT NOT NULL, digest TEXT NOT NULL,
    pronoun TEXT NOT NULL, head TEXT NOT NULL, anaphoric INTEGER NOT NULL,
    UNIQUE (token, system, digest)
);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE verdict (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('verdict', 'withdrawn', 'decision')),
    item INTEGER NOT NULL REFERENCES item, annotator INTEGER NOT NULL REFERENCES annotator,
    pronoun TEXT NOT NULL CHECK (pronoun IN ('right', 'wrong', 'unclear')),
    antecedent TEXT CHECK (antecedent IN ('right', 'wrong', 'unclear')),
    remark TEXT NOT NULL,
    time TEXT NOT NULL,
    bad INTEGER NOT NULL,
    words_at TEXT, words TEXT NOT NULL,
    alternative TEXT NOT NULL
);
CREATE INDEX verdict_on_item ON verdict (item, annotator, id);
CREATE INDEX verdict_by_annotator ON verdict (annotator, item, id);
CREATE TABLE verdict_tag (
    verdict INTEGER NOT NULL REFERENCES verdict, tag INTEGER NOT NULL REFERENCES tag,
    PRIMARY KEY (verdict, tag)
);
CREATE VIEW last_verdict AS
    SELECT * FROM verdict AS one WHERE kind = 'verdict' AND NOT EXISTS (
        SELECT 1 FROM verdict AS later WHERE later.item = one.item
        AND later.annotator = one.annotator AND later.id > one.id AND later.kind != 'decision');
CREATE VIEW last_decision AS
    SELECT * FROM verdict
    WHERE id IN (SELECT MAX(id) FROM verdict WHERE kind = 'decision' GROUP BY item);
CREATE VIEW conflict AS
    SELECT item FROM last_verdict WHERE item NOT IN (SELECT item FROM last_decision)
    GROUP BY item
    HAVING COUNT(DISTINCT pronoun) > 1 OR COUNT(DISTINCT COALESCE(antecedent, '')) > 1
"""


def only_added(table: str) -> Iterator[str]:
    """The statements that keep rows of a table as they are."""
    for action in ("UPDATE", "DELETE"):
        yield (
            f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
            "BEGIN SELECT RAISE(ABORT, 'rows are only added'); END"
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


def now() -> str:
    """The time as it is written with a verdict."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _later(time: str, last: str) -> str:
    """The time of a verdict that follows another: a clock that goes back does not make it older."""
    try:
        before = moment(last)
        if moment(time) > before:
            return time
        after = before.astimezone(UTC) + timedelta(milliseconds=1)
    except (ValueError, OverflowError):  # no time that can be compared
        return time
    return after.isoformat(timespec="milliseconds")


# Rows ---------------------------------------------------------------------------------------------

_SELECT = """
    SELECT item.token, item.system, item.digest, item.pronoun, item.head, item.anaphoric,
           annotator.name, said.pronoun, said.antecedent,
           (SELECT GROUP_CONCAT(name, ' ') FROM (SELECT tag.name AS name FROM verdict_tag
            JOIN tag ON tag.id = verdict_tag.tag WHERE verdict_tag.verdict = said.id
            ORDER BY tag.name)),
           said.remark, said.bad, said.words_at, said.words, said.alternative, said.time, said.id,
           said.kind
    FROM {} AS said JOIN item ON item.id = said.item
    JOIN annotator ON annotator.id = said.annotator"""
_BY = "said.annotator = (SELECT id FROM annotator WHERE name = ?)"
_NO_WORDS = "-"
"""Positions of words that were corrected to none."""


class UnknownValueError(ValueError):
    """A row holds what no verdict can be."""


def add_verdict(connection: sqlite3.Connection, verdict: Verdict) -> None:
    """Add a verdict; one that says what its author's last one says changes nothing.

    The last decision on an item is compared with, whoever made it.
    """
    decision = verdict.kind == "decision"
    where = "kind = 'decision'" if decision else f"kind != 'decision' AND {_BY}"
    row = connection.execute(
        f"{_SELECT.format('verdict')} WHERE said.item = ? AND {where} ORDER BY said.id DESC",
        (_item_id(connection, verdict.item), *(() if decision else (verdict.annotator,))),
    ).fetchone()
    last = None if row is None else _verdict_of(row)
    if verdict.kind == "withdrawn":
        same = last is None or last.kind == "withdrawn"
    else:
        same = last == replace(verdict, tags=tuple(sorted(set(verdict.tags))))
    if not same:
        time = verdict.time or _later(now(), "" if last is None else last.time)
        append_verdict(connection, replace(verdict, time=time))


def append_verdict(connection: sqlite3.Connection, verdict: Verdict) -> None:
    """Add a verdict as it is, with its own time: it counts from now on."""
    corrected = verdict.corrected
    cursor = connection.execute(
        "INSERT INTO verdict (kind, item, annotator, pronoun, antecedent, remark, time, bad, "
        "words_at, words, alternative) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            verdict.kind,
            _item_id(connection, verdict.item),
            name_id(connection, verdict.annotator),
            verdict.pronoun,
            verdict.antecedent,
            verdict.remark,
            verdict.time,
            verdict.bad,
            None if corrected is None else " ".join(map(str, corrected.at)) or _NO_WORDS,
            "" if corrected is None else " ".join(corrected.words),
            verdict.alternative,
        ),
    )
    for tag in dict.fromkeys(verdict.tags):
        row = (cursor.lastrowid, name_id(connection, tag, "tag"))
        connection.execute("INSERT INTO verdict_tag VALUES (?, ?)", row)


def last_verdicts(connection: sqlite3.Connection, annotator: str | None = None) -> list[Verdict]:
    """The verdicts that count, in the order of their items: of one annotator or of all."""
    where, values = ("", ()) if annotator is None else (f"WHERE {_BY}", (annotator,))
    query = f"{_SELECT.format('last_verdict')} {where} ORDER BY item.id, annotator.name"
    return [_verdict_of(row) for row in connection.execute(query, values).fetchall()]


def last_decisions(connection: sqlite3.Connection) -> list[Verdict]:
    """The decisions that count, in the order of their items."""
    rows = connection.execute(f"{_SELECT.format('last_decision')} ORDER BY item.id")
    return [_verdict_of(row) for row in rows.fetchall()]


def all_verdicts(connection: sqlite3.Connection) -> list[Verdict]:
    """Every verdict of every kind that was ever stored, in that order."""
    rows = connection.execute(f"{_SELECT.format('verdict')} ORDER BY said.id")
    return [_verdict_of(row) for row in rows.fetchall()]


def newest_verdict(
    connection: sqlite3.Connection, annotator: str, seen: tuple[str, str]
) -> Verdict | None:
    """What an annotator has said last about a translation, unless it was taken back.

    `seen` is a token and a digest, whatever system made the translation.
    """
    row = connection.execute(
        f"{_SELECT.format('verdict')} WHERE {_BY} AND said.kind != 'decision' AND said.item IN "  # noqa: S608 - no word of it is from outside
        "(SELECT id FROM item WHERE token = ? AND digest = ?) ORDER BY said.id DESC LIMIT 1",
        (annotator, *seen),
    ).fetchone()
    last = None if row is None else _verdict_of(row)
    return None if last is None or last.kind == "withdrawn" else last


def items_like(connection: sqlite3.Connection, seen: tuple[str, str]) -> list[Item]:
    """The items of all systems that were ever judged and have this translation."""
    rows = connection.execute(
        "SELECT token, system, digest, pronoun, head, anaphoric FROM item "
        "WHERE token = ? AND digest = ? ORDER BY id",
        seen,
    )
    return [
        Item(token, system, digest, pronoun, head, bool(anaphoric))
        for token, system, digest, pronoun, head, anaphoric in rows.fetchall()
    ]


def _verdict_of(row: Sequence[object]) -> Verdict:
    """A verdict from the columns of `_SELECT`."""
    token, system, digest, words, head, anaphoric, annotator, written, antecedent, *rest = row
    tags, remark, bad, at, corrected, alternative, time, number, kind = rest
    pronoun = value_of(written)
    if pronoun is None:
        raise UnknownValueError(f"the verdict {written!r}")
    if kind not in get_args(VerdictKind):
        raise UnknownValueError(f"the kind {kind!r}")
    correction = None
    if at is not None:
        try:
            places = () if at == _NO_WORDS else tuple(map(int, str(at).split()))
        except ValueError as error:
            raise UnknownValueError(f"the positions {at!r}") from error
        correction = CorrectedWords(places, tuple(str(corrected).split()))
    return Verdict(
        Item(str(token), str(system), str(digest), str(words), str(head), bool(anaphoric)),
        str(annotator),
        pronoun,
        value_of(antecedent),
        tuple(str(tags or "").split()),
        str(remark),
        bool(bad),
        correction,
        str(alternative),
        str(time),
        int(str(number)),
        cast(VerdictKind, kind),
    )


def _item_id(connection: sqlite3.Connection, item: Item) -> int:
    """The number of an item, new or known."""
    query = "SELECT id FROM item WHERE token = ? AND system = ? AND digest = ?"
    found = connection.execute(query, item.key).fetchone()
    if found is None:
        cursor = connection.execute(
            "INSERT INTO item (token, system, digest, pronoun, head, anaphoric) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (*item.key, item.pronoun, item.head, item.anaphoric),
        )
        return int(cursor.lastrowid or 0)
    return int(found[0])


def name_id(
    connection: sqlite3.Connection, name: str, table: Literal["annotator", "tag"] = "annotator"
) -> int:
    """The number of an annotator or a tag, new or known."""
    found = connection.execute(f"SELECT id FROM {table} WHERE name = ?", (name,)).fetchone()  # noqa: S608
    if found is None:
        cursor = connection.execute(f"INSERT INTO {table} (name) VALUES (?)", (name,))  # noqa: S608
        return int(cursor.lastrowid or 0)
    return int(found[0])


# The store ----------------------------------------------------------------------------------------

_UNREADABLE = (sqlite3.Error, UnicodeDecodeError, UnknownValueError)
"""What a damaged file raises; also its own messages may be no text."""


class VerdictStore:
    """A store of verdicts on one suite; a context manager that closes the file."""

    def __init__(self, path: str | Path, suite: str, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise input_error(self.path, "verdicts", "a file of verdicts", "none")
        with self._readable():
            self.connection = connect(self.path)
        try:
            with self._readable():
                self._prepare(suite)
        except BaseException:
            self.connection.close()  # which else holds its lock for as long as the error lives
            raise

    def __enter__(self) -> VerdictStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.connection.close()

    def record(self, verdicts: Iterable[Verdict]) -> int:
        """Store verdicts, which count instead of older ones by the same annotators; all or none."""
        every = list(verdicts)
        with self._readable(), transaction(self.connection, "IMMEDIATE") as database:
            for one in every:
                add_verdict(database, one)
        return len(every)

    def judgements(self) -> Judgements:
        """What the verdicts on each item amount to."""
        return {key: judgement_of(*said) for key, said in self._said().items()}

    def conflicts(self) -> list[tuple[Item, list[Verdict]]]:
        """The items on which annotators disagree, with their verdicts."""
        return [
            (said[0][0].item, said[0])
            for said in self._said().values()
            if judgement_of(*said).in_conflict
        ]

    def _said(self) -> dict[ItemKey, tuple[list[Verdict], Verdict | None]]:
        """The verdicts on each item, and the decision if there is one."""
        by_item: dict[ItemKey, list[Verdict]] = {}
        with self._readable(), transaction(self.connection, "DEFERRED") as database:
            for verdict in last_verdicts(database):
                by_item.setdefault(verdict.item.key, []).append(verdict)
            decided = {verdict.item.key: verdict for verdict in last_decisions(database)}
        return {key: (by_item.get(key, []), decided.get(key)) for key in {**by_item, **decided}}

    def verdicts(self) -> list[Verdict]:
        """All verdicts that count, in the order of their items."""
        with self._readable(), transaction(self.connection, "DEFERRED") as database:
            return last_verdicts(database)

    def _prepare(self, suite: str) -> None:
        """Make the tables of a new file, all or nothing, or see whose verdicts a file has."""
        with transaction(self.connection, "DEFERRED"):
            new = self._is_empty()
        if new:
            with transaction(self.connection, "IMMEDIATE") as database:
                if self._is_empty():  # nobody was quicker
                    _make_tables(database, suite)
        with transaction(self.connection, "DEFERRED") as database:
            kind = [
                database.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version")
            ]
            if kind != [APPLICATION, VERSION]:
                raise self._refused("another kind of database")
            row = database.execute("SELECT digest FROM suite").fetchone()
        if row is None:
            raise self._refused("no name of a suite")
        if row[0] != suite:
            raise input_error(self.path, "suite", f"verdicts on the suite {suite}", f"on {row[0]}")

    def _is_empty(self) -> bool:
        (tables,) = self.connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        return not tables

    def _refused(self, found: str) -> InputError:
        return input_error(self.path, "verdicts", "a file of verdicts (SQLite)", found)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            raise self._refused(str(error)) from error


def read_judgements(path: Path | None, suite: str) -> Judgements:
    """What people have said, if a store is given."""
    if path is None:
        return {}
    with VerdictStore(path, suite, create=False) as store:
        return store.judgements()


def _make_tables(connection: sqlite3.Connection, suite: str) -> None:
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    for table in ("verdict", "verdict_tag"):
        for statement in only_added(table):
            connection.execute(statement)
    connection.execute("INSERT INTO suite VALUES (?)", (suite,))
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
