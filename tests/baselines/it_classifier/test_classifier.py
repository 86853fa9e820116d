"""The maximum-entropy model: features, training, files, cross-validation."""

from __future__ import annotations

import cProfile
import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from crosspro.baselines.it_classifier.classifier import (
    ItClassifier,
    annotate_contexts,
    features_of,
    label_text,
    load_classifier,
    train_classifier,
)
from crosspro.baselines.it_classifier.context import LABELS, ItContext, ItExample
from crosspro.baselines.it_classifier.patterns import PatternScorer
from crosspro.baselines.it_classifier.training_data import cross_validate, report_table
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.evaluation.core.statistics import Resampling

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
    (found,) = features_of([context], annotated=False)
    assert sorted(found) == sorted([
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


def test_a_parse_adds_the_head():
    tokens = (
        Token("It", "it", "PRON", head=1, deprel="expl"),
        Token("rains", "rain", "VERB", head=-1, deprel="root"),
        Token(".", ".", ".", head=1, deprel="punct"),
    )
    context = ItContext(("It", "rains", "."), 0, (), AnnotatedSentence(tokens))
    (with_parse,), (without,) = (features_of([context], known) for known in (True, False))
    assert {*with_parse} - {*without} == {
        "label=expl", "head=rain", "label,head=expl_rain", "head_tag=VERB", "sister=punct",
    }  # fmt: skip


def test_a_model_learns_its_examples_and_is_the_same_every_time(examples, model):
    found = model.probabilities([one.context for one in examples])
    assert found.sum(axis=1) == pytest.approx(1)
    assert [LABELS[best] for best in found.argmax(axis=1)] == [one.label for one in examples]
    again = train_classifier(examples).probabilities([one.context for one in examples])
    assert (again == found).all()


@pytest.mark.parametrize(
    ("changed", "fragment"),
    [
        ({"annotator": "treetagger:touch x"}, "annotator: expected one of light, hanta"),
        (
            {"documents": 5, "labels": ["x"]},
            r"documents: expected a list.*\n?.*labels: expected one of",
        ),
        ({"examples": "abc"}, "examples: expected a whole number, found 'abc'"),
        ({"weights": {"bias": [10**400, 0, 0]}}, "found a number that is too large"),
    ],
)
def test_a_model_names_no_program_and_has_numbers(changed, fragment, model, tmp_path):
    """Also if its checksum is right: loading runs no code."""
    path = tmp_path / "it.json"
    model.save(path)
    content = json.loads(path.read_text("utf-8")) | changed
    del content["sha256"]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
    path.write_text(json.dumps(content | {"sha256": digest}), "utf-8")
    with pytest.raises(InputError, match=fragment):
        load_classifier(path)


def test_a_saved_model_is_the_same_and_a_changed_one_is_refused(examples, model, tmp_path):
    path = tmp_path / "it.json"
    model.save(path)
    loaded = load_classifier(path)
    contexts = [one.context for one in examples]
    assert (loaded.probabilities(contexts) == model.probabilities(contexts)).all()
    assert (loaded.documents, loaded.examples) == (model.documents, 60)
    content = json.loads(path.read_text("utf-8"))
    content["weights"]["bias"][0] += 1
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match="sha256: expected the checksum"):
        load_classifier(path)
    path.write_text(json.dumps({"kind": "cake"}), "utf-8")
    with pytest.raises(InputError, match="expected a crosspro it-classifier of format 1"):
        load_classifier(path)


def test_rare_labels_count_more_in_a_balanced_model(examples):
    few = [one for n, one in enumerate(examples) if one.label != "event" or n % 15 == 2]
    odd = [replace(few[0].context, words=("Do", "it", "."), position=1)]
    events = [train_classifier(few, balance=b).probabilities(odd)[0, 2] for b in (0.0, 0.5, 1.0)]
    assert events[0] < events[1] < events[2]


def test_a_label_without_examples_is_told(examples):
    with pytest.raises(CrossproError, match="found none of event among 40"):
        train_classifier([one for one in examples if one.label != "event"])


def test_a_model_of_tagged_text_needs_tagged_text(model):
    tagged = ItClassifier({"bias": (0.0, 1.0, 0.0)}, "hanta")
    with pytest.raises(CrossproError, match="expected text annotated with hanta"):
        tagged.score(["It", "rains"], 0)
    annotated = AnnotatedSentence((Token("It", "it", "PRON"), Token("rains", "rain", "VERB")))
    found = tagged.score(["It", "rains"], 0, annotated=annotated)
    assert max(found, key=found.get) == "pleonastic"


def test_hanta_annotates_contexts():
    pytest.importorskip("HanTa")
    (found,) = annotate_contexts([ItContext(("It", "rains"), 0, ("Hello",))], "hanta")
    assert [token.lemma for token in found.annotated.tokens] == ["it", "rain"]
    assert found.annotated_before.forms == ("Hello",)


def test_labelling_goes_through_a_text(model):
    text = [["I", "have", "it", "and", "it", "broke"], [], ["It", "seems", "that"]]
    found = list(label_text(text, model))
    assert [list(one.chances) for one in found] == [[2, 4], [], [0]]
    assert found[2].labels() == {0: "pleonastic"}
    alone = model.score(["It", "seems", "that"], 0)
    assert found[2].chances[0] == pytest.approx(alone)  # an empty line ends a document


def test_no_document_is_learnt_from_and_scored(examples):
    seen = []

    def trainer(some):
        seen.append({one.document for one in some})
        return train_classifier(some)

    reports = cross_validate(examples, trainer, folds=5, plan=Resampling(50))
    assert all(len(documents) == 16 for documents in seen)
    by_name = {one.name: one for one in reports}
    assert by_name["model"].scores["accuracy"].value == 100
    assert by_name["most frequent"].scores["accuracy"].value == pytest.approx(100 / 3)
    assert by_name["most frequent"].scores["macro F1"].low is not None
    assert np.trace(by_name["patterns"].counts) == 60
    assert "model: gold" in report_table(reports)
    with pytest.raises(CrossproError, match="at least 30 documents"):
        cross_validate(examples, folds=30)


@pytest.mark.parametrize("unit", [["it"], ["it", "is", "very", "nice", "that", "the", "dog"]])
@pytest.mark.parametrize("scorer", [PatternScorer(), ItClassifier({"bias": [0.1, 0.2, 0.3]})])
def test_the_work_grows_with_the_words_of_a_line_and_not_with_their_square(unit, scorer):
    """Function calls are counted, which are the same on every machine."""

    def calls(times):
        with cProfile.Profile() as profile:
            (found,) = label_text([unit * times], scorer)
        assert len(found.chances) == times
        return sum(one.callcount for one in profile.getstats())

    assert calls(400) < 2.2 * calls(200)
