"""A transformer over the document: it reads far back on both sides and knows gender and number.

The pieces of the source around the pronoun and those of the target around the gap, both reaching
back through the document, are one row. A piece has vectors for itself, for how far it stands from
the pronoun or the gap, which tells the sides apart and marks the gap itself, for gender and number
of its word in a lexicon, and for the tag of a target word, where a task has tags. The class is told
from the states at the gap and at the pronoun, and, with a `pointer`, from the noun that it points
at (`antecedent_pointer`).

It can learn from text without links (`masked_words` above 0): each pronoun of a text is a gap whose
word is known. Other pronouns are then hidden by chance only, and so are some pieces of both sides,
which are to be said again. All randomness comes from torch's generators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.prediction.neural.layers.antecedent_pointer import AntecedentPointer, PointedRows
from crosspro.prediction.neural.layers.document_rows import (
    DocumentWindow,
    RowEncoder,
    RowPlaces,
)
from crosspro.prediction.neural.layers.embedding import MaskedLanguageModel
from crosspro.prediction.neural.layers.network import (
    Network,
    PointedTokens,
    gap_losses,
)
from crosspro.prediction.neural.layers.recurrent import at_columns
from crosspro.prediction.neural.layers.transformer import fastest_kernels, rotary_angles
from crosspro.prediction.neural.reading.document_kind import (
    PIECES,
    SHOWN_PIECE,
    SOURCE_AGREEMENT,
    SOURCE_PIECE,
    TARGET_AGREEMENT,
    TARGET_PIECE,
    DocumentSettings,
)
from crosspro.prediction.neural.reading.fields import GAP_WORD, TAG
from crosspro.prediction.neural.reading.lexicon_fields import SOURCE_NOUN, TARGET_NOUN
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory


@dataclass(frozen=True)
class _Rows:
    """What is read of some gaps: (batch, time); `nouns` are those that may be antecedents."""

    at: RowPlaces
    pieces: Tensor
    agreement: Tensor
    tags: Tensor | None = None
    nouns: Tensor | None = None

    @property
    def inside(self) -> Tensor:
        """Where rows have something."""
        return self.at.inside


@dataclass(frozen=True)
class _Read:
    """States (batch, width) at the gap and at the pronoun, those of other columns that were asked
    for, (batch, number, width), and of `every` place, if there is a pointer.
    """

    gap: Tensor
    pronoun: Tensor
    others: Tensor
    every: Tensor | None


class DocumentEncoder(Network):
    """The network in torch."""

    recorded_places = inf
    class_layers = ("output.", "pointer.noun_classes.")
    optional_layers = ("pointer.",)

    def __init__(self, inventory: Inventory, settings: DocumentSettings) -> None:
        super().__init__()
        width, dropout = settings.width, settings.dropout
        self.around = DocumentWindow(settings.source, settings.target)
        self.window = self.around.size
        self.masked_words = settings.masked_words
        self.masked_share = settings.masked_share
        self.hidden_pronouns = settings.hidden_pronouns
        self.pointer_agreement = settings.pointer_agreement
        self.gap_piece = inventory.vocabularies[PIECES].number(GAP_WORD)
        self.head = width // settings.heads
        self.rows = RowEncoder(
            inventory,
            self.window,
            width=width,
            layers=settings.layers,
            heads=settings.heads,
            dropout=dropout,
            tags=settings.tags,
        )
        self.no_pronoun = nn.Parameter(torch.zeros(width))
        self.dense = nn.Linear(2 * width, width)
        self.output = nn.Linear(width, len(inventory.classes))
        self.words = MaskedLanguageModel(width, inventory.size(PIECES))
        self.pointer = AntecedentPointer(inventory, width) if settings.pointer else None
        self.dropout = nn.Dropout(dropout)
        self.words.requires_grad_(self.masked_words > 0)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile what reads rows and what says masked pieces, where nearly all time goes."""
        self.rows.compile(*args, **kwargs)
        self.words.compile(*args, **kwargs)

    def extents(self, data: GapTensors) -> Indices:
        """The pieces of both sides together."""
        return np.asarray(self.around.lengths(data, data.every).cpu().numpy())

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes); all gaps are hidden."""
        rows = self._rows(data, gaps, width)
        return self._classes(rows, self._read(rows))[0]

    def antecedents(self, data: GapTensors, gaps: Tensor) -> Sequence[PointedTokens]:
        """The nouns before the pronoun and before the gap, before and after the class is known."""
        rows = self._rows(data, gaps, None)
        pointed = self._classes(rows, self._read(rows))[1]
        if pointed is None:
            return ()
        shares, given, at = pointed.antecedent.exp()[:, 1:], pointed.given[:, :, 1:], rows.at
        sides: dict[Side, Tensor] = {"target": ~at.of_source}
        if len(data[SOURCE_PIECE.name]):
            sides["source"] = at.of_source
        return [
            PointedTokens(side, at.places * own, shares * own, given * own[:, None])
            for side, own in sides.items()
        ]

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The loss of each gap's class, of what its row is to say again if words are masked, and of
        pointing at nouns that do not agree.
        """
        rows = self._rows(data, gaps, width, shown=True)
        labels = data.label[gaps].clamp(min=0)  # a gap that counts nothing may have none
        if not self.masked_words:
            return self._class_losses(rows, self._read(rows), labels, weights, smoothing)
        chosen, counted = self._chosen(rows)
        wanted = rows.pieces.gather(1, chosen)
        rows = _masked(rows, chosen, counted)
        read = self._read(rows, chosen)
        words: Tensor = self.words(read.others, wanted, self.rows.pieces.weight) * counted
        share = counted.sum(1).clamp(min=1)
        losses = self._class_losses(rows, read, labels, weights, smoothing)
        return losses + self.masked_words * words.sum(1) / share

    def _rows(
        self, data: GapTensors, gaps: Tensor, width: int | None, shown: bool = False
    ) -> _Rows:
        """The rows of a batch; other gaps may be `shown` by chance."""
        at = self.around.places(data, gaps, width)
        agreement = at.picked(data[SOURCE_AGREEMENT.name], data[TARGET_AGREEMENT.name])
        pieces = at.picked(data[SOURCE_PIECE.name], data[TARGET_PIECE.name])
        if shown and self.hidden_pronouns < 1:
            hidden = pieces == self.gap_piece
            chance = torch.rand(pieces.shape, device=pieces.device)
            columns = torch.arange(pieces.shape[1], device=gaps.device)
            others = columns != at.gap[:, None]
            visible = hidden & others & (chance >= self.hidden_pronouns)
            pieces = torch.where(visible, data[SHOWN_PIECE.name][at.in_target], pieces)
        tags = None if self.rows.tags is None else at.picked_of_target(data[TAG.name])
        return _Rows(at, pieces, agreement, tags, self._nouns(data, at))

    def _nouns(self, data: GapTensors, at: RowPlaces) -> Tensor | None:
        """What is known of the nouns that may be antecedents: those before pronoun and gap."""
        if self.pointer is None:
            return None
        nouns = at.picked(data[SOURCE_NOUN.name], data[TARGET_NOUN.name])
        return torch.where(at.before, nouns, self.pointer.no_noun)

    def _states(self, rows: _Rows, columns: Tensor | None = None) -> Tensor:
        """The states of all places, or, at less cost, those of some columns."""
        # Not within what is compiled, where angles would be worked out again in each layer.
        by = rotary_angles(rows.at.offsets, self.head)
        with fastest_kernels(rows.pieces.device):
            states: Tensor = self.rows(
                rows.pieces, rows.agreement, rows.at.distances, rows.tags, by, rows.inside, columns
            )
        return states

    def _read(self, rows: _Rows, others: Tensor | None = None) -> _Read:
        """The states at the gap and at the pronoun, and those of other columns."""
        ends = torch.stack((rows.at.gap, rows.at.pronoun), 1)
        columns = ends if others is None else torch.cat((ends, others), 1)
        every = None if self.pointer is None else self._states(rows)
        states = self._states(rows, columns) if every is None else at_columns(every, columns)
        return _Read(states[:, 0], states[:, 1], states[:, 2:], every)

    def _classes(self, rows: _Rows, read: _Read) -> tuple[Tensor, PointedRows | None]:
        """Scores of the classes, and where the pointer had its part in them."""
        none = self.no_pronoun.to(read.pronoun.dtype)
        pronoun = torch.where(rows.at.has_source[:, None], read.pronoun, none)
        both = torch.cat((read.gap, pronoun), -1)
        hidden = nn.functional.gelu(self.dense(self.dropout(both)))
        scores: Tensor = self.output(self.dropout(hidden))
        if self.pointer is None or rows.nouns is None or read.every is None:
            return scores, None
        pointed: PointedRows = self.pointer(both, read.every, rows.nouns, scores)
        return pointed.scores, pointed

    def _class_losses(
        self, rows: _Rows, read: _Read, labels: Tensor, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The loss of each gap's class, and of pointing at nouns that do not agree with it."""
        scores, pointed = self._classes(rows, read)
        losses = gap_losses(scores, labels, weights, smoothing)
        if self.pointer is None or pointed is None or not self.pointer_agreement:
            return losses
        agreement = self.pointer.agreement_losses(pointed, labels)
        return losses + self.pointer_agreement * agreement

    def _chosen(self, rows: _Rows) -> tuple[Tensor, Tensor]:
        """Columns whose pieces are to be said again, and which of these count.

        So many columns of each row are drawn that the longest has its share; shorter rows count as
        many as is their share. Gaps are never among them.
        """
        good = rows.inside & (rows.pieces != self.gap_piece)
        chance = torch.rand(good.shape, device=good.device).masked_fill(~good, -1.0)
        most = max(1, round(good.shape[1] * self.masked_share))
        drawn = chance.topk(most, dim=1)
        share = (good.sum(1, keepdim=True) * self.masked_share).round().clamp(min=1)
        rank = torch.arange(most, device=good.device)[None]
        return drawn.indices, (rank < share) & (drawn.values >= 0)


def _masked(rows: _Rows, chosen: Tensor, counted: Tensor) -> _Rows:
    """The same rows where chosen columns that count show an unknown piece of an unknown word."""
    mask = torch.zeros_like(rows.inside).scatter(1, chosen, counted)
    return replace(
        rows,
        pieces=torch.where(mask, UNK, rows.pieces),
        agreement=torch.where(mask, PAD, rows.agreement),
        tags=None if rows.tags is None else torch.where(mask, PAD, rows.tags),
    )
