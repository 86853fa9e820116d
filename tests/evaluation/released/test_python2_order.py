"""Orders of Python 2.7.18 and numpy 1.19, recorded from them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.released.apt.python2_order import Python2Set, quicksort_order
from tests.conftest import GOLDEN

RECORDED = json.loads((GOLDEN / "apt" / "python2_order.json").read_text("utf-8"))


@pytest.mark.parametrize(("first", "second", "union"), RECORDED["unions"])
def test_union_of_words(first, second, union):
    assert list(Python2Set(first).union(Python2Set(second))) == union


@pytest.mark.parametrize(("first", "second", "both", "rest", "alone"), RECORDED["numbers"])
def test_sets_of_numbers(first, second, both, rest, alone):
    one, other = Python2Set(first), Python2Set(second)
    assert list(one.intersection(other)) == both
    assert list(one.difference(other)) == rest
    assert list(one) == alone


@pytest.mark.parametrize(("values", "order"), RECORDED["sorted"])
def test_quicksort(values, order):
    assert quicksort_order(values) == order


@given(st.lists(st.integers(0, 5)))
def test_quicksort_sorts(values):
    order = quicksort_order(values)
    assert sorted(order) == list(range(len(values)))
    assert [values[index] for index in order] == sorted(values)
    if len(values) <= 16:
        assert order == sorted(range(len(values)), key=values.__getitem__)


@given(st.lists(st.text(max_size=3)), st.lists(st.text(max_size=3)))
def test_a_set_is_a_set(first, second):
    one, other = Python2Set(first), Python2Set(second)
    assert set(one.union(other)) == set(first) | set(second)
    assert set(one.intersection(other)) == set(first) & set(second)
    assert set(one.difference(other)) == set(first) - set(second)
    assert len(one) == len(set(first))
