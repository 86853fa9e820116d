"""The sparse matrix; a text read whole, in parts or by document says the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.features.learnt import LanguageModelSettings, learn
from crosspro.baselines.features.matrix import learn_matrix, matrix_of, strings_of
from crosspro.baselines.features.names import FEATURES, chosen_features, unmet
from crosspro.baselines.features.view import Resources
from crosspro.baselines.it_classifier.patterns import short_patterns
from crosspro.baselines.uedin_crf import pronoun_sequences
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.output import whole_documents
from tests.baselines.features.document import DOCUMENT, LEXICON
from tests.examples import example_of

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


def test_a_text_is_read_alike_whole_in_parts_and_by_document(monkeypatch):
    """Labels are not looked at, and neither is another document."""
    layers = [replace(e, document=f"d{n}") for n in range(3) for e in DOCUMENT]
    plain = Resources(TASK, 2, LEXICON, LEXICON, short_patterns)
    every = chosen_features(list(FEATURES))
    for examples in (layers, demo_examples(TASK, "train", 12)):
        lacking = unmet(every, plain, examples)
        chosen = [feature for feature in every if feature.written not in lacking]
        resources = learn(chosen, examples, plain, LanguageModelSettings(order=2))
        blind = [
            replace(e, gaps=tuple(replace(gap, label=None, word=None) for gap in e.gaps))
            for e in examples
        ]
        whole = list(strings_of(chosen, examples, resources))
        rows = sorted(pronoun_sequences(examples, resources))
        by_document, sequences = [], []
        for document in whole_documents(blind, 1):
            first = len(by_document)
            sequences += [[n + first for n in s] for s in pronoun_sequences(document, resources)]
            by_document += strings_of(chosen, document, resources)
        assert by_document == whole
        assert sorted(sequences) == rows
        with monkeypatch.context() as patch:
            patch.setattr("crosspro.baselines.features.view._LINES_AT_ONCE", 3)
            assert list(strings_of(chosen, blind, resources)) == whole


def test_nouns_that_links_tell_have_no_tag_and_are_no_names():
    gap = Gap(1, 1)
    line = example_of(("Paris", "it"), ("Paris|NAM", "REPLACE_1"), ((0, 0),), (gap,))
    chosen = chosen_features(["source_nouns", "preceding_names"])
    (strings,) = strings_of(chosen, [line], Resources(TASK))
    assert strings == [
        "source noun 1=Paris", "source noun before=Paris", "name 1=Paris", "name before=Paris",
    ]  # fmt: skip
