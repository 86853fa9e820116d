"""Values by number: each is asked about once, and a column of them reads as one of texts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.features.gaps import Resources
from crosspro.baselines.features.matrix import extracted, learnt_matrix, matrix
from crosspro.baselines.features.names import chosen_features
from crosspro.baselines.features.values import NOTHING, Lookup, NumberedNames, Values
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task

NAMED = [None, "a", "b", "c", "b"]
CODES = st.lists(st.integers(NOTHING, len(NAMED) - 1), min_size=1, max_size=20)


@given(st.lists(st.lists(st.integers(0, 50)), max_size=5))
def test_each_code_is_asked_about_once_in_the_order_in_which_it_comes(calls):
    asked = []
    lookup = Lookup(lambda code: asked.append(code) or 3 * code - 1)
    for codes in calls:
        assert lookup(np.array(codes, np.int64)).tolist() == [3 * code - 1 for code in codes]
    assert asked == list(dict.fromkeys(code for codes in calls for code in codes))


@given(CODES, CODES, st.integers(1, 3))
def test_values_are_learnt_and_read_as_their_texts(first, second, min_count):
    coded = [[("x", Values(np.array(codes), NAMED))] for codes in (first, second)]
    texts = [[(slot, list(values)) for slot, values in columns] for columns in coded]
    assert texts[0][0][1] == [None if code == NOTHING else NAMED[code] for code in first]
    expected, read = learnt_matrix(texts, min_count)
    for columns in (coded, [coded[0], texts[1]]):
        vocabulary, learnt = learnt_matrix(columns, min_count)
        assert vocabulary == expected
        assert (learnt != read).nnz == 0
        assert (matrix(columns, expected) != read).nnz == 0


def test_names_have_the_numbers_of_their_order():
    names = NumberedNames()
    assert [names[word] for word in ("le", "la", "le", "les")] == [0, 1, 0, 2]
    assert names.names == ["le", "la", "les"]


def test_ngrams_of_tags_are_the_same_however_many_tags_there_are():
    chosen, _ = chosen_features(["target_tags_ngrams:1", "target_tags:1"])
    lines = [
        Example(("it",), (f"a|T{number}", "REPLACE_0", f"b|U{number % 3}"), (), (Gap(1, 0),))
        for number in range(100)
    ]
    columns = [dict(part) for part in extracted(chosen, lines, Resources(load_task("en-fr")), 10)]
    found = [value for part in columns for value in part["target tag -1..+1"]]
    assert found == [f"T{number} REPLACE U{number % 3}" for number in range(100)]
    found = [value for part in columns for value in part["target tag +0..+1"]]
    assert found == [f"REPLACE U{number % 3}" for number in range(100)]
