"""The networks of UU-Hardmeier as one writes them first, to compare the speed of ours with.

Like those of `plain_networks`, for rows that all have the same length, with the gap in the middle
and enough text before it; they have the weights of ours.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.networks.hardmeier_anaphora import (
    LINKED,
    NOUN,
    START,
    HardmeierAnaphora,
)
from crosspro.prediction.neural.networks.hardmeier_cnn import HardmeierCNN
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE, TAG
from crosspro.prediction.neural.reading.tensors import GapTensors
from crosspro.prediction.neural.reading.vocabulary import Inventory


class PlainHardmeierCNN(Network):
    """Four convolutions over full rows, each followed by the largest value."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        self.inner = HardmeierCNN(inventory)
        self.window = self.inner.window
        self.convolutions = nn.ModuleDict()
        for side in self.inner.sides:
            self.convolutions[f"{side}_start"] = self.inner.own[side].get_submodule("convolution")
            self.convolutions[f"{side}_low"] = self.inner.earlier[side].get_submodule("convolution")

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """Scores as in `HardmeierCNN`."""
        ours = self.inner
        length = int(data.target_high[0] - data.target_start[0])
        steps = torch.arange(length, device=gaps.device)
        distances = steps - length // 2 + ours.window + 1
        pooled = []
        for side, names in ours.sides.items():
            for begin in ("start", "low"):
                places = getattr(data, f"{side}_{begin}")[gaps][:, None] + steps
                words = [ours.embeddings[name](data[name][places]) for name in names]
                if begin == "start":
                    words.append(ours.distances[side][distances].expand(len(gaps), -1, -1))
                convolution = self.convolutions[f"{side}_{begin}"]
                found = torch.relu(convolution(torch.cat(words, -1).transpose(1, 2)))
                pooled.append(found.max(-1)[0])
        pooled.append(ours.embeddings[PRONOUN.name](data[PRONOUN.name][gaps]))
        scores: Tensor = ours.output(ours.dropout(torch.cat(pooled, -1)))
        return scores


class PlainHardmeierAnaphora(Network):
    """A table of candidates made once, and each of them joined with a copy of the context."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        ours = HardmeierAnaphora(inventory)
        self.inner = ours
        self.window = ours.window
        around, noun = ours.context_to_hidden.in_features, ours.noun_to_hidden.in_features
        where = ours.noun_to_anaphora.in_features - noun
        self.anaphora = nn.Linear(around + noun + where, ours.context_to_anaphora.out_features)
        self.hidden = nn.Linear(around + noun, ours.context_to_hidden.out_features)
        with torch.no_grad():
            pairs = (
                (self.anaphora, ours.context_to_anaphora, ours.noun_to_anaphora),
                (self.hidden, ours.context_to_hidden, ours.noun_to_hidden),
            )
            for joined, context, nouns in pairs:
                joined.weight.copy_(torch.cat((context.weight, nouns.weight), 1))
                joined.bias.copy_(context.bias)
        self.table: Tensor | None = None
        self.begun: Tensor | None = None

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """Scores as in `HardmeierAnaphora`."""
        ours = self.inner
        if self.table is None or self.begun is None:
            self.table = self._table(data)
            self.begun = (data[START.name] == ours.first).cumsum(0)
        places = self.table[gaps]
        parts = [ours.embeddings[PRONOUN.name](data[PRONOUN.name][gaps])]
        steps = torch.arange(1, ours.context_words + 1, device=gaps.device)
        for step in (-steps, steps):
            for field in (SOURCE, LEMMA, TAG):
                near = data[field.name][data.target_position[gaps][:, None] + step]
                parts.append(ours.embeddings[field.name](near).flatten(1))
        around = ours.dropout(torch.cat(parts, -1))[:, None].expand(-1, places.shape[1] + 1, -1)
        fields = (LEMMA, LINKED, NOUN)
        nouns = [ours.embeddings[field.name](data[field.name][places]) for field in fields]
        nouns = ours.dropout(nn.functional.pad(torch.cat(nouns, -1), (0, 0, 1, 0)))
        tokens = data.target_position[gaps][:, None] - places
        octaves = (tokens + 0.5).log2().long().clamp(max=len(ours.octaves) - 1)
        sentences = self.begun[data.target_position[gaps]][:, None] - self.begun[places]
        sentences = sentences.clamp(max=len(ours.sentences) - 1)
        where = torch.cat((ours.octaves[octaves], ours.sentences[sentences]), -1)
        where = torch.cat(
            (nn.functional.pad(where, (0, 0, 1, 0)), ours.ranks.expand(len(gaps), -1, -1)), -1
        )
        seen = torch.tanh(self.anaphora(torch.cat((around, nouns, where), -1)))
        antecedent = torch.softmax(ours.antecedent(seen), 1)
        hidden = torch.tanh(self.hidden(torch.cat((around, nouns), -1)))
        classes = torch.softmax(ours.output(ours.dropout(hidden)), -1)
        return torch.log((antecedent * classes).sum(1))

    def _table(self, data: GapTensors) -> Tensor:
        """The places of the nearest nouns before each gap, as many as there may be."""
        most = self.inner.candidates
        nouns = torch.nonzero(data[NOUN.name] != self.inner.no_noun)[:, 0]
        last = torch.searchsorted(nouns, data.target_position)
        steps = torch.arange(1, most + 1, device=nouns.device)
        return nouns[(last[:, None] - steps).clamp(min=0)]
