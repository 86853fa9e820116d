"""The rows of a document encoder, and their states.

A row has pieces of the source around a pronoun, then of the target around a gap; both sides reach
back through the document. Everything is cut out of the flat arrays by position, on their device.

A piece has embeddings for itself, for its place in the row, for gender and number of its word, and
for the tag of a target word, where a task has tags; a transformer makes states of their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.example import Side
from crosspro.prediction.neural.layers.embedding import few_rows
from crosspro.prediction.neural.layers.transformer import RotaryAngles, Transformer
from crosspro.prediction.neural.reading.document_kind import AGREEMENT, PIECES
from crosspro.prediction.neural.reading.fields import TAG
from crosspro.prediction.neural.reading.tensors import GapTensors, inside, table_width
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory

_GPU_STEP = 16
"""On a GPU rows are as wide as a multiple of this."""


@dataclass(frozen=True)
class RowPlaces:
    """Where the rows of some gaps are: (batch, time), first the source, then the target.

    `places` are `of_source` or of the target; what fills a row up is at the place of its gap.
    `offsets` say how far columns stand from the middle of the pronouns, or of the gaps, that are
    read together (before it: below 0), and `distances` say the same and of which side they are, in
    one number; beyond the window it is the window's last. `lengths`
    and the columns `pronoun` and `gap` are of each row; a gap without a source has no pronoun.
    """

    places: Tensor
    of_source: Tensor
    offsets: Tensor
    distances: Tensor
    lengths: Tensor
    pronoun: Tensor
    gap: Tensor
    has_source: Tensor

    @property
    def inside(self) -> Tensor:
        """Where rows have something."""
        return inside(self.lengths, self.places.shape[1])

    @property
    def before(self) -> Tensor:
        """What stands before the pronoun, or before the gap."""
        columns = torch.arange(self.places.shape[1], device=self.places.device)
        end = torch.where(self.of_source, self.pronoun[:, None], self.gap[:, None])
        return columns < end

    @property
    def in_target(self) -> Tensor:
        """The places of the target, and those of gaps for whatever is not there."""
        own = self.places.gather(1, self.gap[:, None])
        return torch.where(self.of_source, own, self.places)

    def picked_of_target(self, of_targets: Tensor) -> Tensor:
        """The entries of a field of the target; PAD elsewhere."""
        return torch.where(self.inside & ~self.of_source, of_targets[self.in_target], PAD)

    def picked(self, of_sources: Tensor, of_targets: Tensor) -> Tensor:
        """The entries of two fields, one of each side; PAD where rows are filled up."""
        found = of_targets[self.in_target]
        if len(of_sources):  # text without a source has none at all
            last = len(of_sources) - 1
            found = torch.where(self.of_source, of_sources[self.places.clamp(max=last)], found)
        return torch.where(self.inside, found, PAD)


@dataclass(frozen=True)
class DocumentWindow:
    """How many pieces are read before and after the pronoun, and before and after the gap.

    Of gaps that are read together, before the first and after the last.
    """

    source: tuple[int, int]
    target: tuple[int, int]

    @property
    def size(self) -> int:
        """The most pieces of a row."""
        return sum(self.source) + sum(self.target) + 2

    def lengths(self, data: GapTensors, gaps: Tensor) -> Tensor:
        """The pieces of each gap's row."""
        return self._source(data, gaps)[1] + self._target(data, gaps)[1]

    def places(self, data: GapTensors, gaps: Tensor, width: int | None) -> RowPlaces:
        """The rows of gaps."""
        source_start, source_length = self._source(data, gaps)
        target_start, target_length = self._target(data, gaps)
        length = source_length + target_length
        size = row_width(table_width(length, width), gaps.device)
        columns = torch.arange(size, device=gaps.device)[None]
        of_source = columns < source_length[:, None]
        source = source_start[:, None] + columns
        target = target_start[:, None] + columns - source_length[:, None]
        target = torch.where(inside(length, size), target, data.target_position[gaps][:, None])
        own = data.target_position[gaps] - target_start + source_length
        pronoun = (data.source_position[gaps] - source_start).minimum(source_length - 1)
        middle = (data.source_from + data.source_to)[gaps] // 2 - source_start
        middle_gap = (data.target_from + data.target_to)[gaps] // 2 - target_start + source_length
        offsets = columns - torch.where(of_source, middle[:, None], middle_gap[:, None])
        of_target = offsets.clamp(-self.target[0], self.target[1]) + self.target[0]
        distances = offsets.clamp(-self.source[0], self.source[1]) + self.source[0]
        distances = torch.where(of_source, distances, of_target + sum(self.source) + 1)
        return RowPlaces(
            torch.where(of_source, source, target),
            of_source,
            offsets,
            distances,
            length,
            pronoun.clamp(min=0),
            own,
            source_length > 0,
        )

    def _source(self, data: GapTensors, gaps: Tensor) -> tuple[Tensor, Tensor]:
        """Where what is read of the source begins, and how long it is; a source may be empty."""
        return _span(data, "source", gaps, *self.source)

    def _target(self, data: GapTensors, gaps: Tensor) -> tuple[Tensor, Tensor]:
        """The same of the target, which has the gap itself at least."""
        return _span(data, "target", gaps, *self.target)


def row_width(longest: int, device: torch.device) -> int:
    """How wide the rows of a batch are; a GPU makes some kernels anew for each width."""
    step = _GPU_STEP if device.type == "cuda" else 1
    return -(-longest // step) * step


def _span(
    data: GapTensors, side: Side, gaps: Tensor, before: int, after: int
) -> tuple[Tensor, Tensor]:
    """Where what is read on a side begins, and how many tokens it has."""
    low, high, first, last = (
        getattr(data, f"{side}_{name}")[gaps] for name in ("low", "high", "from", "to")
    )
    start, end = torch.maximum(low, first - before), torch.minimum(high, last + after + 1)
    return start, (end - start).clamp(min=0)


_SPREAD = 0.02


class RowEncoder(nn.Module):
    """`places` is how many there are for the pieces of a row."""

    def __init__(
        self,
        inventory: Inventory,
        places: int,
        *,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
        tags: bool,
    ) -> None:
        super().__init__()
        self.pieces = nn.Embedding(inventory.size(PIECES), width, padding_idx=PAD)
        self.agreement = nn.Embedding(inventory.size(AGREEMENT), width, padding_idx=PAD)
        self.places = nn.Embedding(places, width)
        self.tags = nn.Embedding(inventory.size(TAG.name), width, padding_idx=PAD) if tags else None
        self.layers = Transformer(width, layers, heads, dropout)
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            for table in filter(None, (self.pieces, self.agreement, self.places, self.tags)):
                table.weight.normal_(0, _SPREAD)
                if table.padding_idx is not None:
                    table.weight[table.padding_idx] = 0

    def forward(
        self,
        pieces: Tensor,
        agreement: Tensor,
        places: Tensor,
        tags: Tensor | None,
        by: RotaryAngles,
        inside: Tensor,
        columns: Tensor | None = None,
    ) -> Tensor:
        """Numbers (batch, time) -> the states of all places, or, at less cost, of some columns."""
        vectors = (
            self.pieces(pieces)
            + few_rows(self.agreement, agreement)
            + few_rows(self.places, places)
        )
        if self.tags is not None and tags is not None:
            vectors = vectors + few_rows(self.tags, tags)
        states: Tensor = self.layers(self.dropout(vectors), by, inside, columns)
        return states
