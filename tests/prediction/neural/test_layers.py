"""Layers: attention never sees padding, rotations know distances, RNNs keep their precision."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from crosspro.prediction.neural.layers.recurrent import (
    ParallelGRUs,
    read,
)
from crosspro.prediction.neural.layers.transformer import Transformer, rotary_angles
from crosspro.prediction.neural.layers.windows import between, inside, outwards
from crosspro.prediction.neural.reading.encoding import GapSpans

LENGTHS = torch.tensor([1, 7, 12, 3, 12])
WIDTH, SIZE = 12, 8
INSIDE = inside(LENGTHS, WIDTH)
POSITIONS = torch.arange(WIDTH).expand(len(LENGTHS), -1) - 5


def test_windows_go_outwards_within_the_context_and_can_be_reversed():
    low, high = torch.tensor([2, 0]), torch.tensor([9, 4])
    position = torch.tensor([4, 0])
    spans = GapSpans(position, low, low, high)
    left, right = outwards(spans, -1, 3), outwards(spans, 1, 3, first=0)
    assert left.lengths.tolist() == [2, 0] and right.lengths.tolist() == [3, 3]
    assert left.positions[0, :2].tolist() == [3, 2]
    assert right.positions.tolist() == [[4, 5, 6], [0, 1, 2]]
    assert right.reversed().positions.tolist() == [[6, 5, 4], [2, 1, 0]]
    tokens = torch.arange(10, 20)
    assert left.pick(tokens).tolist() == [[13, 12], [0, 0]]
    assert between(low, position).pick(tokens).tolist() == [[12, 13], [0, 0]]
    start, end = spans.around(1, 2)
    assert (start.tolist(), end.tolist()) == ([3, 0], [7, 3])


@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM])
def test_padding_is_not_read_backwards(kind):
    torch.manual_seed(1)
    layers = kind(6, 5, 2, batch_first=True, bidirectional=True)
    words = torch.randn(len(LENGTHS), WIDTH, 6)
    states = read(layers, words, LENGTHS)
    for row, length in enumerate(LENGTHS.tolist()):
        alone = layers(words[row : row + 1, :length])[0][0]
        torch.testing.assert_close(states[row, :length], alone)


def test_parallel_grus_are_grus_with_one_bias():
    torch.manual_seed(1)
    parallel = ParallelGRUs(3, 4, 5, 2)
    lengths = [torch.tensor([6, 2, 0]), torch.tensor([1, 6, 3]), torch.tensor([4, 4, 6])]
    sequences = [torch.randn(3, 6, 4) for _ in range(3)]
    states = parallel(sequences, lengths)
    for number, (words, ends) in enumerate(zip(sequences, lengths, strict=True)):
        gru = nn.GRU(4, 5, 2, batch_first=True)
        with torch.no_grad():
            for layer in range(2):
                getattr(gru, f"weight_ih_l{layer}").copy_(parallel.input_weights[layer][number])
                getattr(gru, f"weight_hh_l{layer}").copy_(parallel.hidden_weights[layer][number])
                getattr(gru, f"bias_ih_l{layer}").copy_(parallel.biases[layer][number])
                getattr(gru, f"bias_hh_l{layer}").zero_()
        for row, length in enumerate(ends.tolist()):
            alone = gru(words[row : row + 1, :length])[1][-1, 0] if length else torch.zeros(5)
            torch.testing.assert_close(states[number, row], alone)


def test_autocast_does_not_reach_a_gru():
    gru, words = nn.GRU(3, 4, batch_first=True), torch.randn(2, 5, 3)
    expected = gru(words)[0]
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(read(gru, words), expected)


def test_padding_has_no_part_in_a_transformer_or_its_gradients():
    def states_and_gradients(padding):
        torch.manual_seed(1)
        transformer = Transformer(2 * SIZE, 2, 2, 0.0)
        rows = torch.randn(len(LENGTHS), WIDTH, 2 * SIZE)
        rows = torch.where(INSIDE[:, :, None], rows, padding)
        states = transformer(rows, rotary_angles(POSITIONS, SIZE), INSIDE)[INSIDE]
        torch.autograd.backward(states.square().sum())
        return [states.detach(), *(weight.grad for weight in transformer.parameters())]

    for left, other in zip(states_and_gradients(0.0), states_and_gradients(5.0), strict=True):
        assert torch.isfinite(left).all()
        torch.testing.assert_close(left, other)


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_states_do_not_change_if_all_positions_are_moved(heads):
    torch.manual_seed(5)
    transformer = Transformer(2 * SIZE, 2, heads, 0.0)
    rows, size = torch.randn(len(LENGTHS), WIDTH, 2 * SIZE), 2 * SIZE // heads
    for weight in transformer.parameters():
        nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
    here, there, mirrored = (
        transformer(rows, rotary_angles(positions, size), INSIDE)
        for positions in (POSITIONS, POSITIONS + 100, -POSITIONS)
    )
    torch.testing.assert_close(here[INSIDE], there[INSIDE], atol=1e-3, rtol=1e-3)
    assert (mirrored - here)[INSIDE].abs().max() > 0.01
