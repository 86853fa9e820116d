"""What a network predicts: probabilities of classes, and the antecedents that it points at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.reading.encoding import Reading
from crosspro.prediction.neural.reading.tensors import GapTensors
from crosspro.prediction.neural.reading.word_places import NounSums
from crosspro.prediction.neural.training.data import batches_by_extent
from crosspro.prediction.system import Classes, Probabilities

_AT_ONCE = 2048
_PLACES = 1 << 11
"""On a CPU: gaps of a batch times their extent, so few that what is worked on stays in caches, and
that memory is used again by the next batch instead of being asked for anew."""


def probabilities(
    network: Network, tensors: GapTensors, classes: int, device: torch.device
) -> Probabilities:
    """The softmax of the scores of every gap."""
    found = np.zeros((len(tensors.label), classes))
    if not len(found):
        return found
    network.to(device).eval()
    tensors = tensors.to(device)
    on_cpu = device.type == "cpu"
    batches = batches_by_extent(network.extents(tensors), _AT_ONCE, _PLACES if on_cpu else None)
    with torch.inference_mode():
        for gaps, width in batches:
            scores = network(tensors, torch.from_numpy(gaps).to(device), width)
            found[gaps] = torch.softmax(scores.double(), -1).cpu().numpy()
    network.cpu()
    return found


_POINTED_AT_ONCE = 256


def pointed_nouns(
    network: Network,
    tensors: GapTensors,
    reading: Reading,
    examples: Sequence[Example],
    classes: Classes,
    device: torch.device,
) -> list[PointedNouns]:
    """The nouns of each gap, if it has the class given for it."""
    found = NounSums(reading, examples)
    network.to(device).eval()
    tensors = tensors.to(device)
    with torch.inference_mode():
        for gaps, _ in batches_by_extent(network.extents(tensors), _POINTED_AT_ONCE):
            rows, chosen = np.arange(len(gaps)), classes[gaps]
            for pointed in network.antecedents(tensors, torch.from_numpy(gaps).to(device)):
                tokens, shares = pointed.tokens.cpu().numpy(), pointed.shares.double().cpu().numpy()
                given = shares
                if pointed.given is not None:
                    given = pointed.given.double().cpu().numpy()[rows, chosen]
                row, column = np.nonzero(shares)
                at = row, column
                found.add(pointed.side, gaps[row], tokens[at], shares[at], given[at])
    network.cpu()
    return found.nouns()
