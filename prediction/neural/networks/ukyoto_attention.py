"""The network of UKYOTO (003 §5.7): both sides of the gap ask what matters in both sentences.

GRUs read the source sentence in both directions, and the lemmas of the target from each end up to
the gap. The two states at the gap are the query of two attentions, over the source and over the
words around the gap; the states and what they attended to go through a dense layer. Nothing
depends on a language, and links only say where a source longer than the window is cut.
"""

from __future__ import annotations

from math import inf
from typing import Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.embedding import small_embedding
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.layers.recurrent import (
    Attention,
    BidirectionalGRU,
    last_states,
    read,
)
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.fields import LEMMA, SOURCE, TAG, Reads
from crosspro.prediction.neural.reading.tensors import (
    GapTensors,
    Indices,
    cut,
    inside,
    longest,
    pick,
    span,
    table_width,
)
from crosspro.prediction.neural.reading.vocabulary import Inventory


@settings
class UkyotoAttentionSettings(NetworkSettings):
    """Sizes and choices of the network."""

    name: Literal["ukyoto_attention"] = "ukyoto_attention"
    embedding: Size = 256
    tags: SizeOrNone = 16
    hidden: Size = 256
    dense: Size = 256
    dropout: Dropout = 0.5
    window: Size = 50

    @property
    def reads(self) -> Reads:
        """The words of both sides, and tags if they have a size."""
        return Reads((SOURCE, LEMMA, TAG) if self.tags else (SOURCE, LEMMA))

    def build(self, inventory: Inventory) -> UkyotoAttention:
        """The network with new weights."""
        return UkyotoAttention(inventory, self)


class UkyotoAttention(Network):
    """Target tags are read if they have a size."""

    recorded_places = inf

    def __init__(self, inventory: Inventory, settings: UkyotoAttentionSettings) -> None:
        super().__init__()
        self.window = settings.window
        self.source = small_embedding(inventory.size("source"), settings.embedding)
        sizes = {"lemma": settings.embedding, "tag": settings.tags}
        self.target = nn.ModuleDict(
            {
                name: small_embedding(inventory.size(name), size)
                for name, size in sizes.items()
                if size
            }
        )
        self.source_reader = BidirectionalGRU(settings.embedding, settings.hidden)
        self.left = nn.GRU(settings.embedding + settings.tags, settings.hidden, batch_first=True)
        self.right = nn.GRU(settings.embedding + settings.tags, settings.hidden, batch_first=True)
        self.source_attention = Attention(2 * settings.hidden, 2 * settings.hidden)
        self.target_attention = Attention(2 * settings.hidden, settings.hidden)
        self.dense = nn.Linear(5 * settings.hidden, settings.dense)
        self.output = nn.Linear(settings.dense, len(inventory.classes))
        self.dropout = nn.Dropout(settings.dropout)

    def extents(self, data: GapTensors) -> Indices:
        """The longest text that is read of a gap: the source, or a side of the target."""
        gap, source, (start, end) = self._texts(data, data.every)
        return longest([(start, gap), (gap + 1, end), source])

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes)."""
        gap, (start, end), (first, last) = self._texts(data, gaps)
        places, lengths = span(start, end, table_width(end - start, width))
        words = self.dropout(self.source(pick(data["source"], places, lengths)))
        source = self.dropout(self.source_reader(words, lengths))
        places, before = span(first, gap, table_width(gap - first, width))
        left = read(self.left, self._words(data, places, before))
        places, after = span(gap + 1, last, table_width(last - gap - 1, width))
        backwards = ((last + gap)[:, None] - places).minimum(last[:, None] - 1)
        right = read(self.right, self._words(data, backwards, after))
        query = torch.cat((last_states(left, before), last_states(right, after)), -1)
        around = self.dropout(torch.cat((left, right), 1))
        there = torch.cat((inside(before, left.shape[1]), inside(after, right.shape[1])), 1)
        in_source = inside(lengths, source.shape[1])
        asked = query[:, None]
        seen = (
            query,
            self.source_attention(asked, source, in_source)[:, 0],
            self.target_attention(asked, around, there)[:, 0],
        )
        hidden = torch.tanh(self.dense(self.dropout(torch.cat(seen, -1))))
        scores: Tensor = self.output(self.dropout(hidden))
        return scores

    def _words(self, data: GapTensors, places: Tensor, lengths: Tensor) -> Tensor:
        """The target's words at these places, with their tags."""
        vectors = [table(pick(data[name], places, lengths)) for name, table in self.target.items()]
        words: Tensor = self.dropout(torch.cat(vectors, -1))
        return words

    def _texts(
        self, data: GapTensors, gaps: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """The gaps, and where what is read of source and target begins and ends."""
        source, target = (data.bounds(side, gaps) for side in SIDES)
        around = (self.window, self.window)
        return target[0], cut(*source, *around), cut(*target, *around)
