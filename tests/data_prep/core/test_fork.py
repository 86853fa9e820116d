"""Work in a forked process: its result, what it raises, and its end."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.processes import forked, map_forked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")


def test_the_result_comes_from_another_process():
    shared = list(range(5))
    with forked(lambda: (os.getpid(), shared), "numbers: expected some") as other:
        process, result = other()
    assert process != os.getpid()
    assert result == shared


@pytest.mark.parametrize(("jobs", "processes"), [(1, 1), (2, 2), (3, 3), (9, 7)])
def test_pieces_are_worked_on_by_several_processes_in_order(monkeypatch, jobs, processes):
    monkeypatch.setattr("crosspro.data_prep.core.processes.may_fork", lambda: True)
    work = lambda piece: (os.getpid(), 2 * piece)  # noqa: E731
    found = map_forked(work, range(7), jobs, "x: expected y")
    assert [result for _, result in found] == [0, 2, 4, 6, 8, 10, 12]
    assert len({process for process, _ in found}) == processes
    assert found[0][0] == os.getpid()
    assert map_forked(work, [], jobs, "x: expected y") == []


def test_what_the_work_raises_is_raised_here():
    def work():
        raise CrossproError("a line: expected a word")

    with (
        pytest.raises(CrossproError, match="expected a word"),
        forked(work, "x: expected y") as other,
    ):
        other()


def test_a_process_that_was_ended_is_told():
    ended = "x: expected y, found that it was ended"
    work = lambda: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
    with pytest.raises(CrossproError, match=ended), forked(work, "x: expected y") as other:
        other()


def test_a_process_that_was_ended_while_it_sent_is_told():
    def half_a_message(sender, _):
        os.write(sender.fileno(), (100).to_bytes(4, "big") + b"half")

    ended = "x: expected y, found that it was ended; is there enough memory[?] Wait."
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("crosspro.data_prep.core.processes._send", half_a_message)
        with (
            pytest.raises(CrossproError, match=ended),
            forked(int, "x: expected y", "Wait.") as other,
        ):
            other()


def test_too_little_memory_there_is_told_here():
    def work():
        raise MemoryError

    with pytest.raises(CrossproError, match="enough memory"), forked(work, "x: ex y") as other:
        other()


def test_no_room_for_a_process_is_told(monkeypatch):
    def fork():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    told = "x: expected y, found no room for a process: Resource temporarily unavailable. Wait."
    with (
        pytest.raises(CrossproError, match=told),
        forked(lambda: 1, "x: expected y", "Wait."),
    ):
        pass


def test_it_does_not_outlive_what_stops_the_first():
    with pytest.raises(KeyError), forked(signal.pause, "x: expected y"):
        raise KeyError
