"""Skip-gram embeddings trained before the network, as TurkuNLP did in 2017 (004 §5.1).

Skip-gram with negative sampling in which a token predicts its window and also all pronouns of the
target sentence, so words that go with a pronoun come to lie near it. The pronouns are the labels of
the sentence's gaps, OTHER included. As TurkuNLP listed them for word2vecf, every epoch has all
pairs; or one pair is drawn for each token. Negatives of pronouns are drawn evenly from all labels.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import torch
from torch import Tensor, nn
from tqdm import tqdm

from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.fields import Field
from crosspro.prediction.neural.reading.vocabulary import UNK, Inventory
from crosspro.prediction.neural.training.settings import SkipGramSettings

_MIN_STEPS = 200
"""Steps of an epoch at least: small text gets smaller batches."""
_NOISE_POWER = 0.75


@dataclass(frozen=True)
class SkipGramPairs:
    """Words, what each predicts, and whether that is a pronoun (a class) or a word."""

    centres: Tensor
    contexts: Tensor
    to_class: Tensor


@dataclass(frozen=True)
class SkipGramText:
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
    """The text of a field, whose words predict those of the field `context`."""
    starts = text.positions["target_starts" if field.side == "target" else "source_starts"]
    sentences = len(starts) - 1
    if field.side == "gap":
        sentence, positions = text.positions["sentence"], text.source.position
    else:
        sentence = torch.repeat_interleave(starts.diff())
        positions = torch.arange(len(sentence), device=starts.device)
    known = text.label >= 0
    gaps = torch.bincount(text.positions["sentence"][known], minlength=sentences)
    first_gap = gaps.cumsum(0) - gaps
    return SkipGramText(
        centres=text[field.name],
        positions=positions,
        around=text[context],
        low=starts[:-1][sentence],
        high=starts[1:][sentence],
        gaps=gaps[sentence],
        first_gap=first_gap[sentence],
        labels=text.label[known],
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


def sampled_pairs(
    text: SkipGramText,
    chosen: Tensor,
    window: int,
    first_class: int,
    pronoun_share: float,
    generator: torch.Generator,
) -> SkipGramPairs:
    """For each chosen centre a neighbour, or a pronoun of its sentence."""

    def random() -> Tensor:
        return torch.rand(len(chosen), generator=generator, device=chosen.device)

    distance = (random() * window).long() + 1
    sign = (random() * 2).long() * 2 - 1
    neighbours = text.positions[chosen] + distance * sign
    inside = (neighbours >= text.low[chosen]) & (neighbours < text.high[chosen])
    contexts = text.around[neighbours.clamp(0, len(text.around) - 1)]
    to_class = (text.gaps[chosen] > 0) & (random() < pronoun_share)
    if len(text.labels):
        gap = text.first_gap[chosen] + (random() * text.gaps[chosen]).long()
        labels = text.labels[gap.clamp(max=len(text.labels) - 1)]
        contexts = torch.where(to_class, labels + first_class, contexts)
    keep = inside | to_class
    return SkipGramPairs(text.centres[chosen][keep], contexts[keep], to_class[keep])


def pretrained_embeddings(
    text: EncodedText,
    inventory: Inventory,
    fields: Sequence[Field],
    dimension: int,
    settings: SkipGramSettings,
    seed: int,
    progress: bool = False,
) -> dict[str, Tensor]:
    """Embeddings of each field, one row a word, trained where the text lies."""
    tables = {}
    source = next(field.name for field in fields if field.side == "source")
    for number, field in enumerate(fields):
        context = source if field.side == "gap" else field.name
        generator = torch.Generator(device=text.label.device).manual_seed(seed * 1009 + number)
        model = SkipGram(inventory, field.name, context, dimension, generator)
        centres = skip_gram_text(text, field, context)
        model.train_on(centres, settings, progress and sys.stderr.isatty())
        tables[field.name] = model.words.detach().cpu()
    return tables


class SkipGram:
    """Vectors of words as centres, and of words and pronoun classes as contexts."""

    def __init__(
        self,
        inventory: Inventory,
        field: str,
        context: str,
        dimension: int,
        generator: torch.Generator,
    ) -> None:
        device, classes = generator.device, len(inventory.classes)
        shape = inventory.size(field), dimension
        start = torch.rand(shape, generator=generator, device=device)
        self.field, self.classes, self.first_class = field, classes, inventory.size(context)
        self.words = ((start * 2 - 1) * 0.5 / dimension).requires_grad_()
        self.contexts = torch.zeros(self.first_class + classes, dimension, device=device)
        self.contexts.requires_grad_()
        counts = torch.tensor(inventory.counts(context), dtype=torch.float, device=device)
        self.noise = counts**_NOISE_POWER
        self.generator = generator

    def loss(self, pairs: SkipGramPairs, negatives: Tensor) -> Tensor:
        """The negative log-likelihood of pairs against `negatives` (pairs, negatives)."""
        vectors = nn.functional.embedding(pairs.centres, self.words)
        contexts = nn.functional.embedding(pairs.contexts, self.contexts)
        others = nn.functional.embedding(negatives, self.contexts)
        near = (vectors * contexts).sum(-1)
        far = torch.einsum("bd,bnd->bn", vectors, others)
        gain = nn.functional.logsigmoid(near) + nn.functional.logsigmoid(-far).sum(-1)
        return -gain.mean()

    def train_on(self, text: SkipGramText, settings: SkipGramSettings, progress: bool) -> None:
        """Train for the epochs of the settings."""
        optimiser = torch.optim.Adam([self.words, self.contexts], lr=settings.learning_rate)
        usable = torch.nonzero(text.centres >= UNK).squeeze(1)
        of_centre = 2 * settings.window if settings.pairs == "all" else 1
        size = min(settings.batch_size // of_centre, len(usable) // _MIN_STEPS)
        batches = ceil(len(usable) / max(1, size))
        with tqdm(
            desc=f"embeddings of {self.field}",
            total=settings.epochs * batches,
            disable=not progress,
        ) as bar:
            for _ in range(settings.epochs):
                order = torch.randperm(len(usable), generator=self.generator, device=usable.device)
                for chosen in torch.split(usable[order], max(1, size)):
                    self._step(optimiser, self._pairs(text, chosen, settings), settings.negatives)
                    bar.update()

    def _pairs(
        self, text: SkipGramText, chosen: Tensor, settings: SkipGramSettings
    ) -> SkipGramPairs:
        window, first_class = settings.window, self.first_class
        if settings.pairs == "all":
            return all_pairs(text, chosen, window, first_class)
        share = settings.pronoun_share
        return sampled_pairs(text, chosen, window, first_class, share, self.generator)

    def _step(self, optimiser: torch.optim.Optimizer, pairs: SkipGramPairs, negatives: int) -> None:
        count = len(pairs.centres)
        if not count:
            return
        words = torch.multinomial(
            self.noise, count * negatives, replacement=True, generator=self.generator
        ).view(count, negatives)
        classes = torch.randint(
            self.classes, words.shape, generator=self.generator, device=words.device
        )
        drawn = torch.where(pairs.to_class[:, None], classes + self.first_class, words)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(self.loss(pairs, drawn))
        optimiser.step()
