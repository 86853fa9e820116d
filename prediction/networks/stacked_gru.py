"""Several GRUs of one shape run side by side, each with weights of its own.

The eight streams of the Turku network differ in weights only. On a GPU one batched matrix product
per time step serves all of them, which is several times faster than one call per stream; on a CPU
each stream goes through torch's own GRU. As in Keras, which Turku used, a gate has one bias.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

_ALIGNMENT = 8
"""Tensor cores want rows of a multiple of 16 bytes; narrower ones are padded with zeros."""


class StackedGRU(nn.Module):
    """`streams` GRUs with `layers` layers; returns the last state of the top layer of each."""

    def __init__(self, streams: int, inputs: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.layers = layers
        self.input_weights = nn.ParameterList()
        self.hidden_weights = nn.ParameterList()
        self.biases = nn.ParameterList()
        for layer in range(layers):
            width = inputs if layer == 0 else hidden
            self.input_weights.append(nn.Parameter(torch.empty(streams, 3 * hidden, width)))
            self.hidden_weights.append(nn.Parameter(torch.empty(streams, 3 * hidden, hidden)))
            self.biases.append(nn.Parameter(torch.empty(streams, 3 * hidden)))
        bound = 1 / math.sqrt(hidden)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    def forward(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        """(streams, batch, time, inputs) and (streams, batch) -> (streams, batch, hidden).

        A state is taken at the true length, so padding after it never matters; a sequence of
        length 0 has the state 0.
        """
        states = self._on_gpu(inputs, lengths) if inputs.is_cuda else self._on_cpu(inputs, lengths)
        return states * (lengths > 0)[:, :, None]

    def _on_cpu(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        states = []
        no_bias = inputs.new_zeros(3 * self.hidden)
        for stream, sequence in enumerate(inputs):
            weights = []
            for layer in range(self.layers):
                weights += [self.input_weights[layer][stream], self.hidden_weights[layer][stream]]
                weights += [self.biases[layer][stream], no_bias]
            start = sequence.new_zeros(self.layers, sequence.shape[0], self.hidden)
            output, _ = torch.gru(
                sequence, start, weights, True, self.layers, 0.0, self.training, False, True
            )
            states.append(_last(output, lengths[stream]))
        return torch.stack(states)

    def _on_gpu(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        mixed = torch.is_autocast_enabled("cuda")
        kind = torch.get_autocast_dtype("cuda") if mixed else inputs.dtype
        count, batch, time, _ = inputs.shape
        sequence = _wider(inputs.to(kind).transpose(0, 2).transpose(1, 2), -1)
        for layer in range(self.layers):  # time goes first, so that a step is contiguous
            into = _wider(_gates_apart(self.input_weights[layer], self.hidden), 2).to(kind)
            bias = _gates_apart(self.biases[layer], self.hidden).to(kind)
            flat = sequence.transpose(0, 1).reshape(count, time * batch, -1)
            gates = torch.bmm(flat, into.transpose(1, 2)) + bias[:, None]
            gates = gates.view(count, time, batch, -1).transpose(0, 1).contiguous()
            weights = _wider(_gates_apart(self.hidden_weights[layer], self.hidden), 2).to(kind)
            sequence = _recurrence(gates, weights.transpose(1, 2))
        flat = sequence.permute(1, 2, 0, 3).reshape(count * batch, time, -1)
        last = _last(flat, lengths.reshape(-1)).view(count, batch, -1)
        return last[..., : self.hidden].to(inputs.dtype)


def _last(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The output at the true end of each sequence."""
    places = (lengths - 1).clamp(min=0)
    return outputs[torch.arange(len(places), device=places.device), places]


def _wider(values: Tensor, dim: int) -> Tensor:
    """Zeros behind a dimension, up to the next multiple of the alignment."""
    missing = -values.shape[dim] % _ALIGNMENT
    if not missing:
        return values
    shape = list(values.shape)
    shape[dim] = missing
    return torch.cat((values, values.new_zeros(shape)), dim)


def _gates_apart(values: Tensor, hidden: int) -> Tensor:
    """The three gates along dimension 1, each with zeros up to the alignment.

    A unit of zeros has the candidate 0 and stays 0, so padding changes nothing.
    """
    return torch.cat([_wider(gate, 1) for gate in torch.split(values, hidden, dim=1)], dim=1)


def _recurrence(gates: Tensor, weights: Tensor) -> Tensor:
    states: Tensor = _Recurrence.apply(gates, weights)  # type: ignore[no-untyped-call]
    return states


class _Recurrence(torch.autograd.Function):
    """All steps of a layer, forwards and backwards, with two kernels a step.

    Autograd over single steps would spend its time on starting kernels. Here the gradients of the
    weights are left to one product over all steps at the end.
    """

    @staticmethod
    def forward(ctx: Any, gates: Tensor, weights: Tensor) -> Tensor:
        """Gates of the input (time, streams, batch, 3·hidden) -> states of every step."""
        _, streams, batch, width = gates.shape
        hidden = width // 3
        weights = weights.contiguous()
        state = gates.new_zeros(streams, batch, hidden)
        states, workspaces = [], []
        for step in gates:
            recurrent = torch.bmm(state, weights)
            new, workspace = torch.ops.aten._thnn_fused_gru_cell(
                step.view(-1, width), recurrent.view(-1, width), state.view(-1, hidden), None, None
            )
            state = new.view(streams, batch, hidden)
            states.append(state)
            workspaces.append(workspace)
        outputs = torch.stack(states)
        ctx.save_for_backward(outputs, weights, *workspaces)
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        """Gradients of the gates and of the weights."""
        outputs, weights, *workspaces = ctx.saved_tensors
        time, streams, batch, hidden = outputs.shape
        back = weights.transpose(1, 2).contiguous()
        flowing = gradients[0][-1].contiguous()
        of_inputs, of_recurrent = [], []
        for step in range(time - 1, -1, -1):
            inputs, recurrent, previous, _, _ = torch.ops.aten._thnn_fused_gru_cell_backward(
                flowing.view(-1, hidden), workspaces[step], False
            )
            recurrent = recurrent.view(streams, batch, 3 * hidden)
            of_inputs.append(inputs.view(streams, batch, 3 * hidden))
            of_recurrent.append(recurrent)
            if step:
                flowing = previous.view(streams, batch, hidden).baddbmm_(recurrent, back)
                flowing += gradients[0][step - 1]
        all_recurrent = torch.stack(of_recurrent[::-1], dim=1)
        before = torch.cat((torch.zeros_like(outputs[:1]), outputs[:-1])).transpose(0, 1)
        of_weights = torch.bmm(
            before.reshape(streams, time * batch, hidden).transpose(1, 2),
            all_recurrent.view(streams, time * batch, 3 * hidden),
        )
        return torch.stack(of_inputs[::-1]), of_weights
