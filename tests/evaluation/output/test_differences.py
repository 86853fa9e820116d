"""The table and the record of paired differences that all reports share."""

from __future__ import annotations

from crosspro.evaluation.core.score import PERCENT, Scale
from crosspro.evaluation.core.statistics import Difference
from crosspro.evaluation.output.text import difference_record, differences_table

ONE = Difference("macro_f1", "a", "b", 0.125, -0.5, 0.25, 0.04, 0.03)
OTHER = Difference("accuracy", "a", "b", 0.0, 0.0, 0.0, 1.0, 1.0)


def test_the_metric_has_a_column_where_there_are_several():
    heading, rows, left = differences_table([ONE, OTHER], PERCENT, title=str.upper)
    assert (heading[:3], left) == (("pair", "metric", "difference"), 2)
    assert rows[0] == ("a - b", "MACRO_F1", "+0.12 [-0.50, +0.25]", "0.0300", "0.0400")
    heading, rows, left = differences_table([ONE], Scale(digits=1, factor=100))
    assert (heading[:2], left) == (("pair", "difference"), 1)
    assert rows[0][1] == "+12.5 [-50.0, +25.0]"


def test_records_name_the_metric_as_the_report_does():
    assert list(difference_record(ONE)) == [
        *("first", "second", "difference", "low", "high", "p_bootstrap", "p_randomisation")
    ]
