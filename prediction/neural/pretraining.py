"""Embeddings trained before the network, as TurkuNLP did in 2017 (004 §5.1).

Skip-gram with negative sampling in which a token predicts its window and also all pronouns of the
target sentence, so that words which go with a pronoun come to lie near it. TurkuNLP listed all such
pairs for word2vecf; here one of them is drawn for each token in each epoch, over the flat arrays of
`EncodedData`, on whatever device there is. The pronouns are the labels of the sentence's gaps,
OTHER included; their negatives are drawn evenly from all labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.prediction.neural.encoding import EncodedData
from crosspro.prediction.neural.fields import Field
from crosspro.prediction.neural.network import Inventory
from crosspro.prediction.neural.sampling import batch_size
from crosspro.prediction.neural.vocabulary import UNK

_MIN_STEPS = 200
"""Steps of an epoch at least: small text gets smaller batches."""


@dataclass(frozen=True)
class Pretraining:
    """Settings of the skip-gram; `epochs` 0 leaves the embeddings random.

    `pronoun_share` is how often a token of a sentence with gaps predicts one of them instead of a
    neighbour.
    """

    LIMITS: ClassVar[Mapping[str, tuple[float, float]]] = {"window": (1, 1000)}

    epochs: int = 0
    window: int = 5
    negatives: int = 5
    batch_size: int = 32768
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
) -> dict[str, Tensor]:
    """Embeddings of each field, one row a word."""
    result = {}
    classes = len(inventory.classes)
    for number, field in enumerate(fields):
        starts = data.source_starts if field.side == "source" else data.target_starts
        flat = torch.from_numpy(np.array(data.fields[field.name], dtype=np.int64)).to(device)
        corpus = _Corpus(flat, starts, data, device)
        generator = torch.Generator(device=device).manual_seed(seed * 1009 + number)
        size = inventory.size(field.name)
        model = _SkipGram(size, classes, dimension, generator, device)
        noise = inventory.counts(field.name).to(device, torch.float) ** 0.75
        _train(model, corpus, noise, settings, generator)
        result[field.name] = model.words.detach().cpu()
    return result


class _Corpus:
    """Sentences end to end: bounds of each token, and the gaps of its sentence."""

    def __init__(
        self,
        flat: Tensor,
        starts: np.ndarray[tuple[int], np.dtype[np.int32]],
        data: EncodedData,
        device: torch.device,
    ) -> None:
        lengths = np.diff(starts)
        sentence = np.repeat(np.arange(len(lengths)), lengths)
        known = data.label >= 0
        gaps = np.bincount(data.sentence[known], minlength=len(lengths))
        first = np.cumsum(gaps) - gaps

        def tensor(values: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Tensor:
            return torch.from_numpy(np.array(values, dtype=np.int64)).to(device)

        self.flat = flat
        self.low = tensor(starts[:-1][sentence].astype(np.int64))
        self.high = tensor(starts[1:][sentence].astype(np.int64))
        self.gaps = tensor(gaps[sentence])
        self.first_gap = tensor(first[sentence])
        self.labels = tensor(data.label[known].astype(np.int64))


class _SkipGram:
    """Vectors of words as centres, and of words and pronoun classes as contexts."""

    def __init__(
        self,
        words: int,
        classes: int,
        dimension: int,
        generator: torch.Generator,
        device: torch.device,
    ) -> None:
        scale = 0.5 / dimension
        start = torch.rand(words, dimension, generator=generator, device=device)
        self.words = ((start * 2 - 1) * scale).requires_grad_()
        self.contexts = torch.zeros(words + classes, dimension, device=device).requires_grad_()
        self.first_class = words
        self.classes = classes

    def loss(self, centres: Tensor, contexts: Tensor, negatives: Tensor) -> Tensor:
        vectors = nn.functional.embedding(centres, self.words)
        near = (vectors * nn.functional.embedding(contexts, self.contexts)).sum(-1)
        far = torch.einsum("bd,bnd->bn", vectors, nn.functional.embedding(negatives, self.contexts))
        gain = nn.functional.logsigmoid(near) + nn.functional.logsigmoid(-far).sum(-1)
        return -gain.mean()


def _train(
    model: _SkipGram,
    corpus: _Corpus,
    noise: Tensor,
    settings: Pretraining,
    generator: torch.Generator,
) -> None:
    optimiser = torch.optim.Adam([model.words, model.contexts], lr=settings.learning_rate)
    device = corpus.flat.device
    usable = torch.nonzero(corpus.flat >= UNK).squeeze(1)
    size = batch_size(settings.batch_size, len(usable), _MIN_STEPS)
    for _ in range(settings.epochs):
        order = usable[torch.randperm(len(usable), generator=generator, device=device)]
        for places in torch.split(order, size):
            centres, contexts, to_class = _pairs(model, corpus, places, settings, generator)
            if not len(centres):
                continue
            shape = (len(centres), settings.negatives)
            negatives = torch.multinomial(
                noise, shape[0] * shape[1], replacement=True, generator=generator
            ).view(shape)
            wrong = (
                torch.randint(model.classes, shape, generator=generator, device=device)
                + model.first_class
            )
            negatives = torch.where(to_class[:, None], wrong, negatives)
            optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(model.loss(centres, contexts, negatives))
            optimiser.step()


def _pairs(
    model: _SkipGram,
    corpus: _Corpus,
    places: Tensor,
    settings: Pretraining,
    generator: torch.Generator,
) -> tuple[Tensor, Tensor, Tensor]:
    """For each place a neighbour, or a pronoun of its sentence, as context."""
    device = places.device

    def draw(high: Tensor | int) -> Tensor:
        share = torch.rand(len(places), generator=generator, device=device)
        return (share * high).long()

    distance = draw(settings.window) + 1
    sign = draw(2) * 2 - 1
    neighbours = places + distance * sign
    inside = (neighbours >= corpus.low[places]) & (neighbours < corpus.high[places])
    contexts = corpus.flat[neighbours.clamp(0, len(corpus.flat) - 1)]
    chance = torch.rand(len(places), generator=generator, device=device)
    to_class = (corpus.gaps[places] > 0) & (chance < settings.pronoun_share)
    if len(corpus.labels):
        gap = corpus.first_gap[places] + draw(corpus.gaps[places])
        labels = corpus.labels[gap.clamp(max=len(corpus.labels) - 1)]
        contexts = torch.where(to_class, labels + model.first_class, contexts)
    keep = inside | to_class
    return corpus.flat[places][keep], contexts[keep], to_class[keep]
