"""Measures of agreement: published examples, properties, and what is not defined."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.core.agreement import RatedItem, agreement
from crosspro.evaluation.core.statistics import Resampling

VALUES = ("1", "2", "3", "4", "5")


def items(*rows: str) -> list[RatedItem]:
    """An item a column; a row for each annotator, with a dot for no value."""
    names = "ABCD"
    return [
        RatedItem({names[at]: value for at, value in enumerate(column) if value != "."})
        for column in zip(*rows, strict=True)
    ]


def test_krippendorff_s_own_example():
    """The four observers and twelve units of Krippendorff (2011), nominal: 0.743."""
    rows = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    found = agreement(items(*rows), VALUES)
    assert found.scores["alpha"].value == pytest.approx(0.743, abs=0.0005)


def test_cohen_s_kappa_of_two():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 observed, 0.5 expected."""
    first, second = "1" * 25 + "2" * 25, "1" * 20 + "2" * 5 + "1" * 10 + "2" * 15
    found = agreement(items(first, second), VALUES)
    assert found.scores["raw"].value == pytest.approx(0.7)
    assert found.scores["kappa"].value == pytest.approx(0.4)
    assert (found.items, found.pairs) == (50, 50)


def test_kappa_of_three_is_the_mean_over_pairs():
    rows = ("1212121211", "1212121222", "1212211212")
    pairs = [(0, 1), (0, 2), (1, 2)]
    alone = [agreement(items(rows[a], rows[b]), VALUES).scores["kappa"].value for a, b in pairs]
    found = agreement(items(*rows), VALUES).scores["kappa"].value
    assert found == pytest.approx(np.mean(alone))


def test_nothing_is_shared_or_nothing_varies():
    nothing = agreement([RatedItem({"A": "1"})], VALUES, Resampling())
    assert nothing.items == 0
    assert all(math.isnan(score.value) for score in nothing.scores.values())
    same = agreement(items("111", "111"), VALUES, Resampling())
    assert same.scores["raw"].value == 1
    assert math.isnan(same.scores["kappa"].value)
    assert math.isnan(same.scores["alpha"].value)
    assert same.scores["kappa"].low is None


def test_intervals_are_of_documents_and_hold_the_value():
    rows = items("1212121212" * 6, "1212121221" * 6)
    rows = [RatedItem(one.values, str(at % 12)) for at, one in enumerate(rows)]
    found = agreement(rows, VALUES, Resampling(200, 1))
    for score in found.scores.values():
        assert score.low <= score.value <= score.high
        assert "by:document" in score.signature


@given(st.lists(st.tuples(*[st.sampled_from(VALUES[:3])] * 3), min_size=2, max_size=30))
def test_order_of_items_and_names_of_values_do_not_matter(rows):
    one = [RatedItem(dict(zip("ABC", row, strict=True))) for row in rows]
    other = {"1": "3", "2": "1", "3": "2"}
    again = [RatedItem({k: other[v] for k, v in item.values.items()}) for item in reversed(one)]
    ours, theirs = agreement(one, VALUES), agreement(again, VALUES)
    for name, score in ours.scores.items():
        assert score.value == pytest.approx(theirs.scores[name].value, nan_ok=True)
        assert math.isnan(score.value) or score.value <= 1
