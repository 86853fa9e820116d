"""The network of NYU (004 §5.3): a translation model that decides which class makes the sentence.

A recurrent encoder reads the source, a recurrent decoder the lemmas of the target, with the class
of the gap among them, and attention over the source predicts the next word. The score of a class is
the probability of the sentence with it in the gap; other gaps are never predicted. The network is
trained to translate, as NYU's was, the classes being words like others; or, which is ours, to
give the right class the best sentence (`class_loss`); or both. The source sentence before may be
read with the gap's own as one text, or by an encoder with an attention of its own. Tags are not
used, and of links only the place around which a source longer than the window is cut.

The decoder's states do not depend on what it attended to before (as in Luong et al. 2015), so no
step waits for another one's attention.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

import torch
from pydantic import Field as Setting
from torch import Tensor, nn

from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network, as_float32
from crosspro.prediction.neural.layers.recurrent import Attention, at_position, read
from crosspro.prediction.neural.layers.windows import Window, between, inside, longest
from crosspro.prediction.neural.network_settings import Fraction, NetworkSettings, Size
from crosspro.prediction.neural.reading.encoding import EncodedText, GapSpans
from crosspro.prediction.neural.reading.fields import GAP_MARKER, LEMMA, SOURCE, Reads
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

_NO_WORD = -100
"""The target of a place without a word; the loss there is 0."""
_SCORES_AT_ONCE = 1 << 27
Bounds = tuple[Tensor, Tensor]
"""Where a text begins and ends, for each gap."""


@settings
class NyuNMTSettings(NetworkSettings):
    """Sizes, the use of the sentence before, and the share of the loss of the classes alone."""

    name: Literal["nyu_nmt"] = "nyu_nmt"
    embedding: Size = 512
    hidden: Size = 512
    previous: Literal["none", "concatenated", "second_encoder"] = "none"
    class_loss: Annotated[float, Setting(ge=0, le=1)] = 0.0
    dropout: Fraction = 0.3
    window: Size = 100

    @property
    def reads(self) -> Reads:
        return Reads((SOURCE, LEMMA), earlier=self.previous != "none")

    def build(self, inventory: Inventory) -> NyuNMT:
        return NyuNMT(inventory, self)


class Memory(NamedTuple):
    """The states (batch, time, size) of a text to attend to; `inside` is False for padding."""

    states: Tensor
    inside: Tensor


class EncodedSource(NamedTuple):
    """What there is to attend to, and the first state of the decoder."""

    memories: list[Memory]
    state: Tensor


class NyuNMT(Network):
    """An encoder and a decoder with attention, and a second encoder if asked for."""

    def __init__(self, inventory: Inventory, settings: NyuNMTSettings) -> None:
        super().__init__()
        self.settings = settings
        embedding, hidden = settings.embedding, settings.hidden
        self.words = inventory.size("lemma")
        self.gap_word = inventory.vocabularies["lemma"].number(GAP_MARKER)
        self.classes = len(inventory.classes)
        # Large vectors at the start: with small ones a decoder repeats frequent words for long.
        self.source = nn.Embedding(inventory.size("source"), embedding, padding_idx=PAD)
        self.lemma = nn.Embedding(self.words, embedding, padding_idx=PAD)
        self.class_words = nn.Parameter(torch.randn(self.classes, embedding))
        self.begin = nn.Parameter(torch.randn(embedding))
        self.encoders = nn.ModuleList([_encoder(embedding, hidden)])
        self.attentions = nn.ModuleList([Attention(hidden, 2 * hidden)])
        if settings.previous == "concatenated":
            self.earlier = nn.Parameter(torch.randn(embedding))
        if settings.previous == "second_encoder":
            self.encoders.append(_encoder(embedding, hidden))
            self.attentions.append(Attention(hidden, 2 * hidden))
        self.first_state = nn.Linear(2 * hidden, hidden)
        self.decoder = nn.GRU(embedding, hidden, batch_first=True)
        self.readout = nn.Linear((1 + 2 * len(self.encoders)) * hidden, embedding)
        # Words, classes, and the end of the sentence.
        self.output = nn.Linear(embedding, self.words + self.classes + 1)
        self.dropout = nn.Dropout(settings.dropout)

    def extents(self, text: EncodedText) -> Tensor:
        return longest([self._target(text.target), *self._sources(text.source)])

    def loss(self, text: EncodedText, gaps: Tensor, class_loss: nn.CrossEntropyLoss) -> Tensor:
        """The losses of the translation and of the classes, mixed."""
        source, share = self._encode(text, gaps), self.settings.class_loss
        losses = torch.zeros((), device=gaps.device)
        if share < 1:
            translation = self._translation_losses(source, text, gaps, class_loss)
            losses = losses + (1 - share) * translation
        if share > 0:
            scores = self._scores(source, text, gaps)
            losses = losses + share * class_loss(scores, text.label[gaps])
        return losses

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        """The log-probability of the sentence from the gap on, with each class in it."""
        return self._scores(self._encode(text, gaps), text, gaps)

    def _translation_losses(
        self, source: EncodedSource, text: EncodedText, gaps: Tensor, class_loss: Any
    ) -> Tensor:
        """The mean cross-entropy of the words of a sentence; classes have their weights."""
        window = between(*self._target(text.target[gaps]))
        words, labels = window.pick(text["lemma"]), text.label[gaps]
        at_gap = (window.positions == text.target[gaps].position[:, None]) & (words != PAD)
        inputs = torch.where(
            at_gap[:, :, None], self.class_words[labels][:, None], self.lemma(words)
        )
        states = self._decode(inputs, source)
        targets = torch.where(at_gap, self.words + labels[:, None], self._predicted(words))
        targets = self._with_end(targets, window.lengths)
        weights = self.output.weight.new_ones(self.output.out_features)
        weights[self.words : self.words + self.classes] = class_loss.weight
        hidden = self._read_out(states, source.memories)
        losses = self._word_losses(hidden, targets, weights, class_loss.label_smoothing)
        return losses.sum(1) / (targets != _NO_WORD).sum(1)

    def _scores(self, source: EncodedSource, text: EncodedText, gaps: Tensor) -> Tensor:
        target = text.target[gaps]
        start, end = self._target(target)
        before, after = between(start, target.position), between(target.position + 1, end)
        states = self._decode(self.lemma(before.pick(text["lemma"])), source)
        at_gap = at_position(states, before.lengths)
        scores = as_float32(self.output(self._read_out(at_gap[:, None], source.memories)[:, 0]))
        of_classes = torch.log_softmax(scores, -1)[:, self.words : self.words + self.classes]
        return of_classes + self._continuations(text, after, at_gap, source.memories)

    def _continuations(
        self, text: EncodedText, after: Window, state: Tensor, memories: list[Memory]
    ) -> Tensor:
        """(batch, classes): the log-probability of the words after the gap, given each class."""
        words = after.pick(text["lemma"])
        batch, classes = len(words), self.classes
        class_words = self.class_words[None, :, None].expand(batch, classes, 1, -1)
        following = self.lemma(words)[:, None].expand(batch, classes, -1, -1)
        inputs = torch.cat((class_words, following), 2).flatten(0, 1)
        start = state[:, None].expand(batch, classes, -1).flatten(0, 1)
        states = read(self.decoder, self.dropout(inputs), state=start)
        # The sentences of a gap attend to the same source: their states are one row of queries.
        queries = states.reshape(batch, -1, states.shape[-1])
        targets = self._with_end(self._predicted(words), after.lengths)
        targets = targets[:, None].expand(batch, classes, -1)
        hidden = self._read_out(queries, memories).view(*targets.shape, -1)
        return -self._word_losses(hidden, targets).sum(2)

    def _encode(self, text: EncodedText, gaps: Tensor) -> EncodedSource:
        memories = []
        spans = text.source[gaps]
        for encoder, bounds in zip(self.encoders, self._sources(spans), strict=True):
            window = between(*bounds)
            words = self.source(window.pick(text["source"]))
            if self.settings.previous == "concatenated":
                of_earlier = window.positions < spans.start[:, None]
                words = words + of_earlier[:, :, None] * self.earlier
            states = self.dropout(read(encoder, self.dropout(words), window.lengths))
            # Where there is no sentence before, one padding is attended to.
            memories.append(Memory(states, inside(window.lengths.clamp(min=1), states.shape[1])))
        states, counted = memories[0]
        mean = (states * counted[:, :, None]).sum(1) / counted.sum(1, keepdim=True)
        return EncodedSource(memories, torch.tanh(self.first_state(mean)))

    def _decode(self, words: Tensor, source: EncodedSource) -> Tensor:
        """The states before each word and after the last."""
        shifted = torch.cat((self.begin.expand(len(words), 1, -1), words), 1)
        return read(self.decoder, self.dropout(shifted), state=source.state)

    def _read_out(self, states: Tensor, memories: list[Memory]) -> Tensor:
        """The input of the output layer: the state of each step and what it attended to."""
        attended = [
            attention(states, memory.states, memory.inside)
            for attention, memory in zip(self.attentions, memories, strict=True)
        ]
        joined = self.dropout(torch.cat((states, *attended), -1))
        hidden: Tensor = self.dropout(torch.tanh(self.readout(joined)))
        return hidden

    def _word_losses(
        self,
        states: Tensor,
        targets: Tensor,
        weights: Tensor | None = None,
        smoothing: float = 0.0,
    ) -> Tensor:
        """The cross-entropy of each word, in parts: all scores may not fit into memory."""
        counted = targets != _NO_WORD
        size = max(1, _SCORES_AT_ONCE // self.output.out_features)
        parts = (torch.split(values[counted], size) for values in (states, targets))
        losses = [
            nn.functional.cross_entropy(
                as_float32(self.output(part)),
                words,
                weights,
                label_smoothing=smoothing,
                reduction="none",
            )
            for part, words in zip(*parts, strict=True)
        ]
        return losses[0].new_zeros(targets.shape).masked_scatter(counted, torch.cat(losses))

    def _predicted(self, words: Tensor) -> Tensor:
        """The targets of words; padding and gaps are never predicted."""
        return torch.where((words == PAD) | (words == self.gap_word), _NO_WORD, words)

    def _with_end(self, targets: Tensor, lengths: Tensor) -> Tensor:
        """The end of the sentence behind its last word."""
        targets = nn.functional.pad(targets, (0, 1), value=_NO_WORD)
        return targets.scatter(1, lengths[:, None], self.words + self.classes)

    def _target(self, spans: GapSpans) -> Bounds:
        return spans.around(self.settings.window, self.settings.window, own_sentence=True)

    def _sources(self, spans: GapSpans) -> list[Bounds]:
        """The bounds of the text of each encoder."""
        window, previous = self.settings.window, self.settings.previous
        bounds = [spans.around(window, window, own_sentence=previous != "concatenated")]
        if previous == "second_encoder":
            bounds.append((spans.low.maximum(spans.start - window), spans.start))
        return bounds


def _encoder(embedding: int, hidden: int) -> nn.GRU:
    return nn.GRU(embedding, hidden, batch_first=True, bidirectional=True)
