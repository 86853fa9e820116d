"""Nothing that was ever said is lost: old stores, the history, words and alternatives."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from crosspro.evaluation.protest import verdict_tables
from crosspro.evaluation.protest.review import silver_from
from crosspro.evaluation.protest.silver import Alternative
from crosspro.evaluation.protest.verdict_rows import add_verdict, all_verdicts
from crosspro.evaluation.protest.verdicts import (
    AnnotatorVerdict,
    CorrectedWords,
    Item,
    VerdictStore,
)

ITEM = Item("t1", "sys", "abc", "il", "manoir", True)
OTHER = Item("t2", "sys", "def", "ça", "", False)
FIRST = AnnotatorVerdict(ITEM, "Anna", "right", "wrong", ("agreement", "style"), "sees it so")

VERSION_1 = """
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
INSERT INTO suite VALUES ('suite');
INSERT INTO annotator VALUES (1, 'Anna'), (2, 'Ben'), (3, 'Chris');
INSERT INTO item VALUES (1, 't1', 'sys', 'abc', 'il', 'manoir', 1),
    (2, 't2', 'sys', 'def', 'ça', '', 0);
INSERT INTO verdict VALUES (1, 1, 'right', 'wrong', 'sees it so'), (1, 2, 'wrong', 'wrong', ''),
    (2, 1, 'right', NULL, ''), (2, 2, 'wrong', NULL, '');
INSERT INTO tag VALUES (1, 'style'), (2, 'agreement');
INSERT INTO verdict_tag VALUES (1, 1, 1), (1, 1, 2);
INSERT INTO resolution VALUES (2, 3, 'wrong', NULL, 'decided');
PRAGMA application_id = 1886547828;
PRAGMA user_version = 1;
"""


@pytest.fixture
def store(tmp_path):
    with VerdictStore(tmp_path / "v.sqlite", "suite") as store:
        yield store


def test_a_store_of_version_1_is_read_whole(tmp_path):
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as database:
        database.executescript(VERSION_1)
    database.close()
    for _ in range(2):  # once to become a store of today, and once as such
        with VerdictStore(path, "suite", create=False) as store:
            verdicts = store.verdicts()
            assert verdicts[0] == FIRST
            assert [one.pronoun for one in verdicts] == ["right", "wrong", "right", "wrong"]
            assert [item.token for item, _ in store.conflicts()] == ["t1"]
            assert store.judgements()[OTHER.key].resolved
            assert store.judgements()[OTHER.key].remarks == ("decided",)


def test_a_changed_opinion_leaves_the_old_one_with_its_time(store):
    store.record([FIRST])
    store.record([replace(FIRST, pronoun="wrong", tags=("new",))])
    store.record([replace(FIRST, pronoun="wrong", tags=("new",))])  # says nothing new
    history = [one for one, _ in all_verdicts(store.connection)]
    assert [(one.pronoun, one.tags) for one in history] == [
        ("right", ("agreement", "style")),
        ("wrong", ("new",)),
    ]
    assert all(one.time.endswith("+00:00") and one.annotator == "Anna" for one in history)
    assert [one.pronoun for one in store.verdicts()] == ["wrong"]


def test_the_last_verdict_counts_though_the_clock_goes_back(store, monkeypatch):
    times = iter(["2030-01-01T00:00:00.000+00:00", "2020-01-01T00:00:00.000+00:00"])
    monkeypatch.setattr("crosspro.evaluation.protest.verdict_rows.now", lambda: next(times))
    store.record([FIRST])
    store.record([replace(FIRST, pronoun="unclear")])
    (last,) = store.verdicts()
    assert (last.pronoun, last.time) == ("unclear", "2030-01-01T00:00:00.001+00:00")


def test_a_verdict_that_is_taken_back_does_not_count_and_is_kept(store):
    store.record([FIRST])
    with verdict_tables.transaction(store.connection, "IMMEDIATE") as database:
        add_verdict(database, FIRST, withdrawn=True)
        add_verdict(database, FIRST, withdrawn=True)
    assert store.verdicts() == []
    assert store.judgements() == {}
    assert [back for _, back in all_verdicts(store.connection)] == [False, True]
    store.record([FIRST])
    assert store.verdicts() == [FIRST]


@pytest.mark.parametrize("table", ["verdict", "verdict_tag", "resolution"])
@pytest.mark.parametrize("action", ["DELETE FROM {}", "UPDATE {} SET rowid = 77"])
def test_rows_are_only_added(store, table, action):
    store.record([FIRST])
    store.resolve([FIRST])
    with pytest.raises(sqlite3.IntegrityError, match="rows are only added"):
        store.connection.execute(action.format(table))


def test_corrected_words_and_alternatives_come_back_and_become_silver(store):
    corrected = replace(
        AnnotatorVerdict(OTHER, "Anna", "right", None),
        bad=True,
        corrected=CorrectedWords((3, 4), ("ce", "la")),
        alternative="cela",
    )
    none = replace(FIRST, antecedent="right", corrected=CorrectedWords((), ()))
    store.record([corrected, none])
    assert store.verdicts() == [corrected, none]
    assert silver_from(store.judgements().values()) == {
        "t2": [
            Alternative(("ce", "la"), (), "from sys"),
            Alternative(("cela",), (), "proposed by Anna"),
        ]
    }
