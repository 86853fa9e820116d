"""Explanations of every kind of system: what they show must add up to what the system decided."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.baselines.estimators.forest import RandomForest
from crosspro.baselines.estimators.linear import MaxEnt
from crosspro.baselines.feature_system import FeatureSystem
from crosspro.baselines.idiap_plm import IdiapPLM, rule_of
from crosspro.baselines.majority import Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.baselines.uppsala_it import UppsalaIt
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.explanation import ExplainedGap, explained_gap, explanation_of
from tests.examples import example_of

TASK = load_task("en-fr")
TRAIN, DEV = demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 6)
FEATURES = ["source_pronoun", "source_words:2", "target_lemmas:2", "target_lemmas_ngrams:2"]


def fitted(system):
    system.fit(TASK, TRAIN, DEV)
    return system


def documents():
    """Some gaps of dev: the examples of the document, and the line in it."""
    for number in [n for n, example in enumerate(DEV) if example.gaps][:6]:
        lines = [n for n, example in enumerate(DEV) if example.document == DEV[number].document]
        yield [DEV[n] for n in lines], lines.index(number)


def explained(system):
    return [explanation_of(system, *place, 0) for place in documents()]


@pytest.mark.parametrize(
    "system",
    [NGramSystem(order=3), SourceAwareLM(order=4, variant="before"), UppsalaIt(order=4)],
    ids=lambda system: system.name,
)
def test_a_language_model_shows_its_fillings(system):
    for explanation in explained(fitted(system)):
        (table,) = explanation.evidence.tables
        assert table.rows[0][1] == explanation.chosen
        scores = [row[2] for row in table.rows]
        assert scores == sorted(scores, reverse=True)
        assert sum(row[3] for row in table.rows) == pytest.approx(1, abs=1e-6)


def test_a_pronoun_model_shows_what_it_sees_and_its_rule():
    system = fitted(IdiapPLM(order=3))
    for document, line in documents():
        evidence = explanation_of(system, document, line, 0).evidence
        fillings, seen = evidence.tables
        assert sum(row[3] for row in fillings.rows) == pytest.approx(1, abs=1e-6)
        gap = document[line].gaps[0]
        assert document[line].target[gap.position] in seen.rows[0][0]
        assert evidence.how.startswith("a rule") == bool(rule_of(document[line], gap))


def summed(table):
    """The sums of the two columns of a table of contributions."""
    return [sum(row[column] for row in table.rows) for column in (2, 3)]


def test_contributions_of_a_linear_system_add_up_to_its_scores():
    for explanation in explained(fitted(FeatureSystem(features=FEATURES, estimator=MaxEnt()))):
        first, second = summed(explanation.evidence.tables[0])
        chances = explanation.probabilities
        odds = np.log(chances[explanation.chosen] / chances[explanation.against])
        assert first - second == pytest.approx(odds, abs=1e-4)


def test_two_steps_are_explained_each_for_itself():
    first, second = explained(fitted(FeatureSystem(features=FEATURES, steps="two")))[
        0
    ].evidence.tables
    assert first.columns[2:] == ("pronoun", "OTHER")
    assert not {"pronoun", "OTHER"} & {*second.columns[2:]}


def test_contributions_of_a_forest_add_up_to_its_probabilities():
    system = fitted(FeatureSystem(features=FEATURES, estimator=RandomForest(trees=7)))
    explanation = explained(system)[1]
    expected = [explanation.probabilities[n] for n in (explanation.chosen, explanation.against)]
    assert summed(explanation.evidence.tables[0]) == pytest.approx(expected, abs=1e-5)


def test_an_ensemble_shows_its_members_and_a_member_may_have_nothing_to_say():
    parts = [
        fitted(system)
        for system in (Majority(), NGramSystem(order=2), FeatureSystem(features=FEATURES))
    ]
    explanation = explained(Ensemble.of(parts, [1.0, 2.0, 1.0]))[0]
    members, *own = explanation.evidence.tables
    assert [row[1] for row in members.rows] == [0.25, 0.5, 0.25]
    mixed = sum(weight * chance for _, weight, chance, _ in members.rows)
    assert explanation.probabilities[explanation.chosen] == pytest.approx(mixed)
    assert {table.title.partition(" ")[0] for table in own} == {"1", "2"}


def test_a_system_that_cannot_explain_says_so():
    with pytest.raises(CrossproError, match="majority"):
        explained_gap(fitted(Majority()), DEV, "x", None, 1)


def test_text_and_json_tell_the_same():
    document, line = next(documents())
    explanation = explanation_of(fitted(SourceAwareLM(order=3)), document, line, 0)
    placed = ExplainedGap(explanation, document[line], 4, 1)
    content = json.loads(json.dumps(placed.to_dict()))
    assert (content["line"], content["explanation"]["chosen"]) == (4, explanation.chosen)
    assert len(content["explanation"]["evidence"]["tables"][0]["rows"]) == 8
    assert "… and 6 more" in placed.text(2)


def test_what_stands_in_a_file_steers_no_terminal():
    example = example_of(("<b>", "it"), ("<i>|X", "REPLACE_1", "\x1b[2J|X"), (), (Gap(1, 1),), None)
    placed = ExplainedGap(
        explanation_of(fitted(SourceAwareLM(order=2)), [example], 0, 0), example, 1, 1
    )
    assert "\x1b" not in str(placed)
