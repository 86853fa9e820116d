"""The networks as one writes them first: torch's own modules over full rows, without masks.

References that ours must agree with. Each is made for rows that all have the same length, with the
gap in the middle, and has the weights of ours; dropout is left out.
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
    HardmeierAnaphoraSettings,
)
from crosspro.prediction.neural.networks.hardmeier_cnn import HardmeierCNN, HardmeierCNNSettings
from crosspro.prediction.neural.networks.nyu_nmt import NyuNMT, NyuNMTSettings
from crosspro.prediction.neural.networks.ukyoto_attention import (
    UkyotoAttention,
    UkyotoAttentionSettings,
)
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTM, UppsalaBiLSTMSettings
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE, TAG
from crosspro.prediction.neural.reading.tensors import GapTensors
from crosspro.prediction.neural.reading.vocabulary import Inventory


class PlainUppsala(Network):
    """LSTM modules over characters and both sentences; a word is spelled wherever it stands."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        self.inner = UppsalaBiLSTM(inventory, UppsalaBiLSTMSettings())
        self.window = self.inner.window

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        ours = self.inner
        words = _row(data, "source", gaps)
        spelling = data.spellings["character"][_row(data, "character", gaps)]
        _, (state, _) = ours.speller(ours.characters(spelling.flatten(0, 1)))
        spelled = torch.cat((state[0], state[1]), -1).view(*words.shape, -1)
        known = ours.source(words)
        source, _ = ours.source_reader(torch.cat((known, spelled), -1))
        lemmas = _row(data, "lemma", gaps)
        known = ours.lemma(lemmas)
        tags = ours.tag(_row(data, "tag", gaps))
        target, _ = ours.target_reader(torch.cat((known, tags), -1))
        middle = words.shape[1] // 2
        seen = (target[:, middle], source[:, middle], ours.source(words[:, middle]))
        hidden = torch.tanh(ours.mlp(torch.cat(seen, -1)))
        scores: Tensor = ours.output(hidden)
        return scores


def _row(data: GapTensors, field: str, gaps: Tensor) -> Tensor:
    """The sentences of the gaps, which all have the same length."""
    bounds = data.source_start, data.source_high
    length = int(bounds[1][0] - bounds[0][0])
    return data[field][bounds[0][gaps][:, None] + torch.arange(length, device=gaps.device)]


def _attend(match: nn.Linear, queries: Tensor, states: Tensor) -> Tensor:
    fits = torch.bmm(match(queries), states.transpose(1, 2)) / states.shape[-1] ** 0.5
    return torch.bmm(torch.softmax(fits, -1), states)


class PlainNyu(Network):
    """A translation model: encoder, decoder, attention and the words of the output."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        ours = NyuNMT(inventory, NyuNMTSettings())
        self.inner = ours
        hidden = ours.decoder.hidden_size
        self.encoder = nn.GRU(ours.decoder.input_size, hidden, batch_first=True, bidirectional=True)
        self.window = ours.window

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The cross-entropy of a word of each sentence and its end, with the class in the gap."""
        ours = self.inner
        states, _ = self.encoder(ours.source(_row(data, "source", gaps)))
        first = torch.tanh(ours.first_state(states.mean(1)))[None]
        words = _row(data, "lemma", gaps)
        rows = torch.arange(len(gaps), device=gaps.device)
        place = data.target_position[gaps] - data.target_start[gaps]
        labels = data.label[gaps]
        inputs = ours.lemma(words)
        inputs[rows, place] = ours.class_words[labels]
        inputs = torch.cat((ours.begin.expand(len(gaps), 1, -1), inputs), 1)
        decoded, _ = ours.decoder(inputs, first)
        joined = torch.cat((decoded, _attend(ours.attention.match, decoded, states)), -1)
        read = torch.tanh(ours.readout(joined))
        targets = words.clone()
        targets[rows, place] = ours.words + labels
        end = torch.full_like(targets[:, :1], ours.words + ours.classes)
        targets = torch.cat((targets, end), 1)
        losses = nn.functional.cross_entropy(
            ours.output(read).flatten(0, 1).float(), targets.flatten(), reduction="none"
        )
        return losses.view(targets.shape).mean(1)

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """It has none: its loss alone is measured."""
        raise TypeError("a plain network whose training alone is measured")


class PlainUkyoto(Network):
    """GRUs over the source and over both sides of the gap, and two attentions."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        ours = UkyotoAttention(inventory, UkyotoAttentionSettings())
        self.inner = ours
        self.window = ours.window
        self.encoder = nn.GRU(
            ours.source.embedding_dim, ours.left.hidden_size, batch_first=True, bidirectional=True
        )

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        ours = self.inner
        source, _ = self.encoder(ours.source(_row(data, "source", gaps)))
        target = [table(_row(data, name, gaps)) for name, table in ours.target.items()]
        words = torch.cat(target, -1)
        middle = words.shape[1] // 2
        left, _ = ours.left(words[:, :middle])
        right, _ = ours.right(words[:, middle + 1 :].flip(1))
        query = torch.cat((left[:, -1], right[:, -1]), -1)
        around = torch.cat((left, right), 1)
        seen = (
            query,
            _attend(ours.source_attention.match, query[:, None], source)[:, 0],
            _attend(ours.target_attention.match, query[:, None], around)[:, 0],
        )
        hidden = torch.tanh(ours.dense(torch.cat(seen, -1)))
        scores: Tensor = ours.output(hidden)
        return scores


class PlainHardmeierCNN(Network):
    """Four convolutions over full rows, each followed by the largest value."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        self.inner = HardmeierCNN(inventory, HardmeierCNNSettings())
        self.window = self.inner.window
        self.convolutions = nn.ModuleDict()
        for side in self.inner.sides:
            self.convolutions[f"{side}_start"] = self.inner.own[side].get_submodule("convolution")
            self.convolutions[f"{side}_low"] = self.inner.earlier[side].get_submodule("convolution")

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
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
        scores: Tensor = ours.output(torch.cat(pooled, -1))
        return scores


class PlainHardmeierAnaphora(Network):
    """A table of candidates made once, and each of them joined with a copy of the context."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        ours = HardmeierAnaphora(inventory, HardmeierAnaphoraSettings())
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
        around = torch.cat(parts, -1)[:, None].expand(-1, places.shape[1] + 1, -1)
        fields = (LEMMA, LINKED, NOUN)
        nouns = [ours.embeddings[field.name](data[field.name][places]) for field in fields]
        nouns = nn.functional.pad(torch.cat(nouns, -1), (0, 0, 1, 0))
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
        classes = torch.softmax(ours.output(hidden), -1)
        return torch.log((antecedent * classes).sum(1))

    def _table(self, data: GapTensors) -> Tensor:
        """The places of the nearest nouns before each gap, as many as there may be."""
        most = self.inner.candidates
        nouns = torch.nonzero(data[NOUN.name] != self.inner.no_noun)[:, 0]
        last = torch.searchsorted(nouns, data.target_position)
        steps = torch.arange(1, most + 1, device=nouns.device)
        return nouns[(last[:, None] - steps).clamp(min=0)]
