"""The network of NYU (004 §5.3): a translation model that decides which class makes the sentence.

A recurrent encoder reads the source, a recurrent decoder the lemmas of the target, with the class
of the gap among them, and attention over the source says which word comes next. A class has the
probability of the sentence with it in the gap; other gaps are words that are never predicted. It
is trained to translate, as NYU's was, the classes being words like others, or to give the right
class the best sentence, or both. The source sentence before may be read with the gap's own as one
text, or by an encoder with an attention of its own. Tags are not used, and of links only
the place around which a source longer than the window is cut.

The decoder's states do not depend on what it attended to before (as in Luong et al. 2015), so no
step waits for another one's attention.
"""

from __future__ import annotations

from math import inf
from typing import Annotated, Literal, NamedTuple

import torch
from pydantic import Field
from torch import Tensor, nn

from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.embedding import NOTHING, VocabularyOutput
from crosspro.prediction.neural.layers.network import Network, gap_losses
from crosspro.prediction.neural.layers.recurrent import (
    Attention,
    BidirectionalGRU,
    at_place,
    read,
)
from crosspro.prediction.neural.network_settings import Dropout, NetworkSettings, Size
from crosspro.prediction.neural.reading.fields import GAP_WORD, LEMMA, SOURCE, Reads
from crosspro.prediction.neural.reading.tensors import (
    GapTensors,
    Indices,
    cut,
    inside,
    longest,
    pick,
    span,
    table_width,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

_Bounds = tuple[Tensor, Tensor]
"""Where a text begins and ends, for each gap."""


class _Memory(NamedTuple):
    """The states of a text that was read, and where there are any."""

    states: Tensor
    inside: Tensor


class _Text(NamedTuple):
    """What there is to attend to, and the first state of the decoder."""

    memories: list[_Memory]
    state: Tensor


@settings
class NyuNMTSettings(NetworkSettings):
    """Sizes and choices of the network."""

    name: Literal["nyu_nmt"] = "nyu_nmt"
    embedding: Size = 512
    hidden: Size = 512
    previous: Literal["none", "concatenated", "second_encoder"] = "none"
    class_loss: Annotated[float, Field(ge=0, le=1)] = 0.0
    dropout: Dropout = 0.3
    window: Size = 100

    @property
    def reads(self) -> Reads:
        """The sentence before must be there if it is to be read."""
        none = self.previous == "none"
        return Reads((SOURCE, LEMMA), earlier=None if none else {"previous": "none"})

    def build(self, inventory: Inventory) -> NyuNMT:
        """The network with new weights."""
        return NyuNMT(inventory, self)


class NyuNMT(Network):
    """An encoder and a decoder with attention, and a second encoder if asked for."""

    recorded_places = inf

    def __init__(self, inventory: Inventory, settings: NyuNMTSettings) -> None:
        super().__init__()
        self.window = settings.window
        self.previous = settings.previous
        self.class_loss = settings.class_loss
        self.words = inventory.size("lemma")
        self.gap_word = inventory.vocabularies["lemma"].number(GAP_WORD)
        self.classes = len(inventory.classes)
        # Small vectors leave a decoder saying the commonest words for a thousand steps.
        self.source = nn.Embedding(inventory.size("source"), settings.embedding, padding_idx=PAD)
        self.lemma = nn.Embedding(self.words, settings.embedding, padding_idx=PAD)
        self.class_words = nn.Parameter(torch.randn(self.classes, settings.embedding))
        self.begin = nn.Parameter(torch.randn(settings.embedding))
        self.encoder = BidirectionalGRU(settings.embedding, settings.hidden)
        self.attention = Attention(settings.hidden, 2 * settings.hidden)
        if settings.previous == "concatenated":
            self.earlier = nn.Parameter(torch.randn(settings.embedding))
        if settings.previous == "second_encoder":
            self.previous_encoder = BidirectionalGRU(settings.embedding, settings.hidden)
            self.previous_attention = Attention(settings.hidden, 2 * settings.hidden)
        self.first_state = nn.Linear(2 * settings.hidden, settings.hidden)
        self.decoder = nn.GRU(settings.embedding, settings.hidden, batch_first=True)
        attended = 4 if settings.previous == "second_encoder" else 2
        self.readout = nn.Linear((1 + attended) * settings.hidden, settings.embedding)
        # Words, classes, and the end of the sentence.
        self.output = VocabularyOutput(settings.embedding, self.words + self.classes + 1)
        self.dropout = nn.Dropout(settings.dropout)

    def extents(self, data: GapTensors) -> Indices:
        """The longest text that is read of a gap."""
        return longest([self._target(data, data.every), *self._sources(data, data.every)])

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """That of the translation and that of the classes, mixed."""
        text = self._encode(data, gaps, width)
        parts = []
        if self.class_loss < 1:
            losses = self._translation_losses(text, data, gaps, width, weights, smoothing)
            parts.append((1 - self.class_loss) * losses)
        if self.class_loss > 0:
            labels = data.label[gaps].clamp(min=0)
            losses = gap_losses(self._scores(text, data, gaps, width), labels, weights, smoothing)
            parts.append(self.class_loss * losses)
        return torch.stack(parts).sum(0)

    def _translation_losses(
        self,
        text: _Text,
        data: GapTensors,
        gaps: Tensor,
        width: int,
        weights: Tensor,
        smoothing: float,
    ) -> Tensor:
        """The cross-entropy of a word of the sentence, in which classes may weigh more."""
        start, end = self._target(data, gaps)
        places, lengths = span(start, end, table_width(end - start, width))
        words = pick(data["lemma"], places, lengths)
        at_gap = (places == data.target_position[gaps][:, None]) & (words != PAD)
        labels = data.label[gaps].clamp(min=0)
        inputs = torch.where(
            at_gap[:, :, None], self.class_words[labels][:, None], self.lemma(words)
        )
        states = read(self.decoder, self.dropout(self._after_begin(inputs)), text.state)
        targets = torch.where(at_gap, self.words + labels[:, None], self._predicted(words))
        targets = self._with_end(targets, lengths)
        of_words = self.output.weight.new_ones(self.output.out_features)
        of_words[self.words : self.words + self.classes] = weights
        losses = self.output.losses(
            self._read_out(states, text.memories), targets, of_words, smoothing
        )
        return losses.sum(1) / (targets != NOTHING).sum(1)

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """The logarithm of what the sentence has from the gap on, with each class in it."""
        return self._scores(self._encode(data, gaps, width), data, gaps, width)

    def _scores(self, text: _Text, data: GapTensors, gaps: Tensor, width: int | None) -> Tensor:
        memories = text.memories
        start, end = self._target(data, gaps)
        gap = data.target_position[gaps]
        places, before = span(start, gap, table_width(gap - start, width))
        inputs = self._after_begin(self.lemma(pick(data["lemma"], places, before)))
        states = read(self.decoder, self.dropout(inputs), text.state)
        here = at_place(states, before)
        scores = self.output.precise_scores(self._read_out(here[:, None], memories)[:, 0])
        of_classes = torch.log_softmax(scores, -1)[:, self.words : self.words + self.classes]
        places, after = span(gap + 1, end, table_width(end - gap - 1, width))
        words = pick(data["lemma"], places, after)
        return of_classes + self._following(words, after, here, memories)

    def _following(
        self, words: Tensor, lengths: Tensor, state: Tensor, memories: list[_Memory]
    ) -> Tensor:
        """(batch, classes): the logarithm of the words after the gap, if a class stands in it."""
        shape = (len(words), self.classes)
        classes = self.class_words[None, :, None].expand(*shape, 1, -1)
        following = self.lemma(words)[:, None].expand(*shape, -1, -1)
        inputs = torch.cat((classes, following), 2).flatten(0, 1)
        start = state[:, None].expand(*shape, -1).flatten(0, 1)
        states = read(self.decoder, self.dropout(inputs), start)
        # All sentences with one gap attend to the same source: their states are one row of queries.
        queries = states.reshape(shape[0], -1, states.shape[-1])
        targets = self._with_end(self._predicted(words), lengths)
        targets = targets[:, None].expand(*shape, -1)
        return -self.output.losses(self._read_out(queries, memories), targets).sum(2)

    def _encode(self, data: GapTensors, gaps: Tensor, width: int | None) -> _Text:
        own, *before = self._sources(data, gaps)
        earlier = data.source_start[gaps] if self.previous == "concatenated" else None
        memories = [self._read(self.encoder, data, own, width, earlier)]
        memories += [self._read(self.previous_encoder, data, one, width) for one in before]
        states, there = memories[0]
        mean = (states * there[:, :, None]).sum(1) / there.sum(1, keepdim=True)
        return _Text(memories, torch.tanh(self.first_state(mean)))

    def _read(
        self,
        encoder: BidirectionalGRU,
        data: GapTensors,
        bounds: _Bounds,
        width: int | None,
        earlier: Tensor | None = None,
    ) -> _Memory:
        """A text of the source; words before `earlier` are marked as those of another sentence."""
        start, end = bounds
        places, lengths = span(start, end, table_width(end - start, width))
        words = self.source(pick(data["source"], places, lengths))
        if earlier is not None:
            words = words + (places < earlier[:, None])[:, :, None] * self.earlier
        there = inside(lengths, places.shape[1])
        return _Memory(self.dropout(encoder(self.dropout(words), lengths)), there)

    def _read_out(self, states: Tensor, memories: list[_Memory]) -> Tensor:
        """What the output is made from: the state of each step and what it attended to."""
        attentions = [self.attention]
        if self.previous == "second_encoder":
            attentions.append(self.previous_attention)
        seen = [
            attention(states, *memory)
            for attention, memory in zip(attentions, memories, strict=True)
        ]
        joined = torch.cat((states, *seen), -1)
        result: Tensor = self.dropout(torch.tanh(self.readout(self.dropout(joined))))
        return result

    def _after_begin(self, words: Tensor) -> Tensor:
        """What the decoder reads before it says each word: the one before, at first the begin."""
        return torch.cat((self.begin.expand(len(words), 1, -1), words), 1)

    def _predicted(self, words: Tensor) -> Tensor:
        """The numbers of words to predict; paddings and gaps are not among them."""
        return torch.where((words == PAD) | (words == self.gap_word), NOTHING, words)

    def _with_end(self, targets: Tensor, lengths: Tensor) -> Tensor:
        """The end of the sentence behind its last word."""
        targets = torch.cat((targets, torch.full_like(targets[:, :1], NOTHING)), 1)
        return targets.scatter(1, lengths[:, None], self.words + self.classes)

    def _target(self, data: GapTensors, gaps: Tensor) -> _Bounds:
        """The gap's own sentence."""
        return cut(*data.bounds("target", gaps, "start"), self.window, self.window)

    def _sources(self, data: GapTensors, gaps: Tensor) -> list[_Bounds]:
        """The texts of the source: one that has the gap's own sentence, and the one before."""
        first = "low" if self.previous == "concatenated" else "start"
        own = cut(*data.bounds("source", gaps, first), self.window, self.window)
        if self.previous != "second_encoder":
            return [own]
        start = data.source_start[gaps]
        return [own, (torch.maximum(data.source_low[gaps], start - self.window), start)]
