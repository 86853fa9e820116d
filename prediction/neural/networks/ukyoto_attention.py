"""The network of UKYOTO (003 §5.7): both sides of the gap ask what matters in both sentences.

GRUs read the source sentence in both directions, and the lemmas of the target from each end up to
the gap. The two states at the gap are the query of two attentions, over the source and over the
words around the gap; the states and what they attended to go through a dense layer. Nothing
depends on a language, and links only say where a source longer than the window is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES
from crosspro.prediction.neural.layers.embedding import small_embedding
from crosspro.prediction.neural.layers.network import Network, register
from crosspro.prediction.neural.layers.recurrent import (
    Attention,
    BidirectionalGRU,
    last_states,
    read,
)
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


@register("ukyoto_attention")
class UkyotoAttention(Network):
    """Target tags are read if they have a size."""

    limits: ClassVar = {"tags": (0, 1e6)}
    recorded_places = inf

    @classmethod
    def reads(cls, settings: Mapping[str, Any]) -> Reads:
        """The words of both sides, and tags if asked for."""
        return Reads((SOURCE, LEMMA, TAG) if settings["tags"] else (SOURCE, LEMMA))

    def __init__(
        self,
        inventory: Inventory,
        *,
        embedding: int = 256,
        tags: int = 16,
        hidden: int = 256,
        dense: int = 256,
        dropout: float = 0.5,
        window: int = 50,
    ) -> None:
        super().__init__()
        self.window = window
        self.source = small_embedding(inventory.size("source"), embedding)
        sizes = {"lemma": embedding, "tag": tags}
        self.target = nn.ModuleDict(
            {
                name: small_embedding(inventory.size(name), size)
                for name, size in sizes.items()
                if size
            }
        )
        self.source_reader = BidirectionalGRU(embedding, hidden)
        self.left = nn.GRU(embedding + tags, hidden, batch_first=True)
        self.right = nn.GRU(embedding + tags, hidden, batch_first=True)
        self.source_attention = Attention(2 * hidden, 2 * hidden)
        self.target_attention = Attention(2 * hidden, hidden)
        self.dense = nn.Linear(5 * hidden, dense)
        self.output = nn.Linear(dense, len(inventory.classes))
        self.dropout = nn.Dropout(dropout)

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
