"""Correlations: against scipy, and against the figures that 000 and 001 print."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.correlation.systems import (
    COEFFICIENTS,
    correlate,
    correlation,
    holm,
    order_agreement,
    p_value,
    read_score_table,
    smallest_significant,
    williams_test,
    with_weights,
)
from crosspro.evaluation.published.results import read_figures
from crosspro.evaluation.report.records import csv_text
from crosspro.evaluation.resampling import Resampling, Units, ratio

scipy_stats = pytest.importorskip("scipy.stats", reason="needs the extra `mt`")

columns = st.integers(3, 12).flatmap(
    lambda n: st.tuples(
        *(st.lists(st.integers(-4, 4).map(float), min_size=n, max_size=n) for _ in range(2))
    )
)


def published(folder, *without):
    """001 Table 1: nine systems and the reference."""
    path = folder / "scores.csv"
    rows = [row for row in read_figures("apt_protest_scores") if row["system"] not in without]
    path.write_text(csv_text([list(rows[0]), *(list(row.values()) for row in rows)]))
    return correlate(read_score_table(path, "protest"))


def printed_correlations():
    """001 Table 2, by column of Table 1 and coefficient."""
    printed = {}
    for row in read_figures("apt_protest_correlation"):
        alignment = "heuristics" if row["alignment_heuristics"] == "yes" else "plain"
        column = f"{row['setting'].lower().replace('-', '_')}_{alignment}"
        for kind in ("pearson", "spearman"):
            printed[column, kind] = row[kind]
    return printed


@given(columns)
def test_the_coefficients_are_those_of_scipy(pair):
    x, y = map(np.array, pair)
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    expected = {
        "pearson": scipy_stats.pearsonr(x, y)[0],
        "spearman": scipy_stats.spearmanr(x, y)[0],
        "kendall": scipy_stats.kendalltau(x, y)[0],
    }
    for kind, value in expected.items():
        assert float(correlation(kind, x, y)) == pytest.approx(value, abs=1e-9)
    for kind in COEFFICIENTS:
        rows = correlation(kind, np.stack([x, x[::-1]]), np.stack([y, y]))
        assert rows[0] == pytest.approx(correlation(kind, x, y))
        assert np.isnan(correlation(kind, x, np.ones(len(x))))


def test_p_values_are_exact_for_few_systems():
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 1, 4, 3, 5])
    value = abs(float(correlation("kendall", x, y)))
    every = [abs(float(correlation("kendall", x, np.array(p)))) for p in permutations(y)]
    expected = np.mean(np.array(every) >= value - 1e-12)
    assert p_value("kendall", x, y, 1) == pytest.approx(expected)
    assert p_value("spearman", x, x, 1) == pytest.approx(2 / 120)
    many = np.arange(30.0)
    assert p_value("spearman", many, many, 1) < 0.001
    assert p_value("spearman", many, np.roll(many, 15) % 7, 1) > 0.01
    assert p_value("pearson", x, y, 1) == pytest.approx(scipy_stats.pearsonr(x, y).pvalue)
    assert smallest_significant(10) == pytest.approx(0.632, abs=5e-4)


# The figures of the papers ------------------------------------------------------------------------


def test_table_2_of_001_comes_out_of_table_1_with_the_reference(tmp_path):
    """8 of 8 printed values, with the reference as a tenth system."""
    study, printed = published(tmp_path), printed_correlations()
    values = {(row.metric, row.coefficient): f"{row.value:.3f}" for row in study.correlations}
    assert (len(study.systems), len(printed)) == (10, 8)
    assert values | printed == values


@pytest.mark.parametrize(("without", "smallest"), [((), 0.218), (("Reference",), 0.201)])
def test_williams_tests_of_001(without, smallest, tmp_path):
    """The paper says p > 0.2 in all cases."""
    p_values = [result.test.p_one_sided for result in published(tmp_path, *without).williams]
    assert len(p_values) == 6
    assert min(p_values) > 0.2
    assert round(min(p_values), 3) == smallest


# Williams's test ----------------------------------------------------------------------------------


def test_williams_by_hand():
    """K = 1 - .64 - .36 - .25 + 2(.8)(.6)(.5) = .23; n = 13."""
    t = 0.2 * np.sqrt(12 * 1.5) / np.sqrt(2 * 0.23 * 12 / 10 + 1.4**2 / 4 * 0.5**3)
    test, reverse = williams_test(0.8, 0.6, 0.5, 13), williams_test(0.6, 0.8, 0.5, 13)
    assert test.t == pytest.approx(t) == -reverse.t
    assert test.p_one_sided == pytest.approx(scipy_stats.t.sf(t, 10))
    assert test.p_two_sided == pytest.approx(2 * test.p_one_sided)


# Tables -------------------------------------------------------------------------------------------

TABLE = "system,bleu,apt,human\na,20,0.5,0.6\nb,21,0.6,0.5\nc,25,0.7,0.9\n"


def test_columns_and_weights(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("system,bleu,human\nb,21,0.5\nc,25,0.9\nd,1,3\n")
    table = read_score_table(path, "human")
    assert (table.systems, table.metrics) == (("b", "c", "d"), ["bleu"])
    assert table.columns["bleu"].tolist() == [21, 25, 1]
    counts = {"b": [2, 2, 0, 0, 0, 0], "c": [1, 0, 3, 0, 0, 0], "d": [4, 0, 0, 0, 0, 0]}
    weighted = with_weights(table, counts, [[1, 0.5, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]])
    assert weighted.metrics == ["bleu", "apt 1,0.5,0,0,0,0", "apt 1,0,0,0,0,0"]
    assert weighted.columns["apt 1,0.5,0,0,0,0"].tolist() == [75, 25, 100]
    for other, weights in (({"b": [1] * 6}, [1] * 6), (counts, [1]), (counts, [1] * 6)):
        with pytest.raises(InputError):
            with_weights(table, other, [weights])


@pytest.mark.parametrize(
    ("text", "options", "place"),
    [
        ("system,bleu,human\na,1,2\nb,,0.6\nc,3,1\n", {}, (3, "bleu")),
        ("system,bleu,human\na,1,2\nb,3,nan\nc,3,1\n", {}, (3, "human")),
        ("system,bleu,human\na,1,2\nb,3\nc,3,1\n", {}, (3, "cells")),
        ("system,bleu,human\na,1,2\na,3,4\nc,3,1\n", {}, (None, "systems")),
        ("s,human,human\na,1,2\n", {}, (1, "heading")),
        ("s,m,human\na,1,2\nb,2,1\n", {}, (None, "systems")),
        ("s,m,human\na,1,2\nb,1,1\nc,1,1\n", {}, (None, "m")),
        ("", {}, (1, "column")),
        (TABLE, {"human": "people"}, (1, "column")),
    ],
)
def test_faults_are_placed(tmp_path, text, options, place):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_score_table(path, **{"human": "human", **options})
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == place


# Two orders of systems ----------------------------------------------------------------------------

SHARES = (0.2, 0.4, 0.6, 0.8)


def agreement(published, documents=40):
    """Systems that are right in growing shares of 1,200 gaps."""
    generator = np.random.default_rng(1)
    systems = [{"right": generator.random(1200) < share, "gaps": np.ones(1200)} for share in SHARES]
    units = Units.choose(document=np.arange(1200) % documents, gap=range(1200))
    return order_agreement(
        published, systems, units, lambda sums: ratio(sums["right"], sums["gaps"]), Resampling(200)
    )


def test_orders_that_agree_differ_and_are_reversed():
    for published, spearman, kendall in (
        ([50, 60, 70, 80], 1, 1),
        ([80, 70, 60, 50], -1, -1),
        ([60, 50, 80, 70], 0.6, 1 / 3),
    ):
        result = agreement(published)
        assert (result.systems, result.spearman.value) == (4, pytest.approx(spearman))
        assert result.kendall.value == pytest.approx(kendall)
        assert (result.spearman.low, result.kendall.high) == pytest.approx((spearman, kendall))
    with pytest.raises(ValueError, match="3"):
        agreement([1, 2])


def test_the_interval_is_that_of_resampled_documents():
    """Two systems that are nearly equal change their places in some resamples."""
    right = np.arange(300) % 10 < np.array([[3], [5], [5], [8]])
    right[2, :1] = ~right[2, :1]
    systems = [{"right": row} for row in right]
    units = Units.choose(document=np.arange(300) // 10, gap=range(300))
    result = order_agreement([1, 3, 2, 4], systems, units, lambda sums: sums["right"])
    assert result.kendall.low < result.kendall.high == 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_by_definition(p_values):
    corrected = holm(p_values)
    ranked = sorted(p_values)
    for value, result in zip(p_values, corrected, strict=True):
        below = ranked[: ranked.index(value) + 1]
        steps = [(len(ranked) - place) * p for place, p in enumerate(below)]
        assert result == pytest.approx(min(1, max(steps)))
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
