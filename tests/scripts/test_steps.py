"""Progress of a long command in a log."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from crosspro.scripts.steps import step_display

REPORTS = [
    ("reading", "", 0, 10),
    ("reading", "", 5, 10),
    ("aligning", "own", 0, 0),
    ("aligning", "forward", 0, 4),
    ("aligning", "", 4, 4),
]


def test_a_line_when_a_step_or_a_part_of_it_begins():
    stream = StringIO()
    with step_display(Console(file=stream)) as report:
        for reported in REPORTS:
            report(*reported)
    assert stream.getvalue().splitlines() == ["reading", "aligning: own", "aligning: forward"]
