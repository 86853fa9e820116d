"""The network of UU-Hardmeier 2017 (004 §5.4): convolutions over a gap's sentence and earlier ones.

Four texts are read: on the target side the sentence around the gap and what stands before it, on
the source side the same around the aligned pronoun. Filters run over each of them, every filter is
heard where it is loudest (max-pooling), and all of them go with the aligned pronoun into the output
layer. In the gap's own sentence a word comes with its distance to the gap or pronoun; without it a
filter would not know which of several gaps is meant. How many sentences are read before the gap's
is a matter of `training.context`; the paper has one. Distances, tags of the target and the pronoun
as an input of its own are not in the paper.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.embedding import small_embedding
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE, TAG, Reads
from crosspro.prediction.neural.reading.tensors import (
    GapTensors,
    Indices,
    cut,
    inside,
    longest,
    pick,
    span,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory


@settings
class HardmeierCNNSettings(NetworkSettings):
    """Sizes and choices of the network."""

    name: Literal["hardmeier_cnn"] = "hardmeier_cnn"
    words: Size = 100
    tags: SizeOrNone = 10
    distances: Size = 20
    filters: Size = 100
    filter_width: Size = 3
    window: Size = 50
    dropout: Dropout = 0.5

    @property
    def reads(self) -> Reads:
        """The words of both sides and the pronoun, and tags if they have a size."""
        return Reads((LEMMA, *((TAG,) if self.tags else ()), SOURCE, PRONOUN))

    def build(self, inventory: Inventory) -> HardmeierCNN:
        """The network with new weights."""
        return HardmeierCNN(inventory, self)


class HardmeierCNN(Network):
    """Filters over four texts, max-pooling, and one layer to the classes."""

    recorded_places = inf

    def __init__(self, inventory: Inventory, settings: HardmeierCNNSettings) -> None:
        super().__init__()
        self.window = settings.window
        target = {LEMMA.name: settings.words} | ({TAG.name: settings.tags} if settings.tags else {})
        sizes = {**target, SOURCE.name: settings.words, PRONOUN.name: settings.words}
        self.sides: dict[Side, tuple[str, ...]] = {
            "target": tuple(target),
            "source": (SOURCE.name,),
        }
        self.embeddings = nn.ModuleDict(
            {name: small_embedding(inventory.size(name), size) for name, size in sizes.items()}
        )
        self.distances = nn.ParameterDict()
        self.own, self.earlier = nn.ModuleDict(), nn.ModuleDict()
        for side, names in self.sides.items():
            width = sum(sizes[name] for name in names)
            self.distances[side] = small_embedding(
                2 * settings.window + 2, settings.distances
            ).weight
            self.own[side] = _Filters(
                width + settings.distances, settings.filters, settings.filter_width
            )
            self.earlier[side] = _Filters(width, settings.filters, settings.filter_width)
        self.dropout = nn.Dropout(settings.dropout)
        self.output = nn.Linear(
            2 * len(self.sides) * settings.filters + settings.words, len(inventory.classes)
        )

    def extents(self, data: GapTensors) -> Indices:
        """The longest of the four texts."""
        texts = (text for side in self.sides for text in self._texts(data, data.every, side))
        return longest(texts)

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes)."""
        width = width or 2 * self.window + 1
        heard = []
        for side, names in self.sides.items():
            centre = getattr(data, f"{side}_position")[gaps]
            for number, (start, end) in enumerate(self._texts(data, gaps, side)):
                places, lengths = span(start, end, width)
                words = [self.embeddings[name](pick(data[name], places, lengths)) for name in names]
                if number:
                    heard.append(self.earlier[side](torch.cat(words, -1), lengths))
                    continue
                words.append(self._distances(side, places - centre[:, None], lengths))
                heard.append(self.own[side](torch.cat(words, -1), lengths))
        heard.append(self.embeddings[PRONOUN.name](data[PRONOUN.name][gaps]))
        scores: Tensor = self.output(self.dropout(torch.cat(heard, -1)))
        return scores

    def _texts(
        self, data: GapTensors, gaps: Tensor, side: Side
    ) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """Where the sentence around the gap begins and ends, and the text before it.

        Of a long sentence `window` tokens on each side are read, and as many of the text before.
        """
        own = data.bounds(side, gaps, "start")
        start, (_, low, _) = own[1], data.bounds(side, gaps)
        before = torch.maximum(low, start - 2 * self.window - 1), start
        return cut(*own, self.window, self.window), before

    def _distances(self, side: str, offsets: Tensor, lengths: Tensor) -> Tensor:
        """A vector for each distance from the centre; none where there is no word."""
        there = inside(lengths, offsets.shape[1])
        numbers = torch.where(there, offsets + self.window + PAD + 1, PAD)
        return nn.functional.embedding(numbers, self.distances[side], padding_idx=PAD)


class _Filters(nn.Module):
    """Filters over texts, each heard where it is loudest.

    They begin and end beyond a text, so that all of their places see every word of it.
    """

    def __init__(self, inputs: int, filters: int, width: int) -> None:
        super().__init__()
        self.beyond = width - 1
        self.convolution = nn.Conv1d(inputs, filters, width, padding=self.beyond)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """(batch, time, inputs) -> (batch, filters): the largest outputs, 0 if there is no word."""
        found = self.convolution(words.transpose(1, 2))
        ends = torch.where(lengths > 0, lengths + self.beyond, 0)
        return torch.relu((found * inside(ends, found.shape[2])[:, None]).amax(-1))
