"""Attention: what of a text matters to a query, by the product of both."""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn


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
