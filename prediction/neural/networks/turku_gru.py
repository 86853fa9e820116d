"""The network of TurkuNLP (003 §5.4, 004 §5.1): eight GRU streams around the gap.

Left and right of the gap, each read by two GRU layers: target lemmas, target tags, lemmas with
tags, and source words (which begin with the aligned word on both sides), in 2016 their lemmas. They
are read outwards, as in Turku's code, or inwards. Their last states and an embedding of the aligned
source words go through a dense layer.
"""

from __future__ import annotations

from math import inf
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES
from crosspro.data_prep.core.processes import Report
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.layers.skip_gram import pretrained_embeddings
from crosspro.prediction.neural.layers.stacked_gru import StackedGRU
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size
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
from crosspro.prediction.neural.reading.tensors import GapTensors, pick, window
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory
from crosspro.prediction.neural.training.settings import SkipGramSettings

STREAMS = (LEMMA, TAG, LEMMA_TAG, SOURCE)


@settings
class TurkuGRUSettings(NetworkSettings):
    """Sizes and choices of the network."""

    name: Literal["turku_gru"] = "turku_gru"
    embedding: Size = 90
    hidden: Size = 90
    layers: Size = 2
    dense: Size = 256
    window: Size = 50
    dropout: Dropout = 0.0
    inward: bool = False
    source_lemmas: bool = False
    cuda_graphs: bool = True

    may_change: ClassVar = ("dropout", "cuda_graphs")
    pretrains: ClassVar = True

    @property
    def reads(self) -> Reads:
        """Lemmas of the source are those of a parse, and stand where its words do."""
        if self.source_lemmas:
            return Reads((*STREAMS[:-1], SOURCE_LEMMA, PRONOUN), parse={"source_lemmas": False})
        return Reads((*STREAMS, PRONOUN))

    def build(self, inventory: Inventory) -> TurkuGRU:
        """The network with new weights."""
        return TurkuGRU(inventory, self)


class TurkuGRU(Network):
    """Eight streams and the aligned words; its embeddings may be trained before (2017)."""

    def __init__(self, inventory: Inventory, settings: TurkuGRUSettings) -> None:
        super().__init__()
        self.streams = (*STREAMS[:-1], SOURCE_LEMMA if settings.source_lemmas else SOURCE)
        self.window = settings.window
        self.recorded_places = inf if settings.cuda_graphs else 0
        self.dimension = settings.embedding
        self.inward = settings.inward
        self.embeddings = nn.ModuleDict(
            {
                field.name: _embedding(inventory.size(field.name), settings.embedding)
                for field in self._fields
            }
        )
        streams = 2 * len(STREAMS)
        self.gru = StackedGRU(streams, settings.embedding, settings.hidden, settings.layers)
        self.dropout = nn.Dropout(settings.dropout)
        self.dense = nn.Linear(streams * settings.hidden + settings.embedding, settings.dense)
        self.output = nn.Linear(settings.dense, len(inventory.classes))

    @property
    def _fields(self) -> tuple[Field, ...]:
        """What it reads, as in `reads`."""
        return (*self.streams, PRONOUN)

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes); `width` may cut windows to what the batch needs."""
        width = min(self.window, width or self.window)
        source, target = (data.bounds(side, gaps) for side in SIDES)
        windows = []
        for step in (-1, 1):
            around_gap = self._ordered(*window(*target, step, width))
            around_pronoun = self._ordered(*window(*source, step, width, first=0))
            windows += [
                around_pronoun if stream.side == "source" else around_gap for stream in self.streams
            ]
        inputs = (
            self.dropout(self.embeddings[one.name](pick(data[one.name], places, lengths)))
            for one, (places, lengths) in zip(2 * self.streams, windows, strict=True)
        )
        states = self.gru(inputs, torch.stack([lengths for _, lengths in windows]))
        pronoun = self.embeddings["pronoun"](data["pronoun"][gaps])
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

    def pretrain(
        self,
        data: EncodedText,
        inventory: Inventory,
        settings: SkipGramSettings,
        seed: int,
        device: torch.device,
        report: Report,
    ) -> None:
        """Begin with the embeddings of a skip-gram, those of the aligned words too."""
        tables = pretrained_embeddings(
            data, inventory, self._fields, self.dimension, settings, seed, device, report
        )
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
