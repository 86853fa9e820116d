"""Equivalents estimated from judged examples."""

from __future__ import annotations

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.apt.equivalents import (
    JudgedPronoun,
    draw_equivalents,
    estimate_equivalents,
)
from crosspro.evaluation.metrics.apt.metric import Apt, AptSettings
from crosspro.evaluation.pronouns import Equivalent
from tests.evaluation.metrics.apt.texts import LISTS, linked_texts


def sample(*groups):
    return [
        JudgedPronoun(candidate, reference, number < right)
        for candidate, reference, right, total in groups
        for number in range(total)
    ]


def estimate(*groups):
    return estimate_equivalents(LISTS, sample(*groups))


def test_the_procedure_of_the_paper():
    """000 §2.5: at least 5% of the sample, right in more than half."""
    lists, estimates = estimate(
        ("il", "il", 80, 80),
        ("ce", "il", 6, 10),  # kept
        ("ça", "ce", 3, 6),  # half is not more than half
        ("elle", "il", 4, 4),  # 4% of the sample
    )
    by_pair = {
        (estimate_of_pair.candidate, estimate_of_pair.reference): estimate_of_pair
        for estimate_of_pair in estimates
    }
    assert {pair for pair, estimate_of_pair in by_pair.items() if estimate_of_pair.equivalent} == {
        ("ce", "il")
    }
    assert by_pair["ce", "il"].probability == 0.6
    assert ("il", "il") not in by_pair
    assert lists.equivalent == (Equivalent(("ce", "il"), 0.6),)


def test_a_sample_is_drawn_and_estimated():
    reference, candidate = ((words * 20, ["0-0"] * 20) for words in (["il pleut"], ["ce pleut"]))
    texts = linked_texts(["it rains"] * 20, reference, {"mt": candidate})
    evaluation = evaluate(Apt(AptSettings(pronouns=LISTS)), texts, None)
    drawn = draw_equivalents(evaluation, 5, 1)
    assert drawn == draw_equivalents(evaluation, 5, 1)
    assert len(drawn) == 5
    first = drawn[0]
    assert (first.pronoun, first.reference, first.candidate) == ("it", "il", "ce")
    shown = (first.source_text, first.reference_text, first.candidate_text)
    assert shown == ("[it] rains", "[il] pleut", "[ce] pleut")
    judged = [
        JudgedPronoun(estimate_of_pair.candidate, estimate_of_pair.reference, True)
        for estimate_of_pair in drawn
    ]
    assert estimate_equivalents(LISTS, judged)[1][0].equivalent
    assert len(draw_equivalents(evaluation, 100, 1)) == 20
