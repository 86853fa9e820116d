"""Figure 1 of 000: metrics against human scores with regression lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.report import correlation_figure, correlation_page
from crosspro.evaluation.correlation.study import (
    ScoreTable,
    correlate,
    printed_correlations,
    published_table,
    read_score_table,
    regression,
)
from tests.evaluation.output.reading import Elements


def study_of(x, y):
    systems = tuple(map(str, range(len(x))))
    return correlate(ScoreTable("t", systems, "h", {"h": np.array(y), "m": np.array(x)}))


pairs = st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=3, max_size=12)


@given(pairs)
def test_the_line_is_that_of_least_squares(points):
    x, y = np.array(points).T
    assume(np.ptp(x) > 1)
    line = regression(x, y)
    slope, intercept = np.polyfit(x, y, 1)
    assert line.slope == pytest.approx(slope, abs=1e-6)
    assert line.intercept == pytest.approx(intercept, abs=1e-4)


@pytest.mark.parametrize("values", [[1e101, -1e101, 0.0], [1.0, 1.0 + 1e-12, 1.0], [0, 1e-200, 0]])
def test_what_cannot_be_drawn_is_refused(values):
    study = study_of([1.0, 2.0, 3.0], values)
    with pytest.raises(InputError, match="numbers for an axis"):
        correlation_figure(study)


def test_small_and_large_numbers_are_drawn():
    for size in (1e-90, 1e-12, 1e12, 1e90):
        assert "circle" in correlation_figure(study_of([size, 2 * size, 4 * size], [1, 2, 3]))


def test_the_page_has_a_plot_for_each_metric_and_loads_nothing():
    study = correlate(read_score_table(published_table(), "protest"))
    page = correlation_page(study, printed_correlations())
    elements = Elements(page)
    assert elements.loaded == []
    assert elements.tags.count("svg") == 4
    assert elements.tags.count("circle") == 40
    assert "Pearson 0.848, Spearman 0.820" in page
    assert "10 YANDEX" in page
    assert "Williams" in page
