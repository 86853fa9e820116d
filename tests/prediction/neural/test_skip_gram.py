"""The pairs of a skip-gram: those of a small corpus, listed."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from torch import nn

from crosspro.data_prep.core.example import Example, Gap
from crosspro.prediction.neural.layers.skip_gram import (
    all_pairs,
    pretrain_embeddings,
    skip_gram_text,
)
from crosspro.prediction.neural.reading.encoding import Encoder
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory
from crosspro.prediction.neural.training.settings import SkipGramSettings
from tests.examples import example_of
from tests.prediction.neural.small import TASK

CORPUS = [
    example_of(("it", "is", "they"), ("REPLACE_0", "a", "REPLACE_2", "b"), ((0, 0), (2, 2)),
            (Gap(0, 0, "il", "il"), Gap(2, 2, "OTHER", "NONE")), tagged=False),
    example_of(("no", "gap"), ("c", "d"), (), (), tagged=False),
    Example(("of", "blind", "It"), ("REPLACE_2", "e"), None, ((2, 0),), (Gap(0, 2),)),
]  # fmt: skip
FIELDS = (LEMMA, SOURCE, PRONOUN)


@pytest.fixture(scope="module")
def corpus():
    encoder = Encoder(FIELDS, lowercase=False)
    encoder, text = encoder.fit_and_encode(CORPUS, TASK, min_count=1)
    return encoder, text.to("cpu")


def pairs_of(corpus, field, window, chosen=None):
    """Pairs in words; classes are in brackets."""
    encoder, text = corpus
    context = "source" if field is PRONOUN else field.name
    centres, around = (encoder.vocabularies[name].words for name in (field.name, context))
    of_field = skip_gram_text(text, field, context)
    chosen = torch.arange(len(of_field.centres)) if chosen is None else torch.tensor(chosen)
    pairs = all_pairs(of_field, chosen, window, len(around))
    columns = pairs.centres.tolist(), pairs.contexts.tolist(), pairs.to_class.tolist()
    return Counter(
        (centres[centre], f"[{TASK.classes[other - len(around)]}]" if to_class else around[other])
        for centre, other, to_class in zip(*columns, strict=True)
    )


def test_every_word_predicts_its_window_and_all_pronouns_of_its_sentence(corpus):
    expected = Counter(
        [("<gap>", "a"), ("a", "<gap>"), ("a", "<gap>"), ("<gap>", "a"), ("<gap>", "b"),
         ("b", "<gap>"), ("c", "d"), ("d", "c"), ("<gap>", "e"), ("e", "<gap>")]
        + 2 * [("<gap>", "[il]"), ("<gap>", "[OTHER]")]
        + [(word, name) for word in "ab" for name in ("[il]", "[OTHER]")]
    )  # fmt: skip
    assert pairs_of(corpus, LEMMA, 1) == expected
    assert pairs_of(corpus, LEMMA, 2) == expected + Counter(
        [("<gap>", "<gap>"), ("<gap>", "<gap>"), ("a", "b"), ("b", "a")]
    )
    assert pairs_of(corpus, LEMMA, 2, [4]) == Counter([("c", "d")])


def test_tables_of_all_inputs_are_learnt_and_the_seed_decides(corpus):
    encoder, text = corpus
    inventory = Inventory(encoder.vocabularies, TASK.classes)
    settings = SkipGramSettings(epochs=1)
    tables = []
    for seed in (1, 1, 2):
        made = {f.name: nn.Embedding(inventory.size(f.name), 4, padding_idx=PAD) for f in FIELDS}
        pretrain_embeddings(nn.ModuleDict(made), text, inventory, FIELDS, settings, seed)
        tables.append(made)
    first, again, other = tables
    for field in FIELDS:
        weights = first[field.name].weight
        assert not weights[PAD].any()
        assert (weights == again[field.name].weight).all()
        assert (weights[UNK:] != other[field.name].weight[UNK:]).any()
