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
from crosspro.prediction.neural.layers.network import Antecedents, ClassLoss, Network, exact
from crosspro.prediction.neural.layers.recurrent import at_position
from crosspro.prediction.neural.layers.transformer import Transformer, rotary_angles
from crosspro.prediction.neural.layers.windows import inside
from crosspro.prediction.neural.networks.document_encoder.rows import (
    AGREEMENT_FIELDS,
    NOUN_FIELDS,
    PIECE_FIELDS,
    PIECES,
    SHOWN_FIELDS,
    SOURCE_PIECE,
    TAG_FIELDS,
    DocumentEncoderSettings,
    Layout,
    Rows,
    SideFields,
    lay_out,
)
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import GAP_WORD, TAG
from crosspro.prediction.neural.reading.lexicon_fields import AGREEMENT
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory

_SPREAD = 0.02
_GPU_STEP = 16
"""Rows are as wide as a multiple of this: cuDNN prepares its attention anew for each width."""


class RowBatch(NamedTuple):
    """Padded rows of gaps: numbers of sub-words, agreement, tags and nouns, (batch, time)."""

    rows: Rows
    layout: Layout
    inside: Tensor
    pieces: Tensor
    agreement: Tensor
    tags: Tensor | None
    nouns: Tensor | None


class DocumentEncoder(Network):
    """The transformer in torch; `numpy_reader` calculates the same without."""

    class_layers = ("output.", "pointer.noun_classes.")

    def __init__(self, inventory: Inventory, settings: DocumentEncoderSettings) -> None:
        super().__init__()
        self.settings = settings
        width = settings.width
        self.gap_piece = inventory.vocabularies[PIECES].number(GAP_WORD)
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
        if not len(text[SOURCE_PIECE.name]):
            del sides["source"]
        return [
            Antecedents(
                side,
                batch.layout.position * on_side,
                probabilities * on_side,
                given_class * on_side[:, None],
            )
            for side, on_side in sides.items()
        ]

    def loss(self, text: EncodedText, gaps: Tensor, class_loss: ClassLoss) -> Tensor:
        """The losses of classes, of masked sub-words, and of nouns that do not agree."""
        batch, settings = self._batch(text, gaps, show_others=True), self.settings
        pieces, masked = batch.pieces, self._masked(batch) if settings.masked_words else None
        if masked is not None:
            batch = batch._replace(
                pieces=pieces.masked_fill(masked, UNK),
                agreement=batch.agreement.masked_fill(masked, PAD),
                tags=None if batch.tags is None else batch.tags.masked_fill(masked, PAD),
            )
        states = self.rows(batch)
        labels = text.label[gaps]
        scores, pointed = self._classify(batch, states)
        losses = class_loss(scores, labels)
        if self.pointer is not None and pointed is not None and settings.pointer_agreement:
            agreement = self.pointer.agreement_losses(pointed, labels.clamp(min=0))
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

        pieces = pick(PIECE_FIELDS)
        if show_others and self.settings.hidden_pronouns < 1:
            hidden = (pieces == self.gap_piece) & (columns != rows.gap[:, None])
            chance = torch.rand(pieces.shape, device=gaps.device)
            shown = hidden & (chance >= self.settings.hidden_pronouns)
            pieces = torch.where(shown, pick(SHOWN_FIELDS), pieces)
        tags = pick(TAG_FIELDS) if self.settings.tags else None
        nouns = None
        if self.pointer is not None:
            nouns = pick(NOUN_FIELDS)
            end = torch.where(layout.in_source, rows.pronoun[:, None], rows.gap[:, None])
            nouns = torch.where((columns < end) & within, nouns, self.pointer.no_noun)
        agreement = pick(AGREEMENT_FIELDS)
        return RowBatch(rows, layout, within, pieces, agreement, tags, nouns)

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
        eligible = batch.inside & (batch.pieces != self.gap_piece)
        chance = torch.rand(eligible.shape, device=eligible.device)
        return eligible & (chance < self.settings.masked_share)


class RowEncoder(nn.Module):
    """Embeddings of sub-words, agreement, distances and tags, and a transformer over their sum."""

    def __init__(self, inventory: Inventory, settings: DocumentEncoderSettings) -> None:
        super().__init__()
        width = settings.width
        self.head_size = width // settings.heads
        self.pieces = nn.Embedding(inventory.size(PIECES), width, padding_idx=PAD)
        # PAD is learnt here: masked sub-words have it, and all source words as their tag.
        self.agreement = nn.Embedding(inventory.size(AGREEMENT), width)
        self.places = nn.Embedding(settings.places, width)
        self.tags = None
        if settings.tags:
            self.tags = nn.Embedding(inventory.size(TAG.name), width)
        self.layers = Transformer(width, settings.layers, settings.heads, settings.dropout)
        self.dropout = nn.Dropout(settings.dropout)
        with torch.no_grad():
            for table in filter(None, (self.pieces, self.agreement, self.places, self.tags)):
                table.weight.normal_(0, _SPREAD)
            for table in filter(None, (self.pieces, self.agreement, self.tags)):
                table.weight[PAD] = 0

    def forward(self, batch: RowBatch) -> Tensor:
        """(batch, time, width): the states of all places."""
        vectors = self.pieces(batch.pieces) + self.agreement(batch.agreement)
        vectors = vectors + self.places(batch.layout.distance)
        if self.tags is not None:
            vectors = vectors + self.tags(batch.tags)
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
        losses = nn.functional.cross_entropy(exact(scores), pieces[masked], reduction="none")
        of_places = losses.new_zeros(masked.shape).masked_scatter(masked, losses)
        return of_places.sum(1) / masked.sum(1).clamp(min=1)
