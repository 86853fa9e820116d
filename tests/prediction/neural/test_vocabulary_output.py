"""The output of a network that says words: losses in parts, and in sizes that a GPU likes."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from crosspro.prediction.neural.layers import embedding
from crosspro.prediction.neural.layers.embedding import NOTHING, VocabularyOutput, vocabulary_logits


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("step", [1, 8])
@pytest.mark.parametrize("part", [1 << 27, 30])
def test_losses_are_those_of_the_definition(weighted, smoothing, step, part, monkeypatch):
    """Whether words that do not exist fill the vocabulary up or not, and rows come in parts."""
    monkeypatch.setattr(embedding, "vocabulary_step", lambda device: step)
    monkeypatch.setattr(embedding, "_SCORES_AT_ONCE", part)
    torch.manual_seed(1)
    output, read = VocabularyOutput(5, 11), torch.randn(4, 3, 5, requires_grad=True)
    targets = torch.randint(0, 11, (4, 3))
    targets[1, 2] = NOTHING
    weights = torch.rand(11) if weighted else None
    found = output.losses(read, targets, weights, smoothing)
    expected = nn.functional.cross_entropy(
        output(read).flatten(0, 1), targets.flatten(), weights, ignore_index=NOTHING,
        reduction="none", label_smoothing=smoothing,
    ).view(4, 3)  # fmt: skip
    assert torch.allclose(found, expected, atol=1e-6)
    assert found[1, 2] == 0
    wanted = (read, output.weight, output.bias)
    ours = torch.autograd.grad(found.square().sum(), wanted)
    theirs = torch.autograd.grad(expected.square().sum(), wanted)
    for one, other in zip(ours, theirs, strict=True):
        assert torch.allclose(one, other, atol=1e-6)


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
