"""Scores of a vocabulary that is filled up to a size which suits a GPU."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from crosspro.prediction.neural.layers.embedding import vocabulary_logits


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_impossible_words_change_no_loss_and_no_gradient(kind):
    torch.manual_seed(1)
    read, wanted = torch.randn(5, 6, dtype=kind), torch.tensor([0, 10, 3, 3, 9])
    found = []
    for step in (1, 8, 64):
        weight = torch.linspace(-1, 1, 66, dtype=kind).view(11, 6).requires_grad_()
        bias = torch.linspace(0, 1, 11, dtype=kind).requires_grad_()
        scores = vocabulary_logits(read, weight, bias, step)
        assert scores.shape == (5, -(-11 // step) * step)
        losses = nn.functional.cross_entropy(scores.float(), wanted, reduction="none")
        torch.autograd.backward(losses.sum())
        found.append((losses, weight.grad, bias.grad))
    for other in found[1:]:
        for one, same in zip(found[0], other, strict=True):
            torch.testing.assert_close(one, same)
