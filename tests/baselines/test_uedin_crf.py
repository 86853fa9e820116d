"""UEDIN's CRF: which pronouns are a sequence, that it learns them together, and its files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crosspro.baselines.features.view import Resources
from crosspro.baselines.uedin_crf import UedinCRF, pronoun_sequences
from crosspro.data_prep.core.example import Gap, Mention
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.dev_score import dev_score
from tests.examples import example_of

TASK = load_task("en-fr")
FEATURES = ["source_pronoun", "source_words:2", "target_lemmas:2", "target_tags:2", "antecedents"]


def line(nouns, pronouns=("it",), document="d", label="il", chains=None):
    """`nouns` first, then a gap for each pronoun."""
    words = [f"{noun}|NOM" for noun in nouns]
    gaps = [Gap(len(words) + n, len(words) + n, label, label) for n in range(len(pronouns))]
    source = (*nouns, *pronouns)
    target = (*words, *(f"REPLACE_{gap.source_index}" for gap in gaps))
    return replace(example_of(source, target, (), tuple(gaps), document), chains=chains)


def sequences(examples, context=3):
    return pronoun_sequences(examples, Resources(TASK, context))


def test_pronouns_with_the_same_nearest_noun_belong_together():
    text = [line(["a"]), line([]), line(["b", "c"], ("it", "it")), line([], document="e")]
    assert sequences(text) == [[0, 1], [2, 3], [4]]
    assert sequences(text, context=0) == [[0], [1], [2, 3], [4]]
    assert sequences([replace(one, document=None) for one in text[:2]]) == [[0], [1]]


def test_given_chains_say_which_pronouns_belong_together():
    def mentions(*names):
        return tuple(Mention(name, "source", n, n) for n, name in enumerate(names))

    text = [
        line([], ("it", "it"), chains=mentions("x", "y")),
        line(["a"], chains=()),
        line([], ("it", "it"), chains=mentions("y", "x")),
        line([], document="e", chains=mentions("x")),
    ]
    assert sequences(text) == [[0, 4], [1, 3], [2], [5]]


def test_the_classes_of_a_chain_are_chosen_together():
    """Only the first pronoun of a chain has a telling word; the others repeat its class."""

    def document(number, word, label):
        first = replace(line([f"n{number}"], document=str(number), label=label))
        first = first.with_target((*first.target[:2], f"{word}|ADJ"))
        return [first, *(line([], document=str(number), label=label) for _ in range(2))]

    pairs = [("grand", "il"), ("grande", "elle")] * 15
    train = [one for number, pair in enumerate(pairs) for one in document(number, *pair)]
    system = UedinCRF(features=["target_lemmas:1"], context=3, iterations=60, l2=0.1, min_count=1)
    system.fit(TASK, train, train)
    assert dev_score(TASK, train, "accuracy")(system.predict(train)) == 100
    alone = UedinCRF(features=["target_lemmas:1"], context=0, iterations=60, l2=0.1, min_count=1)
    alone.fit(TASK, train, train)
    assert dev_score(TASK, train, "accuracy")(alone.predict(train)) < 100


def test_gaps_without_a_label_are_left_out_of_their_sequence():
    train, dev = demo_examples(TASK, "train", 20), demo_examples(TASK, "dev", 8)
    some = [
        replace(e, gaps=tuple(replace(g, label=None, word=None) for g in e.gaps)) if n % 3 else e
        for n, e in enumerate(train)
    ]
    system = UedinCRF(features=FEATURES, context=2, iterations=2)
    system.fit(TASK, some, dev)
    assert np.isfinite(system.predict(dev)).all()
