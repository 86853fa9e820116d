"""The network of UU-Hardmeier 2017 (004 §5.4): convolutions over a gap's sentence and earlier ones.

Four texts are read: on the target side the sentence around the gap and what stands before it, on
the source side the same around the aligned pronoun. Filters run over each of them, max-pooling
takes the largest output of every filter, and all outputs go with the aligned pronoun into the last
layer. In the gap's own sentence a word comes with its distance to the gap or pronoun; otherwise a
filter would not know which of several gaps is meant. How many sentences are read before the gap's
is a matter of `training.context`; the paper has one. Distances, tags of the target and the pronoun
as an input of its own are not in the paper.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES, Side
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network, small_embedding, small_embeddings
from crosspro.prediction.neural.layers.windows import Window, between, inside, longest
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.encoding import EncodedText, GapSpans
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE, TAG, Reads
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory


@settings
class HardmeierCNNSettings(NetworkSettings):
    """Sizes of embeddings (`tags` 0: none) and filters."""

    name: Literal["hardmeier_cnn"] = "hardmeier_cnn"
    words: Size = 100
    tags: SizeOrNone = 10
    distances: Size = 20
    filters: Size = 100
    filter_width: Size = 3
    window: Size = 50
    dropout: Fraction = 0.5

    def sizes(self, side: Side) -> dict[str, int]:
        if side == "source":
            return {SOURCE.name: self.words}
        return {LEMMA.name: self.words} | ({TAG.name: self.tags} if self.tags else {})

    @property
    def reads(self) -> Reads:
        return Reads((LEMMA, *((TAG,) if self.tags else ()), SOURCE, PRONOUN))

    def build(self, inventory: Inventory) -> HardmeierCNN:
        return HardmeierCNN(inventory, self)


class HardmeierCNN(Network):
    """Filters over four texts, max-pooling, and one layer to the classes."""

    def __init__(self, inventory: Inventory, settings: HardmeierCNNSettings) -> None:
        super().__init__()
        self.settings = settings
        sizes = {**settings.sizes("target"), **settings.sizes("source")}
        self.embeddings = small_embeddings(inventory, {**sizes, PRONOUN.name: settings.words})
        self.distances = nn.ModuleDict()
        self.sentence, self.earlier = nn.ModuleDict(), nn.ModuleDict()
        for side in ("target", "source"):
            width = sum(settings.sizes(side).values())
            filters = settings.filters, settings.filter_width
            self.distances[side] = small_embedding(2 * settings.window + 2, settings.distances)
            self.sentence[side] = MaxPooledFilters(width + settings.distances, *filters)
            self.earlier[side] = MaxPooledFilters(width, *filters)
        self.dropout = nn.Dropout(settings.dropout)
        self.output = nn.Linear(4 * settings.filters + settings.words, len(inventory.classes))

    def extents(self, text: EncodedText) -> Tensor:
        return longest(bounds for side in SIDES for bounds in self._texts(text.side(side)))

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        pooled = []
        for side in ("target", "source"):
            spans = text.side(side)[gaps]
            sentence, earlier = (between(*bounds) for bounds in self._texts(spans))
            distances = self._distances(side, sentence, spans.position)
            sentence_words = torch.cat((self._words(text, side, sentence), distances), -1)
            pooled.append(self.sentence[side](sentence_words, sentence.lengths))
            pooled.append(self.earlier[side](self._words(text, side, earlier), earlier.lengths))
        pooled.append(self.embeddings[PRONOUN.name](text[PRONOUN.name][gaps]))
        scores: Tensor = self.output(self.dropout(torch.cat(pooled, -1)))
        return scores

    def _texts(self, spans: GapSpans) -> list[tuple[Tensor, Tensor]]:
        """The bounds of the sentence around the gap and of the text before it, if long cut."""
        window = self.settings.window
        before = spans.low.maximum(spans.start - 2 * window - 1), spans.start
        return [spans.around(window, window, own_sentence=True), before]

    def _words(self, text: EncodedText, side: Side, window: Window) -> Tensor:
        names = self.settings.sizes(side)
        return torch.cat([self.embeddings[name](window.pick(text[name])) for name in names], -1)

    def _distances(self, side: str, window: Window, centre: Tensor) -> Tensor:
        offsets = window.positions - centre[:, None] + self.settings.window + PAD + 1
        vectors: Tensor = self.distances[side](torch.where(window.inside, offsets, PAD))
        return vectors


class MaxPooledFilters(nn.Module):
    """Filters over texts, from beyond their ends, of whose outputs the largest is taken."""

    def __init__(self, inputs: int, filters: int, width: int) -> None:
        super().__init__()
        self.beyond = width - 1
        self.convolution = nn.Conv1d(inputs, filters, width, padding=self.beyond)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """(batch, time, inputs) -> (batch, filters): the largest outputs, 0 for an empty text."""
        outputs = self.convolution(words.transpose(1, 2))
        ends = torch.where(lengths > 0, lengths + self.beyond, 0)
        return torch.relu((outputs * inside(ends, outputs.shape[2])[:, None]).amax(-1))
