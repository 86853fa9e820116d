"""A transformer over the document: it reads far back on both sides and knows gender and number.

The sub-words of the source around the pronoun and those of the target around the gap, both reaching
back through the document, are one row. A sub-word has embeddings for itself, for its distance from
the pronoun or the gap, which tells the sides apart and marks the gap itself, for gender and number
of its word in a lexicon, and for the tag of a target word, where a task has tags. The class is
predicted from the states at the gap and at the pronoun, and, with a `pointer`, from the noun that
it points at (`antecedent_pointer`).

It can be pre-trained on text without links (`masked_words` above 0): each pronoun of a text is a
gap whose word is known. Other pronouns are then hidden by chance only, and some sub-words of both
sides are masked and predicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.prediction.neural.layers.antecedent_pointer import (
    AntecedentPointer,
    PointedAntecedent,
)
from crosspro.prediction.neural.layers.network import Antecedents, Network, as_float32
from crosspro.prediction.neural.layers.recurrent import at_position
from crosspro.prediction.neural.layers.transformer import Transformer, rotary_angles
from crosspro.prediction.neural.layers.windows import inside
from crosspro.prediction.neural.networks.document_encoder.rows import (
    NOUN_FIELDS,
    PIECES,
    SHOWN_FIELDS,
    DocumentEncoderSettings,
    Layout,
    Rows,
    SideFields,
    embedded,
    lay_out,
)
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import GAP_MARKER
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory

_SPREAD = 0.02
_GPU_STEP = 16
"""Rows are as wide as a multiple of this: cuDNN prepares its attention anew for each width."""


class RowBatch(NamedTuple):
    """Padded rows of gaps: the numbers to embed, and the kinds of nouns, (batch, time)."""

    rows: Rows
    layout: Layout
    inside: Tensor
    numbers: dict[str, Tensor]
    nouns: Tensor | None


class DocumentEncoder(Network):
    """The transformer in torch; `numpy_reader` calculates the same without."""

    class_layers = ("output.", "pointer.noun_classes.")

    def __init__(self, inventory: Inventory, settings: DocumentEncoderSettings) -> None:
        super().__init__()
        self.settings = settings
        width = settings.width
        self.gap_piece = inventory.vocabularies[PIECES].number(GAP_MARKER)
        self.rows = RowEncoder(inventory, settings)
        self.no_pronoun = nn.Parameter(torch.zeros(width))
        self.dense = nn.Linear(2 * width, width)
        self.output = nn.Linear(width, len(inventory.classes))
        self.words = MaskedLanguageModel(width, inventory.size(PIECES))
        self.pointer = AntecedentPointer(inventory, width) if settings.pointer else None
        self.dropout = nn.Dropout(settings.dropout)
        self.words.requires_grad_(settings.masked_words > 0)

    def extents(self, text: EncodedText) -> Tensor:
        gaps = torch.arange(len(text), device=text.label.device)
        size: Tensor = Rows.of(text, gaps, self.settings).size
        return size

    def forward(self, text: EncodedText, gaps: Tensor) -> Tensor:
        """(batch, classes); all gaps are hidden."""
        batch = self._batch(text, gaps)
        return self._classify(batch, self.rows(batch))[0]

    def antecedents(self, text: EncodedText, gaps: Tensor) -> Sequence[Antecedents]:
        batch = self._batch(text, gaps)
        pointed = self._classify(batch, self.rows(batch))[1]
        if pointed is None:
            return ()
        probabilities, given_class = pointed.antecedent.exp()[:, 1:], pointed.given_class[:, :, 1:]
        in_source = batch.layout.in_source
        sides: dict[Side, Tensor] = {"target": ~in_source & batch.inside, "source": in_source}
        return [
            Antecedents(
                side,
                batch.layout.position * on_side,
                probabilities * on_side,
                given_class * on_side[:, None],
            )
            for side, on_side in sides.items()
        ]

    def loss(self, text: EncodedText, gaps: Tensor, class_loss: nn.CrossEntropyLoss) -> Tensor:
        """The losses of classes, of masked sub-words, and of nouns that do not agree."""
        batch, settings = self._batch(text, gaps, show_others=True), self.settings
        pieces, masked = batch.numbers["pieces"], None
        if settings.masked_words:
            masked = self._masked(batch)
            hidden = {"pieces": UNK, "agreement": PAD, "tags": PAD}
            for name in batch.numbers.keys() & hidden:
                batch.numbers[name] = batch.numbers[name].masked_fill(masked, hidden[name])
        states = self.rows(batch)
        labels = text.label[gaps]
        scores, pointed = self._classify(batch, states)
        losses: Tensor = class_loss(as_float32(scores), labels)
        if self.pointer is not None and pointed is not None and settings.pointer_agreement:
            agreement = self.pointer.agreement_losses(pointed, labels)
            losses = losses + settings.pointer_agreement * agreement
        if masked is not None:
            words = self.words(states, pieces, masked, self.rows.pieces.weight)
            losses = losses + settings.masked_words * words
        return losses

    def _batch(self, text: EncodedText, gaps: Tensor, show_others: bool = False) -> RowBatch:
        rows = Rows.of(text, gaps, self.settings)
        step = _GPU_STEP if gaps.is_cuda else 1
        width = -(-int(rows.size.max()) // step) * step
        columns = torch.arange(width, device=gaps.device)[None]
        within = inside(rows.size, width)
        source, target = (part.of_rows((slice(None), None)) for part in (rows.source, rows.target))
        layout = lay_out(columns, source, target, self.settings, torch.where)

        def pick(fields: SideFields) -> Tensor:
            return torch.where(within, layout.pick(text, fields, torch.where), PAD)

        numbers = {
            name: torch.where(within, column, PAD)
            for name, column in embedded(text, layout, self.settings, torch.where).items()
        }
        pieces = numbers["pieces"]
        if show_others and self.settings.hidden_pronouns < 1:
            hidden = (pieces == self.gap_piece) & (columns != rows.gap[:, None])
            chance = torch.rand(pieces.shape, device=gaps.device)
            shown = hidden & (chance >= self.settings.hidden_pronouns)
            numbers["pieces"] = torch.where(shown, pick(SHOWN_FIELDS), pieces)
        nouns = None
        if self.pointer is not None:
            end = torch.where(layout.in_source, rows.pronoun[:, None], rows.gap[:, None])
            before = (columns < end) & within
            nouns = torch.where(before, pick(NOUN_FIELDS), self.pointer.no_noun)
        return RowBatch(rows, layout, within, numbers, nouns)

    def _classify(self, batch: RowBatch, states: Tensor) -> tuple[Tensor, PointedAntecedent | None]:
        """Logits of the classes, and the antecedents if there is a pointer."""
        at_gap = at_position(states, batch.rows.gap)
        at_pronoun = at_position(states, batch.rows.pronoun)
        has_source = (batch.rows.source.size > 0)[:, None]
        at_pronoun = torch.where(has_source, at_pronoun, self.no_pronoun.to(states.dtype))
        both = torch.cat((at_gap, at_pronoun), -1)
        hidden = nn.functional.gelu(self.dense(self.dropout(both)))
        scores: Tensor = self.output(self.dropout(hidden))
        if self.pointer is None:
            return scores, None
        pointed: PointedAntecedent = self.pointer(both, states, batch.nouns, scores)
        return pointed.scores, pointed

    def _masked(self, batch: RowBatch) -> Tensor:
        """(batch, time): the sub-words to predict, a random share of all but gaps."""
        eligible = batch.inside & (batch.numbers["pieces"] != self.gap_piece)
        chance = torch.rand(eligible.shape, device=eligible.device)
        return eligible & (chance < self.settings.masked_share)


class RowEncoder(nn.Module):
    """Embeddings of sub-words, agreement, distances and tags, and a transformer over their sum."""

    pieces: nn.Embedding

    def __init__(self, inventory: Inventory, settings: DocumentEncoderSettings) -> None:
        super().__init__()
        width = settings.width
        self.head_size = width // settings.heads
        # PAD is learnt but of sub-words: it is the agreement of masked ones, the tag of the source.
        for name, size in settings.table_sizes(inventory).items():
            padding = PAD if name == "pieces" else None
            self.add_module(name, nn.Embedding(size, width, padding_idx=padding))
        self.layers = Transformer(width, settings.layers, settings.heads, settings.dropout)
        self.dropout = nn.Dropout(settings.dropout)
        with torch.no_grad():
            for name in settings.table_sizes(inventory):
                weight = self.get_parameter(f"{name}.weight").normal_(0, _SPREAD)
                if name != "places":
                    weight[PAD] = 0

    def forward(self, batch: RowBatch) -> Tensor:
        """(batch, time, width): the states of all places."""
        tables = ((self.get_submodule(name), column) for name, column in batch.numbers.items())
        vectors = sum(table(column) for table, column in tables)
        angles = rotary_angles(batch.layout.offset, self.head_size)
        states: Tensor = self.layers(self.dropout(vectors), angles, batch.inside)
        return states


class MaskedLanguageModel(nn.Module):
    """Predicts masked sub-words; the embeddings of sub-words are its output weights."""

    def __init__(self, width: int, pieces: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(pieces))

    def forward(self, states: Tensor, pieces: Tensor, masked: Tensor, vectors: Tensor) -> Tensor:
        """The mean cross-entropy of each row's masked sub-words, (batch,); 0 without any."""
        hidden = self.norm(nn.functional.gelu(self.dense(states[masked])))
        scores = nn.functional.linear(hidden, vectors.to(hidden.dtype), self.bias.to(hidden.dtype))
        losses = nn.functional.cross_entropy(as_float32(scores), pieces[masked], reduction="none")
        of_places = losses.new_zeros(masked.shape).masked_scatter(masked, losses)
        return of_places.sum(1) / masked.sum(1).clamp(min=1)
