"""Masked pieces are to be said again, by the vectors with which pieces are read."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.word_scores import step_of, word_scores


class MaskedWords(nn.Module):
    """What is made of states before they are compared with the vectors of pieces."""

    def __init__(self, width: int, pieces: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(pieces))

    def forward(self, states: Tensor, wanted: Tensor, vectors: Tensor) -> Tensor:
        """(batch, time, width) and the pieces (batch, time) -> their cross-entropy."""
        hidden = self.norm(nn.functional.gelu(self.dense(states)))
        scores = word_scores(hidden, vectors, self.bias, step_of(states.device))
        losses = nn.functional.cross_entropy(
            scores.float().flatten(0, 1), wanted.flatten(), reduction="none"
        )
        return losses.view(wanted.shape)
