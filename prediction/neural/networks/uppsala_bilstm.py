"""The network of Uppsala (004 §5.2): BiLSTMs over both sentences, and an MLP over four places.

Source words are word embeddings and a character BiLSTM, with embeddings of tag and dependency label
where the data has a parse of the source; target words are lemma and tag embeddings. Two two-layer
BiLSTMs read the sentences; the MLP sees the target state at the gap, the source states at the
pronoun and (with a parse) at its head, and the pronoun's own embedding. Words are made unknown at
random on both sides, so that the unknown word is learnt; its characters stay known.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import SIDES, Side
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.layers.recurrent import at_place, states_both_ways
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.fields import (
    CHARACTER,
    LEMMA,
    SOURCE,
    SOURCE_LABEL,
    SOURCE_TAG,
    TAG,
    Reads,
)
from crosspro.prediction.neural.reading.tensors import (
    GapTensors,
    Indices,
    cut,
    longest,
    pick,
    span,
    table_width,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory

_SIZE = (0, 1e6)
_UNPACKED = 1 << 15
"""On a GPU larger batches are faster where rows are packed and each word is spelled once."""


@settings
class UppsalaBiLSTMSettings(NetworkSettings):
    """Sizes and choices of the network."""

    name: Literal["uppsala_bilstm"] = "uppsala_bilstm"
    words: Size = 100
    tags: SizeOrNone = 10
    source_tags: SizeOrNone = 0
    source_labels: SizeOrNone = 0
    head: bool = False
    characters: Size = 12
    character_hidden: Size = 50
    hidden: Size = 100
    layers: Size = 2
    mlp: Size = 100
    dropout: Dropout = 0.33
    word_dropout: Dropout = 0.25
    window: Size = 100

    may_change: ClassVar = ("dropout", "word_dropout")

    @property
    def reads(self) -> Reads:
        """Tags and labels of the source are read if they have a size."""
        sizes = ((SOURCE_TAG, self.source_tags), (SOURCE_LABEL, self.source_labels))
        of_parse = [field for field, size in sizes if size]
        heads = {"source_labels": 0, "head": False}
        return Reads(
            (SOURCE, CHARACTER, LEMMA, TAG, *of_parse),
            parse={"source_tags": 0, **heads} if of_parse or self.head else None,
            heads=heads if self.source_labels or self.head else None,
        )

    def build(self, inventory: Inventory) -> UppsalaBiLSTM:
        """The network with new weights."""
        return UppsalaBiLSTM(inventory, self)


class UppsalaBiLSTM(Network):
    """Both sentences; what it reads of a parse, and the target tags, it can do without."""

    recorded_places = _UNPACKED

    source_counts: Tensor
    lemma_counts: Tensor

    def __init__(self, inventory: Inventory, settings: UppsalaBiLSTMSettings) -> None:
        super().__init__()
        self.window = settings.window
        self.word_dropout = settings.word_dropout
        self.head = settings.head
        self.source = nn.Embedding(inventory.size("source"), settings.words, padding_idx=PAD)
        self.lemma = nn.Embedding(inventory.size("lemma"), settings.words, padding_idx=PAD)
        self.tag = nn.Embedding(inventory.size("tag"), settings.tags, padding_idx=PAD)
        self.source_fields = nn.ModuleDict(
            {
                name: nn.Embedding(inventory.size(name), size, padding_idx=PAD)
                for name, size in (
                    ("source_tag", settings.source_tags),
                    ("source_label", settings.source_labels),
                )
                if size
            }
        )
        self.characters = nn.Embedding(
            inventory.size("character"), settings.characters, padding_idx=PAD
        )
        self.speller = nn.LSTM(
            settings.characters, settings.character_hidden, batch_first=True, bidirectional=True
        )
        drop = settings.dropout if settings.layers > 1 else 0.0
        self.source_reader = nn.LSTM(
            settings.words
            + settings.source_tags
            + settings.source_labels
            + 2 * settings.character_hidden,
            settings.hidden,
            settings.layers,
            batch_first=True,
            bidirectional=True,
            dropout=drop,
        )
        self.target_reader = nn.LSTM(
            settings.words + settings.tags,
            settings.hidden,
            settings.layers,
            batch_first=True,
            bidirectional=True,
            dropout=drop,
        )
        self.dropout = nn.Dropout(settings.dropout)
        self.mlp = nn.Linear(
            (6 if settings.head else 4) * settings.hidden + settings.words, settings.mlp
        )
        self.output = nn.Linear(settings.mlp, len(inventory.classes))
        for name in ("source", "lemma"):
            counts = torch.tensor(inventory.counts(name)).float()
            self.register_buffer(f"{name}_counts", counts, persistent=False)
        with torch.no_grad():  # words, tags and characters that training never meets say nothing
            for module in self.modules():
                if isinstance(module, nn.Embedding):
                    module.weight[UNK].zero_()

    def extents(self, data: GapTensors) -> Indices:
        """The longer of the two sentences."""
        bounds = (data.bounds(side, data.every) for side in SIDES)
        return longest(cut(*one, self.window, self.window) for one in bounds)

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes)."""
        (source_places, source_length, source_place), (places, length, place) = (
            self._around(data, gaps, side, width) for side in SIDES
        )
        source_ids, spellings, *of_parse = (
            pick(data[name], source_places, source_length)
            for name in ("source", "character", *self.source_fields)
        )
        lemma_ids, tag_ids = (pick(data[name], places, length) for name in ("lemma", "tag"))
        words = [self.source(self._drop_words(source_ids, self.source_counts))]
        words += [
            table(numbers)
            for table, numbers in zip(self.source_fields.values(), of_parse, strict=True)
        ]
        words.append(self._spell(data.spellings["character"], spellings))
        source_words = self.dropout(torch.cat(words, -1))
        unpacked = self._unpacked(source_ids)
        source = states_both_ways(self.source_reader, source_words, source_length, unpacked)
        lemmas = self.lemma(self._drop_words(lemma_ids, self.lemma_counts))
        target_words = self.dropout(torch.cat((lemmas, self.tag(tag_ids)), -1))
        target = states_both_ways(self.target_reader, target_words, length, unpacked)
        seen = [at_place(target, place), at_place(source, source_place)]
        if self.head:  # a head outside the window counts as its nearest edge
            offset = data.head_position[gaps] - data.source_position[gaps]
            head = (source_place + offset).clamp(min=0).minimum(source_length - 1)
            seen.append(at_place(source, head))
        seen.append(at_place(self.source(source_ids), source_place))
        joined = self.dropout(torch.cat(seen, -1))
        scores: Tensor = self.output(self.dropout(torch.tanh(self.mlp(joined))))
        return scores

    def _around(
        self, data: GapTensors, gaps: Tensor, side: Side, width: int | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Where the tokens from `window` before to `window` after the centre are, how many they
        are, and which of them is the centre."""
        bounds = data.bounds(side, gaps)
        start, end = cut(*bounds, self.window, self.window)
        places, lengths = span(start, end, table_width(end - start, width))
        return places, lengths, bounds[0] - start

    def _drop_words(self, ids: Tensor, counts: Tensor) -> Tensor:
        """Replace a word of count c by the unknown word with probability a/(a+c)."""
        if not self.training or self.word_dropout <= 0:
            return ids
        chance = self.word_dropout / (self.word_dropout + counts[ids])
        dropped = (torch.rand_like(chance) < chance) & (ids > UNK)
        return torch.where(dropped, UNK, ids)

    def _spell(self, characters: Tensor, spellings: Tensor) -> Tensor:
        """Character states of each word; words that recur in the batch are spelled once.

        A GPU would be waited for to know which these are: in a small batch it spells all.
        """
        if self._unpacked(spellings):
            spelled = self._spelled(characters[spellings.flatten()], unpacked=True)
            return spelled.view(*spellings.shape, -1)
        distinct, where = torch.unique(spellings, return_inverse=True)
        return self._spelled(characters[distinct], unpacked=False)[where]

    def _spelled(self, spelling: Tensor, unpacked: bool) -> Tensor:
        """The last states of both directions."""
        lengths = (spelling != PAD).sum(1).clamp(min=1)
        states = states_both_ways(self.speller, self.characters(spelling), lengths, unpacked)
        hidden = self.speller.hidden_size
        return torch.cat((at_place(states, lengths - 1)[:, :hidden], states[:, 0, hidden:]), -1)

    def _unpacked(self, words: Tensor) -> bool:
        """Whether rows (batch, time) are read without asking a GPU for lengths."""
        return words.is_cuda and self.training and words.numel() <= _UNPACKED
