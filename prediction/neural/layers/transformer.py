"""A transformer encoder with rotary embeddings (Su et al. 2021, RoFormer §3.2).

Queries and keys are rotated by angles that grow with their position, so the product of two of them
depends on the distance between them alone. Norms come first and have no weights; products have no
biases.
"""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn

RotaryAngles = tuple[Tensor, Tensor]
"""Cosines and sines of angles, (batch, 1, time, half the size of a head)."""
LONGEST_WAVE = 10_000.0
"""The slowest pair would turn once in about so many positions, times two pi."""
_SPREAD = 0.02
_FEED_FORWARD = 4
"""Hidden units of the feed-forward layers for each unit of a state."""


def rotary_angles(positions: Tensor, size: int) -> RotaryAngles:
    """The angles of positions (batch, time); bundled models do not rotate the slowest pair."""
    pairs = torch.arange(0, size, 2, device=positions.device, dtype=torch.float32)
    speeds = torch.where(pairs < size - 2, LONGEST_WAVE ** (-pairs / size), 0.0)
    angles = positions[:, None, :, None] * speeds
    return angles.cos(), angles.sin()


def rotated(vectors: Tensor, angles: RotaryAngles) -> Tensor:
    """(batch, heads, time, size), each rotated by the angles of its position; halves are pairs."""
    first, second = vectors.float().chunk(2, -1)
    cos, sin = angles
    turned = torch.cat((first * cos - second * sin, second * cos + first * sin), -1)
    return turned.to(vectors.dtype)


class Transformer(nn.Module):
    """Layers of self-attention and feed-forward networks, and a norm."""

    def __init__(self, width: int, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        blocks = [TransformerLayer(width, heads, dropout) for _ in range(layers)]
        for layer in blocks:
            for module in layer.modules():
                if isinstance(module, nn.Linear):
                    nn.init.normal_(module.weight, std=_SPREAD)
            for residual in (layer.attended, layer.narrow):  # what is added up begins small
                nn.init.normal_(residual.weight, std=_SPREAD / sqrt(2 * layers))
        self.layers = nn.ModuleList(blocks)

    def forward(self, states: Tensor, angles: RotaryAngles, inside: Tensor) -> Tensor:
        mask = inside[:, None, None]
        for layer in self.layers:
            states = layer(states, angles, mask)
        return _normed(states)


class TransformerLayer(nn.Module):
    """One layer, whose outputs are added to the states."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.queries_keys_values = nn.Linear(width, 3 * width, bias=False)
        self.attended = nn.Linear(width, width, bias=False)
        self.wide = nn.Linear(width, _FEED_FORWARD * width, bias=False)
        self.narrow = nn.Linear(_FEED_FORWARD * width, width, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, angles: RotaryAngles, mask: Tensor) -> Tensor:
        states = states + self.dropout(self._attend(_normed(states), angles, mask))
        hidden = nn.functional.relu(self.wide(_normed(states))).square()
        added: Tensor = states + self.dropout(self.narrow(hidden))
        return added

    def _attend(self, states: Tensor, angles: RotaryAngles, mask: Tensor) -> Tensor:
        batch, time, width = states.shape
        size = width // self.heads
        queries, keys, values = (
            part.view(batch, time, self.heads, size).transpose(1, 2)
            for part in self.queries_keys_values(states).chunk(3, -1)
        )
        queries, keys = rotated(queries, angles), rotated(keys, angles)
        queries[..., -1] = 0  # the bundled models were trained without the last number of each head
        heads = nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)
        result: Tensor = self.attended(heads.transpose(1, 2).reshape(batch, time, width))
        return result


def _normed(states: Tensor) -> Tensor:
    return nn.functional.layer_norm(states, states.shape[-1:])
