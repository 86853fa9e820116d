"""Verdicts as rows of the store: added within a transaction, read as they stand or as they came.

These functions take a connection, so that a program that keeps several of them, as the review
server does, writes the same rows as `VerdictStore`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Literal

from crosspro.evaluation.protest.verdict_records import (
    AnnotatorVerdict,
    CorrectedWords,
    Item,
    value_of,
)
from crosspro.evaluation.protest.verdict_tables import now

_ITEM = "item.token, item.system, item.digest, item.pronoun, item.head, item.anaphoric"
_VERDICT = f"""
    SELECT {_ITEM}, annotator.name, said.pronoun, said.antecedent, said.remark, said.time, said.id,
           said.bad, said.words_at, said.words, said.alternative, said.withdrawn,
           (SELECT GROUP_CONCAT(name, ' ') FROM (SELECT tag.name AS name FROM verdict_tag
            JOIN tag ON tag.id = verdict_tag.tag WHERE verdict_tag.verdict = said.id
            ORDER BY tag.name))
    FROM {{table}} AS said JOIN item ON item.id = said.item
    JOIN annotator ON annotator.id = said.annotator"""  # noqa: S608 - no word of it is from outside
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
    last = _last(connection, item, annotator)
    if last == (verdict if not withdrawn else None):
        return
    at = None if verdict.corrected is None else " ".join(map(str, verdict.corrected.at)) or NONE
    words = "" if verdict.corrected is None else " ".join(verdict.corrected.words)
    cursor = connection.execute(
        "INSERT INTO verdict (item, annotator, pronoun, antecedent, remark, time, bad, words_at, "
        "words, alternative, withdrawn) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(item, annotator, verdict.pronoun, verdict.antecedent, verdict.remark),
            *(verdict.time or now(), verdict.bad, at, words, verdict.alternative, withdrawn),
        ),
    )
    for tag in dict.fromkeys(verdict.tags):
        row = (cursor.lastrowid, name_id(connection, tag, "tag"))
        connection.execute("INSERT INTO verdict_tag VALUES (?, ?)", row)


def add_resolution(connection: sqlite3.Connection, verdict: AnnotatorVerdict) -> None:
    """Add a final verdict; the same again changes nothing."""
    item, annotator = item_id(connection, verdict.item), name_id(connection, verdict.annotator)
    row = (item, annotator, verdict.pronoun, verdict.antecedent, verdict.remark)
    last = connection.execute(
        "SELECT item, annotator, pronoun, antecedent, remark FROM last_resolution WHERE item = ?",
        (item,),
    ).fetchone()
    if last != row:
        connection.execute(
            "INSERT INTO resolution (item, annotator, pronoun, antecedent, remark, time) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (*row, verdict.time or now()),
        )


def last_verdicts(
    connection: sqlite3.Connection,
    annotator: str | None = None,
    seen: tuple[str, str] | None = None,
) -> list[AnnotatorVerdict]:
    """The verdicts that count, in the order of their items: of one annotator or of all.

    `seen` is a token and a digest: only verdicts on that translation, whatever system made it.
    """
    conditions: dict[str, tuple[str, ...]] = {}
    if annotator is not None:
        conditions["said.annotator = (SELECT id FROM annotator WHERE name = ?)"] = (annotator,)
    if seen is not None:
        query = "SELECT id FROM item WHERE token = ? AND digest = ?"
        conditions[f"said.item IN ({query})"] = seen
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    values = [value for some in conditions.values() for value in some]
    rows = connection.execute(f"{_LAST} {where} ORDER BY item.id, annotator.name", values)
    return [verdict_of(row) for row in rows.fetchall()]


def all_verdicts(connection: sqlite3.Connection) -> list[tuple[AnnotatorVerdict, bool]]:
    """Every verdict that was ever stored, in that order, and whether it takes back another."""
    rows = connection.execute(f"{_ALL} ORDER BY said.id").fetchall()
    return [(verdict_of(row), bool(row[-2])) for row in rows]


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
        places = () if at == NONE else tuple(map(int, str(at).split()))
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


def _last(connection: sqlite3.Connection, item: int, annotator: int) -> AnnotatorVerdict | None:
    query = f"{_LAST} WHERE said.item = ? AND said.annotator = ?"
    row = connection.execute(query, (item, annotator)).fetchone()
    return None if row is None else verdict_of(row)
