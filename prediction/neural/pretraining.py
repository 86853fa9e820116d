"""Embeddings trained before the network, as TurkuNLP did in 2017 (§5.1 of the task's paper).

Skip-gram with negative sampling in which a token predicts its window and also all pronouns of the
target sentence, so that words which go with a pronoun come to lie near it. As TurkuNLP listed them
for word2vecf, every epoch has all pairs (`skip_gram_pairs`), on whatever device there is; or one
pair is drawn for each token. Negatives of pronouns are drawn evenly from all labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import torch
from torch import Tensor, nn

from crosspro.data_prep.core.processes import Report, Step
from crosspro.prediction.neural.encoding import EncodedData
from crosspro.prediction.neural.fields import Field
from crosspro.prediction.neural.network import Inventory
from crosspro.prediction.neural.sampling import batch_size
from crosspro.prediction.neural.skip_gram_pairs import (
    SkipGramText,
    all_pairs,
    context_field,
    sampled_pairs,
    skip_gram_text,
)
from crosspro.prediction.neural.vocabulary import UNK

_MIN_STEPS = 200
"""Steps of an epoch at least: small text gets smaller batches."""


@dataclass(frozen=True)
class Pretraining:
    """Settings of the skip-gram; `epochs` 0 leaves the embeddings random.

    An epoch has all pairs, or one `sampled` for each token. A batch has about `batch_size` pairs.
    `pronoun_share` is of the latter: how often a token of a sentence with gaps predicts one of them
    instead of a neighbour.
    """

    LIMITS: ClassVar[Mapping[str, tuple[float, float]]] = {"window": (1, 1000)}
    CHOICES: ClassVar[Mapping[str, tuple[str, ...]]] = {"pairs": ("all", "sampled")}

    epochs: int = 0
    pairs: str = "all"
    window: int = 5
    negatives: int = 5
    batch_size: int = 131072
    learning_rate: float = 0.003
    pronoun_share: float = 0.5


def pretrained_embeddings(
    data: EncodedData,
    inventory: Inventory,
    fields: Sequence[Field],
    dimension: int,
    settings: Pretraining,
    seed: int,
    device: torch.device,
    report: Report = lambda _: None,
) -> dict[str, Tensor]:
    """Embeddings of each field, one row a word."""
    result = {}
    classes = len(inventory.classes)
    source = next(field.name for field in fields if field.side == "source")
    for number, field in enumerate(fields):
        text = skip_gram_text(data, field, device, source)
        generator = torch.Generator(device=device).manual_seed(seed * 1009 + number)
        around = context_field(field, source)
        sizes = (inventory.size(field.name), inventory.size(around), classes)
        model = _SkipGram(*sizes, dimension, generator, device)
        noise = inventory.counts(around).to(device, torch.float) ** 0.75
        name = f"Embeddings {number + 1} of {len(fields)} ({field.name})"
        _train(model, text, noise, settings, generator, report, name)
        result[field.name] = model.words.detach().cpu()
    return result


class _SkipGram:
    """Vectors of words as centres, and of words and pronoun classes as contexts."""

    def __init__(
        self,
        words: int,
        around: int,
        classes: int,
        dimension: int,
        generator: torch.Generator,
        device: torch.device,
    ) -> None:
        scale = 0.5 / dimension
        start = torch.rand(words, dimension, generator=generator, device=device)
        self.words = ((start * 2 - 1) * scale).requires_grad_()
        self.contexts = torch.zeros(around + classes, dimension, device=device).requires_grad_()
        self.first_class = around
        self.classes = classes

    def loss(self, centres: Tensor, contexts: Tensor, negatives: Tensor) -> Tensor:
        vectors = nn.functional.embedding(centres, self.words)
        near = (vectors * nn.functional.embedding(contexts, self.contexts)).sum(-1)
        far = torch.einsum("bd,bnd->bn", vectors, nn.functional.embedding(negatives, self.contexts))
        gain = nn.functional.logsigmoid(near) + nn.functional.logsigmoid(-far).sum(-1)
        return -gain.mean()


def _train(
    model: _SkipGram,
    text: SkipGramText,
    noise: Tensor,
    settings: Pretraining,
    generator: torch.Generator,
    report: Report,
    name: str,
) -> None:
    """Train, and report each step under a name."""
    optimiser = torch.optim.Adam([model.words, model.contexts], lr=settings.learning_rate)
    device = text.centres.device
    usable = torch.nonzero(text.centres >= UNK).squeeze(1)
    every = settings.pairs == "all"
    most = max(1, settings.batch_size // (2 * settings.window)) if every else settings.batch_size
    size = batch_size(most, len(usable), _MIN_STEPS)
    steps = ceil(len(usable) / size)
    for epoch in range(settings.epochs):
        order = usable[torch.randperm(len(usable), generator=generator, device=device)]
        for step, chosen in enumerate(torch.split(order, size), start=1):
            report(Step(name, done=epoch * steps + step, total=settings.epochs * steps))
            reach = (text, chosen, settings.window, model.first_class)
            if every:
                pairs = all_pairs(*reach)
            else:
                pairs = sampled_pairs(*reach, settings.pronoun_share, generator)
            if not len(pairs.centres):
                continue
            shape = (len(pairs.centres), settings.negatives)
            negatives = torch.multinomial(
                noise, shape[0] * shape[1], replacement=True, generator=generator
            ).view(shape)
            wrong = (
                torch.randint(model.classes, shape, generator=generator, device=device)
                + model.first_class
            )
            negatives = torch.where(pairs.to_class[:, None], wrong, negatives)
            optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(model.loss(pairs.centres, pairs.contexts, negatives))
            optimiser.step()
