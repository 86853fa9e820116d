"""Resampling: exact where it can be, sensible where it is random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crosspro.evaluation.resampling import (
    Cells,
    Resampling,
    Units,
    interval,
    intervals,
    paired_tests,
    ratio,
    unit_table,
)

PLAN = Resampling(400, 7)
rows = st.integers(1, 20).flatmap(
    lambda size: arrays(np.float64, (size, 2), elements=st.integers(0, 3).map(float))
)


def score(sums):
    return {"share": ratio(sums["part"], sums["whole"])}


def table_of(*candidates, documents=None):
    size = len(candidates[0][0])
    columns = [{"part": np.asarray(part, float), "whole": whole} for part, whole in candidates]
    return unit_table(columns, Units.choose(document=documents, line=range(size)))


def compare(first, second, plan=PLAN):
    (test,) = paired_tests(("a", "b"), table_of(first, second), score, plan)
    return test


def test_the_first_division_with_two_units_counts():
    lines = [0, 0, 1, 4]
    units = Units.choose(document=["a", "a", "b", "b"], line=lines)
    assert (units.name, units.of_item.tolist(), units.count) == ("document", [0, 0, 1, 1], 2)
    for documents in (["a"] * 4, None):
        units = Units.choose(document=documents, line=lines)
        assert (units.name, units.of_item.tolist(), units.count) == ("line", [0, 0, 1, 2], 3)
    assert Units.choose(document=None, line=[]).count == 0
    among = units.among(np.array([False, False, True, False]))
    assert (among.of_item.tolist(), among.count) == ([0], 1)


@given(rows)
def test_a_table_has_every_unit_and_equal_ones_once(statistics):
    columns = {"wide": statistics, "plain": statistics[:, 0]}
    table = unit_table([columns], Units.choose(line=range(len(statistics))))
    kinds, counts = np.unique(statistics, axis=0, return_counts=True)
    assert table.rows[:, :2].tolist() == kinds.tolist()
    assert table.counts.tolist() == counts.tolist()
    sums = table.named(table.sums)
    assert sums["wide"].tolist() == [statistics.sum(axis=0).tolist()]
    assert sums["plain"].tolist() == [statistics[:, 0].sum()]


@pytest.mark.parametrize("documents", [None, [0, 0, 1, 1, 2, 2]])
def test_cells_are_one_hot_columns(documents):
    codes = [np.array([0, 2, 2, 1, 0, 2]), np.array([1, 2, 0, 1, 0, 2])]
    units = Units.choose(document=documents, gap=range(6))
    table = unit_table([{"cell": Cells(code, 3)} for code in codes], units)
    for place, code in enumerate(codes):
        assert table.named(table.sums, place)["cell"].tolist() == [np.bincount(code).tolist()]
    dense = unit_table([{"cell": np.eye(3)[code]} for code in codes], units)
    assert sorted(dense.rows.tolist()) == sorted(table.rows.tolist())


@pytest.mark.parametrize("keep_units", [False, True])
def test_a_resample_has_as_many_units_and_exchanges_keep_the_total(keep_units):
    statistics = np.array([[1.0, 1.0], [0.0, 1.0], [2.5, 1.0], [0.0, 1.0]])
    units = Units.choose(line=range(4))
    columns = [{"x": statistics}, {"x": statistics[:, ::-1]}]
    table = unit_table(columns, units, keep_units)
    sums = PLAN.bootstrap(table)
    assert sums.shape == (400, 4) and (sums[:, 1] == 4).all()
    exchanged = PLAN.exchanged(table)
    assert np.allclose(exchanged[:, :2] + exchanged[:, 2:], statistics.sum())


def test_the_interval_of_a_share_is_that_of_the_binomial():
    right = np.arange(1000) < 300
    low, high = intervals(table_of((right, np.ones(1000))), score, Resampling(4000, 1))["share"]
    width = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert low == pytest.approx(0.3 - width, abs=0.004)
    assert high == pytest.approx(0.3 + width, abs=0.004)


def test_resampling_by_document_is_wider():
    data = [1] * 50 + [0] * 50, np.ones(100)
    documents = np.repeat(np.arange(10), 10)
    whole, lines = (
        intervals(table_of(data, documents=of_lines), score, PLAN)["share"]
        for of_lines in (documents, None)
    )
    assert whole[1] - whole[0] > 2 * (lines[1] - lines[0])


def test_a_clear_difference_is_significant_and_a_small_one_is_not():
    ones = np.ones(200)
    good = np.arange(200) < 150, ones
    clear = compare(good, (ones * 0, ones))
    assert clear.difference == pytest.approx(0.75)
    assert clear.p_bootstrap == clear.p_randomisation == pytest.approx(1 / 401)
    assert clear.significant
    nearly = compare(good, (np.arange(200) < 149, ones))
    assert nearly.p_randomisation > 0.5
    assert (nearly.differing, nearly.decidable) == (1, False)
    same = compare(good, good)
    assert (same.difference, same.low, same.high, same.p_randomisation) == (0, 0, 0, 1)
    assert same.decidable and not same.significant
    assert compare(good, (ones * 0, ones)) == clear


def test_under_the_null_small_p_values_are_rare():
    small = {"p_bootstrap": 0, "p_randomisation": 0}
    for seed in range(80):
        right = np.random.default_rng(seed).random((2, 120)) < 0.7
        test = compare(*((of_lines, np.ones(120)) for of_lines in right), Resampling(300, seed))
        for name in small:
            small[name] += getattr(test, name) < 0.05
    assert all(number <= 10 for number in small.values()), small  # 4 expected, 3 sigma below 10


def test_what_is_undefined_has_no_interval_and_no_difference():
    nothing = np.zeros(3), np.zeros(3)
    assert intervals(table_of(nothing), score, PLAN)["share"] == (None, None)
    assert paired_tests(("a", "b"), table_of(nothing, nothing), score, PLAN) == []
    assert interval(np.array([np.nan, 1.0])) == (1.0, 1.0)
    assert np.isnan(ratio(np.zeros(1), np.zeros(1)))
