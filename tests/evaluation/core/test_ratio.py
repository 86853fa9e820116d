"""Ratios of sums, and their intervals and paired tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.core.statistics import (
    Resampling,
    harmonic_mean,
    paired_tests,
    percentage,
    ratio,
    scores_of,
    side_by_side,
    tally,
)

PLAN = Resampling(400, 7)
units = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=30)


def shares(numerators, denominators):
    return np.stack((numerators, denominators), axis=1).astype(float)


def interval_of(numerators, denominators, plan=PLAN):
    table = tally(shares(numerators, denominators))
    score = scores_of(table, {"share": ratio}, plan, {"share": "s"})["share"]
    return score.low, score.high


def compare(first, second, plan=PLAN):
    (found,) = paired_tests(("a", "b"), side_by_side(first, second), {"share": ratio}, plan)
    return found


@given(units)
def test_an_interval_lies_within_the_ratios_of_the_units(pairs):
    low, high = interval_of([a for a, _ in pairs], [a + b for a, b in pairs])
    assert 0 <= low <= high <= 1


@given(units)
def test_a_system_against_itself_does_not_differ(pairs):
    one = shares([a for a, _ in pairs], [a + b for a, b in pairs])
    found = compare(one, one)
    assert (found.metric, found.first, found.second) == ("share", "a", "b")
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    assert found.p_bootstrap == found.p_randomisation == 1


def test_the_interval_of_a_share_is_that_of_the_binomial():
    right = np.arange(1000) < 300
    low, high = interval_of(right, np.ones(1000), Resampling(4000, 1))
    width = 1.96 * np.sqrt(0.3 * 0.7 / 1000)
    assert low == pytest.approx(0.3 - width, abs=0.004)
    assert high == pytest.approx(0.3 + width, abs=0.004)


def test_a_clear_difference_is_significant_and_a_small_one_is_not():
    ones = np.ones(200)
    good = shares(np.arange(200) < 150, ones)
    found = compare(good, shares(ones * 0, ones))
    assert found.difference == pytest.approx(0.75)
    assert found.p_bootstrap == found.p_randomisation == pytest.approx(1 / 401)
    nearly = shares(np.arange(200) < 149, ones)
    assert compare(good, nearly).p_randomisation > 0.5


def test_resampling_by_document_is_wider_than_by_sentence():
    documents = [(10, 10), (0, 10)] * 5
    whole = interval_of(*zip(*documents, strict=True))
    sentences = interval_of([1] * 50 + [0] * 50, [1] * 100)
    assert whole[1] - whole[0] > 2 * (sentences[1] - sentences[0])


def test_nothing_over_nothing_is_zero():
    assert interval_of([0, 0], [0, 0]) == (0, 0)
    assert ratio(np.array([[0.0, 0.0]])) == 0
    assert harmonic_mean(np.zeros(1), np.zeros(1)) == 0


def test_a_percentage_is_a_ratio_in_per_cent():
    sums = np.array([[1.0, 4.0], [3.0, 3.0]])
    assert percentage(sums).tolist() == [25, 100]


def test_unequal_lengths_are_refused():
    with pytest.raises(ValueError, match=r"."):
        side_by_side(shares([1], [1]), shares([1, 1], [1, 1]))
