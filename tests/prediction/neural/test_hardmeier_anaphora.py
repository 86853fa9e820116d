"""The latent antecedents of UU-Hardmeier 2016: which nouns they are, and that they are found."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.lexicon.antecedents import antecedent_candidates
from crosspro.prediction.adjustment import Adjustment
from crosspro.prediction.neural.networks.hardmeier_anaphora import linked_words, noun_kinds
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural, prepared

NAME = "hardmeier_anaphora"


def gaps_of(examples):
    return [(line, gap) for line, example in enumerate(examples) for gap in example.gaps]


def test_candidates_are_the_nouns_before_the_gap_nearest_first(train):
    made, tensors = prepared(NAME, train, {"candidates": 4, "window": 200}, context=2)
    gaps = torch.arange(len(tensors.label))
    for width in (200, 60):  # of a batch that needs no more
        found = made.network._found(tensors, gaps, width)
        starts = np.cumsum([0, *(len(example.target) for example in train)])
        for row, (line, gap) in enumerate(gaps_of(train)):
            nouns = [c for c in antecedent_candidates(train, line, gap, made.context)
                     if c.side == "target"][:4]  # fmt: skip
            good = int(found.good[row].sum())
            assert good == len(nouns)
            places = [starts[line - one.sentences] + one.index for one in nouns]
            assert found.places[row, :good].tolist() == places
            assert found.tokens[row, :good].tolist() == [one.tokens for one in nouns]
            assert found.sentences[row, :good].tolist() == [one.sentences for one in nouns]
    assert 0 < found.good.sum() < found.good.numel()


def test_the_classes_are_summed_over_the_antecedents(train):
    made, tensors = prepared(NAME, train, context=2)
    gaps = torch.arange(len(tensors.label))
    with torch.inference_mode():
        _, latent = made.network._chances(tensors, gaps, None)
        scores = made.network(tensors, gaps)
        (focus,) = made.network.antecedents(tensors, gaps)
    antecedent = latent.antecedent.exp()
    total = (antecedent[:, :, None] * latent.classes.exp()).sum(1)
    assert torch.allclose(scores.exp(), total, atol=1e-6)
    assert torch.allclose(total.sum(1), torch.ones(len(gaps)), atol=1e-5)
    assert torch.allclose(focus.shares.sum(1) + antecedent[:, 0], torch.ones(len(gaps)), atol=1e-5)
    # Bayes: what is known after the class, weighted by the classes, is what was known before.
    assert torch.allclose((focus.given * total[:, :, None]).sum(1), focus.shares, atol=1e-5)


def test_words_beyond_the_sentence_are_not_read_but_nouns_are(train):
    made, _ = prepared(NAME, train, context=2)
    target = ("REPLACE_0", "être|VER", "beau|ADJ")
    line = Example.of_tokens(("it", "is", "fine"), target, ((0, 0),), (Gap(0, 0, "il"),), "d")
    nouns = sorted({t for e in train for t in e.target if t.endswith("|NOM")})
    verbs = sorted({t for e in train for t in e.target if t.endswith("|VER")})

    def chances(*words):
        before = Example.of_tokens(("a",), words, (), (), "d")
        return made.predict([before, line])

    assert (chances(verbs[0], nouns[0]) != chances(verbs[0], nouns[1])).any()
    assert (chances(nouns[0], verbs[0]) == chances(nouns[0], verbs[1])).all()


def test_without_a_noun_there_is_no_antecedent(train):
    made, _ = prepared(NAME, train, context=2)
    line = Example.of_tokens(("it",), ("REPLACE_0", "être|VER"), ((0, 0),), (Gap(0, 0, "il"),))
    assert made.antecedents([line], np.zeros(1, int)) == [()]
    assert made.predict([line]).sum() == pytest.approx(1)


def test_kinds_and_links_of_nouns():
    line = Example.of_tokens(
        ("the", "two", "cars", "sleep"), ("le|DET", "voiture|NOM", "dormir|VER"),
        ((0, 0), (1, 1), (2, 1), (3, 2)), (),
    )  # fmt: skip
    assert linked_words(line) == ["the", "cars", "sleep"]
    assert noun_kinds(line) == ["", "? ?", ""]
    tokens = [Token(w, w, "NOUN" if w == "cars" else "X", features="Number=Plur" if w == "cars"
                    else "") for w in line.source]  # fmt: skip
    parsed = replace(line, source_parse=AnnotatedSentence(tuple(tokens)))
    assert noun_kinds(parsed) == ["", "? Plur", ""]


MASCULINE, FEMININE = (tuple(f"{g}{n}|NOM" for n in range(12)) for g in "mf")


def puzzle(generator):
    """Two nouns; the source says which of them the pronoun stands for, and that decides it."""
    label, noun = generator.choice((("il", MASCULINE), ("elle", FEMININE)))
    right = generator.choice(noun)
    wrong = generator.choice((*MASCULINE, *FEMININE))
    order = [("this", right), ("that", wrong)]
    generator.shuffle(order)
    source = (*(word for word, _ in order), "it", "works")
    target = (*(token for _, token in order), "REPLACE_2", "marcher|VER")
    links = tuple((place, place) for place in range(4))
    return (
        Example.of_tokens(source, target, links, (Gap(2, 2, label),)),
        target.index(right),
        right == wrong,
    )


def test_the_right_noun_is_found_though_nobody_tells_which_it_is():
    generator = random.Random(1)
    train, dev = ([puzzle(generator) for _ in range(size)] for size in (500, 60))
    made = neural(
        NAME, SMALL[NAME], {"batch_size": 32, "class_weight_power": 0.0},
        {"learning_rate": 0.01}, trainer={**QUIET, "max_epochs": 12},
    )  # fmt: skip
    made.fit(TASK, [one for one, _, _ in train], [one for one, _, _ in dev])
    right = given = told = 0
    for line, place, same in dev:
        if same:
            continue
        told += 1
        label = TASK.class_index[line.gaps[0].label]
        (nouns,) = made.antecedents([line], np.array([label]))
        right += max(nouns, key=lambda noun: noun.probability).index == place
        given += nouns[0].index == place
    assert right / told > 0.9
    assert given >= right


def test_antecedents_are_the_candidates(train, dev):
    made, _ = prepared(NAME, train, context=2)
    made.adjustment = Adjustment(0.0, np.ones(len(TASK.classes)))
    lines = [example for example in dev if example.document == dev[0].document]
    pointed = made.antecedents(lines, made.decide(lines))
    for own, (line, gap) in zip(pointed, gaps_of(lines), strict=True):
        nouns = [c for c in antecedent_candidates(lines, line, gap, made.context)
                 if c.side == "target"]  # fmt: skip
        assert {(n.sentences, n.index) for n in own} == {(c.sentences, c.index) for c in nouns}
        assert sum(n.probability for n in own) <= 1 + 1e-5


def test_nouns_in_units_are_words_again(train, dev):
    made = neural(
        NAME, SMALL[NAME],
        {"batch_size": 32, "context": 1, "units": "sentencepiece", "unit_vocabulary": 90},
        trainer={**QUIET, "max_epochs": 1},
    )  # fmt: skip
    made.fit(TASK, train, dev)
    lines = [example for example in dev if example.document == dev[0].document]
    pointed = made.antecedents(lines, made.decide(lines))
    for own, (line, gap) in zip(pointed, gaps_of(lines), strict=True):
        nouns = {(line - c.sentences, c.index) for c in antecedent_candidates(lines, line, gap, 1)
                 if c.side == "target"}  # fmt: skip
        chosen = {(line - n.sentences, n.index) for n in own if n.probability > 1e-9}
        assert chosen <= nouns
        assert bool(chosen) == bool(nouns)
