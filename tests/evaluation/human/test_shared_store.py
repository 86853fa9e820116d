"""One store of verdicts that several people use at once, and that is killed at any moment."""

from __future__ import annotations

import os
import signal
import sqlite3
from multiprocessing import get_context
from unittest import mock

import pytest

from crosspro.evaluation.human.verdicts import Item, Verdict, VerdictStore

FORKED = get_context("fork")
TOKENS = 10
ANNOTATORS = ("Anna", "Ben", "Chris", "Dora")


def record(path, name, word="t", value="right"):
    with VerdictStore(path, "suite") as store:
        item = Item(word, "sys", "d", "il", "", False)
        store.record([Verdict(item, name, value, None, ("tag",))])
        return store.verdicts()


def record_many(path, name, ready):
    ready.wait()
    for number in range(TOKENS):
        record(path, name, f"t{number}")


@pytest.mark.parametrize("attempt", range(3))
def test_four_annotators_at_once_on_a_new_file(attempt, tmp_path):
    path = tmp_path / "v.sqlite"
    ready = FORKED.Barrier(len(ANNOTATORS))
    processes = [
        FORKED.Process(target=record_many, args=(path, name, ready)) for name in ANNOTATORS
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    with VerdictStore(path, "suite", create=False) as store:
        found = [(one.annotator, one.item.token) for one in store.verdicts()]
    assert sorted(found) == sorted((name, f"t{at}") for name in ANNOTATORS for at in range(TOKENS))


def record_until(path, last):
    """Record a verdict, and be killed at the last of so many statements."""
    connect, seen = sqlite3.connect, []

    def traced(*arguments, **settings):
        connection = connect(*arguments, **settings)

        def statement(text):
            seen.append(text)
            if len(seen) == last:
                os.kill(os.getpid(), signal.SIGKILL)

        connection.set_trace_callback(statement)
        return connection

    with mock.patch("sqlite3.connect", traced):
        record(path, "Anna")


def test_killed_at_every_statement(tmp_path):
    ends = []
    for last in range(1, 200):
        path = tmp_path / f"{last}.sqlite"
        process = FORKED.Process(target=record_until, args=(path, last))
        process.start()
        process.join()
        ends.append(process.exitcode)
        assert ("Ben", "wrong") in [
            (one.annotator, one.pronoun) for one in record(path, "Ben", value="wrong")
        ]
        if not ends[-1]:
            break
    assert set(ends[:-1]) == {-signal.SIGKILL}
    assert len(ends) > 15


def test_an_empty_file_becomes_a_store_and_half_a_store_is_refused(tmp_path):
    path = tmp_path / "v.sqlite"
    path.touch()
    with VerdictStore(path, "suite") as store:
        assert store.verdicts() == []
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM suite")
    connection.close()
    with pytest.raises(Exception, match="no name of a suite"):
        VerdictStore(path, "suite")
