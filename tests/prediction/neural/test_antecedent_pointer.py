"""The antecedent pointer: which nouns it may point at, what they tell, and that it finds them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.demo.language import PROFILES
from crosspro.data_prep.lexicon.induce import LANGUAGES, induce
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon, write_lexicon
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.neural.reading.lexicon_fields import (
    SOURCE_NOUN,
    TARGET_NOUN,
    first_source_units,
    first_target_units,
    inflected_text,
    target_noun,
)
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural, prepared, system

NAME = "document_encoder"
POINTER = {"pointer": True}
JOINT = {"units": "joint", "unit_vocabulary": 300, "context": 2}
PRETRAINING = {"masked_words": 0.5, "hidden_pronouns": 0.3}
TASKS = sorted(PROFILES)
LEXICON = Lexicon.of(
    [
        Entry("maison", "NOUN", "Fem", "Sing", 9),
        Entry("maisons", "NOUN", "Fem", "Plur", 9),
        Entry("petit", "ADJ", "Masc", "Sing", 5),
        Entry("livre", "NOUN", "Masc", "Sing", 3),
        Entry("livre", "NOUN", "Fem", "Sing", 3),
    ]
)


def test_nouns_are_known_by_their_tag_or_by_the_lexicon():
    said = {
        "maison|NOM": "Fem ?",  # a lemma hides the number
        "maisons|": "Fem Plur",
        "livre|": "? Sing",
        "chose|NOM": "? ?",
        "chose|": "",
        "petit|": "",
        "maison|VER": "",
        "|": "",
    }
    assert {token: target_noun(token, LEXICON) for token in said} == said
    assert target_noun("maison|NOM", None) == "? ?"
    assert target_noun("maison|", None) == ""
    assert set(said.values()) <= set(TARGET_NOUN.closed) == set(SOURCE_NOUN.closed)


def test_the_first_unit_stands_for_a_word():
    cut = Example.of_tokens(
        ("▁lit", "tle", "▁house"), ("▁mai|NOM", "son|NOM", "REPLACE_0", "▁a|VER"), (), ()
    )
    assert list(first_source_units(cut)) == ["little", "", "house"]
    assert list(first_target_units(cut)) == ["maison|NOM", "", "", "a|VER"]
    words = Example.of_tokens(("little", "house"), ("maison|NOM", "REPLACE_0"), (), ())
    assert list(first_source_units(words)) == ["little", "house"]
    assert first_target_units(words)[0] == "maison|NOM"


def gaps_of(examples):
    return [(line, gap) for line, example in enumerate(examples) for gap in example.gaps]


@pytest.mark.parametrize("units", [{"context": 1}, {**JOINT, "context": 1}])
def test_candidates_are_the_nouns_before_pronoun_and_gap(train, units):
    big = {"target_before": 400, "source_before": 400, **POINTER}
    made, _ = prepared(NAME, train, big, **units)
    nouns = made.encoder.reading.lexicons["source"]  # English has no gender, but nouns
    classes = np.zeros(len(gaps_of(train)), dtype=np.int64)
    for (line, gap), found in zip(gaps_of(train), made.antecedents(train, classes), strict=True):
        before = [(0, train[line])]
        if line and train[line - 1].document == train[line].document:
            before.append((1, train[line - 1]))
        expected = {
            ("target", back, place)
            for back, one in before
            for place, token in enumerate(one.target)
            if token.endswith("|NOM") and (back or place < gap.position)
        } | {
            ("source", back, place)
            for back, one in before
            for place, word in enumerate(one.source)
            if nouns.is_noun(word) and (back or place < gap.source_index)
        }
        assert {(one.side, one.sentences, one.index) for one in found} == expected
        assert sum(one.probability for one in found) <= 1 + 1e-5
        assert [one.given for one in found] == sorted((one.given for one in found), reverse=True)


def test_the_classes_are_summed_over_nouns_and_none(train):
    made, data = prepared(NAME, train, POINTER, **JOINT)
    gaps = torch.arange(40)
    with torch.inference_mode():
        rows = made.network._rows(data, gaps, None)
        scores, pointed = made.network._classes(rows, made.network._read(rows))
        focus = made.network.antecedents(data, gaps)
    total = (pointed.antecedent.exp()[:, :, None] * pointed.classes.exp()).sum(1)
    assert torch.allclose(scores.exp(), total, atol=1e-5)
    assert torch.allclose(total.sum(1), torch.ones(40), atol=1e-5)
    shares = sum(one.shares.sum(1) for one in focus)
    assert torch.allclose(shares + pointed.antecedent.exp()[:, 0], torch.ones(40), atol=1e-5)
    # Bayes: what is known after the class, weighted by the classes, is what was known before.
    for one in focus:
        assert torch.allclose((one.given * total[:, :, None]).sum(1), one.shares, atol=1e-5)


def lexicons(task, folder):
    """Settings with lexicons of sides that are inflected and have gender, from more text."""
    text = demo_examples(task, "train", 150)
    found = {}
    for side, (language, sentences) in inflected_text(task, text).items():
        if language in LANGUAGES:
            found[f"{side}_lexicon"] = str(folder / f"{side}.tsv")
            write_lexicon(folder / f"{side}.tsv", induce(sentences, language))
    return found


@pytest.mark.parametrize("name", TASKS)
def test_nouns_of_both_sides_are_found_in_every_task_in_bf16_and_after_loading(
    name, tmp_path, any_precision
):
    task = load_task(name)
    train, dev = demo_examples(task, "train", 8), demo_examples(task, "dev", 3)
    made = neural(
        NAME, {**SMALL[NAME], **POINTER, **lexicons(task, tmp_path)},
        {"batch_size": 32, "lowercase": False, **JOINT}, {"learning_rate": 0.01},
        trainer={**QUIET, "max_epochs": 1, "precision": "bf16-mixed"},
    )  # fmt: skip
    made.fit(task, train, dev)
    made.save(tmp_path / "run")
    again = load_system(tmp_path / "run")
    assert again.points
    chances = again.predict(dev)
    assert chances == pytest.approx(made.predict(dev), abs=1e-6)
    assert chances.sum(axis=1) == pytest.approx(1)
    found = again.antecedents(dev, chances.argmax(axis=1))
    assert len(found) == len(chances)
    sides = {one.side for nouns in found for one in nouns}
    assert sides == {"source", "target"}


@pytest.mark.parametrize("pointed_before", [False, True])
def test_pretrained_weights_are_taken_and_the_pointer_is_new_where_there_was_none(
    pointed_before, tmp_path
):
    task, other = load_task("en-fr"), load_task("en-fr-2015")
    first = system(NAME, epochs=1, network={**PRETRAINING, "pointer": pointed_before}, **JOINT)
    first.fit(task, demo_examples(task, "train", 6), demo_examples(task, "dev", 3))
    first.save(tmp_path / "model")
    dev = demo_examples(other, "dev", 3)
    for points in (True, False):
        tuned = neural(
            NAME, {**SMALL[NAME], "pointer": points}, {"batch_size": 32, "units": "joint"},
            {"learning_rate": 0.0}, trainer={**QUIET, "max_epochs": 1}, init_from=str(tmp_path),
        )  # fmt: skip
        tuned.fit(other, demo_examples(other, "train", 6), dev)
        same, found = first.network.state_dict(), tuned.network.state_dict()
        assert ("pointer.queries.weight" in found) == points == tuned.points
        for name, weight in found.items():
            if not name.startswith(("output.", "pointer.")):
                assert torch.equal(weight, same[name]), name
        if points and pointed_before:
            assert torch.equal(found["pointer.queries.weight"], same["pointer.queries.weight"])
            assert found["pointer.noun_classes.weight"].shape[1] == len(other.classes)
        assert tuned.predict(dev).sum(axis=1) == pytest.approx(1)
        if points:
            assert "source" in tuned.encoder.reading.lexicons
            tuned.antecedents(dev, tuned.predict(dev).argmax(axis=1))


def test_text_without_a_source_is_pointed_at(train):
    made, _ = prepared(NAME, train, POINTER)
    target = ("le|DET", "maison|NOM", "et|KON", "REPLACE_0", "être|VER")
    line = Example.of_tokens((), target, (), (Gap(3, 0, "elle"),))
    (found,) = made.antecedents([line], np.array([TASK.class_index["elle"]]))
    assert [(one.side, one.index) for one in found] == [("target", 1)]
    bare = replace(line.with_target(("et|KON", "REPLACE_0")), gaps=(Gap(1, 0, "elle"),))
    assert made.antecedents([bare], np.array([0])) == [()]


MASCULINE, FEMININE = (tuple(f"{g}{n}|NOM" for n in range(40)) for g in "mf")
SEEN = 30


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    """All nouns, whether they are seen in training or not."""
    path = tmp_path_factory.mktemp("lexicon") / "nouns.tsv"
    genders = (("Masc", MASCULINE), ("Fem", FEMININE))
    write_lexicon(path, Lexicon.of(
        Entry(noun.split("|")[0], "NOUN", gender, "Sing", 1) for gender, nouns in genders
        for noun in nouns
    ))  # fmt: skip
    return str(path)


def puzzle(generator, low, high):
    """Two nouns; a word tells which of them the pronoun stands for, and its gender the class."""
    label, noun = generator.choice((("il", MASCULINE), ("elle", FEMININE)))
    right = generator.choice(noun[low:high])
    wrong = generator.choice((*MASCULINE[low:high], *FEMININE[low:high]))
    order = [("ce|DET", right), ("un|DET", wrong)]
    generator.shuffle(order)
    target = (*order[0], *order[1], "REPLACE_0", "marcher|VER")
    return Example.of_tokens(("it", "works"), target, ((0, 4),), (Gap(4, 0, label),)), target.index(
        right
    )


@pytest.mark.slow
def test_the_right_noun_is_found_though_only_agreement_tells_the_class(lexicon):
    """Of nouns that were never seen, whose gender only the lexicon knows."""
    generator = random.Random(1)
    train = [puzzle(generator, 0, SEEN)[0] for _ in range(600)]
    dev = [puzzle(generator, SEEN, 40) for _ in range(100)]
    made = neural(
        NAME, {**SMALL[NAME], **POINTER, "target_lexicon": lexicon, "source_lexicon": "none"},
        {"batch_size": 32, "class_weight_power": 0.0}, {"learning_rate": 0.003},
        trainer={**QUIET, "max_epochs": 15},
    )  # fmt: skip
    lines = [line for line, _ in dev]
    made.fit(TASK, train, lines)
    assert made.report.score > 90
    labels = np.array([TASK.class_index[line.gaps[0].label] for line in lines])
    told = [n for n, (line, _) in enumerate(dev) if line.target[1][0] != line.target[3][0]]
    for classes, least in ((made.decide(lines), 0.9), (labels, 0.95)):
        found = made.antecedents(lines, classes)
        right = [found[n][0].index == dev[n][1] for n in told]
        assert np.mean(right) >= least
    prior = [max(found[n], key=lambda one: one.probability).index == dev[n][1] for n in told]
    assert np.mean(prior) > 0.8


def test_an_ensemble_points_where_a_member_does(train, dev):
    one, other, plain = (
        system(name, epochs=1, network=network, seed=seed, context=2)
        for name, network, seed in ((NAME, POINTER, 1), (NAME, POINTER, 2), ("turku_gru", {}, 1))
    )
    for member in (one, other, plain):
        member.fit(TASK, train, dev)
    joined = Ensemble.of([one, other, plain])
    classes = joined.decide(dev)
    assert joined.points
    assert not plain.points
    parts = [member.antecedents(dev, classes) for member in (one, other)]
    for found, *of_parts in zip(joined.antecedents(dev, classes), *parts, strict=True):
        known = [{(n.side, n.sentences, n.index): n.given for n in part} for part in of_parts]
        for n in found:
            own = [part.get((n.side, n.sentences, n.index), 0.0) for part in known]
            assert n.given == pytest.approx(sum(own) / 2)
    with pytest.raises(CrossproError):
        Ensemble.of([plain, plain]).antecedents(dev, classes)
