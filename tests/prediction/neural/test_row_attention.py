"""Attention within rows of different lengths: what fills a row up changes nothing, either way."""

from __future__ import annotations

import pytest
import torch

from crosspro.prediction.neural.row_attention import (
    WAYS,
    has_kernel,
    sequence_bounds,
    some_asking,
)
from crosspro.prediction.neural.sentence_reader import at_columns
from crosspro.prediction.neural.transformer import Transformer
from tests.prediction.neural.small import TASK, prepared

LENGTHS = (1, 7, 12, 3, 12)
WIDTH = 12
COLUMNS = torch.tensor([[0, 0], [6, 2], [0, 11], [1, 1], [3, 4]])
"""Columns inside the rows whose states are wanted, some of them twice."""
POSITIONS = torch.arange(WIDTH).expand(len(LENGTHS), -1) - 5


def transformer(way):
    torch.manual_seed(1)
    made = Transformer(16, 2, 2, 0.0)
    made.attention = way
    return made


def states_and_slopes(way, filling):
    """The states within rows, and the gradients of the weights."""
    made = transformer(way)
    torch.manual_seed(2)
    lengths = torch.tensor(LENGTHS)
    rows = torch.randn(len(lengths), WIDTH, 16)
    there = torch.arange(WIDTH) < lengths[:, None]
    rows = torch.where(there[:, :, None], rows, filling)
    found = made(rows, made.turns(POSITIONS), lengths, made.in_sequences(rows.device))[there]
    torch.autograd.backward(found.square().sum())
    return found.detach(), [weight.grad for weight in made.parameters()]


def test_a_row_and_what_fills_it_up_are_two_sequences():
    bounds = sequence_bounds(torch.tensor(LENGTHS), WIDTH)
    assert bounds.tolist() == [0, 1, 12, 19, 24, 36, 36, 39, 48, 60, 60]
    assert bounds.dtype == torch.int32
    # Where some columns ask, each row has so many queries, and what fills it up has none.
    assert some_asking(3, 2, bounds).tolist() == [0, 2, 2, 4, 4, 6, 6]


@pytest.mark.parametrize("way", WAYS)
def test_what_fills_rows_up_is_not_heard(way):
    states, slopes = states_and_slopes(way, 0.0)
    others, other_slopes = states_and_slopes(way, 5.0)
    assert torch.equal(states, others)
    for one, other in zip(slopes, other_slopes, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_sequences_give_what_a_mask_gives():
    (states, slopes), (others, other_slopes) = (states_and_slopes(way, 1.0) for way in WAYS)
    assert torch.allclose(states, others, atol=1e-5)
    for one, other in zip(slopes, other_slopes, strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def test_as_many_columns_as_a_row_has_may_come_in_any_order():
    lengths, rows = torch.tensor([2, 2]), torch.randn(2, 2, 16)
    columns = torch.tensor([[1, 0], [1, 1]])
    for way in WAYS:
        made = transformer(way)
        given = (rows, made.turns(POSITIONS[:2, :2]), lengths, made.in_sequences(rows.device))
        found, expected = made(*given, columns), at_columns(made(*given), columns)
        assert torch.allclose(found, expected, atol=1e-5)


def test_a_network_scores_alike_in_both_ways(train):
    made, data = prepared("document_encoder", train, units="joint", unit_vocabulary=300, context=2)
    every = torch.arange(40)
    found = []
    for way in WAYS:
        made.network.encoder.attention = way
        with torch.inference_mode():
            found.append(made.network(data, every))
    assert torch.allclose(*found, atol=1e-5)
    assert found[0].shape == (40, len(TASK.classes))


@pytest.mark.parametrize("share", [0.15, 0.9])
def test_a_network_learns_alike_in_both_ways(share, train):
    """Short rows have fewer pieces than are drawn: columns that fill them up count nothing."""
    masked = {"masked_words": 0.5, "masked_share": share, "hidden_pronouns": 0.3}
    options = {"units": "joint", "unit_vocabulary": 300, "context": 2}
    made, data = prepared("document_encoder", train, masked, **options)
    network, gaps = made.network, torch.arange(40)
    width, weights = int(network.extents(data).max()), torch.ones(len(TASK.classes))
    found = []
    for way in WAYS:
        network.encoder.attention = way
        network.zero_grad()
        torch.manual_seed(3)
        losses = network.loss(data, gaps, width, weights, 0.0)
        torch.autograd.backward(losses.sum())
        slopes = [one.grad.clone() for one in network.parameters() if one.grad is not None]
        found.append((losses.detach(), slopes))
    (losses, slopes), (others, other_slopes) = found
    assert torch.isfinite(losses).all()
    assert torch.allclose(losses, others, atol=1e-4)
    for one, other in zip(slopes, other_slopes, strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_there_is_no_kernel_without_a_gpu_or_in_single_precision():
    assert not has_kernel(torch.device("cpu"), torch.bfloat16, 64)
    assert not has_kernel(torch.device("cuda"), torch.float32, 64)
    assert not has_kernel(torch.device("cuda"), torch.bfloat16, 60)
    assert not transformer("").in_sequences(torch.device("cpu"))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("columns", [None, COLUMNS], ids=["all", "some"])
def test_the_kernel_gives_what_a_mask_gives(columns):
    found = []
    lengths = torch.tensor(LENGTHS).cuda()
    there = torch.arange(WIDTH).cuda() < lengths[:, None]
    for way in WAYS:
        made = transformer(way).cuda().bfloat16()
        torch.manual_seed(2)
        rows = torch.randn(len(LENGTHS), WIDTH, 16).cuda().bfloat16()
        given = (rows, made.turns(POSITIONS.cuda()), lengths, made.in_sequences(rows.device))
        states = made(*given)[there] if columns is None else made(*given, columns.cuda())
        torch.autograd.backward(states.float().square().sum())
        found.append((states.float(), [w.grad.float() for w in made.parameters()]))
    (states, slopes), (others, other_slopes) = found
    assert torch.allclose(states, others, atol=0.05)
    for one, other in zip(slopes, other_slopes, strict=True):
        assert torch.allclose(one, other, atol=0.05 * one.abs().max().item() + 0.05)
