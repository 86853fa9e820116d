"""Embeddings that begin small, so that what comes after them is not saturated from the start."""

from __future__ import annotations

import torch
from torch import nn

from crosspro.prediction.neural.vocabulary import PAD

SPREAD = 0.1
"""The standard deviation of vectors at the beginning."""


def small_embedding(words: int, size: int) -> nn.Embedding:
    """Small random vectors; the padding stays zero."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    with torch.no_grad():
        table.weight.normal_(0, SPREAD)[PAD] = 0
    return table
