"""Attention within rows of different lengths that are filled up to a common width.

Flash attention takes no mask, but sequences of any length one behind the other. So what fills a row
up is a sequence of its own here, whose states nobody reads, and rows stay where they are. The kernel
wants a GPU and half precision; elsewhere a mask leaves out what fills rows up. States within rows
are the same either way, whatever a row is put together with. No length leaves the device.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

try:
    from torch.nn.attention.varlen import varlen_attn as _kernel
except ImportError:  # before torch 2.10
    _kernel = None  # type: ignore[assignment]

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
    """Where sequences begin and end if rows lie one behind the other: each row, then its filling."""
    starts = torch.arange(len(lengths), device=lengths.device) * width
    bounds = torch.stack((starts, starts + lengths), 1).flatten()
    return torch.cat((bounds, bounds.new_full((1,), len(lengths) * width))).to(torch.int32)


def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, inside: Tensor) -> Tensor:
    """(batch, time, heads, size) three times and (batch, time) -> (batch, time, heads, size)."""
    mask = inside[:, None, None].expand(-1, -1, inside.shape[1], -1)
    parts = (part.transpose(1, 2) for part in (queries, keys, values))
    return nn.functional.scaled_dot_product_attention(*parts, attn_mask=mask).transpose(1, 2)


def sequence_attention(queries: Tensor, keys: Tensor, values: Tensor, bounds: Tensor) -> Tensor:
    """The same within sequences, whose bounds are those of `sequence_bounds`."""
    flat = [part.flatten(0, 1) for part in (queries, keys, values)]
    width = queries.shape[1]
    if queries.is_cuda and _kernel is not None:
        found: Tensor = _kernel(*flat, bounds, bounds, width, width)
    else:
        found = _one_by_one(flat, bounds)
    return found.view(queries.shape)


def _one_by_one(flat: list[Tensor], bounds: Tensor) -> Tensor:
    """What the kernel does, in plain steps, for where it is not."""
    places = bounds.tolist()
    found = [
        nn.functional.scaled_dot_product_attention(
            *(part[start:end].transpose(0, 1)[None] for part in flat)
        )[0].transpose(0, 1)
        for start, end in zip(places, places[1:], strict=False)
        if start < end
    ]
    return torch.cat(found)
