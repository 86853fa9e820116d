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
        device = self.biases[0].device
        with torch.autocast(device.type, enabled=False):
            words = [sequence.to(self.biases[0].dtype) for sequence in sequences]
            outputs = self._joined(words) if device.type == "cuda" else self._one_by_one(words)
        return torch.stack([last_states(*each) for each in zip(outputs, lengths, strict=True)])

    def _one_by_one(self, sequences: Sequence[Tensor]) -> Sequence[Tensor]:
        parameters = (*self.input_weights, *self.hidden_weights, *self.biases)
        weights_of_each = zip(*(parameter.unbind(0) for parameter in parameters), strict=True)
        no_bias = self.biases[0].new_zeros(3 * self.hidden)
        outputs = []
        for words, weights in zip(sequences, weights_of_each, strict=True):
            by_layer = [
                weight
                for layer in range(self.layers)
                for weight in (*weights[layer :: self.layers], no_bias)
            ]
            outputs.append(self._gru(words, by_layer, self.hidden))
        return outputs

    def _joined(self, sequences: Sequence[Tensor]) -> Sequence[Tensor]:
        """The same by one GRU whose weights are blocks on the diagonal.

        On a GPU products with zeros cost less than starting the kernels of each GRU in turn.
        """
        count, time = len(sequences), max(words.shape[1] for words in sequences)
        padded = [nn.functional.pad(words, (0, 0, 0, time - words.shape[1])) for words in sequences]
        by_layer = []
        for layer in range(self.layers):
            for weight in (self.input_weights[layer], self.hidden_weights[layer]):
                gates = weight.view(count, 3, self.hidden, -1).unbind(1)
                blocks = [torch.block_diag(*gate) for gate in gates]  # type: ignore[no-untyped-call]
                by_layer.append(torch.cat(blocks))
            bias = self.biases[layer].view(count, 3, self.hidden).transpose(0, 1).flatten()
            by_layer += [bias, torch.zeros_like(bias)]
        output = self._gru(torch.cat(padded, -1), by_layer, count * self.hidden)
        return output.chunk(count, -1)

    def _gru(self, words: Tensor, weights: list[Tensor], hidden: int) -> Tensor:
        start = words.new_zeros(self.layers, len(words), hidden)
        # With biases; no dropout; in one direction; rows first.
        shape = True, self.layers, 0.0, self.training, False, True
        return torch.gru(words, start, weights, *shape)[0]


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
