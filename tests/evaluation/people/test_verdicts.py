"""The store of verdicts: what counts, what is refused, and that a kill loses nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.people.agreement import agreement_table
from crosspro.evaluation.people.verdicts import (
    Item,
    Verdict,
    VerdictStore,
    read_judgements,
)

ITEM = Item("talk:word_1", "0123456789ab", "old, new", "elle", "vélo")
OTHER = Item("talk:word_2", "0123456789ab", "new", "ça", "")


@pytest.fixture
def store(tmp_path):
    return VerdictStore(tmp_path / "v.sqlite", "suite")


def test_the_last_verdict_of_an_annotator_counts(store):
    first = Verdict(ITEM, "Ada", "wrong", "right", "why")
    assert store.add([first, first, Verdict(OTHER, "Ada", "bad")]) == 2
    assert store.add([first]) == 0
    assert store.add([Verdict(ITEM, "Ada", "right", "right")]) == 1
    assert store.judgements()[ITEM.key].pronoun == "right"
    assert store.judgements()[ITEM.key].item == ITEM
    assert store.judgements()[OTHER.key].pronoun == "bad"
    assert [verdict.pronoun for verdict in store.verdicts()] == ["wrong", "bad", "right"]
    assert read_judgements(store.path, "suite") == store.judgements()


def test_conflicts_and_decisions(store):
    store.add([Verdict(ITEM, "Ada", "right", "right"), Verdict(ITEM, "Ben", "right", "wrong")])
    judgement = store.judgements()[ITEM.key]
    assert (judgement.pronoun, judgement.antecedent) == ("right", "conflict")
    assert judgement.in_conflict
    store.add([Verdict(ITEM, "Eve", "right", "unclear", "so be it", "decision")])
    judgement = store.judgements()[ITEM.key]
    assert (judgement.pronoun, judgement.antecedent) == ("right", "unclear")
    assert judgement.annotators == ["Ada", "Ben", "Eve"]
    assert judgement.remarks == ["so be it"]


def test_agreement(store):
    values = [("right", "right"), ("right", "right"), ("wrong", "wrong"), ("wrong", "right")]
    for number, (ada, ben) in enumerate(values):
        item = Item(f"w{number}", "0123456789ab", "s", "il", "")
        store.add([Verdict(item, "Ada", ada), Verdict(item, "Ben", ben)])
    pronoun, antecedent = agreement_table(store.judgements().values())
    assert pronoun == ("pronoun", "4", "75.0", "0.50")
    assert antecedent == ("antecedent", "0", "–", "–")


def test_rows_are_only_added(store):
    store.add([Verdict(ITEM, "Ada", "right", "right")])
    with closing(sqlite3.connect(store.path)) as connection:
        for statement in ("DELETE FROM verdict", "UPDATE verdict SET pronoun = 'wrong'"):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(
                "INSERT INTO verdict VALUES (9, '', 'suite', 't', 'd', 's', 'w', 'h', 'Ada', "
                "'perhaps', NULL, '', 'verdict')"
            )


def test_another_database_another_suite_and_none(tmp_path, store):
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
    store.add([Verdict(ITEM, "Ada", "right", "right")])
    for path, suite in ((tmp_path / "db", "suite"), (store.path, "another")):
        with pytest.raises(InputError, match=path.name):
            VerdictStore(path, suite)
    with pytest.raises(InputError, match=r"none\.sqlite"):
        VerdictStore(tmp_path / "none.sqlite", "suite", create=False)
    with pytest.raises(InputError):
        VerdictStore(tmp_path / "no" / "folder", "suite")
