"""Skip-gram embeddings trained before the network, as TurkuNLP did in 2017 (004 §5.1).

Skip-gram with negative sampling in which a token predicts its window and also all pronouns of the
target sentence, so words that go with a pronoun come to lie near it. The pronouns are the labels of
the sentence's gaps, OTHER included. As TurkuNLP listed them for word2vecf, every epoch has all
pairs. Negatives of pronouns are drawn evenly from all labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import Field
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, Inventory
from crosspro.prediction.neural.training.settings import SkipGramSettings

_MIN_STEPS = 200
"""Steps of an epoch at least: small text gets smaller batches."""
_NOISE_POWER = 0.75


class SkipGramPairs(NamedTuple):
    """Words, what each predicts, and whether that is a pronoun (a class) or a word."""

    centres: Tensor
    contexts: Tensor
    to_class: Tensor


class SkipGramText(NamedTuple):
    """A field's words as centres, and the words around them.

    `low` and `high` bound the sentence of each centre, `gaps` counts the labels of its gaps, which
    stand in `labels` from `first_gap` on. The centres of a field of gaps (aligned source words)
    stand at the source pronouns.
    """

    centres: Tensor
    positions: Tensor
    around: Tensor
    low: Tensor
    high: Tensor
    gaps: Tensor
    first_gap: Tensor
    labels: Tensor


def skip_gram_text(text: EncodedText, field: Field, context: str) -> SkipGramText:
    starts = text.positions["target_starts" if field.side == "target" else "source_starts"]
    sentences = len(starts) - 1
    if field.side == "gap":
        sentence, positions = text.positions["sentence"], text.source.position
    else:
        sentence = torch.repeat_interleave(starts.diff())
        positions = torch.arange(len(sentence), device=starts.device)
    labelled = text.label >= 0
    gaps = torch.bincount(text.positions["sentence"][labelled], minlength=sentences)
    first_gap = gaps.cumsum(0) - gaps
    return SkipGramText(
        centres=text[field.name],
        positions=positions,
        around=text[context],
        low=starts[:-1][sentence],
        high=starts[1:][sentence],
        gaps=gaps[sentence],
        first_gap=first_gap[sentence],
        labels=text.label[labelled],
    )


def all_pairs(text: SkipGramText, chosen: Tensor, window: int, first_class: int) -> SkipGramPairs:
    """Every pair of the chosen centres; classes are numbered from `first_class` on."""
    steps = torch.arange(-window, window + 1, device=chosen.device)
    neighbours = text.positions[chosen][:, None] + steps[steps != 0]
    inside = (neighbours >= text.low[chosen][:, None]) & (neighbours < text.high[chosen][:, None])
    centres = text.centres[chosen]
    near = centres[:, None].expand(neighbours.shape)[inside]
    words = text.around[neighbours[inside]]
    counts = text.gaps[chosen]
    owner = torch.repeat_interleave(counts)
    within = torch.arange(len(owner), device=chosen.device) - (counts.cumsum(0) - counts)[owner]
    classes = text.labels[text.first_gap[chosen][owner] + within] + first_class
    to_class = torch.arange(len(words) + len(classes), device=chosen.device) >= len(words)
    return SkipGramPairs(torch.cat((near, centres[owner])), torch.cat((words, classes)), to_class)


def pretrain_embeddings(
    embeddings: nn.ModuleDict,
    text: EncodedText,
    inventory: Inventory,
    fields: Sequence[Field],
    settings: SkipGramSettings,
    seed: int,
) -> None:
    """Train the embeddings of each field, on the device of the text."""
    device, classes = text.label.device, len(inventory.classes)
    source = next(field.name for field in fields if field.side == "source")
    for number, field in enumerate(fields):
        context = source if field.side == "gap" else field.name
        generator = torch.Generator(device).manual_seed(seed * 1009 + number)
        table: Any = embeddings[field.name]
        start = torch.rand(table.weight.shape, generator=generator, device=device)
        words = ((start * 2 - 1) * 0.5 / table.embedding_dim).requires_grad_()
        counts = torch.tensor(inventory.counts(context), dtype=torch.float, device=device)
        of_field = skip_gram_text(text, field, context)
        # Contexts are words and pronoun classes, in that order.
        contexts = words.new_zeros(len(counts) + classes, words.shape[1]).requires_grad_()
        optimiser = torch.optim.Adam([words, contexts], lr=settings.learning_rate)
        usable = torch.nonzero(of_field.centres >= UNK).squeeze(1)
        size = min(settings.batch_size // (2 * settings.window), len(usable) // _MIN_STEPS)
        for _ in range(settings.epochs):
            order = torch.randperm(len(usable), generator=generator, device=device)
            for chosen in torch.split(usable[order], max(1, size)):
                pairs = all_pairs(of_field, chosen, settings.window, len(counts))
                if not len(pairs.centres):
                    continue
                negatives = _negatives(pairs, counts, classes, settings.negatives, generator)
                optimiser.zero_grad(set_to_none=True)
                torch.autograd.backward(_loss(words, contexts, pairs, negatives))
                optimiser.step()
        with torch.no_grad():
            table.weight.copy_(words)[PAD] = 0


def _negatives(
    pairs: SkipGramPairs, counts: Tensor, classes: int, number: int, generator: torch.Generator
) -> Tensor:
    """(pairs, number): frequent words, or any classes where the pair has a class."""
    shape = len(pairs.centres), number
    frequent = torch.multinomial(
        counts**_NOISE_POWER, shape[0] * shape[1], replacement=True, generator=generator
    )
    drawn = torch.randint(classes, shape, generator=generator, device=counts.device)
    return torch.where(pairs.to_class[:, None], drawn + len(counts), frequent.view(shape))


def _loss(words: Tensor, contexts: Tensor, pairs: SkipGramPairs, negatives: Tensor) -> Tensor:
    """The mean negative log-likelihood of pairs against `negatives` (pairs, negatives)."""
    embed = nn.functional.embedding
    vectors = embed(pairs.centres, words)
    near = (vectors * embed(pairs.contexts, contexts)).sum(-1)
    far = torch.einsum("bd,bnd->bn", vectors, embed(negatives, contexts))
    gain = nn.functional.logsigmoid(near) + nn.functional.logsigmoid(-far).sum(-1)
    return -gain.mean()
