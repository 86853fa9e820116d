"""Attention within rows of different lengths, which sees distances and not what fills rows up."""

from __future__ import annotations

import pytest
import torch

from crosspro.prediction.neural.layers.recurrent import at_columns
from crosspro.prediction.neural.layers.transformer import (
    Transformer,
    fastest_kernels,
    masked_attention,
    padding_marks,
    rotary_angles,
    rotated,
)
from tests.prediction.neural.small import TASK, prepared

LENGTHS = torch.tensor([1, 7, 12, 3, 12])
WIDTH, SIZE = 12, 8
COLUMNS = torch.tensor([[0, 0], [6, 2], [0, 11], [1, 1], [3, 4]])
"""Columns inside the rows whose states are wanted, some of them twice."""
INSIDE = torch.arange(WIDTH) < LENGTHS[:, None]
POSITIONS = torch.arange(WIDTH).expand(len(LENGTHS), -1) - 5
HALF = [torch.float16, torch.bfloat16]


def transformer():
    torch.manual_seed(1)
    return Transformer(2 * SIZE, 2, 2, 0.0)


def states_and_slopes(filling):
    """The states within rows, and the gradients of the weights."""
    made = transformer()
    torch.manual_seed(2)
    rows = torch.where(INSIDE[:, :, None], torch.randn(len(LENGTHS), WIDTH, 2 * SIZE), filling)
    found = made(rows, rotary_angles(POSITIONS, SIZE), INSIDE)[INSIDE]
    torch.autograd.backward(found.square().sum())
    return found.detach(), [weight.grad for weight in made.parameters()]


def test_what_fills_rows_up_is_not_heard():
    states, slopes = states_and_slopes(0.0)
    others, other_slopes = states_and_slopes(5.0)
    assert torch.equal(states, others)
    for one, other in zip(slopes, other_slopes, strict=True):
        assert torch.isfinite(one).all()
        assert torch.allclose(one, other, atol=1e-5)


def test_attention_is_that_of_a_mask_over_all_numbers_but_the_last():
    torch.manual_seed(3)
    queries, keys, values = torch.randn(3, len(LENGTHS), WIDTH, 2, SIZE)
    products = torch.einsum("bqhs,bkhs->bhqk", queries[..., :-1], keys[..., :-1]) / SIZE**0.5
    shares = products.masked_fill(~INSIDE[:, None, None], -torch.inf).softmax(-1)
    expected = torch.einsum("bhqk,bkhs->bqhs", shares, values)
    found = masked_attention(queries.clone(), keys.clone(), values, padding_marks(INSIDE))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", HALF)
def test_filling_has_no_part_in_half_precision_either(kind):
    torch.manual_seed(4)
    three = 20 * torch.randn(3, len(LENGTHS), WIDTH, 2, SIZE)
    marks = padding_marks(INSIDE).to(kind)
    loud = torch.where(INSIDE[None, :, :, None, None], three, 50.0)
    quiet = torch.where(INSIDE[None, :, :, None, None], three, 0.0)
    one, other = (masked_attention(*part.to(kind).clone(), marks) for part in (loud, quiet))
    assert torch.isfinite(one[INSIDE]).all()
    assert torch.equal(one[INSIDE], other[INSIDE])


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_states_do_not_change_if_all_positions_are_moved(heads):
    torch.manual_seed(5)
    made, rows = Transformer(2 * SIZE, 2, heads, 0.0), torch.randn(len(LENGTHS), WIDTH, 2 * SIZE)
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
    size = 2 * SIZE // heads
    here, there = (made(rows, rotary_angles(POSITIONS + move, size), INSIDE) for move in (0, 100))
    torch.testing.assert_close(here[INSIDE], there[INSIDE], atol=1e-3, rtol=1e-3)
    mirrored = made(rows, rotary_angles(-POSITIONS, size), INSIDE)
    assert (mirrored - here)[INSIDE].abs().max() > 0.01


def test_some_columns_are_what_they_are_among_all():
    torch.manual_seed(1)
    encoder = Transformer(12, 3, 2, 0.0)
    rows, inside = torch.randn(4, 9, 12), torch.arange(9) < torch.tensor([[9], [1], [5], [7]])
    columns = torch.tensor([[0, 8], [0, 0], [4, 2], [6, 1]])
    by = rotary_angles(torch.randint(-9, 9, (4, 9)), 6)
    whole = encoder(rows, by, inside)
    some = encoder(rows, by, inside, columns)
    torch.testing.assert_close(some, at_columns(whole, columns))
    gradients = []
    for found in (some, at_columns(whole, columns)):
        encoder.zero_grad()
        torch.autograd.backward(found.square().sum(), retain_graph=True)
        gradients.append([weight.grad.clone() for weight in encoder.parameters()])
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other)


