"""Reading both ways is what torch does with packed rows, and attention sees what is there."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosspro.prediction.neural.layers.recurrent import (
    Attention,
    BidirectionalGRU,
    last_states,
    read,
    states_both_ways,
    turned,
    turned_places,
)
from crosspro.prediction.neural.reading.tensors import inside

LENGTHS = torch.tensor([5, 1, 3, 7])


@pytest.mark.parametrize("layers", [1, 2])
def test_it_reads_as_a_packed_gru(layers):
    torch.manual_seed(1)
    words = torch.randn(4, 7, 6, requires_grad=True)
    reader = BidirectionalGRU(6, 5, layers)
    packed = nn.GRU(6, 5, layers, batch_first=True, bidirectional=True)
    for layer, ways in enumerate(zip(reader.forwards, reader.backwards, strict=True)):
        for way, suffix in zip(ways, ("", "_reverse"), strict=True):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                weight = getattr(way, f"{name}_l0")
                getattr(packed, f"{name}_l{layer}{suffix}").data.copy_(weight.data)
    there = inside(LENGTHS, 7)[:, :, None]
    ours = reader(words, LENGTHS) * there
    batch = pack_padded_sequence(words, LENGTHS, batch_first=True, enforce_sorted=False)
    theirs, _ = pad_packed_sequence(packed(batch)[0], batch_first=True)
    assert torch.allclose(ours, theirs, atol=1e-6)
    weights = torch.randn_like(ours)
    slopes = [torch.autograd.grad((s * weights).sum(), words)[0] for s in (ours, theirs)]
    assert torch.allclose(*slopes, atol=1e-6)


@pytest.mark.parametrize("layers", [1, 2])
def test_an_lstm_reads_unpacked_rows_as_packed_ones(layers):
    torch.manual_seed(1)
    words = torch.randn(4, 8, 6, requires_grad=True)
    lstm = nn.LSTM(6, 5, layers, batch_first=True, bidirectional=True)
    packed, unpacked = (states_both_ways(lstm, words, LENGTHS, how) for how in (False, True))
    there = inside(LENGTHS, 8)[:, :, None]
    assert packed.shape == unpacked.shape
    assert torch.allclose(packed * there, unpacked * there, atol=1e-6)
    weights = torch.randn_like(packed) * there
    inputs = (words, *lstm.parameters())
    ours, theirs = (
        torch.autograd.grad((states * weights).sum(), inputs) for states in (packed, unpacked)
    )
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_words_are_turned_within_their_rows_and_gradients_with_them():
    places = turned_places(torch.tensor([3, 0, 4]), 4)
    assert places.tolist() == [[2, 1, 0, 3], [0, 1, 2, 3], [3, 2, 1, 0]]
    values = torch.randn(3, 4, 2, dtype=torch.double, requires_grad=True)
    assert torch.equal(turned(turned(values, places), places), values)
    torch.autograd.gradcheck(lambda one: turned(one, places), values)


def test_the_last_state_of_nothing_is_zero():
    states = torch.arange(1.0, 13).view(2, 3, 2)
    assert last_states(states, torch.tensor([2, 0])).tolist() == [[3, 4], [0, 0]]


def test_autocast_does_not_reach_a_gru():
    gru, words = nn.GRU(3, 4, batch_first=True), torch.randn(2, 5, 3)
    expected = gru(words)[0]
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(read(gru, words), expected)


def test_attention_is_the_mean_of_what_is_there_and_nothing_of_nothing():
    attention = Attention(3, 2)
    states, queries = torch.randn(2, 4, 2), torch.randn(2, 5, 3)
    with torch.no_grad():
        attention.match.weight.zero_()
        found = attention(queries, states, inside(torch.tensor([3, 0]), 4))
    assert torch.allclose(found[0], states[0, :3].mean(0).expand(5, 2))
    assert not found[1].any()
