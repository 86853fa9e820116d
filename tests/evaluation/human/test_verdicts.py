"""The store of verdicts: nothing that was ever said is lost, and what it amounts to."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.human.verdicts import (
    CorrectedWords,
    Item,
    Verdict,
    VerdictStore,
    add_verdict,
    all_verdicts,
    transaction,
)
from crosspro.evaluation.protest.match import Alternative
from crosspro.evaluation.protest.review import silver_from

ITEM = Item("t1", "sys", "abc", "il", "manoir", True)
OTHER = Item("t2", "sys", "def", "ça", "", False)
FIRST = Verdict(ITEM, "Anna", "right", "wrong", ("agreement", "style"), "sees it so")


@pytest.fixture
def store(tmp_path):
    with VerdictStore(tmp_path / "v.sqlite", "suite") as store:
        yield store


def test_a_changed_opinion_leaves_the_old_one_with_its_time(store):
    store.record([FIRST])
    store.record([replace(FIRST, pronoun="wrong", tags=("new",))])
    store.record([replace(FIRST, pronoun="wrong", tags=("new",))])  # says nothing new
    history = all_verdicts(store.connection)
    assert [(one.pronoun, one.tags) for one in history] == [
        ("right", ("agreement", "style")),
        ("wrong", ("new",)),
    ]
    assert all(one.time.endswith("+00:00") and one.annotator == "Anna" for one in history)
    assert [one.pronoun for one in store.verdicts()] == ["wrong"]


def test_the_last_verdict_counts_though_the_clock_goes_back(store, monkeypatch):
    times = iter(["2030-01-01T00:00:00.000+00:00", "2020-01-01T00:00:00.000+00:00"])
    monkeypatch.setattr("crosspro.evaluation.human.verdicts.now", lambda: next(times))
    store.record([FIRST])
    store.record([replace(FIRST, pronoun="unclear")])
    (last,) = store.verdicts()
    assert (last.pronoun, last.time) == ("unclear", "2030-01-01T00:00:00.001+00:00")


def test_a_verdict_that_is_taken_back_does_not_count_and_is_kept(store):
    store.record([FIRST])
    with transaction(store.connection, "IMMEDIATE") as database:
        add_verdict(database, replace(FIRST, kind="withdrawn"))
        add_verdict(database, replace(FIRST, kind="withdrawn"))
    assert store.verdicts() == []
    assert store.judgements() == {}
    assert [one.kind for one in all_verdicts(store.connection)] == ["verdict", "withdrawn"]
    store.record([FIRST])
    assert store.verdicts() == [FIRST]


@pytest.mark.parametrize("table", ["verdict", "verdict_tag"])
@pytest.mark.parametrize("action", ["DELETE FROM {}", "UPDATE {} SET rowid = 77"])
def test_rows_are_only_added(store, table, action):
    store.record([FIRST])
    store.record([replace(FIRST, kind="decision")])
    with pytest.raises(sqlite3.IntegrityError, match="rows are only added"):
        store.connection.execute(action.format(table))


def test_corrected_words_and_alternatives_come_back_and_become_silver(store):
    corrected = replace(
        Verdict(OTHER, "Anna", "right", None),
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


def test_verdicts_survive_with_tags_and_remarks(store, tmp_path):
    second = Verdict(OTHER, "Anna", "unclear", None)
    assert store.record([FIRST, second]) == 2
    with VerdictStore(tmp_path / "v.sqlite", "suite", create=False) as again:
        assert again.verdicts() == [FIRST, second]


def test_agreement_conflict_and_resolution(store):
    store.record([Verdict(ITEM, "Anna", "right", "right", ("a",), "yes")])
    store.record([Verdict(ITEM, "Ben", "right", "right", ("b",))])
    judgement = store.judgements()[ITEM.key]
    assert (judgement.pronoun, judgement.antecedent) == ("right", "right")
    assert (judgement.annotators, judgement.tags) == (("Anna", "Ben"), ("a", "b"))
    store.record([Verdict(ITEM, "Ben", "wrong", "right", (), "no")])
    assert store.judgements()[ITEM.key].in_conflict
    ((item, verdicts),) = store.conflicts()
    assert (item, len(verdicts)) == (ITEM, 2)
    store.record([Verdict(ITEM, "Chris", "wrong", "right", (), "decided", kind="decision")])
    assert store.conflicts() == []
    judgement = store.judgements()[ITEM.key]
    assert (judgement.pronoun, judgement.resolved) == ("wrong", True)
    assert judgement.remarks == ("yes", "no", "decided")


def test_disagreement_about_the_antecedent_is_a_conflict(store):
    store.record(
        [
            Verdict(ITEM, "Anna", "right", "right"),
            Verdict(ITEM, "Ben", "right", "unclear"),
        ]
    )
    assert store.judgements()[ITEM.key].antecedent == "conflict"
    assert len(store.conflicts()) == 1


def test_nothing_is_stored_if_something_is_wrong(store):
    bad = replace(Verdict(OTHER, "Anna", "right", None), pronoun="maybe")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="CHECK constraint"):
        store.record([Verdict(ITEM, "Anna", "right", "right"), bad])
    assert store.verdicts() == []


def test_a_store_whose_tables_have_damaged_names_is_refused(store, tmp_path):
    content = (tmp_path / "v.sqlite").read_bytes()
    damaged = content.replace(b"CREATE TABLE", b"CREATE \xccABLE").replace(
        b"tablesuite", b"table\xccuite"
    )
    assert damaged != content
    (tmp_path / "damaged").write_bytes(damaged)
    with pytest.raises(InputError, match="a file of verdicts"):
        VerdictStore(tmp_path / "damaged", "suite")


def test_stores_of_other_suites_and_other_files_are_refused(store, tmp_path):
    with pytest.raises(InputError, match="verdicts on the suite other, found on suite"):
        VerdictStore(tmp_path / "v.sqlite", "other")
    (tmp_path / "text").write_text("no database at all, but text", "utf-8")
    with pytest.raises(InputError, match="not a database"):
        VerdictStore(tmp_path / "text", "suite")
    connection = sqlite3.connect(tmp_path / "foreign")
    connection.execute("CREATE TABLE x (y)")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="another kind of database"):
        VerdictStore(tmp_path / "foreign", "suite")
    with pytest.raises(InputError, match="found none"):
        VerdictStore(tmp_path / "none", "suite", create=False)
