"""One store of verdicts that several people use at once, and that is killed at any moment."""

from __future__ import annotations

import os
import signal
import sqlite3
from multiprocessing import get_context
from pathlib import Path

import pytest

from crosspro.evaluation.human.verdicts import Item, Verdict, VerdictStore

# Forked, so that the many processes need not import everything anew.
PROCESSES = get_context("fork")


def annotate(path, name, count, started):
    started.wait()  # all are there before the first goes on
    for number in range(count):
        item = Item(f"t{number}", "sys", "d", "il", "", False)
        with VerdictStore(path, "suite") as store:
            store.record([Verdict(item, name, "right", None, ("tag",))])


def annotate_until_killed(path, last):
    """Record a verdict, and die at the statement with this number."""
    connect, seen = sqlite3.connect, []

    def traced(*arguments, **settings):
        connection = connect(*arguments, **settings)

        def statement(text):
            seen.append(text)
            if len(seen) == last:
                os.kill(os.getpid(), signal.SIGKILL)

        connection.set_trace_callback(statement)
        return connection

    sqlite3.connect = traced
    with VerdictStore(path, "suite") as store:
        store.record([Verdict(Item("t", "sys", "d", "il", "", False), "Anna", "right", None)])


@pytest.mark.parametrize("attempt", range(3))
def test_four_annotators_at_once_on_a_new_file(attempt, tmp_path):
    path = tmp_path / "v.sqlite"
    names = ("Anna", "Ben", "Chris", "Dora")
    started = PROCESSES.Barrier(len(names))
    processes = [
        PROCESSES.Process(target=annotate, args=(path, name, 25, started)) for name in names
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    with VerdictStore(path, "suite", create=False) as store:
        found = [(one.annotator, one.item.token) for one in store.verdicts()]
    assert sorted(found) == sorted((name, f"t{number}") for name in names for number in range(25))


def test_killed_at_every_statement(tmp_path):
    ends = []
    for last in range(1, 200):
        path = tmp_path / f"{last}.sqlite"
        process = PROCESSES.Process(target=annotate_until_killed, args=(path, last))
        process.start()
        process.join()
        ends.append(process.exitcode)
        verdict = Verdict(Item("t", "sys", "d", "il", "", False), "Ben", "wrong", None)
        with VerdictStore(path, "suite") as store:
            store.record([verdict])
            assert verdict in store.verdicts()
        if not ends[-1]:
            break
    assert set(ends[:-1]) == {-signal.SIGKILL}
    assert len(ends) > 15


def test_an_empty_file_becomes_a_store_and_half_a_store_is_refused(tmp_path):
    path: Path = tmp_path / "v.sqlite"
    path.touch()
    with VerdictStore(path, "suite") as store:
        assert store.verdicts() == []
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM suite")
    connection.close()
    with pytest.raises(Exception, match="no name of a suite"):
        VerdictStore(path, "suite")
