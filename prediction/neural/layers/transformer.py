"""A transformer encoder with rotary embeddings over rows of different lengths.

Rotary embeddings (Su et al. 2021, RoFormer §3.2) turn queries and keys by angles that grow with
their position, so that the product of two of them depends on the distance between them alone.
Without it attention to a neighbour has to be learnt for each position of a row.

Rows are filled up to a common width. What fills them up is masked without a mask, which the fastest
kernels do not take: the last number of each head is no part of what is learnt, but says of a key
whether it is within its row. It is not rotated, is 1 in every query, and far below 0 in the keys of
padding, whose part of a softmax is then 0, to the last digit. So states within rows are the same
whatever a row is put together with. The slowest pair of numbers is therefore not rotated at all.

Norms come first, so that gradients stay healthy. They have no weights, since products behind them
can scale by themselves, and products no biases: adding up the gradients of all places for each of
these few numbers took a GPU longer than most products.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import sqrt

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from crosspro.prediction.neural.layers.recurrent import at_columns

_LONGEST = 10_000.0
"""The slowest pair of numbers would turn once in about so many positions, times two pi."""

RotaryAngles = tuple[Tensor, Tensor]
"""Cosines and sines of angles, (batch, time, 1, half the size of a head)."""


def rotary_angles(positions: Tensor, size: int) -> RotaryAngles:
    """The angles of positions (batch, time), for heads of an even size."""
    pairs = torch.arange(0, size, 2, device=positions.device, dtype=torch.float32)
    speeds = torch.where(pairs < size - 2, _LONGEST ** (-pairs / size), 0.0)
    angles = positions[..., None, None] * speeds
    return angles.cos(), angles.sin()


def rotated(vectors: Tensor, by: RotaryAngles) -> Tensor:
    """(batch, time, heads, size), each rotated by the angles of its position.

    A number of the first half and one of the second are rotated together. On a CPU they come out
    side by side, since products of complex numbers are its fastest way; products of two such
    vectors are the same in any order.
    """
    first, second = vectors.float().chunk(2, -1)
    if vectors.is_cuda:
        cos, sin = by
        parts = torch.cat((first * cos - second * sin, second * cos + first * sin), -1)
    else:
        pairs = torch.complex(first, second)
        pairs *= torch.complex(*by)
        parts = torch.view_as_real(pairs).flatten(-2)
    return parts.to(vectors.dtype)


_AWAY = -3e4
"""In the keys of filling: far below products of what is learnt, and within half precision."""
_KERNELS = (
    SDPBackend.CUDNN_ATTENTION,
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
)
"""From the fastest to the one that is everywhere; torch by itself would try the first one last."""


@contextmanager
def fastest_kernels(device: torch.device) -> Iterator[None]:
    """Where attention on a GPU takes the fastest kernel that there is."""
    if device.type != "cuda":
        yield
        return
    with sdpa_kernel(list(_KERNELS), set_priority=True):
        yield


def padding_marks(inside: Tensor) -> Tensor:
    """Where rows have something (batch, time) -> the last number of keys (batch, time, 1)."""
    return torch.where(inside, 0.0, _AWAY)[..., None]


def masked_attention(queries: Tensor, keys: Tensor, values: Tensor, marks: Tensor) -> Tensor:
    """(batch, number, heads, size) and twice (batch, time, heads, size) -> that of the queries.

    The last numbers of queries and keys are written over.
    """
    queries[..., -1] = 1.0
    keys[..., -1] = marks
    query, key, value = (part.transpose(1, 2) for part in (queries, keys, values))
    found = nn.functional.scaled_dot_product_attention(query, key, value)
    return found.transpose(1, 2)


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
        self, states: Tensor, by: RotaryAngles, inside: Tensor, columns: Tensor | None = None
    ) -> Tensor:
        """(batch, time, width), rotary angles of (batch, time) and where rows have something ->
        (batch, time, width).

        With `columns` (batch, number) only the states of these come out, (batch, number, width),
        and the last layer is not calculated for others.
        """
        if torch.is_autocast_enabled(states.device.type):
            states = states.to(torch.get_autocast_dtype(states.device.type))
        marks = padding_marks(inside).to(states.dtype)
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
        self, states: Tensor, by: RotaryAngles, marks: Tensor, columns: Tensor | None = None
    ) -> Tensor:
        """(batch, time, width) -> (batch, time, width), or only some columns of it."""
        found = self._attend(_normed(states), by, marks, columns)
        if columns is not None:
            states = at_columns(states, columns)
        states = states + self.dropout(found)
        hidden = nn.functional.relu(self.wide(_normed(states))).square()
        added: Tensor = states + self.dropout(self.narrow(hidden))
        return added

    def _attend(
        self, states: Tensor, by: RotaryAngles, marks: Tensor, columns: Tensor | None
    ) -> Tensor:
        """What places attend to; those of other columns are not asked."""
        batch, _, width = states.shape
        there: RotaryAngles = by
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
        found = masked_attention(rotated(queries, there), rotated(keys, by), values, marks)
        result: Tensor = self.attended(found.reshape(batch, -1, width))
        return result


def _normed(states: Tensor) -> Tensor:
    return nn.functional.layer_norm(states, states.shape[-1:])
