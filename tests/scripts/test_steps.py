"""Progress of a long command in a log."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from crosspro.data_prep.core.processes import Step
from crosspro.scripts import steps
from crosspro.scripts.steps import StepDisplay


def shown(reports):
    stream = StringIO()
    with StepDisplay(Console(file=stream)) as display:
        for report in reports:
            display.report(report)
    return stream.getvalue().splitlines()


REPORTS = [
    Step("reading", "", 0, 10),
    Step("reading", "", 5, 10),
    Step("aligning", "own", 0, 0),
    Step("aligning", "forward", 0, 4),
    Step("aligning", "", 4, 4),
]


def test_a_line_when_a_step_or_a_part_of_it_begins_and_when_it_ends():
    assert shown(REPORTS) == [
        "reading",
        "reading: done in 0 s",
        "aligning: own",
        "aligning: forward",
        "aligning: done in 0 s",
    ]


def test_a_long_step_has_lines_in_between(monkeypatch):
    monkeypatch.setattr(steps, "PATIENCE", 0)
    lines = shown(REPORTS)
    assert "reading: 5 of 10" in lines
    assert "aligning: forward: 4 of 4" in lines


def test_a_step_that_failed_is_not_called_done():
    stream = StringIO()
    with pytest.raises(KeyError), StepDisplay(Console(file=stream)) as display:
        display.report(Step("reading", "", 0, 10))
        raise KeyError
    assert stream.getvalue() == "reading\n"
