"""The interface of networks, and what several of them use.

A network is one file in `networks/` and one in `conf/system/`: a settings class, which says what it
reads, and a class that gives logits for gaps. It may have a loss of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

SPREAD = 0.1
"""The standard deviation of embeddings at the beginning."""


def small_embedding(words: int, size: int) -> nn.Embedding:
    """Small random vectors; the padding stays zero."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    with torch.no_grad():
        table.weight.normal_(0, SPREAD)[PAD] = 0
    return table


def small_embeddings(inventory: Inventory, sizes: Mapping[str, int]) -> nn.ModuleDict:
    """An embedding of each field, by the size of its vectors."""
    tables = {name: small_embedding(inventory.size(name), size) for name, size in sizes.items()}
    return nn.ModuleDict(tables)


def as_float32(scores: Tensor) -> Tensor:
    """Scores in single precision or better: probabilities in bf16 would not sum to 1."""
    return scores.to(torch.promote_types(scores.dtype, torch.float32))


class Antecedents(NamedTuple):
    """Tokens of one side that gaps may stand for, with the probability of each: a row a gap.

    `tokens` and `probabilities` are (batch, tokens): positions in the text, and probabilities, 0
    for padding. What is missing to 1 is the probability of no antecedent. `given_class` (batch,
    classes, tokens) are the probabilities once the class is known.
    """

    side: Side
    tokens: Tensor
    probabilities: Tensor
    given_class: Tensor


class Network(nn.Module, ABC):
    """Logits of each class for a batch of gaps, from an inventory and settings."""

    class_layers: ClassVar[tuple[str, ...]] = ()
    """Prefixes of weights that depend on the classes. A network that names them may go on from a
    run with other classes, with new weights there."""

    @abstractmethod
    def extents(self, text: EncodedText) -> Tensor:
        """How many tokens are read of each gap's context: similar gaps share a batch."""

    @abstractmethod
    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        """Logits (batch, classes) of gaps, which are given by their numbers."""

    def loss(self, text: EncodedText, gaps: Tensor, class_loss: nn.CrossEntropyLoss) -> Tensor:
        """The loss of each gap; that of the classes is weighted and may be smoothed."""
        losses: Tensor = class_loss(as_float32(self(text, gaps)), text.label[gaps])
        return losses

    def antecedents(self, text: EncodedText, gaps: Tensor) -> Sequence[Antecedents]:
        """The words that gaps may stand for, if the network points at them."""
        return ()


def device_of(accelerator: str) -> torch.device:
    gpu = accelerator != "cpu" and torch.cuda.is_available()
    return torch.device("cuda" if gpu else "cpu")
