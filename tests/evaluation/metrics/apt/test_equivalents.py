"""Equivalents estimated from judged examples."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.inputs.linked_text import Text, Translation, links_from_pairs
from crosspro.evaluation.inputs.pronoun_lists import Equivalent, load_lists
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.apt.equivalents import (
    Judged,
    draw,
    estimate,
    with_equivalents,
)
from tests.evaluation.metrics.apt.texts import mt_input

LISTS = load_lists("en-fr")


def sample(*groups):
    return [
        Judged(candidate, reference, number < right)
        for candidate, reference, right, total in groups
        for number in range(total)
    ]


def test_the_procedure_of_the_paper():
    """000 §2.5: at least 5% of the sample, right in more than half."""
    judged = sample(
        ("il", "il", 80, 80),
        ("ce", "il", 6, 10),  # kept
        ("ça", "ce", 3, 6),  # half is not more than half
        ("elle", "il", 4, 4),  # 4% of the sample
    )
    found = {(one.candidate, one.reference): one for one in estimate(judged)}
    assert {pair for pair, one in found.items() if one.equivalent} == {("ce", "il")}
    assert found["ce", "il"].probability == 0.6
    assert found["ce", "il"].low < 0.6 < found["ce", "il"].high
    assert ("il", "il") not in found
    lists = with_equivalents(LISTS, list(found.values()))
    assert lists.equivalent == (Equivalent(("ce", "il"), 0.6),)


def test_exactly_five_per_cent_is_enough():
    judged = sample(("il", "il", 95, 95), ("ce", "il", 5, 5))
    assert estimate(judged)[0].equivalent


def test_each_direction_is_estimated_by_itself():
    judged = sample(("il", "il", 90, 90), ("ce", "il", 4, 4), ("il", "ce", 2, 6))
    assert [(one.examples, one.equivalent) for one in estimate(judged)] == [(6, False), (4, False)]


def test_missing_and_other_words_count_in_the_sample_only():
    judged = sample(("OTHER", "il", 0, 10), ("NONE", "il", 0, 10), ("ce", "il", 1, 1))
    (one,) = estimate(judged)
    assert one.share == pytest.approx(1 / 21)


def test_a_sample_is_drawn_and_estimated():
    text = Text("en", [b"it rains"] * 20, np.full(20, 2))
    links = links_from_pairs("links", [[(0, 0)]] * 20)
    reference = Translation("ref", Text("fr", [b"il pleut"] * 20, np.full(20, 2)), links)
    candidate = Translation("mt", Text("fr", [b"ce pleut"] * 20, np.full(20, 2)), links)
    evaluation = evaluate(make_metric("apt"), mt_input(text, reference, [candidate]))
    drawn = draw(evaluation, 5, 1)
    assert drawn == draw(evaluation, 5, 1)
    assert len(drawn) == 5
    first = drawn[0]
    assert (first.pronoun, first.reference, first.candidate) == ("it", "il", "ce")
    shown = (first.source_text, first.reference_text, first.candidate_text)
    assert shown == ("[it] rains", "[il] pleut", "[ce] pleut")
    (pair,) = estimate([Judged(one.candidate, one.reference, True) for one in drawn])
    assert pair.equivalent
    assert len(draw(evaluation, 100, 1)) == 20
