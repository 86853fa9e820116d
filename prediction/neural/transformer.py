"""A transformer encoder over rows of different lengths: norms come first, gradients stay healthy.

Rows are filled up to a common width; attention leaves out what fills them up, so that a row gives
the same states whatever it is put together with. No length leaves the device.
"""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn

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
                    nn.init.zeros_(module.bias)
            for last in (layer.attended, layer.narrow):  # what is added up begins small
                nn.init.normal_(last.weight, std=_SPREAD / sqrt(2 * layers))
        self.layers = nn.ModuleList(made)
        self.norm = nn.LayerNorm(width)

    def forward(self, states: Tensor, inside: Tensor) -> Tensor:
        """(batch, time, width) and (batch, time) -> (batch, time, width)."""
        mask = inside[:, None, None]
        for layer in self.layers:
            states = layer(states, mask)
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

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, time, width) and (batch, 1, 1, time) -> (batch, time, width)."""
        states = states + self.dropout(self._attend(self.attention_norm(states), mask))
        hidden = nn.functional.gelu(self.wide(self.norm(states)))
        added: Tensor = states + self.dropout(self.narrow(hidden))
        return added

    def _attend(self, states: Tensor, mask: Tensor) -> Tensor:
        batch, time, width = states.shape
        parts = self.queries_keys_values(states).view(batch, time, 3, self.heads, -1)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4).unbind(0)
        found = nn.functional.scaled_dot_product_attention(
            queries, keys, values, attn_mask=mask.expand(-1, -1, time, -1)
        )
        result: Tensor = self.attended(found.transpose(1, 2).reshape(batch, time, width))
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
