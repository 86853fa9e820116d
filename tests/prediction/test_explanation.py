"""Explanations of every kind of system: what they show must add up to what the system decided."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.baselines.cap_crf import CapCRF
from crosspro.baselines.estimators.forest import RandomForest
from crosspro.baselines.estimators.linear import MaxEnt
from crosspro.baselines.feature_evidence import token_sums
from crosspro.baselines.feature_system import FeatureSystem
from crosspro.baselines.idiap_plm import IdiapPLM, rule_of
from crosspro.baselines.majority import Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.baselines.uedin_crf import UedinCRF
from crosspro.baselines.uppsala_it import UppsalaIt
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.evidence import GapQuestion
from crosspro.prediction.explanation import (
    ExplainedGap,
    explained_gap,
    explanation_of,
)

TASK = load_task("en-fr")
TRAIN, DEV = demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 6)
FEATURES = ["source_pronoun", "source_words:2", "target_lemmas:2", "target_lemmas_ngrams:2"]


def of_document(examples, number):
    """The document of the example with this number, and its place there."""
    own = examples[number].document
    lines = [n for n, example in enumerate(examples) if example.document == own]
    return [examples[n] for n in lines], lines.index(number)


def fitted(system):
    system.fit(TASK, TRAIN, DEV)
    return system


def gaps():
    """Some gaps of dev."""
    return [n for n, example in enumerate(DEV) if example.gaps][:6]


@pytest.mark.parametrize(
    "system",
    [
        NGramSystem(order=3),
        SourceAwareLM(order=4),
        SourceAwareLM(order=4, variant="before"),
        UppsalaIt(order=4),
    ],
    ids=["ngram", "joined", "before", "it"],
)
def test_a_language_model_shows_its_fillings_and_what_each_word_adds(system):
    fitted(system)
    for number in gaps():
        document, line = of_document(DEV, number)
        found = explanation_of(system, document, line, 0)
        assert found.evidence is not None
        table = found.evidence.tables[0]
        scores = {row[1]: row[2] for row in reversed(table.rows)}
        assert table.rows[0][1] == found.chosen
        assert [row[2] for row in table.rows] == sorted(
            (row[2] for row in table.rows), reverse=True
        )
        total = sum(row[3] for row in table.rows)
        assert total == pytest.approx(1, abs=1e-6)
        assert len(found.evidence.target) == len(document[line].target)
        difference = scores[found.chosen] - scores[found.against]
        assert sum(found.evidence.target) == pytest.approx(difference, abs=1e-4)


def test_a_pronoun_model_shows_what_it_sees_and_its_rule():
    system = fitted(IdiapPLM(order=3))
    for number in gaps():
        document, line = of_document(DEV, number)
        found = explanation_of(system, document, line, 0)
        fillings, seen = found.evidence.tables
        assert sum(row[3] for row in fillings.rows) == pytest.approx(1, abs=1e-6)
        assert document[line].target[document[line].gaps[0].position] in seen.rows[0][0]
        rule = rule_of(document[line], document[line].gaps[0])
        assert found.evidence.how.startswith("a rule") == bool(rule)
        if not rule:
            assert fillings.rows[0][1] == found.chosen


def summed(table):
    """The sums of the two columns of a table of contributions."""
    return [sum(row[column] for row in table.rows) for column in (2, 3)]


def test_contributions_of_a_linear_system_add_up_to_its_scores():
    system = fitted(FeatureSystem(features=FEATURES, estimator=MaxEnt(cost=0.1)))
    for number in gaps():
        document, line = of_document(DEV, number)
        found = explanation_of(system, document, line, 0)
        one, other = summed(found.evidence.tables[0])
        chances = found.probabilities
        odds = np.log(chances[found.chosen] / chances[found.against])
        assert one - other == pytest.approx(odds, abs=1e-4)
        assert len(found.evidence.source) == len(document[line].source)


def test_two_steps_are_explained_one_by_one():
    system = fitted(FeatureSystem(features=FEATURES, steps="two"))
    document, line = of_document(DEV, gaps()[0])
    found = explanation_of(system, document, line, 0)
    assert [table.title for table in found.evidence.tables] == [
        "Features, OTHER or a pronoun",
        "Features, pronouns",
    ]
    assert found.evidence.tables[0].columns[1] == "pronoun over OTHER"
    assert any(found.evidence.target)


def test_contributions_of_a_forest_add_up_to_its_probabilities():
    system = fitted(FeatureSystem(features=FEATURES, estimator=RandomForest(trees=7)))
    document, line = of_document(DEV, gaps()[1])
    found = explanation_of(system, document, line, 0)
    expected = [found.probabilities[name] for name in (found.chosen, found.against)]
    assert summed(found.evidence.tables[0]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "system",
    [CapCRF(window=2), UedinCRF(features=[*FEATURES, "antecedents"], context=3)],
    ids=["cap_crf", "uedin_crf"],
)
def test_a_chain_shows_its_path_and_the_features_of_the_gap(system):
    fitted(system)
    for number in gaps():
        document, line = of_document(DEV, number)
        found = explanation_of(system, document, line, 0)
        path, features = found.evidence.tables
        assert path.columns == ("token", "label", "probability")
        assert any(row[1] == found.chosen for row in path.rows)
        inside = [row for row in features.rows if not row[0].startswith("(")]
        one, other = (sum(row[column] for row in inside) for column in (2, 3))
        sides = sum(found.evidence.source) + sum(found.evidence.target)
        if system.name == "cap_crf":  # all of whose features stand on tokens inside the sentence
            outside = sum(row[1] for row in inside if "(outside)" in row[0])
            assert sides == pytest.approx(one - other - outside, abs=1e-4)
        assert any(abs(row[1]) > 0 for row in inside)


def test_features_stand_on_their_tokens():
    example = Example.of_tokens(
        ("a", "it", "is"), ("b|X", "REPLACE_1", "c|X", "d|X"), (), (Gap(1, 1),)
    )
    question = GapQuestion([example], 0, 0, 0, 1)
    values = {
        "source pronoun=it": 1.0,
        "source pronoun as written=it": 0.5,
        "source word +1=is": 2.0,
        "target lemma -1..+0=b REPLACE": 3.0,
        "target lemma +1..+2=c d": 4.0,
        "target tag -2=<s>": 9.0,
        "target lemma +1=x=target lemma -1=y": 10.0,
        "antecedent gender=Fem": 9.0,
    }
    source, target = token_sums(question, list(values), list(values.values()))
    assert source == (0.0, 1.5, 2.0)
    assert target == (1.5, 1.5, 12.0, 2.0)


def test_an_ensemble_shows_its_members_and_a_member_may_have_nothing_to_say():
    parts = [
        fitted(Majority()),
        fitted(NGramSystem(order=2)),
        fitted(CapCRF(window=1, iterations=2)),
    ]
    system = Ensemble.of(parts, [1.0, 2.0, 1.0])
    document, line = of_document(DEV, gaps()[0])
    found = explanation_of(system, document, line, 0)
    assert [member.weight for member in found.evidence.members] == [0.25, 0.5, 0.25]
    assert [one.explanation.evidence is None for one in found.evidence.members] == [
        True,
        False,
        False,
    ]
    mixed = sum(one.weight * one.explanation.probabilities["il"] for one in found.evidence.members)
    assert found.probabilities["il"] == pytest.approx(mixed)
    placed = ExplainedGap(found, document[line], 7, 1)
    assert placed.text(3)


def test_a_system_that_cannot_explain_says_so():
    with pytest.raises(CrossproError, match="majority"):
        explained_gap(fitted(Majority()), DEV, "x", None, 1)


def test_text_and_json_tell_the_same():
    system = fitted(SourceAwareLM(order=3))
    document, line = of_document(DEV, gaps()[0])
    placed = ExplainedGap(explanation_of(system, document, line, 0), document[line], 4, 1)
    content = json.loads(json.dumps(placed.to_dict()))
    assert content["line"] == 4
    assert content["explanation"]["chosen"] == placed.explanation.chosen
    assert len(content["explanation"]["evidence"]["tables"][0]["rows"]) == 8
    text = placed.text(2)
    assert "line 4, gap 1 of 1" in text
    assert "… and 6 more" in text


def test_what_stands_in_a_file_steers_no_terminal():
    example = Example.of_tokens(
        ("<b>", "it"), ("<i>|X", "REPLACE_1", "\x1b[2J|X"), (), (Gap(1, 1),), None
    )
    placed = ExplainedGap(explanation_of(fitted(CapCRF(window=1)), [example], 0, 0), example, 1, 1)
    assert "\x1b" not in str(placed)
