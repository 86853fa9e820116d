"""What a network points at, as words of lines: its `antecedents` for all gaps of some examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, in_order
from crosspro.prediction.neural.batches import in_order as batches_in_order
from crosspro.prediction.neural.flat_text import FlatText
from crosspro.prediction.neural.network import Network
from crosspro.prediction.neural.tensors import GapTensors
from crosspro.prediction.neural.word_sums import word_sizes
from crosspro.prediction.system import Classes

_AT_ONCE = 256

Places = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The line of each token of a side, and which word of the line it is part of."""


def pointed_nouns(
    network: Network,
    tensors: GapTensors,
    text: FlatText,
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
        for gaps, _ in batches_in_order(network.extents(tensors), _AT_ONCE):
            rows, chosen = np.arange(len(gaps)), classes[gaps]
            for focus in network.antecedents(tensors, torch.from_numpy(gaps).to(device)):
                if focus.side not in places:
                    places[focus.side] = token_places(text, examples, focus.side)
                tokens, shares = focus.tokens.cpu().numpy(), focus.shares.double().cpu().numpy()
                given = shares
                if focus.given is not None:
                    given = focus.given.double().cpu().numpy()[rows, chosen]
                for row, column in zip(*np.nonzero(shares), strict=True):
                    line, word = (int(one[tokens[row, column]]) for one in places[focus.side])
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


def token_places(text: FlatText, examples: Sequence[Example], side: Side) -> Places:
    """Where the tokens of one side come from, where words were cut into units."""
    sizes = word_sizes(text.reading, examples, side)
    if not sizes:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    lines = np.repeat(np.arange(len(sizes)), [int(own.sum()) for own in sizes])
    return lines, np.concatenate([np.repeat(np.arange(len(own)), own) for own in sizes])
