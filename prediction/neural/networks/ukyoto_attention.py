"""The network of UKYOTO (003 §5.7): both sides of the gap ask what matters in both sentences.

GRUs read the source sentence in both directions, and the lemmas of the target from each end up to
the gap. The two states at the gap are the query of two attentions, over the source and over the
words around the gap; the states and what they attended to go through a dense layer. Nothing
depends on a language, and links only say where a source longer than the window is cut.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network, small_embedding, small_embeddings
from crosspro.prediction.neural.layers.recurrent import Attention, last_states, read
from crosspro.prediction.neural.layers.windows import Window, between, inside, longest
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size, SizeOrNone
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import LEMMA, SOURCE, TAG, Reads
from crosspro.prediction.neural.reading.vocabulary import Inventory


@settings
class UkyotoAttentionSettings(NetworkSettings):
    """Sizes; target tags are read if they have one."""

    name: Literal["ukyoto_attention"] = "ukyoto_attention"
    embedding: Size = 256
    tags: SizeOrNone = 16
    hidden: Size = 256
    dense: Size = 256
    dropout: Fraction = 0.5
    window: Size = 50

    @property
    def reads(self) -> Reads:
        return Reads((SOURCE, LEMMA, TAG) if self.tags else (SOURCE, LEMMA))

    def build(self, inventory: Inventory) -> UkyotoAttention:
        return UkyotoAttention(inventory, self)


class UkyotoAttention(Network):
    """Three readers, and two attentions with one query."""

    def __init__(self, inventory: Inventory, settings: UkyotoAttentionSettings) -> None:
        super().__init__()
        self.window = settings.window
        embedding, hidden = settings.embedding, settings.hidden
        sizes = {"lemma": embedding} | ({"tag": settings.tags} if settings.tags else {})
        self.source = small_embedding(inventory.size("source"), embedding)
        self.target = small_embeddings(inventory, sizes)
        self.source_reader = nn.GRU(embedding, hidden, batch_first=True, bidirectional=True)
        self.left = nn.GRU(sum(sizes.values()), hidden, batch_first=True)
        self.right = nn.GRU(sum(sizes.values()), hidden, batch_first=True)
        self.source_attention = Attention(2 * hidden, 2 * hidden)
        self.target_attention = Attention(2 * hidden, hidden)
        self.dense = nn.Linear(5 * hidden, settings.dense)
        self.output = nn.Linear(settings.dense, len(inventory.classes))
        self.dropout = nn.Dropout(settings.dropout)

    def extents(self, text: EncodedText) -> Tensor:
        start, end = text.target.around(self.window, self.window)
        gap = text.target.position
        source = text.source.around(self.window, self.window)
        return longest([source, (start, gap), (gap + 1, end)])

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        target = text.target[gaps]
        around_pronoun = between(*text.source[gaps].around(self.window, self.window))
        start, end = target.around(self.window, self.window)
        before = between(start, target.position)
        after = between(target.position + 1, end).reversed()  # from the end up to the gap
        source_words = self.dropout(self.source(around_pronoun.pick(text["source"])))
        source = self.dropout(read(self.source_reader, source_words, around_pronoun.lengths))
        left = read(self.left, self._target_words(text, before))
        right = read(self.right, self._target_words(text, after))
        query = torch.cat(
            (last_states(left, before.lengths), last_states(right, after.lengths)), -1
        )
        around_gap = self.dropout(torch.cat((left, right), 1))
        # A sentence of a gap alone attends to one padding.
        left_inside = inside(before.lengths.maximum((after.lengths == 0).long()), left.shape[1])
        right_inside = inside(after.lengths, right.shape[1])
        seen = (
            query,
            self.source_attention(query[:, None], source, around_pronoun.inside)[:, 0],
            self.target_attention(
                query[:, None], around_gap, torch.cat((left_inside, right_inside), 1)
            )[:, 0],
        )
        hidden = torch.tanh(self.dense(self.dropout(torch.cat(seen, -1))))
        scores: Tensor = self.output(self.dropout(hidden))
        return scores

    def _target_words(self, text: EncodedText, window: Window) -> Tensor:
        vectors = [table(window.pick(text[name])) for name, table in self.target.items()]
        words: Tensor = self.dropout(torch.cat(vectors, -1))
        return words
