"""A few kills at random moments; `python -m tests.fuzz.kills` does as many as one likes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.fuzz.jobs import JOBS, Job
from tests.fuzz.kills import run_kills


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_a_killed_command_ends_as_one_that_was_not(name, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    outcome = run_kills(JOBS[name](0.05), 3, 1, tmp_path)
    assert outcome.faults == ()
    assert outcome.kills == 3


class Careless(Job):
    """A command that writes as nobody should: its work can be half done, and says so nowhere."""

    def work(self) -> None:
        path = Path("out")
        if path.exists():
            return
        Path(f"tmp{os.getpid()}").touch()
        for number in range(400):
            with path.open("a") as handle:
                handle.write(f"{number} {sum(range(20_000))}\n")
        Path(f"tmp{os.getpid()}").unlink()
        sys.exit(0)


def test_what_careless_commands_leave_is_found(tmp_path):
    outcome = run_kills(Careless("careless", lambda folder: None, ()), 4, 1, tmp_path)
    said = "\n".join(outcome.faults)
    assert "out is another one" in said
    assert "was left behind" in said
