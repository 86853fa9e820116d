"""What the networks see, beyond what a loss would show."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from crosspro.prediction.neural.networks.turku_gru import TurkuGRU
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTM
from crosspro.prediction.neural.vocabulary import UNK
from tests.prediction.neural.small import SMALL, inventory, prepared


def changed_at_the_pronoun(tensors):
    """The same data with another source word at each gap's source position."""
    source = tensors["source"].clone()
    source[tensors.source_position] = UNK
    return replace(tensors, fields={**tensors.fields, "source": source})


def test_windows_are_turned_within_their_lengths():
    sizes = dict.fromkeys(("lemma", "tag", "lemma_tag", "source", "pronoun"), 9)
    places = torch.tensor([[7, 6, 5, 0], [3, 2, 1, 4]])
    lengths = torch.tensor([3, 4])
    outward, inward = (
        TurkuGRU(inventory(sizes), inward=turn, **SMALL["turku_gru"]) for turn in (False, True)
    )
    assert outward._ordered(places, lengths)[0] is places
    turned = inward._ordered(places, lengths)[0]
    assert turned[0, :3].tolist() == [5, 6, 7]
    assert turned[1].tolist() == [4, 1, 2, 3]


@pytest.mark.parametrize("inward", [False, True])
def test_source_streams_begin_with_the_aligned_word(inward, train):
    made, tensors = prepared("turku_gru", train, {"inward": inward})
    gaps = torch.arange(len(tensors.label))
    with torch.inference_mode():
        made.network.embeddings["pronoun"].weight.zero_()
        one, other = (made.network(t, gaps) for t in (tensors, changed_at_the_pronoun(tensors)))
    assert (one != other).any(dim=1).all()


def test_the_embedding_of_the_pronoun_reaches_the_mlp_without_the_reader(train):
    made, tensors = prepared("uppsala_bilstm", train)
    gaps = torch.arange(len(tensors.label))
    words = SMALL["uppsala_bilstm"]["words"]
    with torch.inference_mode():
        made.network.mlp.weight[:, :-words] = 0
        one, other = (made.network(t, gaps) for t in (tensors, changed_at_the_pronoun(tensors)))
    assert (one != other).any(dim=1).all()


def test_rare_words_are_dropped_more_often():
    sizes = dict.fromkeys(("source", "lemma", "tag", "character"), 5)
    settings = {**SMALL["uppsala_bilstm"], "word_dropout": 0.25}
    network = UppsalaBiLSTM(inventory(sizes, counts=[0, 0, 1, 3, 100]), **settings)
    torch.manual_seed(1)
    for word, count in ((2, 1), (3, 3), (4, 100)):
        ids = torch.full((40_000,), word)
        dropped = network.train()._drop_words(ids, network.source_counts)
        assert set(dropped.tolist()) <= {UNK, word}
        share = (dropped == UNK).float().mean().item()
        assert share == pytest.approx(0.25 / (0.25 + count), abs=0.01)
        assert (network.eval()._drop_words(ids, network.source_counts) == word).all()
