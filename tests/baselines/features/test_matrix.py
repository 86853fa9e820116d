"""The sparse matrix: a training's own gaps, read again, have the rows that were learnt from.

Values by number: each is asked about once, and a column of them reads as one of texts.

What stands before gaps: read for all gaps at once, it is what one gap alone is told.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.baselines.features.gaps import Resources, batches
from crosspro.baselines.features.learnt import LanguageModelSettings, learn
from crosspro.baselines.features.local import pronoun_numbers
from crosspro.baselines.features.matrix import FeatureVocabulary, extracted, learnt_matrix, matrix
from crosspro.baselines.features.names import FEATURES, chosen_features, unmet
from crosspro.baselines.features.nouns import (
    NAMES,
    NOUNS,
    antecedent,
    antecedent_places,
    noun_columns,
    nouns_before,
)
from crosspro.baselines.features.text import NOTHING, Lookup, Values
from crosspro.baselines.it_classifier.patterns import ShortPatterns
from crosspro.baselines.uedin_crf import pronoun_sequences
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.lexicon.antecedents import antecedent_candidates
from crosspro.prediction.output import whole_documents
from tests.baselines.features.document import LEXICON
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
    with pytest.raises(CrossproError):
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


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3), st.integers(1, 4))
def test_layers_are_seen_alike_in_training_and_prediction(examples, context, at_once):
    """What training reads in one go, a prediction reads document by document, without labels."""
    lm = LanguageModelSettings(order=2)
    plain = Resources(TASK, context, LEXICON, LEXICON, ShortPatterns())
    every = chosen_features(list(FEATURES))
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


NAMED = [None, "a", "b", "c", "b"]
CODES = st.lists(st.integers(NOTHING, len(NAMED) - 1), min_size=1, max_size=20)


@given(st.lists(st.lists(st.integers(0, 50)), max_size=5))
def test_each_code_is_asked_about_once_in_the_order_in_which_it_comes(calls):
    asked = []
    lookup = Lookup(lambda code: asked.append(code) or 3 * code - 1)
    for codes in calls:
        assert lookup(np.array(codes, np.int64)).tolist() == [3 * code - 1 for code in codes]
    assert asked == list(dict.fromkeys(code for codes in calls for code in codes))


@given(CODES, CODES, st.integers(1, 3))
def test_values_are_learnt_and_read_as_their_texts(first, second, min_count):
    coded = [[("x", Values(np.array(codes), NAMED))] for codes in (first, second)]
    texts = [[(slot, list(values)) for slot, values in columns] for columns in coded]
    assert texts[0][0][1] == [None if code == NOTHING else NAMED[code] for code in first]
    expected, read = learnt_matrix(texts, min_count)
    for columns in (coded, [coded[0], texts[1]]):
        vocabulary, learnt = learnt_matrix(columns, min_count)
        assert vocabulary == expected
        assert (learnt != read).nnz == 0
        assert (matrix(columns, expected) != read).nnz == 0


LEXICONS = st.sampled_from([None, LEXICON])


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.booleans(), st.integers(0, 3), LEXICONS, LEXICONS, st.integers(1, 5))
def test_nouns_are_the_candidates_of_each_gap(examples, tagged, context, target, source, at_once):
    task = load_task("en-fr" if tagged else "de-en")
    examples = [
        example if tagged else replace(example, lemmas=example.target, tags=None)
        for example in examples
    ]
    resources = Resources(task, context, target, source)
    for batch in batches(examples, resources, at_once):
        for side in ("target", "source"):
            for tags in (NOUNS, NAMES, NOUNS - NAMES):
                nouns = nouns_before(batch, side, tags)
                columns = [noun_columns(batch, side, nouns.nearest(rank)) for rank in range(4)]
                found = [list(zip(*each, strict=True)) for each in columns]
                for gap, ranked in enumerate(zip(*found, strict=True)):
                    candidates = antecedent_candidates(
                        examples, batch.indices[gap], batch.gaps[gap], context, target, source
                    )
                    wanted = [
                        (one.lemma, one.gender, one.number)
                        for one in candidates
                        if one.side == side and one.tag in tags
                    ]
                    assert [*ranked] == [*wanted, *[(None, None, None)] * 4][:4]


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(texts(), st.integers(0, 3), LEXICONS, LEXICONS)
def test_antecedents_are_those_of_each_gap(examples, context, target, source):
    for batch in batches(examples, Resources(load_task("en-fr"), context, target, source)):
        places, of_chain = antecedent_places(batch)
        numbers = pronoun_numbers(batch)
        located = zip(*batch.target.line_and_place(places), strict=True)
        for gap, (line, place) in enumerate(located):
            noun = antecedent(batch, gap, numbers[gap])
            if noun is None:
                assert places[gap] == -1
            else:
                assert (line, place) == (batch.indices[gap] - noun.sentences, noun.index)
                assert of_chain[gap] == noun.in_chain


def test_nouns_that_links_tell_have_no_tag_and_are_no_names():
    gap = Gap(1, 1)
    line = Example.of_tokens(("Paris", "it"), ("Paris|NAM", "REPLACE_1"), ((0, 0),), (gap,))
    (batch,) = batches([line], Resources(load_task("en-fr")))
    assert nouns_before(batch, "source").nearest(0).tolist() == [0]
    assert nouns_before(batch, "source", NAMES).nearest(0).tolist() == [-1]
