"""Embeddings that begin small, so that what comes after them is not saturated from the start, and
vectors of tables so small that many gradients meet at one row."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.vocabulary import PAD

SPREAD = 0.1
"""The standard deviation of vectors at the beginning."""


def small_embedding(words: int, size: int) -> nn.Embedding:
    """Small random vectors; the padding stays zero."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    with torch.no_grad():
        table.weight.normal_(0, SPREAD)[PAD] = 0
    return table


def few_rows(table: nn.Embedding, numbers: Tensor) -> Tensor:
    """The vectors of a small table.

    In training as a product with ones and zeros: gradients of an embedding are added up one by one
    on a GPU, and thousands of them would wait for each other at the same row.
    """
    if not table.training:
        found: Tensor = table(numbers)
        return found
    rows = torch.arange(table.num_embeddings, device=numbers.device)
    return (numbers[..., None] == rows).to(table.weight.dtype) @ table.weight
