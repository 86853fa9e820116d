"""Embeddings of words, and the cross-entropy of words of a large vocabulary."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from crosspro.prediction.neural.reading.vocabulary import PAD

SPREAD = 0.1
"""The standard deviation of vectors at the beginning."""
NOTHING = -100
"""The target of a place without a word; the loss there is 0."""
_SCORES_AT_ONCE = 1 << 27


def small_embedding(words: int, size: int) -> nn.Embedding:
    """Small random vectors; the padding stays zero."""
    table = nn.Embedding(words, size, padding_idx=PAD)
    with torch.no_grad():
        table.weight.normal_(0, SPREAD)[PAD] = 0
    return table


def exact(scores: Tensor) -> Tensor:
    """In single precision at least: sums of probabilities in bf16 would not be 1."""
    return scores.to(torch.promote_types(scores.dtype, torch.float32))


class VocabularyOutput(nn.Linear):
    """A score for each word of the vocabulary."""

    def losses(
        self,
        states: Tensor,
        targets: Tensor,
        weights: Tensor | None = None,
        smoothing: float = 0.0,
    ) -> Tensor:
        """The cross-entropy of each word, in the shape of the targets.

        The scores of all words may not fit into memory, so they are calculated in parts, which the
        backward pass calculates again.
        """
        counted = targets != NOTHING
        rows, words = states[counted], targets[counted]

        def part_losses(rows: Tensor, words: Tensor) -> Tensor:
            return nn.functional.cross_entropy(
                exact(self(rows)), words, weights, label_smoothing=smoothing, reduction="none"
            )

        size = max(1, _SCORES_AT_ONCE // self.out_features)
        parts = list(zip(torch.split(rows, size), torch.split(words, size), strict=True))
        if len(parts) > 1 and torch.is_grad_enabled():
            losses = [checkpoint(part_losses, *part, use_reentrant=False) for part in parts]
        else:
            losses = [part_losses(*part) for part in parts]
        joined = torch.cat(losses)
        return joined.new_zeros(targets.shape).masked_scatter(counted, joined)
