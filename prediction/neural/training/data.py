"""What a training is made of: encoded train and dev, their requirements, and their batches.

The gaps of an epoch and their batches are decided by seed and epoch alone. Uppsala 2017 (004 §5.2)
trains each epoch on a fresh share of the data: the same number of gaps from every class as far as
there are any (`equal`), or in the class proportions of the development set (`proportional`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.prediction.neural.reading.encoding import EncodedText, Ints
from crosspro.prediction.neural.reading.fields import Reads
from crosspro.prediction.neural.training.settings import Sampling, Training

Indices = NDArray[np.int64]
Floats = NDArray[np.float64]

_BUCKETS = 50
"""Batches that are sorted by length together; more would make similar gaps meet too often."""
_SHORT = 4
"""A short context has fewer sentences than these, like text that people type."""


@dataclass(frozen=True)
class TrainingData:
    """Train and dev as numpy arrays, and the names of their content."""

    train: EncodedText
    dev: EncodedText
    digests: Mapping[str, str]

    def with_contexts(self, settings: Training) -> TrainingData:
        """The same data with sentences of context.

        A share of the training gaps (`short_context`) reads less context than there is, the same in
        every epoch: a network that always had ten sentences does badly with one.
        """
        generator = np.random.default_rng(0)
        gaps = len(self.train)
        short = generator.random(gaps) < settings.short_context
        drawn = generator.integers(0, max(1, min(_SHORT, settings.context)), gaps)
        contexts = np.where(short, drawn, settings.context).astype(np.int32)
        dev = self.dev.with_context(settings.context)
        return TrainingData(self.train.with_context(contexts), dev, self.digests)


def gaps_of_epoch(
    labels: Ints,
    policy: Sampling,
    share: float,
    dev_proportions: Floats,
    generator: np.random.Generator,
) -> Indices:
    """The gaps of one epoch, in random order; gaps without a label are never used."""
    gaps = np.flatnonzero(labels >= 0)
    if policy != "all":
        classes = len(dev_proportions)
        proportions = np.full(classes, 1 / classes) if policy == "equal" else dev_proportions
        counts = np.bincount(labels[gaps], minlength=classes)
        chances = np.minimum(1.0, len(gaps) * share * proportions / np.maximum(counts, 1))
        gaps = gaps[generator.random(len(gaps)) < chances[labels[gaps]]]
    elif share < 1:
        gaps = gaps[generator.random(len(gaps)) < share]
    return generator.permutation(gaps)


def batch_size(settings: Training, gaps: int) -> int:
    """The batch size for so many gaps an epoch: small data still gets `min_steps` steps."""
    if not settings.min_steps:
        return settings.batch_size
    return max(1, min(settings.batch_size, gaps // settings.min_steps))


def bucketed_batches(
    gaps: Indices, extents: Indices, size: int, generator: np.random.Generator
) -> list[Indices]:
    batches = []
    for start in range(0, len(gaps), size * _BUCKETS):
        group = gaps[start : start + size * _BUCKETS]
        group = group[np.argsort(extents[group], kind="stable")]
        batches += [group[i : i + size] for i in range(0, len(group), size)]
    return [batches[number] for number in generator.permutation(len(batches))]


def sorted_batches(extents: Indices, size: int) -> Iterator[Indices]:
    """All gaps in batches of similar extent."""
    order = np.argsort(extents, kind="stable")
    return (order[start : start + size] for start in range(0, len(order), size))


def check_labels(train: EncodedText, dev: EncodedText) -> None:
    """Something must be learnt, and every gap of dev decides which epoch is kept."""
    if not (train.label >= 0).any():
        raise CrossproError("train: expected labelled gaps, found none")
    if not len(dev) or (dev.label < 0).any():
        missing = f"{int((dev.label < 0).sum())} without" if len(dev) else "no gap"
        raise CrossproError(f"dev: expected a label for every gap, found {missing}")


def check_reads(
    reads: Reads, context: int, train: Sequence[Example], dev: Sequence[Example]
) -> None:
    """The data must have what a network reads: a parse with dependencies, earlier sentences."""
    settings = "settings: system.training.context: expected"
    if reads.earlier and not context:
        raise CrossproError(f"{settings} 1 at least, as the network reads them, found 0")
    if context and not any(example.document for example in train):
        raise CrossproError(
            f"{settings} 0, or documents to find sentences before a gap in (X.doc-ids beside "
            f"X.data), found {context}, and no documents in train"
        )
    check_parse(reads, [*train, *dev])
    parses = [example.source_parse for example in train if example.source_parse]
    if reads.heads and not any(token.head >= 0 for parse in parses for token in parse.tokens):
        raise CrossproError(
            "settings: system.network: expected dependencies in X.source.conllu, found none"
        )


def check_parse(reads: Reads, examples: Iterable[Example]) -> None:
    """A network that reads tags, labels or heads of the source needs a parse of every sentence."""
    if reads.needs_parse and any(example.source_parse is None for example in examples):
        raise CrossproError(
            "settings: system.network: expected a parse of the source (X.source.conllu beside "
            "X.data), found data without one"
        )
