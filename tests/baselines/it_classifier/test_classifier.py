"""The maximum-entropy model: features, training, files, cross-validation."""

from __future__ import annotations

import json

import pytest

from crosspro.baselines.it_classifier import training_data
from crosspro.baselines.it_classifier.classifier import (
    features_of,
    load_classifier,
    train_classifier,
)
from crosspro.baselines.it_classifier.context import LABELS, ItContext, ItExample
from crosspro.baselines.it_classifier.training_data import cross_validated_f1
from crosspro.data_prep.core.errors import CrossproError, InputError

THINGS = ("car", "house", "dog", "book", "clock")
CLAUSES = {
    "anaphoric": "I have a {0} and it broke .",
    "pleonastic": "I have a {0} but it seems that he left .",
    "event": "He sold the {0} because we told him to do it .",
}


@pytest.fixture(scope="module")
def examples():
    found = []
    for number, thing in enumerate(THINGS * 4):
        for label, sentence in CLAUSES.items():
            words = tuple(sentence.format(thing).split())
            context = ItContext(words, words.index("it"), ("He", "left", "."))
            found.append(ItExample(context, label, f"talk{number}"))
    return found


@pytest.fixture(scope="module")
def model(examples):
    return train_classifier(examples)


def test_features_of_a_sentence_are_these():
    context = ItContext(("So", "it", "is", "hard", "to", "win", "."), 1, ("The", "dog", "ran", "."))
    assert sorted(features_of(context)) == sorted([
        "bias",
        "tag-2=.", "tag-1=CONJ", "lemma-1=so", "tag+1=VERB", "lemma+1=be", "tag+2=ADJ",
        "verb=be", "verb,next=be_hard", "verb,tag=be_ADJ", "auxiliaries=-", "inverted=-",
        "object_of=-", "verb_before=-",
        "pattern=extraposed_adjective", "fits:extraposed_adjective",
        "predicate=hard", "predicate_tag=ADJ", "predicate,opening=ADJ_to",
        "place=1", "left=<=8", "end=False", "opener=so", "clause_start=True", "capital=False",
        "question=False",
        "here:nouns=<=0", "here:verbs=<=0", "here:length=<=1",
        "before:nouns=<=1", "before:verbs=<=1", "before:length=<=4", "before:distance=<=4",
    ])  # fmt: skip


def test_a_model_learns_its_examples_and_is_the_same_every_time(examples, model):
    contexts = [example.context for example in examples]
    assert model.probabilities(contexts).sum(axis=1) == pytest.approx(1)
    assert model.labels(contexts) == [example.label for example in examples]
    assert train_classifier(examples) == model


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "it.json")
    assert load_classifier(tmp_path / "it.json") == model


@pytest.mark.parametrize(
    "changed",
    [{"kind": "cake"}, {"documents": 5}, {"examples": "abc"}, {"weights": {"bias": [0, 0]}},
     {"weights": {"bias": [10**400, 0, 0]}}],
)  # fmt: skip
def test_a_file_that_is_no_model_is_refused(changed, model, tmp_path):
    path = tmp_path / "it.json"
    model.save(path)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changed), "utf-8")
    with pytest.raises(InputError, match=r"it\.json"):
        load_classifier(path)


def test_a_label_without_examples_is_told(examples):
    with pytest.raises(CrossproError, match="event"):
        train_classifier([one for one in examples if one.label != "event"])


def test_f1_by_cross_validation_over_documents(examples, monkeypatch):
    training_documents = []

    def trainer(some):
        training_documents.append({example.document for example in some})
        return train_classifier(some)

    monkeypatch.setattr(training_data, "train_classifier", trainer)
    assert cross_validated_f1(examples, folds=5) == dict.fromkeys(LABELS, 100)
    assert [len(documents) for documents in training_documents] == [16] * 5
