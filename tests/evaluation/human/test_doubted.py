"""How many of the most doubtful pronouns people find wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.human.doubted import doubt_precisions, precision_table
from crosspro.evaluation.human.items import SuggestedAnswer
from crosspro.evaluation.human.verdicts import Judgement
from tests.evaluation.human.sets import doubted_set, make_set


def judged(items, *said):
    """Judgements of the first questions, the most doubtful first."""
    ranked = sorted(items.ranks, key=items.ranks.get)
    found = {}
    for key, (pronoun, *alternatives) in zip(ranked, said, strict=False):
        for one in items.questions[key].items:
            proposed = tuple((word, "Anna") for word in alternatives)
            found[one.item.key] = Judgement(
                one.item, pronoun, None, ("Anna",), (), (), False, alternatives=proposed
            )
    return found


def test_the_worst_come_first_whatever_the_order_of_the_file():
    items = doubted_set([0.2, 0.9, 0.5])
    ranked = sorted(items.ranks, key=items.ranks.get)
    assert [items.questions[key].shown.suggested.wrong for key in ranked] == [0.9, 0.5, 0.2]
    assert make_set(3).ranks is None
    half = replace(items, items=(*items.items[:2], replace(items.items[2], suggested=None)))
    assert half.ranks is None


def test_precision_of_the_first_and_what_was_expected():
    items = doubted_set([0.9] * 10 + [0.5] * 10)
    said = [("wrong", "il")] * 6 + [("wrong", "ça")] * 2 + [("right",)] * 4 + [("unclear",)]
    first, every = doubt_precisions(items, judged(items, *said, ("conflict",)))
    assert (first.first, first.wrong, first.right, first.open) == (10, 8, 2, 0)
    assert first.expected == pytest.approx(0.9)
    assert first.taken == 6
    assert (every.first, every.wrong, every.right, every.open) == (20, 8, 4, 8)
    assert every.expected == pytest.approx((10 * 0.9 + 2 * 0.5) / 12)
    assert every.precision == "66.7 [39.1, 86.2]"


def test_what_is_too_bad_to_be_judged_is_open():
    items = doubted_set([0.9, 0.8])
    found = {key: replace(one, bad=True) for key, one in judged(items, ("wrong",)).items()}
    (every,) = doubt_precisions(items, found)
    assert (every.wrong, every.open, every.precision) == (0, 2, "–")


def test_items_of_other_metrics_have_no_such_table():
    with pytest.raises(InputError, match=r"x: suggested: expected items that say how doubtful"):
        precision_table(make_set(2), {}, Path("x"))


def test_a_suggestion_without_a_word_is_never_taken():
    items = doubted_set([0.9])
    bare = replace(items.items[0], suggested=SuggestedAnswer(0.9))
    items = replace(items, items=(bare,))
    (every,) = doubt_precisions(items, judged(items, ("wrong", "")))
    assert (every.wrong, every.taken) == (1, 0)
