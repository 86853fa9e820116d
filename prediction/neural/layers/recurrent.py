"""Recurrent layers over sentences of different lengths in both directions, and attention over them.

A sentence stands at the beginning of its row. Read backwards it is turned within its length, so
that what fills the row comes last in both directions and changes nothing; no length leaves the
device on which it lies, and a GPU is never waited for.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from crosspro.prediction.neural.reading.tensors import inside


class BidirectionalGRU(nn.Module):
    """Layers of two GRUs, one for each direction; both states of each word side by side."""

    def __init__(self, inputs: int, hidden: int, layers: int = 1, dropout: float = 0.0) -> None:
        super().__init__()
        widths = [inputs, *[2 * hidden] * (layers - 1)]
        self.forwards, self.backwards = (
            nn.ModuleList(nn.GRU(width, hidden, batch_first=True) for width in widths)
            for _ in range(2)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, words: Tensor, lengths: Tensor) -> Tensor:
        """(batch, time, inputs) and (batch,) -> (batch, time, 2·hidden)."""
        places = turned_places(lengths, words.shape[1])
        states = words
        for layer, (onwards, back) in enumerate(zip(self.forwards, self.backwards, strict=True)):
            states = self.dropout(states) if layer else states
            there = read(onwards, states)
            again = read(back, turned(states, places))
            states = torch.cat((there, turned(again, places)), -1)
        return states


def read(gru: nn.Module, words: Tensor, start: Tensor | None = None) -> Tensor:
    """The states after each word, (batch, time, hidden), from the states (batch, hidden) on.

    They are those of the weights' precision: whatever autocast was asked for, torch has GRUs of a
    GPU calculate in fp16, in which small gradients vanish.
    """
    kind = next(gru.parameters()).dtype
    with torch.autocast(words.device.type, enabled=False):
        first = None if start is None else start.to(kind)[None].contiguous()
        states: Tensor = gru(words.to(kind), first)[0]
    return states


def states_both_ways(
    lstm: nn.LSTM, words: Tensor, lengths: Tensor, unpacked: bool = False
) -> Tensor:
    """The states of a bidirectional LSTM, (batch, time, 2·hidden); what fills rows up has any.

    Rows are packed, or `unpacked` where a GPU would be waited for to know their lengths.
    """
    if unpacked:
        return _unpacked_states(lstm, words, lengths)
    packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=words.shape[1])[0]


_SHUT = -3e4
_ALIGNMENT = 8
"""Products whose rows are no multiple of it are several times slower on a GPU."""


def _unpacked_states(lstm: nn.LSTM, words: Tensor, lengths: Tensor) -> Tensor:
    """The same with a few more inputs, which shut the input gate in what fills rows up.

    So states that are read backwards are 0 up to the last word, as if they began there. Precision
    is that of the weights (see `read`).
    """
    hidden, kind = lstm.hidden_size, next(lstm.parameters()).dtype
    outside = (~inside(lengths, words.shape[1])).to(kind)[:, :, None]
    start = words.new_zeros(2, len(words), hidden, dtype=kind)
    states = words
    with torch.autocast(words.device.type, enabled=False):
        for layer in range(lstm.num_layers):
            if layer:
                states = nn.functional.dropout(states, lstm.dropout, lstm.training)
            more = _ALIGNMENT - states.shape[-1] % _ALIGNMENT
            shut = start.new_zeros(4 * hidden, more)
            shut[:hidden] = _SHUT
            weights = []
            for into, *others in lstm.all_weights[2 * layer : 2 * layer + 2]:
                weights += [torch.cat((into, shut), 1), *others]
            inputs = torch.cat((states.to(kind), outside.expand(-1, -1, more)), -1)
            how = True, 1, 0.0, lstm.training, True, True
            states = torch.lstm(inputs, (start, start), weights, *how)[0]
    return states


def at_place(states: Tensor, places: Tensor) -> Tensor:
    """(batch, time, width) and (batch,) -> (batch, width): the state at a place of each row."""
    return states[torch.arange(len(places), device=places.device), places]


def last_states(states: Tensor, lengths: Tensor) -> Tensor:
    """The state after the last word of each row; 0 where there is none."""
    return at_place(states, (lengths - 1).clamp(min=0)) * (lengths > 0)[:, None]


def turned_places(lengths: Tensor, width: int) -> Tensor:
    """Where each place of a row comes from if its words are turned; the rest stays."""
    places = torch.arange(width, device=lengths.device).expand(len(lengths), width)
    back = lengths[:, None] - 1 - places
    return torch.where(back >= 0, back, places)


def turned(values: Tensor, places: Tensor) -> Tensor:
    """The rows (batch, time, size) with their words turned."""
    result: Tensor = _Turn.apply(values, places)  # type: ignore[no-untyped-call]
    return result


class _Turn(torch.autograd.Function):
    """Turning twice changes nothing, so gradients are turned too.

    What autograd makes of an index would add them up, which takes a sort to be deterministic.
    """

    @staticmethod
    def forward(ctx: Any, values: Tensor, places: Tensor) -> Tensor:
        """The words where they go."""
        ctx.save_for_backward(places)
        return at_columns(values, places)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """The gradients where they came from."""
        (places,) = ctx.saved_tensors
        return at_columns(gradients[0], places), None


def at_columns(states: Tensor, columns: Tensor) -> Tensor:
    """(batch, time, width) and (batch, number) -> (batch, number, width)."""
    return states.gather(1, columns[:, :, None].expand(-1, -1, states.shape[-1]))


class Attention(nn.Module):
    """The mean of the states of a text, weighted by how well each fits a query.

    Every query is answered at once, so a decoder whose states do not depend on the answers needs no
    loop over its steps.
    """

    def __init__(self, query: int, state: int) -> None:
        super().__init__()
        self.match = nn.Linear(query, state, bias=False)
        self.scale = 1 / sqrt(state)

    def forward(self, queries: Tensor, states: Tensor, inside: Tensor) -> Tensor:
        """(batch, queries, query), (batch, time, state) and (batch, time) -> (…, queries, state).

        `inside` says where there is a text; where there is none at all, the answer is 0.
        """
        fits = torch.matmul(self.match(queries) * self.scale, states.transpose(1, 2))
        outside = ~inside[:, None]
        fits = fits.masked_fill(outside, torch.finfo(fits.dtype).min)
        shares = torch.softmax(fits, -1).masked_fill(outside, 0.0)
        return torch.matmul(shares.to(states.dtype), states)
