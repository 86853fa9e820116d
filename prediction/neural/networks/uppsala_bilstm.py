"""The network of Uppsala (004 §5.2): BiLSTMs over both sentences, and an MLP over four places.

Source words are word embeddings and a character BiLSTM, with embeddings of tag and dependency label
where the data has a parse of the source; target words are lemma and tag embeddings. Two two-layer
BiLSTMs read the sentences; the MLP sees the target state at the gap, the source states at the
pronoun and (with a parse) at its head, and the pronoun's own embedding. Words are made unknown at
random on both sides, so that the unknown word is learnt; its characters stay known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosspro.data_prep.core.example import SIDES
from crosspro.prediction.neural.layers.network import Network, register
from crosspro.prediction.neural.layers.recurrent import at_place
from crosspro.prediction.neural.reading.fields import (
    CHARACTER,
    LEMMA,
    SOURCE,
    SOURCE_LABEL,
    SOURCE_TAG,
    TAG,
    Reads,
)
from crosspro.prediction.neural.reading.tensors import GapTensors, cut, pick
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory

_SIZE = (0, 1e6)


@register("uppsala_bilstm")
class UppsalaBiLSTM(Network):
    """Both sentences; what it reads of a parse, and the target tags, it can do without."""

    limits = dict.fromkeys(("tags", "source_tags", "source_labels"), _SIZE)
    may_change = ("dropout", "word_dropout")

    source_counts: Tensor
    lemma_counts: Tensor

    @classmethod
    def reads(cls, settings: Mapping[str, Any]) -> Reads:
        """Tags and labels of the source are read if they have a size."""
        tags, labels, head = (settings[name] for name in ("source_tags", "source_labels", "head"))
        of_parse = [field for field, size in ((SOURCE_TAG, tags), (SOURCE_LABEL, labels)) if size]
        heads = {"source_labels": 0, "head": False}
        return Reads(
            (SOURCE, CHARACTER, LEMMA, TAG, *of_parse),
            parse={"source_tags": 0, **heads} if tags or labels or head else None,
            heads=heads if labels or head else None,
        )

    def __init__(
        self,
        inventory: Inventory,
        *,
        words: int = 100,
        tags: int = 10,
        source_tags: int = 0,
        source_labels: int = 0,
        head: bool = False,
        characters: int = 12,
        character_hidden: int = 50,
        hidden: int = 100,
        layers: int = 2,
        mlp: int = 100,
        dropout: float = 0.33,
        word_dropout: float = 0.25,
        window: int = 100,
    ) -> None:
        super().__init__()
        self.window = window
        self.word_dropout = word_dropout
        self.head = head
        self.source = nn.Embedding(inventory.size("source"), words, padding_idx=PAD)
        self.lemma = nn.Embedding(inventory.size("lemma"), words, padding_idx=PAD)
        self.tag = nn.Embedding(inventory.size("tag"), tags, padding_idx=PAD)
        self.source_fields = nn.ModuleDict(
            {
                name: nn.Embedding(inventory.size(name), size, padding_idx=PAD)
                for name, size in (("source_tag", source_tags), ("source_label", source_labels))
                if size
            }
        )
        self.characters = nn.Embedding(inventory.size("character"), characters, padding_idx=PAD)
        self.speller = nn.LSTM(characters, character_hidden, batch_first=True, bidirectional=True)
        drop = dropout if layers > 1 else 0.0
        self.source_reader = nn.LSTM(
            words + source_tags + source_labels + 2 * character_hidden,
            hidden,
            layers,
            batch_first=True,
            bidirectional=True,
            dropout=drop,
        )
        self.target_reader = nn.LSTM(
            words + tags, hidden, layers, batch_first=True, bidirectional=True, dropout=drop
        )
        self.dropout = nn.Dropout(dropout)
        self.mlp = nn.Linear((6 if head else 4) * hidden + words, mlp)
        self.output = nn.Linear(mlp, len(inventory.classes))
        for name in ("source", "lemma"):
            counts = torch.tensor(inventory.counts(name)).float()
            self.register_buffer(f"{name}_counts", counts, persistent=False)
        with torch.no_grad():  # words, tags and characters that training never meets say nothing
            for module in self.modules():
                if isinstance(module, nn.Embedding):
                    module.weight[UNK].zero_()

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes)."""
        source_bounds, target_bounds = (data.bounds(side, gaps) for side in SIDES)
        source_ids, source_place, source_length = self._around(data["source"], *source_bounds)
        lemma_ids, place, length = self._around(data["lemma"], *target_bounds)
        tag_ids, _, _ = self._around(data["tag"], *target_bounds)
        words = [self.source(self._drop_words(source_ids, self.source_counts))]
        for name, embedding in self.source_fields.items():
            words.append(embedding(self._around(data[name], *source_bounds)[0]))
        spellings = self._around(data["character"], *source_bounds)[0]
        words.append(self._spell(data.spellings["character"], spellings))
        source = self._read(self.source_reader, torch.cat(words, -1), source_length)
        lemmas = self.lemma(self._drop_words(lemma_ids, self.lemma_counts))
        target_words = torch.cat((lemmas, self.tag(tag_ids)), -1)
        target = self._read(self.target_reader, target_words, length)
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
        self, flat: Tensor, centre: Tensor, low: Tensor, high: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The tokens from `window` before to `window` after the centre, its place, the length."""
        start, end = cut(centre, low, high, self.window, self.window)
        lengths = end - start
        width = int(lengths.max())
        positions = (start[:, None] + torch.arange(width, device=flat.device)).clamp(
            max=len(flat) - 1
        )
        return pick(flat, positions, lengths), centre - start, lengths

    def _drop_words(self, ids: Tensor, counts: Tensor) -> Tensor:
        """Replace a word of count c by the unknown word with probability a/(a+c)."""
        if not self.training or self.word_dropout <= 0:
            return ids
        chance = self.word_dropout / (self.word_dropout + counts[ids])
        dropped = (torch.rand_like(chance) < chance) & (ids > UNK)
        return torch.where(dropped, UNK, ids)

    def _spell(self, characters: Tensor, spellings: Tensor) -> Tensor:
        """Character states of each word; words that recur in the batch are spelled once."""
        distinct, where = torch.unique(spellings, return_inverse=True)
        spelling = characters[distinct]
        lengths = (spelling != PAD).sum(1).clamp(min=1)
        packed = pack_padded_sequence(
            self.characters(spelling), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        _, (state, _) = self.speller(packed)
        spelled: Tensor = torch.cat((state[0], state[1]), -1)[where]
        return spelled

    def _read(self, reader: nn.LSTM, inputs: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(
            self.dropout(inputs), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        output, _ = pad_packed_sequence(reader(packed)[0], batch_first=True)
        return output
