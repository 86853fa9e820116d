"""The base class of networks.

A network gives logits for gaps, and may own its loss and its pre-training. It is one file in
`networks/`, with its settings class, one in `conf/system/`, and a line in `network_settings`.
Its constructor takes an `Inventory` and its settings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.processes import Report
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices, widest_sides
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.stored_tensors import WEIGHTS_FILE, check_names, taken_weights


@dataclass(frozen=True)
class PointedTokens:
    """Tokens of one side that gaps may stand for, with the probability of each: a row a gap.

    `tokens` and `shares` are (batch, tokens): positions in the text, and probabilities, 0 for what
    fills a row up. What is missing to 1 is the probability that none was chosen. `given` (batch,
    classes, tokens) are the probabilities once the class is known, where that tells more.
    """

    side: Side
    tokens: Tensor
    shares: Tensor
    given: Tensor | None = None


def gap_losses(scores: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    """The cross-entropy of each gap, with weights of the classes and smoothed labels."""
    return nn.functional.cross_entropy(
        scores.float(), labels, weight=weights, reduction="none", label_smoothing=smoothing
    )


class Network(nn.Module, ABC):
    """Scores of each class for a batch of gaps."""

    window: int
    """How many tokens it reads on each side at most."""

    class_layers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of weights that classes decide on. A network that names them may go
    on from a run with other classes, with these weights new."""

    optional_layers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of weights that settings which may change decide on: where the run to
    go on from has none, they are new."""

    recorded_places: float = 0.0
    """A batch of at most so many places (its gaps times its width) may be recorded on a GPU in
    training: nothing in it waits for the GPU, and its gaps and width alone decide what is done."""

    def extents(self, data: GapTensors) -> Indices:
        """How much is read of each gap's context: gaps that are alike in it share a batch.

        Unless a network says otherwise, the longest side of it, at most `window` tokens.
        """
        return widest_sides(data, self.window)

    @abstractmethod
    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """Scores of (batch, classes); no gap of the batch has a greater extent than `width`."""

    def antecedents(self, data: GapTensors, gaps: Tensor) -> Sequence[PointedTokens]:
        """The words that gaps may stand for; of a network that points at them (`pointing`)."""
        return ()

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The loss of each gap: cross-entropy with weights of the classes and smoothed labels."""
        scores = self(data, gaps, width)
        labels = data.label[gaps].clamp(min=0)  # a gap that counts nothing may have none
        return gap_losses(scores, labels, weights, smoothing)

    def pretrain(
        self,
        data: EncodedText,
        inventory: Inventory,
        settings: Any,
        seed: int,
        device: torch.device,
        report: Report,
    ) -> None:
        """Learn from the training data before the training; `settings` are of `pretraining`.

        What takes long may `report` how far it is, under a name for each part of it.
        """
        raise TypeError(f"{type(self).__name__} has settings of a pre-training, but none")


def save_weights(network: Network, folder: Path) -> None:
    """Write the weights of a network."""
    tensors = {k: v.contiguous().cpu() for k, v in network.state_dict().items()}
    with atomic_output(folder / WEIGHTS_FILE) as handle:
        handle.write(save(tensors))


def load_weights(network: Network, name: str, folder: Path) -> str:
    """Give a network of the same settings the weights that were saved; returns how they were.

    Loading them runs no code; a damaged or foreign file is refused.
    """

    def take(arrays: dict[str, NDArray[Any]]) -> None:
        tensors = {key: torch.from_numpy(array) for key, array in arrays.items()}
        check_names(tensors, network.state_dict())
        network.load_state_dict(tensors)

    return taken_weights(folder / WEIGHTS_FILE, name, take)[1]
