"""Measures of agreement: published examples, and what is not defined."""

from __future__ import annotations

import pytest

from crosspro.evaluation.people.agreement import Agreement, agreement


def ratings(*rows):
    """An item a column; a row for each annotator, with a dot for no value."""
    return [
        {"ABCD"[at]: value for at, value in enumerate(column) if value != "."}
        for column in zip(*rows, strict=True)
    ]


def test_cohens_kappa_of_two():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: 0.7 observed, 0.5 expected."""
    first, second = "1" * 25 + "2" * 25, "1" * 20 + "2" * 5 + "1" * 10 + "2" * 15
    measured = agreement(ratings(first, second))
    assert (measured.items, measured.equal) == (50, pytest.approx(0.7))
    assert measured.kappa == pytest.approx(0.4)


def test_nothing_is_shared_or_nothing_varies():
    assert agreement([{"A": "1"}, {}]) == Agreement(0, None, None)
    assert agreement(ratings("111", "111")) == Agreement(3, 1, None)
