"""Attention within rows of different lengths that are filled up to a common width.

Flash attention takes no mask, but sequences of any length one behind the other. So what fills a row
up is a sequence of its own here, whose states nobody reads, and rows stay where they are. It wants
a GPU and half precision; elsewhere a mask leaves out what fills rows up. States within rows are the
same either way, whatever a row is put together with. No length leaves the device.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor, nn

try:
    from torch.nn.attention import varlen
except ImportError:  # before torch 2.10
    varlen = None  # type: ignore[assignment]
_kernel: Callable[..., Tensor] | None = getattr(varlen, "varlen_attn", None)

WAYS = ("masked", "sequences")

_HALF = (torch.bfloat16, torch.float16)
_FLASH = (8, 0)
"""Flash attention needs a GPU with this compute capability at least."""
_HEAD_STEP, _WIDEST_HEAD = 8, 256


def has_kernel(device: torch.device, kind: torch.dtype, head: int) -> bool:
    """Whether there is a kernel for sequences of states of a kind, with heads of a size."""
    if _kernel is None or device.type != "cuda" or kind not in _HALF:
        return False
    fits = head % _HEAD_STEP == 0 and head <= _WIDEST_HEAD
    return fits and torch.cuda.get_device_capability(device) >= _FLASH


def sequence_bounds(lengths: Tensor, width: int) -> Tensor:
    """Where sequences begin and end if rows lie one behind the other: a row, then what fills it."""
    starts = torch.arange(len(lengths), device=lengths.device) * width
    bounds = torch.stack((starts, starts + lengths), 1).flatten()
    return torch.cat((bounds, bounds.new_full((1,), len(lengths) * width))).to(torch.int32)


def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, inside: Tensor) -> Tensor:
    """(batch, number, heads, size) and twice (batch, time, heads, size) -> that of the queries.

    `inside` (batch, time) says what is no filling.
    """
    mask = inside[:, None, None].expand(-1, -1, queries.shape[1], -1)
    query, key, value = (part.transpose(1, 2) for part in (queries, keys, values))
    found = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return found.transpose(1, 2)


def some_asking(batch: int, number: int, like: Tensor) -> Tensor:
    """The bounds of queries if a number of columns ask in each row, and nothing that fills it."""
    return sequence_bounds(like.new_full((batch,), number), number)


def sequence_attention(
    queries: Tensor, keys: Tensor, values: Tensor, bounds: Tensor, asking: Tensor | None = None
) -> Tensor:
    """(batch, number, heads, size) and twice (batch, time, heads, size) -> that of the queries.

    `bounds` are those of `sequence_bounds`, `asking` those of `some_asking` if not all columns ask.
    """
    asking = bounds if asking is None else asking
    query, key, value = (part.flatten(0, 1) for part in (queries, keys, values))
    if queries.is_cuda and _kernel is not None:
        found = _kernel(query, key, value, asking, bounds, queries.shape[1], keys.shape[1])
    else:
        found = _one_by_one(query, key, value, asking, bounds)
    return found.view(queries.shape)


def _one_by_one(
    queries: Tensor, keys: Tensor, values: Tensor, asking: Tensor, bounds: Tensor
) -> Tensor:
    """What the kernel does, in plain steps, for where it is not."""
    found = []
    for own, (start, end) in zip(pairwise(asking.tolist()), pairwise(bounds.tolist()), strict=True):
        if own[0] < own[1]:
            query = queries[own[0] : own[1]].transpose(0, 1)
            key, value = (part[start:end].transpose(0, 1) for part in (keys, values))
            part = nn.functional.scaled_dot_product_attention(query, key, value)
            found.append(part.transpose(0, 1))
    return torch.cat(found)
