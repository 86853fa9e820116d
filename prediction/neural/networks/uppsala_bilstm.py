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

from crosspro.data_prep.core.example import SIDES
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.layers.recurrent import at_position, read
from crosspro.prediction.neural.layers.windows import between, longest
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import (
    CHARACTER,
    LEMMA,
    SOURCE,
    SOURCE_LABEL,
    SOURCE_TAG,
    TAG,
    Reads,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory


@settings
class UppsalaBiLSTMSettings(NetworkSettings):
    """Sizes of embeddings and layers; tags, labels and the head of the source need a parse."""

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
    dropout: Fraction = 0.33
    word_dropout: Fraction = 0.25
    window: Size = 100

    may_change: ClassVar = ("dropout", "word_dropout")

    @property
    def parse_sizes(self) -> dict[str, int]:
        sizes = {SOURCE_TAG.name: self.source_tags, SOURCE_LABEL.name: self.source_labels}
        return {name: size for name, size in sizes.items() if size}

    @property
    def reads(self) -> Reads:
        of_parse = [field for field in (SOURCE_TAG, SOURCE_LABEL) if field.name in self.parse_sizes]
        heads = self.head or bool(self.source_labels)
        return Reads((SOURCE, CHARACTER, LEMMA, TAG, *of_parse), heads=heads)

    def build(self, inventory: Inventory) -> UppsalaBiLSTM:
        return UppsalaBiLSTM(inventory, self)


class UppsalaBiLSTM(Network):
    """Both sentences, read as far as `window` tokens from gap and pronoun."""

    source_counts: Tensor
    lemma_counts: Tensor

    def __init__(self, inventory: Inventory, settings: UppsalaBiLSTMSettings) -> None:
        super().__init__()
        self.settings, words = settings, settings.words
        self.source = nn.Embedding(inventory.size("source"), words, padding_idx=PAD)
        self.lemma = nn.Embedding(inventory.size("lemma"), words, padding_idx=PAD)
        self.tag = nn.Embedding(inventory.size("tag"), settings.tags, padding_idx=PAD)
        self.source_fields = nn.ModuleDict(
            {
                name: nn.Embedding(inventory.size(name), size, padding_idx=PAD)
                for name, size in settings.parse_sizes.items()
            }
        )
        characters, spelling = settings.characters, settings.character_hidden
        self.characters = nn.Embedding(inventory.size("character"), characters, padding_idx=PAD)
        self.speller = nn.LSTM(characters, spelling, batch_first=True, bidirectional=True)
        self.source_reader = self._reader(words + sum(settings.parse_sizes.values()) + 2 * spelling)
        self.target_reader = self._reader(words + settings.tags)
        self.dropout = nn.Dropout(settings.dropout)
        self.mlp = nn.Linear((6 if settings.head else 4) * settings.hidden + words, settings.mlp)
        self.output = nn.Linear(settings.mlp, len(inventory.classes))
        for name in ("source", "lemma"):
            counts = torch.tensor(inventory.counts(name)).float()
            self.register_buffer(f"{name}_counts", counts, persistent=False)
        with torch.no_grad():  # words, tags and characters that training never meets say nothing
            for module in self.modules():
                if isinstance(module, nn.Embedding):
                    module.weight[UNK].zero_()

    def _reader(self, inputs: int) -> nn.LSTM:
        layers = self.settings.layers
        return nn.LSTM(
            inputs,
            self.settings.hidden,
            layers,
            batch_first=True,
            bidirectional=True,
            dropout=self.settings.dropout if layers > 1 else 0.0,
        )

    def extents(self, text: EncodedText) -> Tensor:
        window = self.settings.window
        return longest(text.side(side).around(window, window) for side in SIDES)

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        source, target = text.source[gaps], text.target[gaps]
        window = self.settings.window
        source_start, source_end = source.around(window, window)
        target_start, target_end = target.around(window, window)
        source_window = between(source_start, source_end)
        target_window = between(target_start, target_end)
        source_ids = source_window.pick(text["source"])
        words = [self.source(self._drop_words(source_ids, self.source_counts))]
        words += [
            embedding(source_window.pick(text[name]))
            for name, embedding in self.source_fields.items()
        ]
        words.append(self._spell(text, source_window.pick(text["character"])))
        source_words = self.dropout(torch.cat(words, -1))
        source_states = read(self.source_reader, source_words, source_window.lengths)
        lemmas = self.lemma(self._drop_words(target_window.pick(text["lemma"]), self.lemma_counts))
        target_words = torch.cat((lemmas, self.tag(target_window.pick(text["tag"]))), -1)
        target_states = read(self.target_reader, self.dropout(target_words), target_window.lengths)
        pronoun = source.position - source_start
        seen = [
            at_position(target_states, target.position - target_start),
            at_position(source_states, pronoun),
        ]
        if self.settings.head:  # a head outside the window counts as its nearest edge
            head = text.positions["head_position"][gaps] - source_start
            head = head.clamp(min=0).minimum(source_window.lengths - 1)
            seen.append(at_position(source_states, head))
        seen.append(at_position(self.source(source_ids), pronoun))
        joined = self.dropout(torch.cat(seen, -1))
        scores: Tensor = self.output(self.dropout(torch.tanh(self.mlp(joined))))
        return scores

    def _drop_words(self, ids: Tensor, counts: Tensor) -> Tensor:
        """Replace a word of count c by the unknown word with probability a/(a+c)."""
        share = self.settings.word_dropout
        if not self.training or not share:
            return ids
        probability = share / (share + counts[ids])
        dropped = (torch.rand_like(probability) < probability) & (ids > UNK)
        return torch.where(dropped, UNK, ids)

    def _spell(self, text: EncodedText, spellings: Tensor) -> Tensor:
        """Character states of each word; words that recur in the batch are spelled once."""
        distinct, where = torch.unique(spellings, return_inverse=True)
        characters = text.spellings["character"][distinct]
        lengths = (characters != PAD).sum(1).clamp(min=1)
        states = read(self.speller, self.characters(characters), lengths)
        hidden = self.speller.hidden_size
        last = at_position(states, lengths - 1)[:, :hidden]
        return torch.cat((last, states[:, 0, hidden:]), -1)[where]
