"""Processes that share a work: turns in order, arrays of all, and what ends one of them."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np
import pytest

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.team import shared_array, work_together

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are for Linux")

EXPECTED = ("sums: expected some", "Wait.")


@pytest.mark.parametrize("jobs", [1, 2, 3, 5])
@pytest.mark.parametrize("items", [0, 1, 4, 5, 23])
def test_items_are_shared_and_have_their_turns_in_order(jobs, items):
    order, places = shared_array(2 * items, np.int64), shared_array(2, np.int64)
    seen, reports = shared_array(items, np.int64), []

    def program(team):
        for item in team.share(items, 2, lambda: reports.append(os.getpid())):
            seen[item] += 1 + team.rank
            for turn in range(2):
                with team.turn():
                    order[items * turn + places[turn]] = item
                    places[turn] += 1
        assert seen.all()  # by whomever
        for item in team.share(items):
            seen[item] += 10

    work_together(program, jobs, *EXPECTED)
    assert order.tolist() == [*range(items), *range(items)]
    assert seen.tolist() == [11 + item % jobs for item in range(items)]
    assert reports == [os.getpid()] * items


def test_what_fails_in_one_process_is_raised_here_and_nobody_waits():
    def raises(team):
        for item in team.share(20, 1):
            if item == 7:
                raise ValueError(f"of {team.rank}")
            with team.turn():
                pass

    for jobs in (1, 2, 4, 5):
        with pytest.raises(ValueError, match=f"of {7 % jobs}"):
            work_together(raises, jobs, *EXPECTED)

    def ended(team):
        for item in team.share(20, 1):
            if item == 7:
                os.kill(os.getpid(), signal.SIGKILL)
            with team.turn():
                pass

    with pytest.raises(CrossproError, match="sums: expected some, found that it was ended"):
        work_together(ended, 4, *EXPECTED)


def test_no_pipe_stays_open():
    def fails(team):
        raise KeyError

    pipes = Path("/proc/self/fd")
    before = sorted(pipes.iterdir())
    work_together(lambda team: [*team.share(9)] and None, 3, *EXPECTED)
    with pytest.raises(KeyError):
        work_together(fails, 3, *EXPECTED)
    assert sorted(pipes.iterdir()) == before
