"""Verdicts as rows of the store: added within a transaction, read as they stand or as they came.

These functions take a connection, so that a program that keeps several of them, as the review
server does, writes the same rows as `VerdictStore`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from crosspro.evaluation.protest.verdict_records import (
    AnnotatorVerdict,
    CorrectedWords,
    Item,
    value_of,
)
from crosspro.evaluation.protest.verdict_tables import later, now

_ITEM = "item.token, item.system, item.digest, item.pronoun, item.head, item.anaphoric"
_VERDICT = f"""
    SELECT {_ITEM}, annotator.name, said.pronoun, said.antecedent, said.remark, said.time, said.id,
           said.bad, said.words_at, said.words, said.alternative, said.withdrawn,
           (SELECT GROUP_CONCAT(name, ' ') FROM (SELECT tag.name AS name FROM verdict_tag
            JOIN tag ON tag.id = verdict_tag.tag WHERE verdict_tag.verdict = said.id
            ORDER BY tag.name))
    FROM {{table}} AS said JOIN item ON item.id = said.item
    JOIN annotator ON annotator.id = said.annotator"""  # noqa: S608 - no word of it is from outside
_BY = "WHERE said.annotator = (SELECT id FROM annotator WHERE name = ?)"
_TIME, _WITHDRAWN = 10, -2
"""Where they are in a row of these queries."""
_LAST = _VERDICT.format(table="last_verdict")
_ALL = _VERDICT.format(table="verdict")
_RESOLUTION = f"""
    SELECT {_ITEM}, annotator.name, said.pronoun, said.antecedent, said.remark, said.time, said.id,
           0, NULL, '', '', 0, ''
    FROM {{table}} AS said JOIN item ON item.id = said.item
    JOIN annotator ON annotator.id = said.annotator"""  # noqa: S608

NONE = "-"
"""Positions of words that were corrected to none."""


class UnknownValueError(ValueError):
    """A row holds a verdict that there is not."""


def add_verdict(
    connection: sqlite3.Connection, verdict: AnnotatorVerdict, withdrawn: bool = False
) -> None:
    """Add a verdict; one that says what its author's last one says changes nothing."""
    item, annotator = item_id(connection, verdict.item), name_id(connection, verdict.annotator)
    row = connection.execute(
        f"{_ALL} WHERE said.item = ? AND said.annotator = ? ORDER BY said.id DESC LIMIT 1",
        (item, annotator),
    ).fetchone()
    last = None if row is None or row[_WITHDRAWN] else verdict_of(row)
    if last == (verdict if not withdrawn else None):
        return
    time = verdict.time or later(now(), "" if row is None else row[_TIME])
    append_verdict(connection, replace(verdict, time=time), withdrawn)


def append_verdict(
    connection: sqlite3.Connection, verdict: AnnotatorVerdict, withdrawn: bool = False
) -> None:
    """Add a verdict as it is, with its own time: it counts from now on."""
    item, annotator = item_id(connection, verdict.item), name_id(connection, verdict.annotator)
    at = None if verdict.corrected is None else " ".join(map(str, verdict.corrected.at)) or NONE
    words = "" if verdict.corrected is None else " ".join(verdict.corrected.words)
    cursor = connection.execute(
        "INSERT INTO verdict (item, annotator, pronoun, antecedent, remark, time, bad, words_at, "
        "words, alternative, withdrawn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(item, annotator, verdict.pronoun, verdict.antecedent, verdict.remark),
            *(verdict.time, verdict.bad, at, words, verdict.alternative, withdrawn),
        ),
    )
    for tag in dict.fromkeys(verdict.tags):
        row = (cursor.lastrowid, name_id(connection, tag, "tag"))
        connection.execute("INSERT INTO verdict_tag VALUES (?, ?)", row)


def add_resolution(connection: sqlite3.Connection, verdict: AnnotatorVerdict) -> None:
    """Add a final verdict; the same again changes nothing."""
    item, annotator = item_id(connection, verdict.item), name_id(connection, verdict.annotator)
    row = (item, annotator, verdict.pronoun, verdict.antecedent, verdict.remark)
    *last, before = connection.execute(
        "SELECT item, annotator, pronoun, antecedent, remark, time FROM last_resolution "
        "WHERE item = ?",
        (item,),
    ).fetchone() or ("",)
    if tuple(last) != row:
        time = verdict.time or later(now(), before)
        append_resolution(connection, replace(verdict, time=time))


