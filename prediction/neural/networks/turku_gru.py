"""The network of TurkuNLP (003 §5.4, 004 §5.1): eight GRU streams around the gap.

Left and right of the gap, each read by two GRU layers: target lemmas, target tags, lemmas with
tags, and source words (which begin with the aligned word on both sides), in 2016 their lemmas. They
are read outwards, as in Turku's code, or inwards. Their last states and an embedding of the aligned
source words go through a dense layer. The embeddings may be pre-trained (2017).
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.layers.recurrent import ParallelGRUs
from crosspro.prediction.neural.layers.windows import outwards, widest_side
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import (
    LEMMA,
    LEMMA_TAG,
    PRONOUN,
    SOURCE,
    SOURCE_LEMMA,
    TAG,
    Field,
    Reads,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory


@settings
class TurkuGRUSettings(NetworkSettings):
    """Sizes of layers, and what is read of the source."""

    name: Literal["turku_gru"] = "turku_gru"
    embedding: Size = 90
    hidden: Size = 90
    layers: Size = 2
    dense: Size = 256
    window: Size = 50
    dropout: Fraction = 0.0
    inward: bool = False
    source_lemmas: bool = False

    pretrains: ClassVar = True

    @property
    def streams(self) -> tuple[Field, ...]:
        return LEMMA, TAG, LEMMA_TAG, SOURCE_LEMMA if self.source_lemmas else SOURCE

    @property
    def reads(self) -> Reads:
        return Reads((*self.streams, PRONOUN))

    def build(self, inventory: Inventory) -> TurkuGRU:
        return TurkuGRU(inventory, self)


class TurkuGRU(Network):
    """Eight streams and the aligned words."""

    def __init__(self, inventory: Inventory, settings: TurkuGRUSettings) -> None:
        super().__init__()
        self.settings = settings
        self.embeddings = nn.ModuleDict(
            {
                field.name: _uniform_embedding(inventory.size(field.name), settings.embedding)
                for field in settings.reads.fields
            }
        )
        streams = 2 * len(settings.streams)
        self.gru = ParallelGRUs(streams, settings.embedding, settings.hidden, settings.layers)
        self.dropout = nn.Dropout(settings.dropout)
        self.dense = nn.Linear(streams * settings.hidden + settings.embedding, settings.dense)
        self.output = nn.Linear(settings.dense, len(inventory.classes))

    def extents(self, text: EncodedText) -> Tensor:
        return widest_side(text, self.settings.window)

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        source, target, limit = text.source[gaps], text.target[gaps], self.settings.window
        sequences, lengths = [], []
        for step in (-1, 1):
            around_gap = outwards(target, step, limit)
            around_pronoun = outwards(source, step, limit, first=0)
            if self.settings.inward:
                around_gap, around_pronoun = around_gap.reversed(), around_pronoun.reversed()
            for field in self.settings.streams:
                window = around_pronoun if field.side == "source" else around_gap
                words = self.embeddings[field.name](window.pick(text[field.name]))
                sequences.append(self.dropout(words))
                lengths.append(window.lengths)
        states = self.gru(sequences, lengths)
        pronoun = self.embeddings[PRONOUN.name](text[PRONOUN.name][gaps])
        joined = torch.cat((*states.unbind(0), pronoun), dim=-1)
        hidden = torch.relu(self.dense(self.dropout(joined)))
        scores: Tensor = self.output(self.dropout(hidden))
        return scores


def _uniform_embedding(words: int, size: int) -> nn.Embedding:
    """Small uniform vectors, as Keras makes them; the padding stays zero."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    with torch.no_grad():
        table.weight.uniform_(-0.05, 0.05)[PAD] = 0
    return table
