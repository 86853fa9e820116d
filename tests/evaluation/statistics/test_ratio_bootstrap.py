"""Intervals and paired tests of ratios of sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.statistics.ratio_bootstrap import (
    bootstrap_sums,
    compare_ratios,
    exchanged_sums,
    make_ratio,
    ratio_interval,
)
from crosspro.evaluation.statistics.significance import Resampling

PLAN = Resampling(400, 7)
units = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=30)


@given(units)
def test_an_interval_lies_within_the_ratios_of_the_units(pairs):
    numerators = [min(a, a + b) for a, b in pairs]
    denominators = [a + b for a, b in pairs]
    low, high = ratio_interval(numerators, denominators, PLAN)
    assert 0 <= low <= high <= 1


@given(units)
def test_a_system_against_itself_does_not_differ(pairs):
    one = make_ratio("a", [a for a, _ in pairs], [a + b for a, b in pairs])
    found = compare_ratios(one, one, PLAN)
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    assert found.p_bootstrap == found.p_randomisation == 1


def test_the_interval_of_a_share_is_that_of_the_binomial():
    right = np.arange(1000) < 300
    low, high = ratio_interval(right, np.ones(1000), Resampling(4000, 1))
    width = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert low == pytest.approx(0.3 - width, abs=0.004)
    assert high == pytest.approx(0.3 + width, abs=0.004)


def test_a_clear_difference_is_significant_and_a_small_one_is_not():
    ones = np.ones(200)
    good, bad = make_ratio("good", np.arange(200) < 150, ones), make_ratio("bad", ones * 0, ones)
    found = compare_ratios(good, bad, PLAN)
    assert found.difference == pytest.approx(0.75)
    assert found.p_bootstrap == found.p_randomisation == pytest.approx(1 / 401)
    nearly = make_ratio("nearly", np.arange(200) < 149, ones)
    assert compare_ratios(good, nearly, PLAN).p_randomisation > 0.5


def test_resampling_by_document_is_wider_than_by_sentence():
    documents = [(10, 10), (0, 10)] * 5
    whole = ratio_interval(*zip(*documents, strict=True), PLAN)
    sentences = ratio_interval([1] * 50 + [0] * 50, [1] * 100, PLAN)
    assert whole[1] - whole[0] > 2 * (sentences[1] - sentences[0])


def test_sums_are_of_as_many_units_and_exchanges_keep_the_total():
    statistics = np.array([[1.0, 1.0], [0.0, 1.0], [2.5, 1.0]])
    assert (bootstrap_sums(statistics, PLAN)[:, 1] == 3).all()
    other = statistics[:, ::-1].copy()
    left, right = exchanged_sums(statistics, other, PLAN)
    assert np.allclose(left + right, statistics.sum(axis=0) + other.sum(axis=0))


def test_nothing_over_nothing_is_zero():
    assert ratio_interval([0, 0], [0, 0], PLAN) == (0, 0)
    assert make_ratio("a", [0], [0]).value == 0


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match="one numerator"):
        make_ratio("a", [1, 2], [1])
    with pytest.raises(ValueError, match="different units"):
        compare_ratios(make_ratio("a", [1], [1]), make_ratio("b", [1, 1], [1, 1]), PLAN)
