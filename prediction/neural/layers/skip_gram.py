"""Skip-gram embeddings trained before the network, as TurkuNLP did in 2017 (§5.1 of the paper).

Skip-gram with negative sampling in which a token predicts its window and also all pronouns of the
target sentence, so that words which go with a pronoun come to lie near it. The pronouns are the
labels of the sentence's gaps, OTHER included. As TurkuNLP listed them for word2vecf, every epoch
has all pairs, on whatever device there is; or one pair is drawn for each token. Negatives of
pronouns are drawn evenly from all labels.

Pairs are found by arithmetic on the flat arrays of `EncodedText`, for some words at a time, so that
memory does not grow with the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.core.processes import Report, Step
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import SOURCE, Field
from crosspro.prediction.neural.reading.vocabulary import UNK, Inventory
from crosspro.prediction.neural.training.settings import SkipGramSettings


@dataclass(frozen=True)
class SkipGramPairs:
    """Words, what each predicts, and whether that is a pronoun (a class) or a word."""

    centres: Tensor
    contexts: Tensor
    to_class: Tensor


@dataclass(frozen=True)
class SkipGramText:
    """A field's words as centres: where each stands among the words around it, and its gaps.

    `low` and `high` bound the sentence of each centre; its gaps are so many labels from `first_gap`
    on. The centres of a field of gaps (aligned source words) stand at the source pronouns.
    """

    centres: Tensor
    places: Tensor
    around: Tensor
    low: Tensor
    high: Tensor
    gaps: Tensor
    first_gap: Tensor
    labels: Tensor


def skip_gram_text(
    data: EncodedText, field: Field, device: torch.device, source: str = SOURCE.name
) -> SkipGramText:
    """The text of a field on a device; `source` is the field of the source's words."""
    of_gaps = field.side == "gap"
    starts = data.target_starts if field.side == "target" else data.source_starts
    lengths = np.diff(starts)
    sentence = data.sentence if of_gaps else np.repeat(np.arange(len(lengths)), lengths)
    places = data.source_position if of_gaps else np.arange(len(sentence))
    around = data.fields[context_field(field, source)]
    known = data.label >= 0
    gaps = np.bincount(data.sentence[known], minlength=len(lengths))
    first = np.cumsum(gaps) - gaps
    columns = (
        data.fields[field.name],
        places,
        around,
        starts[:-1][sentence],
        starts[1:][sentence],
        gaps[sentence],
        first[sentence],
        data.label[known],
    )
    return SkipGramText(
        *(torch.from_numpy(np.array(column, dtype=np.int64)).to(device) for column in columns)
    )


def context_field(field: Field, source: str = SOURCE.name) -> str:
    """The field whose words a field's words predict."""
    return source if field.side == "gap" else field.name


def all_pairs(text: SkipGramText, chosen: Tensor, window: int, first_class: int) -> SkipGramPairs:
    """Every pair of the chosen centres; classes are numbered from `first_class` on."""
    device = chosen.device
    steps = torch.arange(-window, window + 1, device=device)
    neighbours = text.places[chosen][:, None] + steps[steps != 0]
    inside = (neighbours >= text.low[chosen][:, None]) & (neighbours < text.high[chosen][:, None])
    centres = text.centres[chosen]
    near = centres[:, None].expand(neighbours.shape)[inside]
    words = text.around[neighbours[inside]]
    numbers = text.gaps[chosen]
    repeated = torch.repeat_interleave(numbers)
    begun = numbers.cumsum(0) - numbers
    within = torch.arange(len(repeated), device=device) - begun[repeated]
    classes = text.labels[text.first_gap[chosen][repeated] + within] + first_class
    to_class = torch.zeros(len(words) + len(classes), dtype=torch.bool, device=device)
    to_class[len(words) :] = True
    return SkipGramPairs(
        torch.cat((near, centres[repeated])), torch.cat((words, classes)), to_class
    )


def sampled_pairs(
    text: SkipGramText,
    chosen: Tensor,
    window: int,
    first_class: int,
    pronoun_share: float,
    generator: torch.Generator,
) -> SkipGramPairs:
    """For each chosen centre a neighbour, or a pronoun of its sentence."""
    device = chosen.device

    def draw(high: Tensor | int) -> Tensor:
        share = torch.rand(len(chosen), generator=generator, device=device)
        return (share * high).long()

    distance = draw(window) + 1
    sign = draw(2) * 2 - 1
    neighbours = text.places[chosen] + distance * sign
    inside = (neighbours >= text.low[chosen]) & (neighbours < text.high[chosen])
    contexts = text.around[neighbours.clamp(0, len(text.around) - 1)]
    chance = torch.rand(len(chosen), generator=generator, device=device)
    to_class = (text.gaps[chosen] > 0) & (chance < pronoun_share)
    if len(text.labels):
        gap = text.first_gap[chosen] + draw(text.gaps[chosen])
        labels = text.labels[gap.clamp(max=len(text.labels) - 1)]
        contexts = torch.where(to_class, labels + first_class, contexts)
    keep = inside | to_class
    return SkipGramPairs(text.centres[chosen][keep], contexts[keep], to_class[keep])


_MIN_STEPS = 200
"""Steps of an epoch at least: small text gets smaller batches."""


def pretrained_embeddings(
    data: EncodedText,
    inventory: Inventory,
    fields: Sequence[Field],
    dimension: int,
    settings: SkipGramSettings,
    seed: int,
    device: torch.device,
    report: Report = lambda _: None,
) -> dict[str, Tensor]:
    """Embeddings of each field, one row a word."""
    result = {}
    classes = len(inventory.classes)
    source = next(field.name for field in fields if field.side == "source")
    for index, field in enumerate(fields):
        text = skip_gram_text(data, field, device, source)
        generator = torch.Generator(device=device).manual_seed(seed * 1009 + index)
        around = context_field(field, source)
        sizes = (inventory.size(field.name), inventory.size(around), classes)
        model = _SkipGram(*sizes, dimension, generator, device)
        noise = torch.tensor(inventory.counts(around)).to(device, torch.float) ** 0.75
        name = f"Embeddings {index + 1} of {len(fields)} ({field.name})"
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
    settings: SkipGramSettings,
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
    size = max(1, min(most, len(usable) // _MIN_STEPS))
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
