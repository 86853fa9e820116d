"""What a network predicts: probabilities of classes, and the antecedents that it points at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, in_order
from crosspro.prediction.neural.attribution import word_sizes
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.reading.encoding import Reading
from crosspro.prediction.neural.reading.tensors import GapTensors, has_bfloat16
from crosspro.prediction.neural.training.data import batches_by_extent
from crosspro.prediction.system import Classes, Probabilities

_AT_ONCE = 2048
_PLACES = 1 << 11
"""On a CPU: gaps of a batch times their extent, so few that what is worked on stays in caches, and
that memory is used again by the next batch instead of being asked for anew."""


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
    batches = batches_by_extent(network.extents(tensors), _AT_ONCE, _PLACES if on_cpu else None)
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


_POINTED_AT_ONCE = 256

Places = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The line of each token of a side, and which word of the line it is part of."""


def pointed_nouns(
    network: Network,
    tensors: GapTensors,
    reading: Reading,
    examples: Sequence[Example],
    classes: Classes,
    device: torch.device,
) -> list[PointedNouns]:
    """The nouns of each gap, if it has the class given for it."""
    lines = [line for line, example in enumerate(examples) for _ in example.gaps]
    found: list[dict[tuple[Side, int, int], list[float]]] = [
        defaultdict(lambda: [0.0, 0.0]) for _ in lines
    ]
    places: dict[Side, Places] = {}
    network.to(device).eval()
    tensors = tensors.to(device)
    with torch.inference_mode():
        for gaps, _ in batches_by_extent(network.extents(tensors), _POINTED_AT_ONCE):
            rows, chosen = np.arange(len(gaps)), classes[gaps]
            for focus in network.antecedents(tensors, torch.from_numpy(gaps).to(device)):
                if focus.side not in places:
                    places[focus.side] = token_places(reading, examples, focus.side)
                tokens, shares = focus.tokens.cpu().numpy(), focus.shares.double().cpu().numpy()
                given = shares
                if focus.given is not None:
                    given = focus.given.double().cpu().numpy()[rows, chosen]
                for row, column in zip(*np.nonzero(shares), strict=True):
                    line, word = (int(place[tokens[row, column]]) for place in places[focus.side])
                    sums = found[gaps[row]][focus.side, line, word]
                    sums[0] += shares[row, column]
                    sums[1] += given[row, column]
    network.cpu()
    return [
        in_order(
            PointedNoun(side, own - line, word, probability, known)
            for (side, line, word), (probability, known) in nouns.items()
        )
        for own, nouns in zip(lines, found, strict=True)
    ]


def token_places(reading: Reading, examples: Sequence[Example], side: Side) -> Places:
    """Where the tokens of one side come from, where words were cut into units."""
    sizes = word_sizes(reading, examples, side)
    if not sizes:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    lines = np.repeat(np.arange(len(sizes)), [int(own.sum()) for own in sizes])
    return lines, np.concatenate([np.repeat(np.arange(len(own)), own) for own in sizes])
