"""One writer for many: what is acknowledged is stored, what fails takes nobody along, and order."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from functools import partial
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.evaluation.human.store import GroupWriter
from crosspro.evaluation.human.verdicts import connect, transaction


@pytest.fixture
def path(tmp_path):
    return new_store(tmp_path / "w.sqlite")


def new_store(path):
    database = connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
    database.execute("CREATE TABLE said (text TEXT UNIQUE, parent INTEGER REFERENCES parent)")
    database.close()
    return path


@pytest.fixture
def writer(path):
    writer = GroupWriter(path)
    yield writer
    writer.close()


def stored(path):
    """What a connection of somebody else sees."""
    database = connect(path)
    try:
        return [text for (text,) in database.execute("SELECT text FROM said ORDER BY rowid")]
    finally:
        database.close()


def say(text, database):
    database.execute("INSERT INTO said (text) VALUES (?)", (text,))
    return text.upper()


def say_and_fail(text, database):
    say(text, database)
    raise KeyError(text)


def grouped(writer, *jobs):
    """The futures of jobs that are written in one transaction: all wait while somebody writes."""
    with writer.turn():
        return [writer.submit(job) for job in jobs]


def test_one_that_fails_does_not_take_the_others_down(writer, path):
    jobs = [partial(say, "a"), partial(say_and_fail, "b"), partial(say, "a"), partial(say, "c")]
    first, failing, doubled, last = grouped(writer, *jobs)
    assert (first.result(), last.result()) == ("A", "C")
    with pytest.raises(KeyError):
        failing.result()
    with pytest.raises(sqlite3.IntegrityError):
        doubled.result()
    assert stored(path) == ["a", "c"]


def test_nothing_is_acknowledged_before_all_of_it_is_stored(writer, path):
    futures, during, after = [], [], []

    def look(database):
        during.append((stored(path), [one.done() for one in futures]))

    with writer.turn():
        futures += [writer.submit(job) for job in (partial(say, "a"), partial(say, "b"), look)]
        for one in futures:
            one.add_done_callback(lambda _: after.append(stored(path)))
    writer.close()  # everybody was told
    assert during == [([], [False] * 3)]  # written, but not yet for others to see
    assert after == [["a", "b"]] * 3


def test_first_come_first_served(writer, path):
    gate, told = Event(), []
    writer.submit(lambda _: gate.wait())
    futures = [writer.submit(partial(say, str(number))) for number in range(20)]
    for number, one in enumerate(futures):
        one.add_done_callback(lambda _, number=number: told.append(number))
    gate.set()
    with writer.turn():
        assert stored(path) == [str(number) for number in range(20)]
        late = writer.submit(partial(say, "late"))
        database = connect(path)
        with transaction(database, "IMMEDIATE"):
            say("turn", database)
        database.close()
        assert not late.done()
    assert late.result() == "LATE"
    assert told == list(range(20))
    assert stored(path)[20:] == ["turn", "late"]


def commit_fails(database):
    """What it writes can be written, but not be committed."""
    database.execute("PRAGMA defer_foreign_keys = ON")
    database.execute("INSERT INTO said VALUES ('orphan', 1)")


def all_undone(database):
    """As SQLite does by itself when the disk is full."""
    database.rollback()
    raise sqlite3.OperationalError("database or disk is full")


@pytest.mark.parametrize("bad", [commit_fails, all_undone])
def test_if_the_transaction_fails_nobody_is_told_that_it_was_stored(writer, path, bad):
    futures = grouped(writer, partial(say, "a"), bad, partial(say, "b"))
    for one in futures:
        with pytest.raises(sqlite3.Error):
            one.result()
    assert stored(path) == []
    assert writer.submit(partial(say, "c")).result() == "C"  # the writer goes on
    assert stored(path) == ["c"]


def test_a_turn_that_fails_lets_the_next_one_in(writer, path):
    with pytest.raises(KeyError), writer.turn():
        raise KeyError
    assert writer.submit(partial(say, "a")).result() == "A"


def test_what_is_cancelled_in_time_is_not_written(writer, path):
    with writer.turn():
        futures = [writer.submit(partial(say, text)) for text in "abc"]
        assert futures[1].cancel()
    wait_for(futures)
    assert stored(path) == ["a", "c"]


def test_another_process_that_writes_is_waited_for(writer, path):
    other = connect(path)
    with transaction(other, "IMMEDIATE"):
        say("other", other)
        future = writer.submit(partial(say, "own"))
        assert not future.done()
    other.close()
    assert future.result() == "OWN"
    assert stored(path) == ["other", "own"]


def test_closing_writes_what_waits_and_takes_nothing_more(path):
    writer = GroupWriter(path)
    future = writer.submit(partial(say, "a"))
    writer.close()
    assert future.result() == "A"
    for attempt in (lambda: writer.submit(partial(say, "b")), writer.turn().__enter__):
        with pytest.raises(ValueError, match="closed"):
            attempt()
    assert stored(path) == ["a"]


JOBS = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans()), max_size=25)


@settings(max_examples=25)
@given(jobs=JOBS, people=st.integers(1, 6))
def test_what_was_acknowledged_is_stored_once_and_nothing_else(jobs, people, tmp_path_factory):
    path = new_store(tmp_path_factory.mktemp("w") / "w.sqlite")
    writer = GroupWriter(path)

    def attempt(job):
        text, fails = job
        try:
            return writer.submit(partial(say_and_fail if fails else say, text)).result()
        except (KeyError, sqlite3.IntegrityError):
            return None

    with ThreadPoolExecutor(people) as pool:
        acknowledged = [one for one in pool.map(attempt, jobs) if one is not None]
    assert sorted(acknowledged) == sorted(text.upper() for text in stored(path))
    assert set(acknowledged) == {text.upper() for text, fails in jobs if not fails}
    writer.close()
