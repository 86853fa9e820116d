"""The network of UKYOTO (003 §5.7): both sides of the gap ask what matters in both sentences.

GRUs read the source sentence in both directions, and the lemmas of the target from each end up to
the gap. The two states at the gap are the query of two attentions, over the source and over the
words around the gap; the states and what they attended to go through a dense layer. Nothing
depends on a language, and links only say where a source longer than the window is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.layers.embedding import small_embedding
from crosspro.prediction.neural.layers.network import Network, register
from crosspro.prediction.neural.layers.recurrent import (
    Attention,
    BidirectionalGRU,
    inside,
    last_states,
    read,
)
from crosspro.prediction.neural.reading.fields import LEMMA, SOURCE, TAG, Reads
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices, pick, span, table_width
from crosspro.prediction.neural.reading.vocabulary import Inventory


@register("ukyoto_attention")
class UkyotoAttention(Network):
    """Target tags are read if they have a size."""

    limits: ClassVar = {"tags": (0, 1e6)}

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
        every = torch.arange(len(data.label), device=data.label.device)
        start, gap, end = self._target(data, every)
        source_start, source_end = self._source(data, every)
        lengths = torch.stack((gap - start, end - gap - 1, source_end - source_start))
        extents: Indices = lengths.amax(0).clamp(min=1).cpu().numpy()
        return extents

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes)."""
        start, end = self._source(data, gaps)
        places, lengths = span(start, end, table_width(end - start, width))
        words = self.dropout(self.source(pick(data["source"], places, lengths)))
        source = self.dropout(self.source_reader(words, lengths))
        start, gap, end = self._target(data, gaps)
        places, before = span(start, gap, table_width(gap - start, width))
        left = read(self.left, self._words(data, places, before))
        places, after = span(gap + 1, end, table_width(end - gap - 1, width))
        backwards = ((end + gap)[:, None] - places).minimum(end[:, None] - 1)
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

    def _target(self, data: GapTensors, gaps: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Where the context of each gap begins, the gap, and where it ends."""
        gap = data.target_position[gaps]
        start = torch.maximum(data.target_low[gaps], gap - self.window)
        return start, gap, torch.minimum(data.target_high[gaps], gap + self.window + 1)

    def _source(self, data: GapTensors, gaps: Tensor) -> tuple[Tensor, Tensor]:
        """Where what is read of the source begins and ends."""
        position = data.source_position[gaps]
        start = torch.maximum(data.source_low[gaps], position - self.window)
        return start, torch.minimum(data.source_high[gaps], position + self.window + 1)
