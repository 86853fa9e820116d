"""Several GRUs of one shape run side by side, each with weights of its own.

The eight streams of the Turku network differ in weights only. On a GPU one batched matrix product
per time step serves all of them, which is several times faster than one call per stream; on a CPU
each stream goes through torch's own GRU. As in Keras, which Turku used, a gate has one bias.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from crosspro.prediction.neural.layers.recurrent import at_place

_ALIGNMENT = 8
"""Tensor cores want rows of a multiple of 16 bytes; narrower ones are padded with zeros."""


_FILLED = 0.5
"""On a CPU, sequences that fill less of their width are packed; a packed step takes longer."""


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

    def forward(self, inputs: Iterable[Tensor], lengths: Tensor) -> Tensor:
        """(batch, time, inputs) of each stream and (streams, batch) -> (streams, batch, hidden).

        A state is taken at the true length, so padding after it never matters; a sequence of
        length 0 has the state 0.
        """
        if lengths.is_cuda:
            states = self._on_gpu(torch.stack(tuple(inputs)), lengths)
        else:
            states = self._on_cpu(inputs, lengths)
        return states * (lengths > 0)[:, :, None]

    def _on_cpu(self, inputs: Iterable[Tensor], lengths: Tensor) -> Tensor:
        states = []
        no_bias = self.biases[0].new_zeros(3 * self.hidden)
        start = self.biases[0].new_zeros(self.layers, lengths.shape[1], self.hidden)
        # Gradients of one unbinding are one copy, those of single streams a table of zeros each.
        parameters = (*self.input_weights, *self.hidden_weights, *self.biases)
        streams = zip(*(parameter.unbind(0) for parameter in parameters), strict=True)
        for stream, (sequence, own) in enumerate(zip(inputs, streams, strict=True)):
            weights = []
            for layer in range(self.layers):
                weights += [*own[layer :: self.layers], no_bias]
            shape = (True, self.layers, 0.0, self.training, False)
            sizes = lengths[stream].clamp(min=1)
            width = int(sizes.max())
            if int(sizes.sum()) > _FILLED * len(sizes) * width:
                output, _ = torch.gru(sequence[:, :width], start, weights, *shape, True)
                states.append(at_place(output, sizes - 1))
            else:
                packed = pack_padded_sequence(
                    sequence, sizes, batch_first=True, enforce_sorted=False
                )
                _, last = torch.gru(packed.data, packed.batch_sizes, start, weights, *shape)
                states.append(last[-1][packed.unsorted_indices])
        return torch.stack(states)

    def _on_gpu(self, inputs: Tensor, lengths: Tensor) -> Tensor:
        mixed = torch.is_autocast_enabled("cuda")
        kind = torch.get_autocast_dtype("cuda") if mixed else inputs.dtype
        weights = (*self.input_weights, *self.hidden_weights, *self.biases)
        with torch.autocast("cuda", enabled=False):
            return self._states(inputs.to(kind), lengths, *weights).to(inputs.dtype)

    def _states(self, inputs: Tensor, lengths: Tensor, *weights: Tensor) -> Tensor:
        count, batch, time, _ = inputs.shape
        layers, kind = self.layers, inputs.dtype
        into, recurrent, biases = weights[:layers], weights[layers:-layers], weights[-layers:]
        sequence = _wider(inputs.transpose(0, 2).transpose(1, 2), -1)
        for layer in range(layers):  # time goes first, so that a step is contiguous
            matrix = _wider(_gates_apart(into[layer], self.hidden), 2).to(kind)
            bias = _gates_apart(biases[layer], self.hidden).to(kind)
            gates = torch.matmul(sequence, matrix.transpose(1, 2)) + bias[:, None]
            matrix = _wider(_gates_apart(recurrent[layer], self.hidden), 2).to(kind)
            sequence = _recurrence(gates, matrix.transpose(1, 2))
        flat = sequence.permute(1, 2, 0, 3).reshape(count * batch, time, -1)
        last = at_place(flat, (lengths.reshape(-1) - 1).clamp(min=0)).view(count, batch, -1)
        return last[..., : self.hidden]


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
        before = torch.cat((torch.zeros_like(outputs[:1]), outputs[:-1]))
        of_weights = torch.matmul(before.transpose(2, 3), torch.stack(of_recurrent[::-1])).sum(0)
        return torch.stack(of_inputs[::-1]), of_weights