def test_as_many_columns_as_a_row_has_may_come_in_any_order():
    rows, columns = torch.randn(2, 2, 2 * SIZE), torch.tensor([[1, 0], [1, 1]])
    made = transformer()
    given = (rows, rotary_angles(POSITIONS[:2, :2], SIZE), torch.ones(2, 2, dtype=torch.bool))
    found, expected = made(*given, columns), at_columns(made(*given), columns)
    assert torch.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("share", [0.15, 0.9])
def test_wider_rows_learn_the_same(share, train):
    """Short rows have fewer pieces than are drawn: columns that fill them up count nothing."""
    masked = {"masked_words": 0.5, "masked_share": share, "hidden_pronouns": 0.3}
    options = {"units": "joint", "unit_vocabulary": 300, "context": 2}
    made, data = prepared("document_encoder", train, masked, **options)
    weights = torch.ones(len(TASK.classes))
    losses = made.network.loss(data, torch.arange(40), made.network.window, weights, 0.0)
    torch.autograd.backward(losses.sum())
    assert torch.isfinite(losses).all()
    for name, weight in made.network.named_parameters():
        assert weight.grad is None or torch.isfinite(weight.grad).all(), name


def products(first, second, positions):
    """The products of a query and a key that stand at some pairs of positions."""
    sides = zip((first, second), torch.tensor(positions).T, strict=True)
    query, key = (
        rotated(one.expand(len(at), 1, 1, -1), rotary_angles(at[:, None], SIZE))
        for one, at in sides
    )
    return (query * key).sum(-1).flatten()


def test_the_product_depends_on_the_distance_alone():
    torch.manual_seed(1)
    query, key = torch.randn(2, SIZE)
    found = products(query, key, [(0, 3), (7, 10), (-160, -157), (0, -3), (2, 9)])
    torch.testing.assert_close(found[:3], found[:1].expand(3), atol=1e-4, rtol=1e-4)
    assert (found[3:] - found[0]).abs().min() > 0.01


def test_what_stands_at_the_same_place_is_compared_as_it_is():
    torch.manual_seed(2)
    query, key = torch.randn(2, SIZE)
    found = products(query, key, [(0, 0), (-140, -140), (50, 50)])
    torch.testing.assert_close(found, (query @ key).expand(3), atol=1e-4, rtol=1e-4)


def test_turning_keeps_lengths_and_precision():
    vectors = torch.randn(3, 5, 2, SIZE, dtype=torch.bfloat16)
    found = rotated(vectors, rotary_angles(torch.arange(15).view(3, 5), SIZE))
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.norm(dim=-1), vectors.norm(dim=-1), atol=0.05, rtol=0.02)
    there, before = (one[0, 0].sort().values for one in (found, vectors))
    assert torch.equal(there, before)


def test_each_pair_of_numbers_is_turned_by_its_angle():
    torch.manual_seed(3)
    vectors, positions = torch.randn(2, 3, 2, SIZE), torch.tensor([[0, 1, 7], [-5, 40, 2]])
    found = rotated(vectors, rotary_angles(positions, SIZE))
    half = SIZE // 2
    for pair in range(half):
        speed = 10_000 ** (-2 * pair / SIZE) if pair < half - 1 else 0  # the last is not rotated
        angles = positions[:, :, None] * speed
        first, second = vectors[..., pair], vectors[..., half + pair]
        expected = first * angles.cos() - second * angles.sin()
        torch.testing.assert_close(found[..., 2 * pair], expected)
        expected = second * angles.cos() + first * angles.sin()
        torch.testing.assert_close(found[..., 2 * pair + 1], expected)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("columns", [None, COLUMNS], ids=["all", "some"])
def test_the_kernels_of_a_gpu_give_what_a_processor_gives(columns):
    found = []
    for device, kind in (("cpu", torch.float32), ("cuda", torch.bfloat16)):
        made = transformer().to(device, kind)
        torch.manual_seed(2)
        rows = torch.randn(len(LENGTHS), WIDTH, 2 * SIZE).to(device, kind)
        inside = INSIDE.to(device)
        given = (rows, rotary_angles(POSITIONS.to(device), SIZE), inside)
        with fastest_kernels(rows.device):
            states = made(*given)[inside] if columns is None else made(*given, columns.to(device))
        torch.autograd.backward(states.float().square().sum())
        slopes = [weight.grad.float().cpu() for weight in made.parameters()]
        found.append((states.float().cpu(), slopes))
    (states, slopes), (others, other_slopes) = found
    assert torch.allclose(states, others, atol=0.05)
    for one, other in zip(slopes, other_slopes, strict=True):
        assert torch.allclose(one, other, atol=0.05 * one.abs().max().item() + 0.05)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_same_products():
    torch.manual_seed(4)
    query, key = torch.randn(2, SIZE)
    pairs = [(0, 3), (7, 10), (-160, -157), (2, 9)]
    found = products(query, key, pairs)
    with torch.device("cuda"):
        others = products(query.cuda(), key.cuda(), pairs)
    torch.testing.assert_close(others.cpu(), found, atol=1e-4, rtol=1e-4)
