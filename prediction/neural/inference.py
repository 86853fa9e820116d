"""The probabilities that a network gives the classes of gaps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn

from crosspro.prediction.neural.batches import in_order
from crosspro.prediction.neural.network import Network
from crosspro.prediction.neural.tensors import GapTensors
from crosspro.prediction.system import Probabilities

_AT_ONCE = 2048
_PLACES = 1 << 11
"""On a CPU: gaps of a batch times their extent, so few that what is worked on stays in caches, and
that memory is used again by the next batch instead of being asked for anew."""


def device_of(accelerator: str) -> torch.device:
    """Where everything but Lightning runs, by the accelerator that it was given."""
    wanted = accelerator in ("auto", "gpu", "cuda")
    return torch.device("cuda" if wanted and torch.cuda.is_available() else "cpu")


def probabilities(
    network: Network, tensors: GapTensors, classes: int, device: torch.device, fast: bool = False
) -> Probabilities:
    """The softmax of the scores of every gap.

    With `fast` a processor that has instructions for bfloat16 uses them where that pays: a few
    times faster, and good enough for weights that were rounded themselves.
    """
    found = np.zeros((len(tensors.label), classes))
    if not len(found):
        return found
    network.to(device).eval()
    tensors = tensors.to(device)
    on_cpu = device.type == "cpu"
    batches = in_order(network.extents(tensors), _AT_ONCE, _PLACES if on_cpu else None)
    half = fast and on_cpu and has_bfloat16() and mostly_products(network)
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=half):
        for gaps, width in batches:
            scores = network(tensors, torch.from_numpy(gaps).to(device), width)
            found[gaps] = torch.softmax(scores.double(), -1).cpu().numpy()
    network.cpu()
    return found


def mostly_products(network: Network) -> bool:
    """Whether linear layers hold most weights but for tables, of which a gap needs a few rows.

    The many small steps of recurrent layers would wait for numbers to be turned into others.
    """
    linear, tables = (
        sum(weight.numel() for part in network.modules() if isinstance(part, kind)
            for weight in part.parameters())
        for kind in (nn.Linear, nn.Embedding)
    )  # fmt: skip
    every = sum(weight.numel() for weight in network.parameters())
    return 2 * linear > every - tables


@cache
def has_bfloat16() -> bool:
    """Whether this processor has instructions for bfloat16; older versions of torch cannot say."""
    known: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(there is True for name, there in known.items() if "bf16" in name)
