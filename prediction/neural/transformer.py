"""A transformer encoder over rows of different lengths: norms come first, gradients stay healthy.

Rows are filled up to a common width; attention leaves out what fills them up (`row_attention`), so
that a row gives the same states whatever it is put together with. It knows how far places are apart
(`rotary_positions`). Norms have no weights, since products behind them can scale by themselves, and
products no biases: adding up the gradients of all places for each of these few numbers took a GPU
longer than most products.
"""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.rotary_positions import Turns, turned
from crosspro.prediction.neural.row_attention import key_marks, row_attention
from crosspro.prediction.neural.sentence_reader import at_columns

_SPREAD = 0.02
_WIDER = 4
"""Hidden units of the feed-forward layers for each unit of a state."""


class Transformer(nn.Module):
    """Layers of self-attention and feed-forward networks, and a norm."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        made = [_Layer(width, heads, dropout) for _ in range(layers)]
        for layer in made:
            for module in layer.modules():
                if isinstance(module, nn.Linear):
                    nn.init.normal_(module.weight, std=_SPREAD)
            for last in (layer.attended, layer.narrow):  # what is added up begins small
                nn.init.normal_(last.weight, std=_SPREAD / sqrt(2 * layers))
        self.layers = nn.ModuleList(made)

    def forward(
        self, states: Tensor, by: Turns, inside: Tensor, columns: Tensor | None = None
    ) -> Tensor:
        """(batch, time, width), the `turns` of (batch, time) and where rows have something ->
        (batch, time, width).

        With `columns` (batch, number) only the states of these come out, (batch, number, width),
        and the last layer is not calculated for others.
        """
        if torch.is_autocast_enabled(states.device.type):
            states = states.to(torch.get_autocast_dtype(states.device.type))
        marks = key_marks(inside).to(states.dtype)
        for number, layer in enumerate(self.layers, start=1):
            wanted = columns if number == len(self.layers) else None
            states = layer(states, by, marks, wanted)
        return _normed(states)


class _Layer(nn.Module):
    """One layer; what it finds is added to the states."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.attended = nn.Linear(width, width, bias=False)
        self.wide = nn.Linear(width, _WIDER * width, bias=False)
        self.narrow = nn.Linear(_WIDER * width, width, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, states: Tensor, by: Turns, marks: Tensor, columns: Tensor | None = None
    ) -> Tensor:
        """(batch, time, width) -> (batch, time, width), or only some columns of it."""
        found = self._attend(_normed(states), by, marks, columns)
        if columns is not None:
            states = at_columns(states, columns)
        states = states + self.dropout(found)
        hidden = nn.functional.relu(self.wide(_normed(states))).square()
        added: Tensor = states + self.dropout(self.narrow(hidden))
        return added

    def _attend(self, states: Tensor, by: Turns, marks: Tensor, columns: Tensor | None) -> Tensor:
        """What places attend to; those of other columns are not asked."""
        batch, _, width = states.shape
        there: Turns = by
        if columns is None:
            three = self.queries_keys_values(states).chunk(3, -1)
        else:
            weight = self.queries_keys_values.weight
            asking = nn.functional.linear(at_columns(states, columns), weight[:width])
            three = (asking, *nn.functional.linear(states, weight[width:]).chunk(2, -1))
            own = torch.arange(batch, device=columns.device)[:, None], columns
            there = by[0][own], by[1][own]
        size = width // self.heads
        queries, keys, values = (part.view(batch, -1, self.heads, size) for part in three)
        found = row_attention(turned(queries, there), turned(keys, by), values, marks)
        result: Tensor = self.attended(found.reshape(batch, -1, width))
        return result


def _normed(states: Tensor) -> Tensor:
    return nn.functional.layer_norm(states, states.shape[-1:])
