"""Two orders of systems, and p values of several tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.correlation.orders import holm, order_agreement
from crosspro.evaluation.resampling import Resampling, Units, ratio

scipy_stats = pytest.importorskip("scipy.stats", reason="needs the extra `mt`")

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
