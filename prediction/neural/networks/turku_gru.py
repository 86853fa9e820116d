"""The network of TurkuNLP (003 §5.4, 004 §5.1): eight GRU streams around the gap.

Left and right of the gap, each read by two GRU layers: target lemmas, target tags, lemmas with
tags, and source words (which begin with the aligned word on both sides). They are read outwards, as
in Turku's code, or inwards. Their last states and an embedding of the aligned source words go
through a dense layer.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.networks.stacked_gru import StackedGRU
from crosspro.prediction.neural.tensors import GapTensors, pick, window
from crosspro.prediction.neural.vocabulary import PAD

STREAM_FIELDS = ("lemma", "tag", "lemma_tag", "source")
_WIDTHS = 10
"""On a GPU windows are as wide as a multiple of this."""


class TurkuGRU(nn.Module):
    """Scores of each class for a batch of gaps."""

    needs_parse = False
    needs_heads = False

    def __init__(
        self,
        sizes: Mapping[str, int],
        classes: int,
        *,
        embedding: int = 90,
        hidden: int = 90,
        layers: int = 2,
        dense: int = 256,
        window: int = 50,
        dropout: float = 0.0,
        inward: bool = False,
        cuda_graphs: bool = True,
    ) -> None:
        super().__init__()
        self.window = window
        self.dimension = embedding
        self.inward = inward
        self.embeddings = nn.ModuleDict(
            {name: _embedding(sizes[name], embedding) for name in (*STREAM_FIELDS, "pronoun")}
        )
        streams = 2 * len(STREAM_FIELDS)
        self.gru = StackedGRU(streams, embedding, hidden, layers, cuda_graphs)
        self.dropout = nn.Dropout(dropout)
        self.dense = nn.Linear(streams * hidden + embedding, dense)
        self.output = nn.Linear(dense, classes)

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes); `width` may cut windows to what the batch needs."""
        width = min(self.window, width or self.window)
        if gaps.is_cuda and self.training:  # few shapes, each recorded once
            width = min(self.window, -(-width // _WIDTHS) * _WIDTHS)
        target = (data.target_position[gaps], data.target_low[gaps], data.target_high[gaps])
        source = (data.source_position[gaps], data.source_low[gaps], data.source_high[gaps])
        windows = []
        for step in (-1, 1):
            around_gap = self._ordered(*window(*target, step, width))
            around_pronoun = self._ordered(*window(*source, step, width, first=0))
            windows += [
                around_pronoun if name == "source" else around_gap for name in STREAM_FIELDS
            ]
        inputs = (
            self.dropout(self.embeddings[name](pick(getattr(data, name), places, lengths)))
            for name, (places, lengths) in zip(2 * STREAM_FIELDS, windows, strict=True)
        )
        states = self.gru(inputs, torch.stack([lengths for _, lengths in windows]))
        pronoun = self.embeddings["pronoun"](data.pronoun[gaps])
        joined = torch.cat((*states.unbind(0), pronoun), dim=-1)
        hidden = torch.relu(self.dense(self.dropout(joined)))
        scores: Tensor = self.output(self.dropout(hidden))
        return scores

    def _ordered(self, places: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Windows as they are read: outwards (nearest word first), or inwards (nearest last)."""
        if not self.inward:
            return places, lengths
        turned = lengths[:, None] - 1 - torch.arange(places.shape[1], device=places.device)
        return places.gather(1, turned.clamp(min=0)), lengths

    def load_embeddings(self, tables: Mapping[str, Tensor]) -> None:
        """Start from embeddings that were trained before."""
        with torch.no_grad():
            for name, table in tables.items():
                embedding = self.embeddings[name]
                if isinstance(embedding, nn.Embedding):
                    embedding.weight.copy_(table)
                    embedding.weight[PAD].zero_()


def _embedding(words: int, size: int) -> nn.Embedding:
    """Small uniform vectors, as Keras makes them; the padding stays zero."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    nn.init.uniform_(table.weight, -0.05, 0.05)
    with torch.no_grad():
        table.weight[PAD].zero_()
    return table
