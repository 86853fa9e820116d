"""Rotary positions (Su et al. 2021, RoFormer §3.2): attention that knows how far words are apart.

Queries and keys are turned by angles that grow with their position, so that the product of two of
them depends on the distance between them alone. Without it attention to a neighbour has to be
learnt for each position of a row. The slowest pair of numbers is not turned: one of the two says
what is within a row (`row_attention`), and the other would not be turned with it.
"""

from __future__ import annotations

import torch
from torch import Tensor

_LONGEST = 10_000.0
"""The slowest pair of numbers would turn once in about so many positions, times two pi."""

Turns = tuple[Tensor, Tensor]
"""Cosines and sines of angles, (batch, time, 1, half the size of a head)."""


def turns(positions: Tensor, size: int) -> Turns:
    """The angles of positions (batch, time), for heads of an even size."""
    pairs = torch.arange(0, size, 2, device=positions.device, dtype=torch.float32)
    speeds = torch.where(pairs < size - 2, _LONGEST ** (-pairs / size), 0.0)
    angles = positions[..., None, None] * speeds
    return angles.cos(), angles.sin()


def turned(vectors: Tensor, by: Turns) -> Tensor:
    """(batch, time, heads, size), each turned by the angles of its position.

    A number of the first half and one of the second are turned together. On a CPU they come out
    side by side, since products of complex numbers are its fastest way; products of two such
    vectors are the same in any order.
    """
    first, second = vectors.float().chunk(2, -1)
    if vectors.is_cuda:
        cos, sin = by
        parts = torch.cat((first * cos - second * sin, second * cos + first * sin), -1)
    else:
        pairs = torch.complex(first, second)
        pairs *= torch.complex(*by)
        parts = torch.view_as_real(pairs).flatten(-2)
    return parts.to(vectors.dtype)
