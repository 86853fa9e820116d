"""Which systems are compared with which."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from crosspro.evaluation.core.evaluation import against, against_best, evaluate, every_pair
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.plain_text import MTText
from crosspro.evaluation.metrics import make_metric

NAMES, VALUES = ("a", "b", "c"), (1.0, 3.0, 2.0)


def test_pairs():
    assert every_pair(NAMES, VALUES) == [(0, 1), (0, 2), (1, 2)]
    assert against_best(NAMES, VALUES) == [(1, 0), (1, 2)]
    assert against("c", NAMES, VALUES) == [(0, 2), (1, 2)]
    assert against("x", NAMES, VALUES) == against_best(NAMES, VALUES)


def test_what_is_not_defined_is_not_the_best():
    assert against_best(NAMES, (np.nan, 1.0, 1.0)) == [(1, 0), (1, 2)]
    assert against_best(NAMES, (np.nan,) * 3) == []
    assert every_pair((), ()) == against_best((), ()) == []


CHOICES = {
    "all": (every_pair, ["ab", "ac", "bc"]),
    "best": (against_best, ["ba", "bc"]),
    "one": (partial(against, "a"), ["ba", "ca"]),
}


@pytest.mark.parametrize(("pairs", "expected"), CHOICES.values(), ids=CHOICES)
def test_comparisons_of_a_metric(pairs, expected):
    reference = ["he sees it"] * 6
    made = ["x"] * 6, reference, ["he sees"] * 6
    text = MTText(NAMES, made, (reference,))
    found = evaluate(make_metric("pronoun_f1", language="en"), text, Resampling(20, 1), pairs)
    f1 = [one for one in found.comparisons if one.metric == "f1"]
    assert [one.first + one.second for one in f1] == expected