def append_resolution(connection: sqlite3.Connection, verdict: AnnotatorVerdict) -> None:
    """Add a final verdict as it is, with its own time: it counts from now on."""
    item, annotator = item_id(connection, verdict.item), name_id(connection, verdict.annotator)
    row = (item, annotator, verdict.pronoun, verdict.antecedent, verdict.remark, verdict.time)
    connection.execute(
        "INSERT INTO resolution (item, annotator, pronoun, antecedent, remark, time) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        row,
    )


def last_verdicts(
    connection: sqlite3.Connection, annotator: str | None = None
) -> list[AnnotatorVerdict]:
    """The verdicts that count, in the order of their items: of one annotator or of all."""
    where = "" if annotator is None else _BY
    values = () if annotator is None else (annotator,)
    rows = connection.execute(f"{_LAST} {where} ORDER BY item.id, annotator.name", values)
    return [verdict_of(row) for row in rows.fetchall()]


def newest_verdict(
    connection: sqlite3.Connection, annotator: str, seen: tuple[str, str]
) -> AnnotatorVerdict | None:
    """What an annotator has said last about a translation, unless it was taken back.

    `seen` is a token and a digest, whatever system made the translation.
    """
    same = "said.item IN (SELECT id FROM item WHERE token = ? AND digest = ?)"
    query = f"{_ALL} {_BY} AND {same} ORDER BY said.id DESC LIMIT 1"
    row = connection.execute(query, (annotator, *seen)).fetchone()
    return None if row is None or row[_WITHDRAWN] else verdict_of(row)


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


def all_verdicts(connection: sqlite3.Connection) -> list[tuple[AnnotatorVerdict, bool]]:
    """Every verdict that was ever stored, in that order, and whether it takes back another."""
    rows = connection.execute(f"{_ALL} ORDER BY said.id").fetchall()
    return [(verdict_of(row), bool(row[_WITHDRAWN])) for row in rows]


def resolutions(connection: sqlite3.Connection, every: bool = False) -> list[AnnotatorVerdict]:
    """The final verdicts that count, in the order of their items, or every one as they came."""
    table, order = ("resolution", "said.id") if every else ("last_resolution", "item.id")
    rows = connection.execute(f"{_RESOLUTION.format(table=table)} ORDER BY {order}").fetchall()
    return [verdict_of(row) for row in rows]


def verdict_of(row: Sequence[object]) -> AnnotatorVerdict:
    """A verdict from the columns of the queries above."""
    token, system, digest, words, head, anaphoric, *rest = row
    item = Item(str(token), str(system), str(digest), str(words), str(head), bool(anaphoric))
    annotator, written, antecedent, remark, time, number, bad, at, corrected, other, _, tags = rest
    pronoun = value_of(written)
    if pronoun is None:
        raise UnknownValueError(f"the verdict {written!r}")
    correction = None
    if at is not None:
        try:
            places = () if at == NONE else tuple(map(int, str(at).split()))
        except ValueError as error:
            raise UnknownValueError(f"the positions {at!r}") from error
        correction = CorrectedWords(places, tuple(str(corrected).split()))
    return AnnotatorVerdict(
        item,
        str(annotator),
        pronoun,
        None if antecedent is None else value_of(antecedent),
        tuple(str(tags or "").split()),
        str(remark),
        bool(bad),
        correction,
        str(other),
        str(time),
        int(str(number)),
    )


def item_id(connection: sqlite3.Connection, item: Item) -> int:
    """The number of an item, new or known."""
    query = "SELECT id FROM item WHERE token = ? AND system = ? AND digest = ?"
    found = connection.execute(query, item.key).fetchone()
    if found is None:
        columns = (*item.key, item.pronoun, item.head, item.anaphoric)
        connection.execute(
            "INSERT INTO item (token, system, digest, pronoun, head, anaphoric) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            columns,
        )
        found = connection.execute(query, item.key).fetchone()
    return int(found[0])


def name_id(
    connection: sqlite3.Connection, name: str, table: Literal["annotator", "tag"] = "annotator"
) -> int:
    """The number of an annotator or a tag, new or known."""
    statements = {
        "annotator": (
            "INSERT OR IGNORE INTO annotator (name) VALUES (?)",
            "SELECT id FROM annotator WHERE name = ?",
        ),
        "tag": ("INSERT OR IGNORE INTO tag (name) VALUES (?)", "SELECT id FROM tag WHERE name = ?"),
    }
    insert, query = statements[table]
    found = connection.execute(query, (name,)).fetchone()
    if found is None:
        connection.execute(insert, (name,))
        found = connection.execute(query, (name,)).fetchone()
    return int(found[0])
