"""Rows of pieces become states: the sum of what is known of each piece, and a transformer.

A piece has vectors for itself, for its place in the row, for gender and number of its word, and for
the tag of a target word, where a task has tags.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.document_rows import AGREEMENT, PIECES
from crosspro.prediction.neural.embedding import few_rows
from crosspro.prediction.neural.fields import TAG
from crosspro.prediction.neural.network import Inventory
from crosspro.prediction.neural.rotary_positions import Turns
from crosspro.prediction.neural.transformer import Transformer
from crosspro.prediction.neural.vocabulary import PAD

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
        by: Turns,
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
