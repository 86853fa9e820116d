"""Rotary positions: attention sees distances, not places."""

from __future__ import annotations

import pytest
import torch

from crosspro.prediction.neural.layers.transformer import rotary_angles, rotated

SIZE = 8


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
def test_a_gpu_gives_the_same_products():
    torch.manual_seed(4)
    query, key = torch.randn(2, SIZE)
    pairs = [(0, 3), (7, 10), (-160, -157), (2, 9)]
    found = products(query, key, pairs)
    with torch.device("cuda"):
        others = products(query.cuda(), key.cuda(), pairs)
    torch.testing.assert_close(others.cpu(), found, atol=1e-4, rtol=1e-4)
