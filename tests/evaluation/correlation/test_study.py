"""Correlations: against scipy, and against the figures that 000 and 001 print."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.correlation.score_table import read_score_table
from crosspro.evaluation.correlation.study import (
    COEFFICIENTS,
    bootstrap_systems,
    correlate,
    kendall,
    pearson,
    permutation_test,
    printed_correlations,
    published_table,
    ranks,
    regression,
    smallest_significant,
    spearman,
    spearman_competition,
    t_test,
    williams_test,
)
from crosspro.evaluation.published.results import read_figures

PLAN = Resampling(200, 3)
columns = st.integers(3, 12).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.integers(-4, 4).map(float), min_size=n, max_size=n) for _ in range(2))
    )
)


def published(*without):
    return correlate(read_score_table(published_table(), "protest", without=without))


@given(columns)
def test_the_coefficients_are_those_of_scipy(pair):
    x, y = map(np.array, pair)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    found = scipy.stats.pearsonr(x, y)
    assert float(pearson(x, y)) == pytest.approx(found.statistic, abs=1e-9)
    if abs(found.statistic) < 0.999:
        assert t_test(found.statistic, len(x)) == pytest.approx(found.pvalue, rel=1e-6)
    assert float(spearman(x, y)) == pytest.approx(scipy.stats.spearmanr(x, y)[0], abs=1e-9)
    assert float(kendall(x, y)) == pytest.approx(scipy.stats.kendalltau(x, y)[0], abs=1e-9)
    assert ranks(x, "min").tolist() == [1 + sum(other < one for other in x) for one in x]


@given(columns)
def test_many_rows_at_once_give_the_same(pair):
    x, y = map(np.array, pair)
    for coefficient in COEFFICIENTS.values():
        rows = coefficient(np.stack([x, x[::-1]]), np.stack([y, y]))
        assert np.array_equal(rows[0], coefficient(x, y), equal_nan=True)


def test_a_constant_column_has_no_correlation():
    flat, rising = np.ones(5), np.arange(5.0)
    assert all(np.isnan(float(one(flat, rising))) for one in COEFFICIENTS.values())


def test_permutations_are_exact_for_few_systems():
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5])
    value = abs(float(kendall(x, y)))
    all_values = [abs(float(kendall(x, np.array(p)))) for p in permutations(y)]
    expected = np.mean(np.array(all_values) >= value - 1e-12)
    assert permutation_test(kendall, x, y, PLAN) == pytest.approx(expected)
    assert permutation_test(spearman, x, x, PLAN) == pytest.approx(2 / 120)


def test_permutations_are_drawn_for_many_systems():
    x = np.arange(30.0)
    assert permutation_test(spearman, x, x, PLAN) == pytest.approx(1 / 201)
    assert permutation_test(spearman, x, np.roll(x, 15) % 7, PLAN) > 0.01


def test_resamples_without_two_values_are_left_out():
    x, y = np.array([0.0, 0, 1]), np.array([0.0, 1, 1])
    found = bootstrap_systems(pearson, x, y, PLAN)
    assert 0 < len(found) < PLAN.resamples
    assert not np.isnan(found).any()


def test_smallest_significant_correlation():
    assert smallest_significant(10) == pytest.approx(0.632, abs=5e-4)
    assert t_test(smallest_significant(7), 7) == pytest.approx(0.05)


# The figures of the papers ----------------------------------------------------------------------


def test_table_2_of_001_comes_out_of_table_1_with_the_reference():
    """8 of 8 printed values, with the reference as a tenth system."""
    study = published()
    assert len(study.table.systems) == 10
    printed = printed_correlations()
    assert len(printed) == 8
    for result in study.results:
        for kind in ("pearson", "spearman"):
            value = result.coefficients[kind].value
            assert f"{value:.3f}" == f"{printed[result.metric, kind]:.3f}"


def test_without_the_reference_table_2_does_not_come_out():
    study = published("Reference")
    for kind, values in {
        "pearson": [0.682, 0.697, 0.684, 0.697],
        "spearman": [0.752, 0.752, 0.745, 0.739],  # 0.7395 in the last
    }.items():
        assert [round(r.coefficients[kind].value, 3) for r in study.results] == values


@pytest.mark.parametrize(("without", "smallest"), [((), 0.218), (("Reference",), 0.201)])
def test_williams_tests_of_001(without, smallest):
    """The paper says p > 0.2 in all cases."""
    p_values = [one.test.p_one_sided for one in published(*without).comparisons]
    assert len(p_values) == 6
    assert min(p_values) > 0.2
    assert round(min(p_values), 3) == smallest


def test_leaving_one_system_out():
    study = published()
    first = study.results[0].without
    assert [one.system for one in first] == list(study.table.systems)
    alone = published("Reference").results[0].coefficients
    assert first[0].pearson == alone["pearson"].value
    assert first[0].spearman == alone["spearman"].value


def attainable(coefficient, n):
    """All values over n systems of which at most two human scores are equal."""
    orders = np.array(list(permutations(range(n))), dtype=float)
    humans = [np.arange(float(n))]
    humans += [np.array([j - (j > i) for j in range(n)], dtype=float) for i in range(n - 1)]
    values = [coefficient(np.broadcast_to(human, orders.shape), orders) for human in humans]
    return np.unique(np.round(np.concatenate(values), 9))


def fits(printed, values):
    return bool((np.abs(values - printed) <= 0.000501).any())


def test_spearman_of_000_fits_competition_ranks():
    """Table 4 over seven systems, the other metrics of Table 3 over six (the outlier is out)."""
    rows = read_figures("apt_correlation")
    table_4 = {float(row["spearman"]) for row in rows if row["table"] == "table_4"}
    table_3 = {
        float(r["spearman"]) for r in rows if r["table"] == "table_3" and r["metric"] != "APT"
    }
    over_7, over_6 = (attainable(spearman_competition, n) for n in (7, 6))
    assert all(fits(value, over_7) for value in table_4)
    assert all(fits(value, over_6) for value in table_3)
    usual_7, usual_6 = (attainable(spearman, n) for n in (7, 6))
    assert {value for value in table_4 if not fits(value, usual_7)} == {0.987, 0.989}
    assert {value for value in table_3 if not fits(value, usual_6)} == {0.804, 0.919}


# Williams's test --------------------------------------------------------------------------------


def test_williams_is_antisymmetric():
    one, other = williams_test(0.9, 0.7, 0.8, 12), williams_test(0.7, 0.9, 0.8, 12)
    assert one.t == -other.t
    assert one.p_one_sided == pytest.approx(1 - other.p_one_sided)
    assert one.p_two_sided == pytest.approx(2 * one.p_one_sided)
    assert one.degrees == 9


def test_williams_by_hand():
    """K = 1 - .64 - .36 - .25 + 2(.8)(.6)(.5) = .23; n = 13."""
    t = 0.2 * np.sqrt(12 * 1.5) / np.sqrt(2 * 0.23 * 12 / 10 + 1.4**2 / 4 * 0.5**3)
    found = williams_test(0.8, 0.6, 0.5, 13)
    assert found.t == pytest.approx(t)
    assert found.p_one_sided == pytest.approx(scipy.stats.t.sf(t, 10))


def test_williams_of_equal_metrics_and_of_too_few_systems():
    same = williams_test(0.9, 0.9, 1.0, 8)
    assert (same.t, same.p_one_sided, same.p_two_sided) == (0, 0.5, 1)
    assert williams_test(1.0, -1.0, -1.0, 8).t == 0  # 1 + r23 is 0
    with pytest.raises(ValueError, match="4"):
        williams_test(0.1, 0.2, 0.3, 3)


pairs = st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=3, max_size=12)


@given(pairs)
def test_the_line_is_that_of_least_squares(points):
    """000 Figure 1."""
    x, y = np.array(points).T
    assume(np.ptp(x) > 1)
    line = regression(x, y)
    slope, intercept = np.polyfit(x, y, 1)
    assert line.slope == pytest.approx(slope, abs=1e-6)
    assert line.intercept == pytest.approx(intercept, abs=1e-4)
