"""The output of a network that says words: scores of a whole vocabulary, and their losses.

Scores of many words of a large vocabulary do not fit into memory all at once, so losses are
calculated in parts, whose scores gradients calculate again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from crosspro.prediction.neural.word_scores import step_of, word_scores

NOTHING = -100
"""Where a sentence has no word to say; the loss there is 0."""
_SCORES_AT_ONCE = 1 << 27
"""So many scores are one part, on a CPU."""
_BYTES_A_SCORE = 256
"""On a GPU one part has a score for so many bytes of its memory: about a tenth is used."""


class WordOutput(nn.Linear):
    """A score for each word of the vocabulary."""

    def precise_scores(self, read: Tensor, step: int = 1) -> Tensor:
        """The scores in single precision at least, as `word_scores` has them."""
        scores = word_scores(read, self.weight, self.bias, step)
        return scores.to(torch.promote_types(scores.dtype, torch.float32))

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
        step = 1 if smoothing else step_of(rows.device)  # impossible words would have a part in it
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
