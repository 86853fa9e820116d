"""Embeddings of words, and logits of a whole vocabulary with their cross-entropy.

Logits of many words of a large vocabulary do not fit into memory all at once, so their losses are
calculated in parts, whose logits the backward pass calculates again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from crosspro.prediction.neural.reading.vocabulary import PAD

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


def exact(scores: Tensor) -> Tensor:
    """In single precision at least: sums of probabilities in bf16 would not be 1."""
    return scores.to(torch.promote_types(scores.dtype, torch.float32))


GPU_STEP = 64
"""On a GPU there are as many scores as a multiple of this: other sizes have slow kernels."""
_IMPOSSIBLE = -30_000.0


def vocabulary_logits(read: Tensor, weight: Tensor, bias: Tensor, step: int = 1) -> Tensor:
    """(…, size) -> (…, words), and more up to a multiple of `step`, which are impossible words."""
    missing = -len(weight) % step
    if missing:
        weight = nn.functional.pad(weight, (0, 0, 0, missing))
        bias = nn.functional.pad(bias, (0, missing), value=_IMPOSSIBLE)
    return nn.functional.linear(read, weight, bias)


def vocabulary_step(device: torch.device) -> int:
    """The step of a device."""
    return GPU_STEP if device.type == "cuda" else 1


NOTHING = -100
"""Where a sentence has no word to say; the loss there is 0."""
_SCORES_AT_ONCE = 1 << 27
"""So many scores are one part, on a CPU."""
_BYTES_A_SCORE = 256
"""On a GPU one part has a score for so many bytes of its memory: about a tenth is used."""


class VocabularyOutput(nn.Linear):
    """A score for each word of the vocabulary."""

    def precise_scores(self, read: Tensor, step: int = 1) -> Tensor:
        """The scores in single precision at least, as `vocabulary_logits` has them."""
        return exact(vocabulary_logits(read, self.weight, self.bias, step))

    def losses(
        self,
        read: Tensor,
        targets: Tensor,
        weights: Tensor | None = None,
        smoothing: float = 0.0,
    ) -> Tensor:
        """The cross-entropy of each word, in the shape of the targets.

        On a CPU rows without a word cost nothing; a GPU would have to be asked where they are.
        """
        rows, wanted = read.reshape(-1, self.in_features), targets.flatten()
        said = wanted != NOTHING
        if not read.is_cuda:
            rows, wanted = rows[said], wanted[said]
        most = max(1, _scores_at_once(read.device) // self.out_features)
        parts = list(zip(torch.split(rows, most), torch.split(wanted, most), strict=True))
        calculate: Callable[..., Tensor] = partial(self._losses, weights, smoothing)
        if len(parts) > 1 and torch.is_grad_enabled():
            calculate = partial(
                checkpoint, calculate, use_reentrant=False, preserve_rng_state=False
            )
        found = torch.cat([calculate(*part) for part in parts])
        if not read.is_cuda:
            found = found.new_zeros(len(said)).masked_scatter(said, found)
        return found.view(targets.shape)

    def _losses(
        self, weights: Tensor | None, smoothing: float, rows: Tensor, wanted: Tensor
    ) -> Tensor:
        step = (
            1 if smoothing else vocabulary_step(rows.device)
        )  # impossible words would have a part in it
        scores = self.precise_scores(rows, step)
        if weights is not None:
            weights = nn.functional.pad(weights, (0, scores.shape[-1] - len(weights)))
        return nn.functional.cross_entropy(
            scores,
            wanted,
            weight=weights,
            ignore_index=NOTHING,
            label_smoothing=smoothing,
            reduction="none",
        )


def _scores_at_once(device: torch.device) -> int:
    if device.type != "cuda":
        return _SCORES_AT_ONCE
    memory: int = torch.cuda.get_device_properties(device).total_memory
    return memory // _BYTES_A_SCORE


class MaskedLanguageModel(nn.Module):
    """What is made of states before they are compared with the vectors of pieces."""

    def __init__(self, width: int, pieces: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(pieces))

    def forward(self, states: Tensor, wanted: Tensor, vectors: Tensor) -> Tensor:
        """(batch, time, width) and the pieces (batch, time) -> their cross-entropy."""
        hidden = self.norm(nn.functional.gelu(self.dense(states)))
        scores = vocabulary_logits(hidden, vectors, self.bias, vocabulary_step(states.device))
        losses = nn.functional.cross_entropy(
            scores.float().flatten(0, 1), wanted.flatten(), reduction="none"
        )
        return losses.view(wanted.shape)
