"""Attention within rows of different lengths that are filled up to a common width.

What fills rows up is left out without a mask, which the fastest kernels do not take: the last
number of each head is no part of what is learnt, but says of a key whether it is within its row.
It is not turned (`rotary_positions`), is 1 in every query, and far below 0 in the keys of filling,
whose part of a softmax is then 0, to the last digit. So states within rows are the same whatever a
row is put together with.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

_AWAY = -3e4
"""In the keys of filling: far below products of what is learnt, and within half precision."""
_KERNELS = (
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
)
"""From the fastest to the one that is everywhere; torch by itself would try the first one last."""


@contextmanager
def fastest_kernels(device: torch.device) -> Iterator[None]:
    """Where attention on a GPU takes the fastest kernel that there is."""
    if device.type != "cuda":
        yield
        return
    with sdpa_kernel(list(_KERNELS), set_priority=True):
        yield


def key_marks(inside: Tensor) -> Tensor:
    """Where rows have something (batch, time) -> the last number of keys (batch, time, 1)."""
    return torch.where(inside, 0.0, _AWAY)[..., None]


def row_attention(queries: Tensor, keys: Tensor, values: Tensor, marks: Tensor) -> Tensor:
    """(batch, number, heads, size) and twice (batch, time, heads, size) -> that of the queries.

    The last numbers of queries and keys are written over.
    """
    queries[..., -1] = 1.0
    keys[..., -1] = marks
    query, key, value = (part.transpose(1, 2) for part in (queries, keys, values))
    found = nn.functional.scaled_dot_product_attention(query, key, value)
    return found.transpose(1, 2)
