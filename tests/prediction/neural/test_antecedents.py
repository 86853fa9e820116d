"""Latent antecedents: which nouns are candidates, what they say of classes, that they are found."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.lexicon.antecedents import NounFinder
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon, write_lexicon
from tests.examples import example_of
from tests.prediction.neural.small import JOINT, TASK, all_gaps, prepared, system

ANAPHORA, ENCODER = "hardmeier_anaphora", "document_encoder"
POINTER = {"pointer": True}
MASCULINE, FEMININE = (tuple(f"{g}{n}|NOM" for n in range(40)) for g in "mf")


def gaps_of(examples):
    return [(line, gap) for line, example in enumerate(examples) for gap in example.gaps]


@pytest.mark.parametrize("units", [{}, {"units": "sentencepiece", "unit_vocabulary": 90}])
def test_candidates_of_the_anaphora_network_are_the_nearest_nouns(units, train):
    made, text = prepared(ANAPHORA, train, {"candidates": 4, "window": 200}, context=2, **units)
    nouns = made.network._candidates(text, all_gaps(text))
    pointed = made.antecedents(train, np.zeros(len(text), np.int64))
    for row, (line, gap) in enumerate(gaps_of(train)):
        expected = list(NounFinder(train).before(line, gap, "target", 2))
        words = {(noun.sentences, noun.index) for noun in expected[: None if units else 4]}
        chosen = {(noun.sentences, noun.index) for noun in pointed[row]}
        assert chosen <= words if units else chosen == words
        assert sum(noun.probability for noun in pointed[row]) <= 1 + 1e-5
        if not units:
            exists = int(nouns.exists[row].sum())
            assert exists == len(expected[:4])
            assert nouns.tokens[row, :exists].tolist() == [n.tokens for n in expected[:4]]
            assert nouns.sentences[row, :exists].tolist() == [n.sentences for n in expected[:4]]


@pytest.mark.parametrize("units", [{"context": 1}, {**JOINT, "context": 1}])
def test_candidates_of_the_pointer_are_the_nouns_before_pronoun_and_gap(units, train):
    made, text = prepared(
        ENCODER, train, {"target_before": 400, "source_before": 400, **POINTER}, **units
    )
    nouns = made.encoder.lexicons["source"]  # English has no gender, but nouns
    shown = str.lower if "units" in units and made.encoder.lowercase else str
    classes = np.zeros(len(text), dtype=np.int64)
    for (line, gap), pointed in zip(gaps_of(train), made.antecedents(train, classes), strict=True):
        before = [(0, train[line])]
        if line and train[line - 1].document == train[line].document:
            before.append((1, train[line - 1]))
        expected = {
            ("target", back, place)
            for back, example in before
            for place, token in enumerate(example.target)
            if token.endswith("|NOM") and (back or place < gap.position)
        } | {
            ("source", back, place)
            for back, example in before
            for place, word in enumerate(map(shown, example.source))
            if nouns.is_noun(word) and (back or place < gap.source_index)
        }
        assert {(mention.side, mention.sentences, mention.index) for mention in pointed} == expected
        assert sum(mention.probability for mention in pointed) <= 1 + 1e-5
        assert [mention.given_class for mention in pointed] == sorted(
            (mention.given_class for mention in pointed), reverse=True
        )


def test_classes_are_summed_over_nouns_and_none(train):
    anaphora, text = prepared(ANAPHORA, train, context=2)
    gaps = all_gaps(text)
    encoder, pieces = prepared(ENCODER, train, POINTER, **JOINT)
    with torch.inference_mode():
        nouns = anaphora.network._candidates(text, gaps)
        latent = anaphora.network._latent(text, gaps, nouns)
        batch = encoder.network._batch(pieces, gaps)
        pointed = encoder.network._classify(batch, encoder.network.rows(batch))[1]
        cases = [(anaphora.network, text, latent), (encoder.network, pieces, pointed)]
        for network, own_text, mention in cases:
            total = (mention.antecedent.exp()[:, :, None] * mention.classes.exp()).sum(1)
            assert torch.allclose(network(own_text, gaps).exp(), total, atol=1e-5)
            assert torch.allclose(total.sum(1), torch.ones(len(gaps)), atol=1e-5)
            sides = network.antecedents(own_text, gaps)
            sums = sum(side.probabilities.sum(1) for side in sides) + mention.antecedent.exp()[:, 0]
            assert torch.allclose(sums, torch.ones(len(gaps)), atol=1e-5)
            for side in sides:  # Bayes: what is known after the class was known before, on average
                mean = (side.given_class * total[:, :, None]).sum(1)
                assert torch.allclose(mean, side.probabilities, atol=1e-5)


def puzzle(generator, low, high, hints):
    """Two nouns, of which the pronoun stands for one; hints (on either side) say for which."""
    label, nouns = generator.choice((("il", MASCULINE), ("elle", FEMININE)))
    right = generator.choice(nouns[low:high])
    wrong = generator.choice((*MASCULINE[low:high], *FEMININE[low:high]))
    order = [(0, right), (1, wrong)]
    generator.shuffle(order)
    if hints == "source":
        source = (*(("this", "that")[n] for n, _ in order), "it", "works")
        target = (*(token for _, token in order), "REPLACE_2", "marcher|VER")
        links = tuple((place, place) for place in range(4))
    else:
        source, links = ("it", "works"), ((0, 4),)
        words = [(("ce|DET", "un|DET")[n], token) for n, token in order]
        target = (*words[0], *words[1], "REPLACE_0", "marcher|VER")
    place = next(n for n, token in enumerate(target) if token.startswith("REPLACE"))
    gap = Gap(place, source.index("it"), label)
    return (
        example_of(source, target, links, (gap,)),
        target.index(right),
        wrong[0] != right[0],
    )


@pytest.mark.parametrize(
    ("name", "hints", "seen"),
    [(ANAPHORA, "source", 12), pytest.param(ENCODER, "target", 30, marks=pytest.mark.slow)],
)
def test_the_right_noun_is_found_though_no_label_says_which_it_is(name, hints, seen, tmp_path):
    """The encoder finds nouns that were never seen, whose gender only the lexicon knows."""
    generator = random.Random(1)
    train = [puzzle(generator, 0, seen, hints)[0] for _ in range(500)]
    low, high = (0, seen) if name == ANAPHORA else (seen, 40)
    dev = [puzzle(generator, low, high, hints) for _ in range(80)]
    network, rate, epochs = {}, 0.01, 12
    if name == ENCODER:
        path = tmp_path / "nouns.tsv"
        write_lexicon(path, Lexicon.of(
            Entry(noun.split("|")[0], "NOUN", gender, "Sing", 1)
            for gender, nouns in (("Masc", MASCULINE), ("Fem", FEMININE)) for noun in nouns
        ))  # fmt: skip
        network = {**POINTER, "target_lexicon": str(path), "source_lexicon": "none"}
        rate, epochs = 0.003, 18
    made = system(
        name, epochs=epochs, network=network, optimisation={"learning_rate": rate},
        class_weight_power=0.0,
    )  # fmt: skip
    lines = [line for line, *_ in dev]
    made.fit(TASK, train, lines)
    labels = np.array([TASK.class_index[line.gaps[0].label] for line in lines])
    pointed = made.antecedents(lines, labels)
    differing = [number for number, (_, _, differs) in enumerate(dev) if differs]
    assert np.mean([pointed[n][0].index == dev[n][1] for n in differing]) > 0.9
    before = [max(pointed[n], key=lambda noun: noun.probability).index for n in differing]
    assert np.mean([index == dev[n][1] for index, n in zip(before, differing, strict=True)]) > 0.8
