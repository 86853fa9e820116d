"""A transformer encoder over rows of different lengths: norms come first, gradients stay healthy.

Rows are filled up to a common width; attention leaves out what fills them up (`row_attention`), so
that a row gives the same states whatever it is put together with. It knows how far places are apart
(`rotary_positions`).
"""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.rotary_positions import Turns, turned, turns
from crosspro.prediction.neural.row_attention import (
    has_kernel,
    masked_attention,
    sequence_attention,
    sequence_bounds,
    some_asking,
)
from crosspro.prediction.neural.sentence_reader import at_columns, inside

_SPREAD = 0.02
_WIDER = 4
"""Hidden units of the feed-forward layers for each unit of a state."""


class Transformer(nn.Module):
    """Layers of self-attention and feed-forward networks, and a norm.

    `attention` is one of `row_attention.WAYS`; if it is empty, sequences where they have a kernel.
    """

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.attention = ""
        self.head = width // heads
        made = [_Layer(width, heads, dropout) for _ in range(layers)]
        for layer in made:
            for module in layer.modules():
                if isinstance(module, nn.Linear):
                    nn.init.normal_(module.weight, std=_SPREAD)
                    nn.init.zeros_(module.bias)
            for last in (layer.attended, layer.narrow):  # what is added up begins small
                nn.init.normal_(last.weight, std=_SPREAD / sqrt(2 * layers))
        self.layers = nn.ModuleList(made)
        self.norm = nn.LayerNorm(width)

    def turns(self, positions: Tensor) -> Turns:
        """By how much positions (batch, time) are turned.

        Not part of `forward`: a compiler would calculate angles again wherever they are needed.
        """
        return turns(positions, self.head)

    def in_sequences(self, device: torch.device) -> bool:
        """Whether attention there takes sequences; else it takes rows and a mask."""
        if self.attention:
            return self.attention == "sequences"
        mixed = torch.is_autocast_enabled(device.type)
        kind = torch.get_autocast_dtype(device.type) if mixed else self.norm.weight.dtype
        return has_kernel(device, kind, self.head)

    def forward(
        self,
        states: Tensor,
        by: Turns,
        lengths: Tensor,
        in_sequences: bool,
        columns: Tensor | None = None,
    ) -> Tensor:
        """(batch, time, width), the `turns` of (batch, time) and (batch,) -> (batch, time, width).

        With `columns` (batch, number) only the states of these come out, (batch, number, width),
        and the last layer is not calculated for others.
        """
        time = states.shape[1]
        parts = sequence_bounds(lengths, time) if in_sequences else inside(lengths, time)
        for number, layer in enumerate(self.layers, start=1):
            wanted = columns if number == len(self.layers) else None
            states = layer(states, by, parts, in_sequences, wanted)
        normed: Tensor = self.norm(states)
        return normed


class _Layer(nn.Module):
    """One layer; what it finds is added to the states."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.wide = nn.Linear(width, _WIDER * width)
        self.narrow = nn.Linear(_WIDER * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        states: Tensor,
        by: Turns,
        parts: Tensor,
        in_sequences: bool,
        columns: Tensor | None = None,
    ) -> Tensor:
        """(batch, time, width) -> (batch, time, width), or only some columns of it."""
        normed = self.attention_norm(states)
        if columns is None:
            found = self._attend(normed, by, parts, in_sequences)
        else:
            found = self._attend_at(columns, normed, by, parts, in_sequences)
            states = at_columns(states, columns)
        states = states + self.dropout(found)
        hidden = nn.functional.gelu(self.wide(self.norm(states)))
        added: Tensor = states + self.dropout(self.narrow(hidden))
        return added

    def _attend(self, states: Tensor, by: Turns, parts: Tensor, in_sequences: bool) -> Tensor:
        """`parts` are bounds of sequences, or what is inside rows."""
        batch, time, width = states.shape
        three = self.queries_keys_values(states).view(batch, time, 3, self.heads, -1)
        queries, keys = turned(three[:, :, :2].flatten(2, 3), by).chunk(2, 2)
        attend = sequence_attention if in_sequences else masked_attention
        found = attend(queries, keys, three[:, :, 2], parts)
        result: Tensor = self.attended(found.reshape(batch, time, width))
        return result

    def _attend_at(
        self, columns: Tensor, states: Tensor, by: Turns, parts: Tensor, in_sequences: bool
    ) -> Tensor:
        """The same for some columns: others are not asked what they attend to."""
        batch, time, width = states.shape
        weight, bias = self.queries_keys_values.weight, self.queries_keys_values.bias
        chosen = at_columns(states, columns)
        asked = nn.functional.linear(chosen, weight[:width], bias[:width])
        queries = asked.view(batch, -1, self.heads, width // self.heads)
        two = nn.functional.linear(states, weight[width:], bias[width:])
        keys, values = two.view(batch, time, 2, self.heads, -1).unbind(2)
        own = torch.arange(batch, device=columns.device)[:, None], columns
        queries = turned(queries, (by[0][own], by[1][own]))
        keys = turned(keys, by)
        if in_sequences:
            asking = some_asking(batch, columns.shape[1], parts)
            found = sequence_attention(queries, keys, values, parts, asking)
        else:
            found = masked_attention(queries, keys, values, parts)
        result: Tensor = self.attended(found.reshape(batch, -1, width))
        return result


def few_rows(table: nn.Embedding, numbers: Tensor) -> Tensor:
    """The vectors of a small table.

    In training as a product with ones and zeros: gradients of an embedding are added up one by one
    on a GPU, and thousands of them would wait for each other at the same row.
    """
    if not table.training:
        found: Tensor = table(numbers)
        return found
    rows = torch.arange(table.num_embeddings, device=numbers.device)
    return (numbers[..., None] == rows).to(table.weight.dtype) @ table.weight
