"""What the networks see, beyond what a loss would show."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from crosspro.prediction.neural.networks.turku_gru import TurkuGRUSettings
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTMSettings
from crosspro.prediction.neural.reading.vocabulary import UNK
from tests.prediction.neural.small import SMALL, TASK, inventory, prepared


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
        TurkuGRUSettings(inward=turn, **SMALL["turku_gru"]).build(inventory(sizes))
        for turn in (False, True)
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
    network = UppsalaBiLSTMSettings(**settings).build(inventory(sizes, counts=[0, 0, 1, 3, 100]))
    torch.manual_seed(1)
    for word, count in ((2, 1), (3, 3), (4, 100)):
        ids = torch.full((40_000,), word)
        dropped = network.train()._drop_words(ids, network.source_counts)
        assert set(dropped.tolist()) <= {UNK, word}
        share = (dropped == UNK).float().mean().item()
        assert share == pytest.approx(0.25 / (0.25 + count), abs=0.01)
        assert (network.eval()._drop_words(ids, network.source_counts) == word).all()


VARIANTS = (
    ("none", 0),
    ("concatenated", 1),
    ("second_encoder", 1),
)


def nyu(examples, previous="none", context=0, **settings):
    return prepared("nyu_nmt", examples, {"previous": previous, **settings}, context=context)


def losses(network, tensors, gaps, width=None):
    weights = torch.linspace(1, 2, len(TASK.classes))
    width = width or int(network.extents(tensors).max())
    return network.loss(tensors, gaps, width, weights, 0.1)


@pytest.mark.parametrize(("previous", "context"), VARIANTS)
@pytest.mark.parametrize("class_loss", [0.0, 1.0])
def test_padding_never_changes_a_loss_of_the_translation(previous, context, class_loss, train):
    made, tensors = nyu(train, previous, context, class_loss=class_loss)
    gaps = torch.arange(len(tensors.label))
    with torch.inference_mode():
        together = losses(made.network, tensors, gaps)
        alone = torch.cat([losses(made.network, tensors, gap[None]) for gap in gaps])
    assert torch.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize(("previous", "context"), VARIANTS)
def test_gradients_of_the_translation_reach_every_parameter(previous, context, train):
    made, tensors = nyu(train, previous, context, class_loss=0.0)
    losses(made.network, tensors, torch.arange(len(tensors.label))).sum().backward()
    for key, parameter in made.network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().sum() > 0, key


def test_scores_are_what_whole_sentences_have_with_each_class(train):
    """The logarithm of the sentence with a class in the gap, but for the words before the gap."""
    made, tensors = nyu(train, class_loss=0.0)
    gaps = torch.arange(len(tensors.label))
    network, width = made.network, int(made.network.extents(tensors).max())
    ones = torch.ones(len(TASK.classes))
    lengths = [len(e.target) - len(e.gaps) + 2 for e in train for _ in e.gaps]  # a class, the end
    before = []
    with torch.inference_mode():
        scores = network(tensors, gaps, width)
        for number in range(len(TASK.classes)):
            labelled = replace(tensors, label=torch.full_like(tensors.label, number))
            whole = -network.loss(labelled, gaps, width, ones, 0.0) * torch.tensor(lengths)
            before.append(whole - scores[:, number])
    assert all(torch.allclose(one, before[0], atol=1e-3) for one in before)
    assert (before[0] <= 1e-4).all()


def test_many_scores_of_words_are_calculated_in_parts(train, monkeypatch):
    made, tensors = nyu(train, class_loss=0.5)
    gaps, network = torch.arange(len(tensors.label)), made.network

    def gradients():
        network.zero_grad()
        found = losses(network, tensors, gaps)
        found.sum().backward()
        return [found, *(parameter.grad.clone() for parameter in network.parameters())]

    at_once = gradients()
    monkeypatch.setattr("crosspro.prediction.neural.layers.embedding._SCORES_AT_ONCE", 50_000)
    for one, other in zip(at_once, gradients(), strict=True):
        assert torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize(("previous", "context"), VARIANTS)
def test_the_sentence_before_counts_where_it_is_read(previous, context, train):
    made, tensors = nyu(train, previous, context)
    far = prepared("nyu_nmt", train, {"previous": previous}, context=1)[1]
    source = far["source"].clone()
    gap = int(torch.nonzero(far.source_low < far.source_start)[0])
    source[far.source_low[gap]] = UNK
    changed = replace(tensors, fields={**tensors.fields, "source": source})
    with torch.inference_mode():
        one, other = (made.network(t, torch.tensor([gap])) for t in (tensors, changed))
    assert (one != other).any() == (previous != "none")


def test_a_sentence_without_one_before_it_needs_none(train):
    made, tensors = nyu(train, "second_encoder", 1)
    first = torch.nonzero(tensors.source_low == tensors.source_start)[:, 0]
    assert len(first)
    assert torch.isfinite(made.network(tensors, first)).all()


@pytest.mark.parametrize("network", ["nyu_nmt", "ukyoto_attention"])
def test_networks_that_are_given_a_width_need_no_wider_one(network, train):
    made, tensors = prepared(network, train, {"window": 4})
    extents = torch.from_numpy(made.network.extents(tensors))
    assert extents.max() <= 9
    gaps = torch.argsort(extents)[: len(extents) // 2]
    with torch.inference_mode():
        narrow, wide = (
            made.network(tensors, gaps, width) for width in (int(extents[gaps].max()), 9)
        )
    assert torch.allclose(narrow, wide, atol=1e-6)


def test_ukyoto_sees_both_sides_of_the_gap_and_the_whole_source(train):
    made, tensors = prepared("ukyoto_attention", train)
    gap = int((tensors.target_position - tensors.target_low).argmax())
    with torch.inference_mode():
        before = made.network(tensors, torch.tensor([gap]))
        for field, side in (("lemma", "target"), ("source", "source")):
            low, high = (int(getattr(tensors, f"{side}_{end}")[gap]) for end in ("low", "high"))
            for place in {low, high - 1} - {int(tensors.target_position[gap])}:
                column = tensors[field].clone()
                column[place] = UNK + (column[place] == UNK).long() * 5
                other = replace(tensors, fields={**tensors.fields, field: column})
                assert (made.network(other, torch.tensor([gap])) != before).any(), (field, place)
