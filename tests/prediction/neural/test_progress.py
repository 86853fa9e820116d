"""Bars for what comes before the first epoch."""

from __future__ import annotations

from crosspro.data_prep.core.processes import Step
from crosspro.prediction.neural.training.progress import step_bar


def test_each_step_has_a_bar_on_standard_error(capsys):
    with step_bar(shown=True) as report:
        for name in ("one", "two"):
            for done in (1, 2):
                report(Step(name, done=done, total=2))
    said = capsys.readouterr()
    assert said.out == ""
    for name in ("one", "two"):
        assert f"{name}: 100%" in said.err
        assert "2/2" in said.err


def test_nothing_is_written_where_bars_are_not_wanted(capsys):
    with step_bar(shown=False) as report:
        report(Step("one", done=1, total=2))
    assert capsys.readouterr() == ("", "")
