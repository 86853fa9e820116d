"""Pronouns in doubt per 100: the mean of probabilities, by line and by document."""

from __future__ import annotations

from math import isnan

import pytest

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.pronoun_doubt import (
    PronounDoubtSettings,
    PronounsInDoubt,
    ProofreadPronoun,
)
from crosspro.evaluation.resampling import Resampling
from crosspro.evaluation.texts import make_texts

PLAN = Resampling(50, 1)


class Judge:
    """Has its pronouns by the first line of a translation."""

    described = ("model:en-de.0123abcd", "calibration:89ef")

    def __init__(self, **pronouns):
        self.pronouns = pronouns

    def judged(self, source, target, documents, progress=None):
        return self.pronouns[target[0]]


def pronouns(*chances, word="it"):
    return tuple(
        ProofreadPronoun(line, "es", word, chance, "er") for line, chance in enumerate(chances)
    )


def doubted(*systems, lines=4, documents=None, plan=None):
    names = "abcd"[: len(systems)]
    texts = make_texts(["It ."] * lines, [], {name: [name] * lines for name in names}, documents)
    judge = Judge(**dict(zip(names, systems, strict=True)))
    return evaluate(PronounsInDoubt(PronounDoubtSettings(judge)), texts, plan)


def test_the_mean_of_all_pronouns():
    evaluation = doubted(pronouns(0.1, 0.5, 0.9, 0.3))
    (candidate,) = evaluation.candidates
    assert candidate.scores["per_100"].value == pytest.approx(45)
    assert candidate.counts == {"pronouns": 4}
    assert (
        next(pronoun["wrong"] for pronoun in evaluation.metric.details(evaluation.items, 0)) == 0.9
    )
    assert "model:en-de.0123abcd|calibration:89ef" in evaluation.signature


def test_translations_of_a_source_word_are_a_group_of_every_candidate():
    first = (*pronouns(0.2, 0.4), *pronouns(0.9, word="They"))
    evaluation = doubted(first, pronouns(0.1))
    groups = [
        {pronoun.group: pronoun for pronoun in candidate.groups}
        for candidate in evaluation.candidates
    ]
    assert list(groups[0]) == ["it", "they"]
    assert groups[0]["it"].scores["per_100"].value == pytest.approx(30)
    assert groups[0]["they"].counts == {"pronouns": 1}
    assert groups[1]["they"].counts == {"pronouns": 0}
    assert isnan(groups[1]["they"].scores["per_100"].value)


def test_the_best_candidate_has_the_lowest_score():
    chances = [0.5] * 12, [0.2] * 12, [0.8] * 6, [0.9] * 6
    systems = [pronouns(*of_system) for of_system in chances]
    evaluation = doubted(*systems, lines=12, plan=PLAN)
    tests = [pronoun for pronoun in evaluation.comparisons if pronoun.measure == "per_100"]
    assert [(pronoun.first, pronoun.second) for pronoun in tests] == [
        ("b", other) for other in "acd"
    ]
    assert tests[0].difference == pytest.approx(-30)
    assert evaluation.to_dict()["better"] == "lower"
