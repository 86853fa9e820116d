"""Recurrent layers over padded batches, and attention over their states."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def read(
    layers: nn.Module,
    words: Tensor,
    lengths: Tensor | None = None,
    state: Tensor | None = None,
) -> Tensor:
    """The states of a GRU or LSTM: (batch, time, inputs) -> (batch, time, directions * hidden).

    With `lengths` rows are packed, as reading backwards needs; `state` (batch, hidden) is that
    before the first word. Autocast is off, because it would run RNNs of a GPU in fp16.
    """
    with torch.autocast(words.device.type, enabled=False):
        words = words.to(next(layers.parameters()).dtype)
        if lengths is None:
            first = None if state is None else state.to(words.dtype)[None].contiguous()
            states: Tensor = layers(words, first)[0]
            return states
        packed = pack_padded_sequence(
            words, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )
        return pad_packed_sequence(
            layers(packed)[0], batch_first=True, total_length=words.shape[1]
        )[0]


def at_position(states: Tensor, positions: Tensor) -> Tensor:
    """(batch, time, width) and (batch,) -> (batch, width): the state at a position of each row."""
    return states[torch.arange(len(positions), device=positions.device), positions]


def last_states(states: Tensor, lengths: Tensor) -> Tensor:
    """The state after the last word of each row; 0 for an empty row."""
    return at_position(states, (lengths - 1).clamp(min=0)) * (lengths > 0)[:, None]


class ParallelGRUs(nn.Module):
    """GRUs of one shape, each over a sequence; a gate has one bias, as in Keras."""

    def __init__(self, count: int, inputs: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.input_weights = nn.ParameterList()
        self.hidden_weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for width in (inputs, *[hidden] * (layers - 1)):
            self.input_weights.append(nn.Parameter(torch.empty(count, 3 * hidden, width)))
            self.hidden_weights.append(nn.Parameter(torch.empty(count, 3 * hidden, hidden)))
            self.biases.append(nn.Parameter(torch.empty(count, 3 * hidden)))
        bound = 1 / math.sqrt(hidden)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, sequences: Sequence[Tensor], lengths: Sequence[Tensor]) -> Tensor:
        """(batch, time, inputs) and (batch,) of each GRU -> (count, batch, hidden)."""
        parameters = (*self.input_weights, *self.hidden_weights, *self.biases)
        weights_of_each = zip(*(parameter.unbind(0) for parameter in parameters), strict=True)
        states = [
            last_states(self._read(words, weights), size)
            for words, weights, size in zip(sequences, weights_of_each, lengths, strict=True)
        ]
        return torch.stack(states)

    def _read(self, words: Tensor, weights: Sequence[Tensor]) -> Tensor:
        """The states of one GRU; autocast is off as in `read`."""
        no_bias = self.biases[0].new_zeros(3 * self.hidden)
        by_layer = [
            weight
            for layer in range(self.layers)
            for weight in (*weights[layer :: self.layers], no_bias)
        ]
        with torch.autocast(words.device.type, enabled=False):
            words = words.to(no_bias.dtype)
            start = words.new_zeros(self.layers, len(words), self.hidden)
            # With biases; no dropout; in one direction; rows first.
            shape = True, self.layers, 0.0, self.training, False, True
            return torch.gru(words, start, by_layer, *shape)[0]


class Attention(nn.Module):
    """The mean of the states of a text, weighted by how well each fits a query."""

    def __init__(self, query: int, state: int) -> None:
        super().__init__()
        self.match = nn.Linear(query, state, bias=False)

    def forward(self, queries: Tensor, states: Tensor, inside: Tensor) -> Tensor:
        """(batch, queries, query), (batch, time, state) -> (batch, queries, state)."""
        queries = self.match(queries)
        states = states.to(queries.dtype)
        return nn.functional.scaled_dot_product_attention(
            queries, states, states, attn_mask=inside[:, None]
        )
