"""The sparse matrix: a training's own gaps, read again, have the rows that were learnt from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.baselines.features.gaps import Resources, batches
from crosspro.baselines.features.learnt import LanguageModelSettings, learn
from crosspro.baselines.features.matrix import (
    FeatureVocabulary,
    extracted,
    learnt_matrix,
    matrix,
)
from crosspro.baselines.features.names import FEATURES, chosen_features
from crosspro.baselines.features.needs import unmet
from crosspro.baselines.it_classifier.short_patterns import ShortPatterns
from crosspro.baselines.pronoun_sequences import pronoun_sequences
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.output import whole_documents
from tests.baselines.features.document import DOCUMENT, LEXICON
from tests.baselines.features.layered import texts

TASK = load_task("en-fr")
VALUES = st.one_of(st.none(), st.sampled_from("abcdef"))
COLUMNS = st.integers(1, 12).flatmap(
    lambda gaps: st.lists(
        st.tuples(st.sampled_from(["x", "y", "z"]), st.lists(VALUES, min_size=gaps, max_size=gaps)),
        min_size=1,
        max_size=5,
    )
)


def test_a_vocabulary_without_a_feature_is_told():
    columns = [("x", ["a"]), ("y", ["b"])]
    with pytest.raises(CrossproError, match="a vocabulary of all 2 features, found none of 'y'"):
        matrix([columns], FeatureVocabulary({"x": ("a",)}))


@given(COLUMNS, st.integers(1, 4))
def test_training_and_prediction_see_the_same(columns, min_count):
    vocabulary, learnt = learnt_matrix([columns], min_count)
    again = matrix([columns], vocabulary)
    assert (learnt != again).nnz == 0
    names = vocabulary.names()
    assert len(names) == len(set(names)) == len(vocabulary) == learnt.shape[1]
    gaps = len(columns[0][1])
    written = [{f"{slot}={v[gap]}" for slot, v in columns if v[gap]} for gap in range(gaps)]
    occurrences = [f"{slot}={value}" for slot, values in columns for value in values if value]
    kept = {name for name in occurrences if occurrences.count(name) >= min_count}
    assert set(names) == kept
    for gap in range(gaps):
        row = learnt[gap]
        assert {names[number] for number in row.indices} == written[gap] & kept
        assert (row.data == 1).all()
        assert (np.diff(row.indices) > 0).all()


@given(COLUMNS)
def test_batches_of_any_size_make_the_same_matrix(columns):
    halves = [[(slot, v[:3]) for slot, v in columns], [(slot, v[3:]) for slot, v in columns]]
    whole = learnt_matrix([columns], 1)
    parts = learnt_matrix(halves, 1)
    assert set(whole[0].names()) == set(parts[0].names())
    assert (matrix(halves, whole[0]) != whole[1]).nnz == 0


@pytest.mark.parametrize("train", [demo_examples(TASK, "train", 20), [*DOCUMENT] * 3])
def test_all_features_are_read_alike_in_training_and_prediction(train):
    resources = Resources(TASK, 2, pleonastic=ShortPatterns())
    every, _ = chosen_features([name for name in FEATURES if FEATURES[name].learnt is None])
    lacking = unmet(every, resources, train)
    chosen = [one for one in every if one.written not in lacking]
    vocabulary, learnt = learnt_matrix(extracted(chosen, train, resources), 2)
    assert learnt.nnz
    assert (learnt != matrix(extracted(chosen, train, resources), vocabulary)).nnz == 0
    shown = blind(train)
    assert (learnt != matrix(extracted(chosen, shown, resources), vocabulary)).nnz == 0


def blind(examples):
    """The same lines as a file to predict has them."""
    return [
        replace(e, gaps=tuple(replace(gap, label=None, word=None) for gap in e.gaps))
        for e in examples
    ]


def rows(features, examples, resources, vocabulary, at_once=None):
    """The values of each gap by name, however many lines are read at once."""
    if at_once is None:
        parts = list(extracted(features, examples, resources))
    else:
        parts = [
            [column for one in features for column in one.feature.columns(batch, one.number)]
            for batch in batches(examples, resources, at_once)
            if len(batch)
        ]
    names = vocabulary.names()
    return [{names[n] for n in row.indices} for row in matrix(parts, vocabulary)]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3), st.integers(1, 4))
def test_layers_are_seen_alike_in_training_and_prediction(examples, context, at_once):
    """What training reads in one go, a prediction reads document by document, without labels."""
    lm = LanguageModelSettings(2)
    plain = Resources(TASK, context, LEXICON, LEXICON, ShortPatterns())
    every, _ = chosen_features(list(FEATURES))
    lacking = unmet(every, plain, examples)
    chosen = [one for one in every if one.written not in lacking]
    resources = learn(chosen, examples, plain, lm)
    vocabulary, learnt = learnt_matrix(extracted(chosen, examples, resources), 1)
    names = vocabulary.names()
    trained = [{names[n] for n in row.indices} for row in learnt]
    assert all(trained)
    shown = blind(examples)
    assert rows(chosen, shown, resources, vocabulary) == trained
    assert rows(chosen, shown, resources, vocabulary, at_once) == trained
    by_document = [
        row
        for group in whole_documents(shown, 1)
        for row in rows(chosen, group, resources, vocabulary)
    ]
    assert by_document == trained


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3))
def test_sequences_of_pronouns_are_those_of_their_documents(examples, context):
    """A chain of UEDIN's CRF is the same whether a text is read whole or document by document."""
    resources = Resources(TASK, context, LEXICON)
    whole = [found.tolist() for found in pronoun_sequences(examples, resources)]
    parts, first = [], 0
    for group in whole_documents(blind(examples), 1):
        parts += [(found + first).tolist() for found in pronoun_sequences(group, resources)]
        first += sum(len(example.gaps) for example in group)
    assert sorted(parts) == sorted(whole)


def test_no_gap_makes_an_empty_matrix():
    vocabulary, learnt = learnt_matrix([], 1)
    assert learnt.shape == (0, 0)
    assert matrix([], vocabulary).shape == (0, 0)
