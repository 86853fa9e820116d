"""Progress of a long command in a log."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from crosspro.scripts import steps
from crosspro.scripts.steps import StepDisplay

REPORTS = [
    ("reading", "", 0, 10),
    ("reading", "", 5, 10),
    ("aligning", "own", 0, 0),
    ("aligning", "forward", 0, 4),
    ("aligning", "", 4, 4),
]
BEGUN = ["reading", "aligning: own", "aligning: forward"]
EVERY = [BEGUN[0], "reading: 5 of 10", *BEGUN[1:], "aligning: forward: 4 of 4"]


@pytest.mark.parametrize(("patience", "lines"), [(30, BEGUN), (0, EVERY)])
def test_a_line_when_a_step_or_a_part_of_it_begins_and_now_and_then(patience, lines, monkeypatch):
    monkeypatch.setattr(steps, "PATIENCE", patience)
    stream = StringIO()
    with StepDisplay(Console(file=stream)) as display:
        for report in REPORTS:
            display.report(*report)
    assert stream.getvalue().splitlines() == lines
