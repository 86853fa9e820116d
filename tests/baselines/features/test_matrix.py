"""The sparse matrix, and features of texts with any layers: training and prediction read alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.baselines.features import view
from crosspro.baselines.features.learnt import LanguageModelSettings, learn
from crosspro.baselines.features.matrix import learn_matrix, matrix_of, strings_of
from crosspro.baselines.features.names import FEATURES, chosen_features, unmet
from crosspro.baselines.features.view import Resources
from crosspro.baselines.it_classifier.patterns import ShortPatterns
from crosspro.baselines.uedin_crf import pronoun_sequences
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.prediction.output import whole_documents
from tests.baselines.features.document import LEXICON
from tests.baselines.features.layered import texts

TASK = load_task("en-fr")
GAPS = st.lists(st.lists(st.sampled_from(["a=1", "a=2", "b=1", "b=2", "c="])), min_size=1)


@given(GAPS, st.integers(1, 4))
def test_training_and_prediction_see_the_same(gaps, min_count):
    vocabulary, learnt = learn_matrix(gaps, min_count)
    assert (learnt != matrix_of(gaps, vocabulary)).nnz == 0
    every = [string for strings in gaps for string in strings]
    assert set(vocabulary) == {name for name in every if every.count(name) >= min_count}
    assert sorted(vocabulary.values()) == list(range(learnt.shape[1]))
    names = list(vocabulary)
    for strings, row in zip(gaps, learnt, strict=True):
        assert {names[column] for column in row.indices} == set(strings) & set(vocabulary)
        assert (row.data == 1).all()
        assert (np.diff(row.indices) > 0).all()


def test_no_gap_makes_an_empty_matrix():
    assert learn_matrix([], 1)[1].shape == (0, 0)
    assert matrix_of([], {}).shape == (0, 0)


def blind(examples):
    """The same lines as a file to predict has them."""
    return [
        replace(e, gaps=tuple(replace(gap, label=None, word=None) for gap in e.gaps))
        for e in examples
    ]


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3), st.integers(1, 4))
def test_layers_are_seen_alike_in_training_and_prediction(examples, context, at_once):
    """What training reads in one go, a prediction reads document by document, without labels."""
    plain = Resources(TASK, context, LEXICON, LEXICON, ShortPatterns())
    every = chosen_features(list(FEATURES))
    lacking = unmet(every, plain, examples)
    chosen = [feature for feature in every if feature.written not in lacking]
    resources = learn(chosen, examples, plain, LanguageModelSettings(order=2))
    trained = list(strings_of(chosen, examples, resources))
    assert all(trained)
    by_document = [
        strings
        for group in whole_documents(blind(examples), 1)
        for strings in strings_of(chosen, group, resources)
    ]
    assert by_document == trained
    usual, view._LINES_AT_ONCE = view._LINES_AT_ONCE, at_once
    try:
        assert list(strings_of(chosen, blind(examples), resources)) == trained
    finally:
        view._LINES_AT_ONCE = usual


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3))
def test_sequences_of_pronouns_are_those_of_their_documents(examples, context):
    """A chain of UEDIN's CRF is the same whether a text is read whole or document by document."""
    resources = Resources(TASK, context, LEXICON)
    whole = pronoun_sequences(examples, resources)
    parts, first = [], 0
    for group in whole_documents(blind(examples), 1):
        parts += [[n + first for n in rows] for rows in pronoun_sequences(group, resources)]
        first += sum(len(example.gaps) for example in group)
    assert sorted(parts) == sorted(whole)


def test_nouns_that_links_tell_have_no_tag_and_are_no_names():
    gap = Gap(1, 1)
    line = Example.of_tokens(("Paris", "it"), ("Paris|NAM", "REPLACE_1"), ((0, 0),), (gap,))
    chosen = chosen_features(["source_nouns", "preceding_names"])
    (strings,) = strings_of(chosen, [line], Resources(TASK))
    assert strings == [
        "source noun 1=Paris", "source noun before=Paris", "name 1=Paris", "name before=Paris",
    ]  # fmt: skip
