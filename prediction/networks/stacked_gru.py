"""Several GRUs of one shape run side by side, each with weights of its own.

The eight streams of the Turku network differ in weights only. On a GPU one batched matrix product
per time step serves all of them, which is several times faster than one call per stream; on a CPU
each stream goes through torch's own GRU.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class StackedGRU(nn.Module):
    """`streams` GRUs with `layers` layers; returns the last state of the top layer of each."""

    def __init__(self, streams: int, inputs: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.layers = layers
        self.input_weights = nn.ParameterList()
        self.hidden_weights = nn.ParameterList()
        self.input_biases = nn.ParameterList()
        self.hidden_biases = nn.ParameterList()
        for layer in range(layers):
            width = inputs if layer == 0 else hidden
            self.input_weights.append(nn.Parameter(torch.empty(streams, 3 * hidden, width)))
            self.hidden_weights.append(nn.Parameter(torch.empty(streams, 3 * hidden, hidden)))
            self.input_biases.append(nn.Parameter(torch.empty(streams, 3 * hidden)))
            self.hidden_biases.append(nn.Parameter(torch.empty(streams, 3 * hidden)))
        bound = 1 / math.sqrt(hidden)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """(streams, batch, time, inputs) and (streams, batch) -> (streams, batch, hidden).

        A state is taken at the true length, so padding after it never matters; a sequence of
        length 0 has the state 0.
        """
        outputs = self._on_gpu(inputs) if inputs.is_cuda else self._on_cpu(inputs)
        last = (lengths - 1).clamp(min=0)[:, :, None, None].expand(-1, -1, 1, self.hidden)
        states = outputs.gather(2, last).squeeze(2)
        return states * (lengths > 0)[:, :, None]

    def _on_cpu(self, inputs: Tensor) -> Tensor:
        streams = []
        for stream, sequence in enumerate(inputs):
            weights = [
                parameter[stream]
                for layer in range(self.layers)
                for parameter in (
                    self.input_weights[layer],
                    self.hidden_weights[layer],
                    self.input_biases[layer],
                    self.hidden_biases[layer],
                )
            ]
            start = sequence.new_zeros(self.layers, sequence.shape[0], self.hidden)
            output, _ = torch.gru(
                sequence, start, weights, True, self.layers, 0.0, self.training, False, True
            )
            streams.append(output)
        return torch.stack(streams)

    def _on_gpu(self, inputs: Tensor) -> Tensor:
        count, batch, time, _ = inputs.shape
        sequence = inputs
        for layer in range(self.layers):
            # Gates of all time steps at once; time goes first, so that a step is contiguous.
            flat = sequence.reshape(count, batch * time, -1)
            bias = (self.input_biases[layer] + _resettable(self.hidden_biases[layer])).unsqueeze(1)
            gates = torch.baddbmm(bias, flat, self.input_weights[layer].transpose(1, 2))
            gates = gates.view(count, batch, time, -1).permute(2, 0, 1, 3).contiguous()
            weights = self.hidden_weights[layer].transpose(1, 2)
            candidate_bias = _candidate(self.hidden_biases[layer]).unsqueeze(1).to(gates.dtype)
            state = gates.new_zeros(count, batch, self.hidden)
            states = []
            for step in gates.unbind(0):
                recurrent = torch.baddbmm(candidate_bias, state, weights)
                state = _cell(step, recurrent, state)
                states.append(state)
            sequence = torch.stack(states, dim=2)
        return sequence


def _resettable(bias: Tensor) -> Tensor:
    """The hidden biases of the reset and update gates, which may be added to the input's."""
    third = bias.shape[-1] // 3
    return torch.cat((bias[..., : 2 * third], torch.zeros_like(bias[..., 2 * third :])), dim=-1)


def _candidate(bias: Tensor) -> Tensor:
    """The hidden bias of the candidate, which the reset gate multiplies."""
    third = bias.shape[-1] // 3
    return torch.cat((torch.zeros_like(bias[..., : 2 * third]), bias[..., 2 * third :]), dim=-1)


def _cell(inputs: Tensor, recurrent: Tensor, state: Tensor) -> Tensor:
    """One GRU step for all streams in a single fused kernel."""
    shape = state.shape
    new, _ = torch.ops.aten._thnn_fused_gru_cell(
        inputs.reshape(-1, inputs.shape[-1]),
        recurrent.reshape(-1, recurrent.shape[-1]).to(inputs.dtype),
        state.reshape(-1, shape[-1]),
        None,
        None,
    )
    result: Tensor = new.view(shape)
    return result
