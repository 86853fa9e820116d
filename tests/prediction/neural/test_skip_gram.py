"""The pairs of a skip-gram: those of a small corpus, listed."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from crosspro.data_prep.core.example import Example, Gap
from crosspro.prediction.neural.layers.skip_gram import (
    SkipGramSettings,
    all_pairs,
    context_field,
    pretrained_embeddings,
    sampled_pairs,
    skip_gram_text,
)
from crosspro.prediction.neural.reading.encoding import Reading, fit_and_encode
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE
from crosspro.prediction.neural.reading.vocabulary import Inventory
from tests.prediction.neural.small import TASK

CORPUS = [
    Example.of_tokens(("it", "is", "they"), ("REPLACE_0", "a", "REPLACE_2", "b"), ((0, 0), (2, 2)),
            (Gap(0, 0, "il", "il"), Gap(2, 2, "OTHER", "NONE")), tagged=False),
    Example.of_tokens(("no", "gap"), ("c", "d"), (), (), tagged=False),
    Example(("of", "blind", "It"), ("REPLACE_2", "e"), None, ((2, 0),), (Gap(0, 2),)),
]  # fmt: skip
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def read():
    reading = Reading((LEMMA, SOURCE, PRONOUN), lowercase=False)
    encoder, data = fit_and_encode(CORPUS, reading, TASK, min_count=1)
    return data, encoder


def names(pairs, encoder, field):
    """Pairs in words; classes are in brackets."""
    centres = encoder.vocabularies[field.name].words
    around = encoder.vocabularies[context_field(field)].words
    return Counter(
        (centres[one], f"[{TASK.classes[other - len(around)]}]" if to_class else around[other])
        for one, other, to_class in zip(
            pairs.centres.tolist(), pairs.contexts.tolist(), pairs.to_class.tolist(), strict=True
        )
    )


def pairs_of(read, field, window, chosen=None):
    data, encoder = read
    text = skip_gram_text(data, field, CPU)
    chosen = torch.arange(len(text.centres)) if chosen is None else torch.tensor(chosen)
    first_class = len(encoder.vocabularies[context_field(field)])
    return names(all_pairs(text, chosen, window, first_class), encoder, field)


def test_every_word_predicts_its_window_and_all_pronouns_of_its_sentence(read):
    expected = Counter(
        [("<gap>", "a"), ("a", "<gap>"), ("a", "<gap>"), ("<gap>", "a"), ("<gap>", "b"),
         ("b", "<gap>"), ("c", "d"), ("d", "c"), ("<gap>", "e"), ("e", "<gap>")]
        + 2 * [("<gap>", "[il]"), ("<gap>", "[OTHER]")]
        + [(word, name) for word in "ab" for name in ("[il]", "[OTHER]")]
    )  # fmt: skip
    assert pairs_of(read, LEMMA, 1) == expected
    assert pairs_of(read, LEMMA, 2) == expected + Counter(
        [("<gap>", "<gap>"), ("<gap>", "<gap>"), ("a", "b"), ("b", "a")]
    )
    assert pairs_of(read, LEMMA, 2, [4]) == Counter([("c", "d")])


def test_source_words_predict_the_pronouns_of_the_target(read):
    found = pairs_of(read, SOURCE, 1)
    assert found["is", "[il]"] == found["they", "[OTHER]"] == found["is", "it"] == 1
    assert not any(centre in ("no", "It") and "[" in other for centre, other in found)


def test_aligned_words_predict_what_stands_around_the_source_pronoun(read):
    assert pairs_of(read, PRONOUN, 1) == Counter(
        [("it", "is"), ("it", "[il]"), ("it", "[OTHER]"),
         ("they", "is"), ("they", "[il]"), ("they", "[OTHER]"), ("It", "blind")]
    )  # fmt: skip


@pytest.mark.parametrize("field", [LEMMA, SOURCE, PRONOUN], ids=lambda field: field.name)
def test_sampled_pairs_are_some_of_all(read, field):
    data, encoder = read
    text = skip_gram_text(data, field, CPU)
    first_class = len(encoder.vocabularies[context_field(field)])
    chosen = torch.arange(len(text.centres)).repeat(200)
    generator = torch.Generator().manual_seed(1)
    drawn = sampled_pairs(text, chosen, 2, first_class, 0.5, generator)
    assert set(names(drawn, encoder, field)) == set(pairs_of(read, field, 2))


@pytest.mark.parametrize("pairs", ["all", "sampled"])
def test_tables_of_all_inputs_are_learnt_and_the_seed_decides(read, pairs):
    data, encoder = read
    fields = (LEMMA, SOURCE, PRONOUN)
    given = (data, Inventory(encoder.vocabularies, TASK.classes), fields, 4)
    settings = SkipGramSettings(epochs=1, pairs=pairs)
    first, again, other = (pretrained_embeddings(*given, settings, n, CPU) for n in (1, 1, 2))
    for field in fields:
        assert len(first[field.name]) == len(encoder.vocabularies[field.name])
        assert (first[field.name] == again[field.name]).all()
        assert (first[field.name] != other[field.name]).any()


def test_every_step_is_reported(read):
    data, encoder = read
    given = (data, Inventory(encoder.vocabularies, TASK.classes), (LEMMA, SOURCE), 4)
    steps = []
    pretrained_embeddings(*given, SkipGramSettings(epochs=3), 1, CPU, steps.append)
    names = ("Embeddings 1 of 2 (lemma)", "Embeddings 2 of 2 (source)")
    for name in names:
        own = [step for step in steps if step.name == name]
        assert [step.done for step in own] == list(range(1, own[0].total + 1))
        assert len(own) % 3 == 0
    assert list(dict.fromkeys(step.name for step in steps)) == list(names)


def test_words_that_go_with_a_pronoun_come_to_lie_near_each_other():
    def sentence(number):
        word, label = f"w{number % 10}", ("il", "elle")[number % 2]
        return Example.of_tokens(
            ("it",), (word, "REPLACE_0"), (), (Gap(1, 0, label, label),), tagged=False
        )

    fields = (LEMMA, SOURCE)
    encoder, data = fit_and_encode(list(map(sentence, range(400))), Reading(fields), TASK)
    inventory = Inventory(encoder.vocabularies, TASK.classes)
    settings = SkipGramSettings(4, "sampled", pronoun_share=1.0, learning_rate=0.02)
    tables = pretrained_embeddings(data, inventory, fields, 8, settings, 1, CPU)
    numbers = encoder.vocabularies["lemma"].numbers([f"w{number}" for number in range(10)])
    vectors = torch.nn.functional.normalize(tables["lemma"][numbers], dim=1)
    near = vectors @ vectors.T
    assert near[0::2, 0::2].min() > near[0::2, 1::2].max()
