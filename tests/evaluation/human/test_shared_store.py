"""One store of verdicts that several people use at once, and that is killed at any moment."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from crosspro.evaluation.human.verdicts import Item, Verdict, VerdictStore

IMPORTS = """
import sys
from crosspro.evaluation.human.verdicts import Verdict, Item, VerdictStore
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for number in range(count):
    item = Item(f"t{number}", "sys", "d", "il", "", False)
    with VerdictStore(path, "suite") as store:
        store.record([Verdict(item, name, "right", None, ("tag",))])
"""

KILLED = """
import os, signal, sqlite3, sys
from crosspro.evaluation.human.verdicts import Verdict, Item, VerdictStore
path, last = sys.argv[1], int(sys.argv[2])
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
"""


@pytest.mark.parametrize("attempt", range(3))
def test_four_annotators_at_once_on_a_new_file(attempt, tmp_path):
    path = tmp_path / "v.sqlite"
    names = ("Anna", "Ben", "Chris", "Dora")
    command = [sys.executable, "-c", IMPORTS, path]
    processes = [
        subprocess.Popen([*command, name, "25"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for name in names
    ]
    for process in processes:  # all are started before the first goes on
        process.stdin.write(b"go\n")
        process.stdin.flush()
    failed = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, failed
    with VerdictStore(path, "suite", create=False) as store:
        found = [(one.annotator, one.item.token) for one in store.verdicts()]
    assert sorted(found) == sorted((name, f"t{number}") for name in names for number in range(25))


def test_killed_at_every_statement(tmp_path):
    ends = []
    for last in range(1, 200):
        path = tmp_path / f"{last}.sqlite"
        ends.append(subprocess.run([sys.executable, "-c", KILLED, path, str(last)]).returncode)
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
