"""The probabilities that a network gives the classes of gaps."""

from __future__ import annotations

import numpy as np
import torch

from crosspro.prediction.neural.batches import in_order
from crosspro.prediction.neural.network import Network
from crosspro.prediction.neural.tensors import GapTensors
from crosspro.prediction.system import Probabilities

_AT_ONCE = 2048


def device_of(accelerator: str) -> torch.device:
    """Where everything but Lightning runs, by the accelerator that it was given."""
    wanted = accelerator in ("auto", "gpu", "cuda")
    return torch.device("cuda" if wanted and torch.cuda.is_available() else "cpu")


def probabilities(
    network: Network, tensors: GapTensors, classes: int, device: torch.device
) -> Probabilities:
    """The softmax of the scores of every gap."""
    found = np.zeros((len(tensors.label), classes))
    if not len(found):
        return found
    network.to(device).eval()
    tensors = tensors.to(device)
    with torch.inference_mode():
        for gaps, width in in_order(network.extents(tensors), _AT_ONCE):
            scores = network(tensors, torch.from_numpy(gaps).to(device), width)
            found[gaps] = torch.softmax(scores.double(), -1).cpu().numpy()
    network.cpu()
    return found
