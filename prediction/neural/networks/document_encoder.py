"""A transformer over the document: it reads far back on both sides and knows gender and number.

The pieces of the source around the pronoun and those of the target around the gap, both reaching
back through the document, are one row. A piece has vectors for itself, for how far it stands from
the pronoun or the gap, which tells the sides apart and marks the gap itself, and for gender and
number of its word in a lexicon. The class is told from the states at the gap and at the pronoun.

It can learn from text without links (`masked_words` above 0): each pronoun of a text is a gap whose
word is known. Other pronouns are then hidden by chance only, and so are some pieces of both sides,
which are to be said again. All randomness comes from torch's generators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from crosspro.data_prep.example import Example
from crosspro.data_prep.task import NONE
from crosspro.prediction.neural.fields import GAP_WORD, LEMMA, Field, source_words, target_tokens
from crosspro.prediction.neural.lexicon_input import (
    INDUCED,
    source_agreement,
    target_agreement,
    whole_source_words,
    whole_target_words,
)
from crosspro.prediction.neural.network import Inventory, Network, Reads, gap_losses
from crosspro.prediction.neural.registry import register
from crosspro.prediction.neural.sampling import Indices
from crosspro.prediction.neural.sentence_reader import inside
from crosspro.prediction.neural.subwords import WORD_START
from crosspro.prediction.neural.tensors import GapTensors, table_width, word_numbers
from crosspro.prediction.neural.transformer import Transformer, few_rows
from crosspro.prediction.neural.vocabulary import PAD, UNK

_PIECES, _AGREEMENT = "piece", "agreement"
_SPREAD = 0.02
_WIDTHS = 16
"""On a GPU rows are as wide as a multiple of this, as its kernels like them."""


def shown_tokens(example: Example) -> Sequence[str]:
    """The target with the words of its gaps, where they are known."""
    tokens = list(target_tokens(example))
    start = WORD_START if any(token.startswith(WORD_START) for token in tokens) else ""
    for gap in example.gaps:
        if gap.word and gap.word != NONE:
            tokens[gap.position] = f"{start}{gap.word}|"
    return tokens


SOURCE_PIECE = Field("source_piece", "source", source_words, folded=True, vocabulary=_PIECES)
TARGET_PIECE = Field("target_piece", "target", target_tokens, LEMMA.word, vocabulary=_PIECES)
SHOWN_PIECE = Field("shown_piece", "target", shown_tokens, LEMMA.word, vocabulary=_PIECES)
SOURCE_AGREEMENT = Field(
    "source_agreement",
    "source",
    whole_source_words,
    vocabulary=_AGREEMENT,
    listed=source_agreement,
)
TARGET_AGREEMENT = Field(
    "target_agreement",
    "target",
    whole_target_words,
    vocabulary=_AGREEMENT,
    listed=target_agreement,
)


@dataclass(frozen=True)
class _Rows:
    """What is read of some gaps: (batch, time), the source first, then the target.

    `pronoun` and `gap` are columns; a gap without a source has no pronoun.
    """

    pieces: Tensor
    agreement: Tensor
    distances: Tensor
    inside: Tensor
    pronoun: Tensor
    gap: Tensor
    has_source: Tensor


@register("document_encoder")
class DocumentEncoder(Network):
    """`before` and `after` are how many pieces are read on each side of pronoun and gap."""

    may_change = ("dropout", "masked_words", "hidden_pronouns", "source_lexicon", "target_lexicon")
    inherits = True
    class_layers = ("output.",)
    limits: ClassVar = {
        "masked_words": (0, 100),
        "source_before": (0, 1e6),
        "source_after": (0, 1e6),
        "target_before": (0, 1e6),
        "target_after": (0, 1e6),
        "hidden_pronouns": (0, 1),
    }

    @classmethod
    def reads(cls, settings: Mapping[str, Any]) -> Reads:
        """Pieces and agreement of both sides, and what stood in gaps if other gaps are shown."""
        shown = (SHOWN_PIECE,) if settings["hidden_pronouns"] < 1 else ()
        return Reads(
            (SOURCE_PIECE, TARGET_PIECE, SOURCE_AGREEMENT, TARGET_AGREEMENT, *shown),
            lexicons={
                "source": settings["source_lexicon"],
                "target": settings["target_lexicon"],
            },
        )

    def __init__(
        self,
        inventory: Inventory,
        *,
        width: int = 384,
        layers: int = 6,
        heads: int = 6,
        source_before: int = 140,
        source_after: int = 50,
        target_before: int = 160,
        target_after: int = 50,
        source_lexicon: str = INDUCED,
        target_lexicon: str = INDUCED,
        dropout: float = 0.1,
        masked_words: float = 0.0,
        masked_share: float = 0.15,
        hidden_pronouns: float = 1.0,
    ) -> None:
        super().__init__()
        self.source_reach = (source_before, source_after)
        self.target_reach = (target_before, target_after)
        self.window = sum(self.source_reach) + sum(self.target_reach) + 2
        self.masked_words = masked_words
        self.masked_share = masked_share
        self.hidden_pronouns = hidden_pronouns
        self.gap_piece = inventory.vocabularies[_PIECES].number(GAP_WORD)
        self.pieces = nn.Embedding(inventory.size(_PIECES), width, padding_idx=PAD)
        self.agreement = nn.Embedding(inventory.size(_AGREEMENT), width, padding_idx=PAD)
        self.distances = nn.Embedding(self.window, width)
        self.no_pronoun = nn.Parameter(torch.zeros(width))
        self.encoder = Transformer(width, layers, heads, dropout)
        self.dense = nn.Linear(2 * width, width)
        self.output = nn.Linear(width, len(inventory.classes))
        self.word_dense = nn.Linear(width, width)
        self.word_norm = nn.LayerNorm(width)
        self.word_bias = nn.Parameter(torch.zeros(inventory.size(_PIECES)))
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            for table in (self.pieces, self.agreement, self.distances):
                table.weight.normal_(0, _SPREAD)
            for table in (self.pieces, self.agreement):
                table.weight[PAD] = 0
        for part in (self.word_dense, self.word_norm):
            part.requires_grad_(masked_words > 0)
        self.word_bias.requires_grad_(masked_words > 0)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the layers, where nearly all time goes."""
        self.encoder.compile(*args, **kwargs)

    def extents(self, data: GapTensors) -> Indices:
        """The pieces of both sides together."""
        every = torch.arange(len(data.label), device=data.label.device)
        (_, source), (_, target) = self._source(data, every), self._target(data, every)
        extents: Indices = (source + target).cpu().numpy()
        return extents

    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """(batch, classes); all gaps are hidden."""
        rows = self._rows(data, gaps, width)
        return self._classes(self._states(rows), rows)

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The loss of each gap's class, and of what its row is to say again if words are masked."""
        rows = self._rows(data, gaps, width, shown=True)
        chosen, counted = None, None
        wanted = rows.pieces
        if self.masked_words:
            chosen, counted = self._chosen(rows)
            rows = _masked(rows, chosen, counted)
        states = self._states(rows)
        labels = data.label[gaps].clamp(min=0)  # a gap that counts nothing may have none
        losses = gap_losses(self._classes(states, rows), labels, weights, smoothing)
        if chosen is not None and counted is not None:
            said = states.gather(1, chosen[:, :, None].expand(-1, -1, states.shape[-1]))
            words = self._word_losses(said, wanted.gather(1, chosen)) * counted
            share = counted.sum(1).clamp(min=1)
            losses = losses + self.masked_words * words.sum(1) / share
        return losses

    def _source(self, data: GapTensors, gaps: Tensor) -> tuple[Tensor, Tensor]:
        """Where what is read of the source begins, and how long it is; a source may be empty."""
        bounds = data.source_position[gaps], data.source_low[gaps], data.source_high[gaps]
        return _span(*bounds, *self.source_reach)

    def _target(self, data: GapTensors, gaps: Tensor) -> tuple[Tensor, Tensor]:
        """The same of the target, which has the gap itself at least."""
        bounds = data.target_position[gaps], data.target_low[gaps], data.target_high[gaps]
        return _span(*bounds, *self.target_reach)

    def _rows(
        self, data: GapTensors, gaps: Tensor, width: int | None, shown: bool = False
    ) -> _Rows:
        """The rows of a batch; other gaps may be `shown` by chance."""
        source_start, source_length = self._source(data, gaps)
        target_start, target_length = self._target(data, gaps)
        length = source_length + target_length
        size = table_width(length, width)
        if gaps.is_cuda:
            size = -(-size // _WIDTHS) * _WIDTHS
        columns = torch.arange(size, device=gaps.device)[None]
        of_source = columns < source_length[:, None]
        there = inside(length, size)
        source = source_start[:, None] + columns
        target = target_start[:, None] + columns - source_length[:, None]
        target = torch.where(there & ~of_source, target, data.target_position[gaps][:, None])

        def picked(of_sources: Tensor, of_targets: Tensor) -> Tensor:
            found = of_targets[target]
            if len(of_sources):  # text without a source has none at all
                last = len(of_sources) - 1
                found = torch.where(of_source, of_sources[source.clamp(max=last)], found)
            return torch.where(there, found, PAD)

        own = data.target_position[gaps] - target_start + source_length
        pronoun = (data.source_position[gaps] - source_start).minimum(source_length - 1)
        words = data[TARGET_PIECE.name]
        agreement = picked(data[SOURCE_AGREEMENT.name], data[TARGET_AGREEMENT.name])
        pieces = picked(data[SOURCE_PIECE.name], words)
        if shown and self.hidden_pronouns < 1:
            hidden = word_numbers(pieces) == self.gap_piece
            chance = torch.rand(pieces.shape, device=pieces.device)
            visible = hidden & (chance >= self.hidden_pronouns) & (columns != own[:, None])
            pieces = torch.where(visible, data[SHOWN_PIECE.name][target], pieces)
        of_pronoun = columns - pronoun[:, None] + self.source_reach[0]
        first = sum(self.source_reach) + 1
        of_gap = columns - own[:, None] + first + self.target_reach[0]
        distances = torch.where(of_source, of_pronoun, of_gap).clamp(0, self.window - 1)
        has_source = source_length > 0
        return _Rows(pieces, agreement, distances, there, pronoun.clamp(min=0), own, has_source)

    def _states(self, rows: _Rows) -> Tensor:
        vectors = (
            self.pieces(rows.pieces)
            + few_rows(self.agreement, rows.agreement)
            + self.distances(rows.distances)
        )
        states: Tensor = self.encoder(self.dropout(vectors), rows.inside)
        return states

    def _classes(self, states: Tensor, rows: _Rows) -> Tensor:
        every = torch.arange(len(states), device=states.device)
        pronoun = torch.where(
            rows.has_source[:, None], states[every, rows.pronoun], self.no_pronoun.to(states.dtype)
        )
        both = torch.cat((states[every, rows.gap], pronoun), -1)
        hidden = nn.functional.gelu(self.dense(self.dropout(both)))
        scores: Tensor = self.output(self.dropout(hidden))
        return scores

    def _chosen(self, rows: _Rows) -> tuple[Tensor, Tensor]:
        """Columns whose pieces are to be said again, and which of these count.

        So many columns of each row are drawn that the longest has its share; shorter rows count as
        many as is their share. Gaps are never among them.
        """
        good = rows.inside & (word_numbers(rows.pieces) != self.gap_piece)
        chance = torch.rand(good.shape, device=good.device).masked_fill(~good, -1.0)
        most = max(1, round(good.shape[1] * self.masked_share))
        drawn = chance.topk(most, dim=1)
        share = (good.sum(1, keepdim=True) * self.masked_share).round().clamp(min=1)
        rank = torch.arange(most, device=good.device)[None]
        return drawn.indices, (rank < share) & (drawn.values >= 0)

    def _word_losses(self, states: Tensor, wanted: Tensor) -> Tensor:
        """The cross-entropy of pieces, by the vectors with which pieces are read."""
        hidden = self.word_norm(nn.functional.gelu(self.word_dense(states)))
        scores = nn.functional.linear(hidden, self.pieces.weight, self.word_bias)
        losses = nn.functional.cross_entropy(
            scores.float().flatten(0, 1), wanted.flatten(), reduction="none"
        )
        return losses.view(wanted.shape)


def _span(
    centre: Tensor, low: Tensor, high: Tensor, before: int, after: int
) -> tuple[Tensor, Tensor]:
    """Where the tokens around a centre begin within the bounds, and how many they are."""
    start = torch.maximum(low, centre - before)
    end = torch.minimum(high, centre + after + 1)
    return start, (end - start).clamp(min=0)


def _masked(rows: _Rows, chosen: Tensor, counted: Tensor) -> _Rows:
    """The same rows where chosen columns that count show an unknown piece of an unknown word."""
    mask = torch.zeros_like(rows.inside).scatter(1, chosen, counted)
    return _Rows(
        torch.where(mask, UNK, rows.pieces),
        torch.where(mask, PAD, rows.agreement),
        rows.distances,
        rows.inside,
        rows.pronoun,
        rows.gap,
        rows.has_source,
    )
