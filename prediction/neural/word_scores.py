"""Scores of a whole vocabulary, in a size that a GPU multiplies fast."""

from __future__ import annotations

import torch
from torch import Tensor, nn

GPU_STEP = 64
"""On a GPU there are as many scores as a multiple of this: other sizes have slow kernels."""
_IMPOSSIBLE = -30_000.0


def word_scores(read: Tensor, weight: Tensor, bias: Tensor, step: int = 1) -> Tensor:
    """(…, size) -> (…, words), and more up to a multiple of `step`, which are impossible words."""
    missing = -len(weight) % step
    if missing:
        weight = nn.functional.pad(weight, (0, 0, 0, missing))
        bias = nn.functional.pad(bias, (0, missing), value=_IMPOSSIBLE)
    return nn.functional.linear(read, weight, bias)


def step_of(device: torch.device) -> int:
    """The step of a device."""
    return GPU_STEP if device.type == "cuda" else 1
