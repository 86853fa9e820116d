"""What a training is made of: encoded train and dev, what they must have, and their batches.

Which gaps an epoch uses and in which batches is decided by seed and epoch alone. Uppsala 2017
(004 §5.2) trains each epoch on a fresh share of the data: the same number of gaps from every class
as far as there are any (`equal`), or in the class proportions of the development set
(`proportional`). A batch is gap numbers on the device where all data lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.prediction.adjustment import class_weights
from crosspro.prediction.neural.reading.encoding import EncodedText, Ints, Reading
from crosspro.prediction.neural.reading.fields import Reads
from crosspro.prediction.neural.reading.lexicon_fields import Text, lexicons_for, noun_lists
from crosspro.prediction.neural.reading.subwords import Units, train_units
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices, gap_tensors
from crosspro.prediction.neural.training.distillation import SoftTargets
from crosspro.prediction.neural.training.settings import Training

_BUCKETS = 50
"""Batches that are sorted by length together; more would make similar gaps meet too often."""


@dataclass(frozen=True)
class Sampler:
    """A rule for choosing the gaps of an epoch; `proportions` are the classes' shares of dev."""

    policy: str = "all"
    share: float = 1.0
    proportions: tuple[float, ...] = ()

    def draw(
        self, labels: NDArray[np.int32], classes: int, generator: np.random.Generator
    ) -> Indices:
        """The gaps of one epoch, in random order; gaps without a label are never used."""
        known = np.flatnonzero(labels >= 0)
        if self.policy != "all":
            counts = np.bincount(labels[known], minlength=classes)
            wanted = np.full(classes, 1 / classes)
            if self.policy == "proportional":
                wanted = np.asarray(self.proportions)
            chances = np.minimum(1.0, len(known) * self.share * wanted / np.maximum(counts, 1))
            known = known[generator.random(len(known)) < chances[labels[known]]]
        elif self.share < 1:
            known = known[generator.random(len(known)) < self.share]
        return generator.permutation(known)


def batch_size(most: int, gaps: int, min_steps: int) -> int:
    """The batch size for an epoch of so many gaps: small data still gets `min_steps` steps."""
    return max(1, min(most, gaps // min_steps)) if min_steps else most


def bucketed_batches(
    gaps: Indices, extents: Indices, size: int, generator: np.random.Generator
) -> Iterator[tuple[Indices, int]]:
    """Batches of gaps of similar extent in random order, each with its widest extent."""
    batches = []
    for start in range(0, len(gaps), size * _BUCKETS):
        group = gaps[start : start + size * _BUCKETS]
        group = group[np.argsort(extents[group], kind="stable")]
        batches += [group[i : i + size] for i in range(0, len(group), size)]
    for number in generator.permutation(len(batches)):
        yield batches[number], int(extents[batches[number]].max())


Batch = tuple[Tensor, int, int]
"""Gap numbers, the widest context among them, and the size of the batch over all processes."""


class Batches:
    """The batches of the current epoch; Lightning iterates it once an epoch.

    `labels` and `extents` are those of all gaps; gaps of similar extent are put together.
    """

    def __init__(
        self,
        labels: NDArray[np.int32],
        extents: Indices,
        classes: int,
        size: int,
        sampler: Sampler,
        seed: int,
    ) -> None:
        self.labels = labels
        self.extents = extents
        self.classes = classes
        self.size = size
        self.sampler = sampler
        self.seed = seed
        self.epoch = 0
        self.lengths: dict[int, int] = {}
        self.rank, self.world = 0, 1
        self.device = torch.device("cpu")

    def __iter__(self) -> Iterator[Batch]:
        generator = np.random.default_rng((self.seed, self.epoch))
        gaps = self.sampler.draw(self.labels, self.classes, generator)
        batches = list(bucketed_batches(gaps, self.extents, self.size, generator))
        mine = on_device([batch[self.rank :: self.world] for batch, _ in batches], self.device)
        for own, (batch, width) in zip(mine, batches, strict=True):
            yield own, width, len(batch)

    def __len__(self) -> int:
        if self.epoch not in self.lengths:  # Lightning asks several times an epoch
            generator = np.random.default_rng((self.seed, self.epoch))
            drawn = len(self.sampler.draw(self.labels, self.classes, generator))
            self.lengths = {self.epoch: -(-drawn // self.size)}
        return self.lengths[self.epoch]


def on_device(batches: Sequence[Indices], device: torch.device) -> Sequence[Tensor]:
    """The gap numbers of batches, sent at once: a GPU would wait at each batch for its own."""
    if not batches:
        return ()
    every = torch.from_numpy(np.concatenate(batches)).to(device)
    ends = np.cumsum([len(batch) for batch in batches])
    return [every[end - len(batch) : end] for batch, end in zip(batches, ends, strict=True)]


def batches_by_extent(
    extents: Indices, size: int, places: int | None = None
) -> list[tuple[Indices, int]]:
    """All gaps in batches of similar extent, each with its widest; the same every time.

    A batch has at most `size` gaps, and no more than have so many `places` together, but one.
    """
    order = np.argsort(extents, kind="stable")
    sorted_extents = extents[order]
    batches = []
    start = 0
    while start < len(order):
        end = min(start + size, len(order))
        if places is not None:
            rows = np.arange(1, end - start + 1)  # sorted: the last row of a batch is its widest
            fitting = int((rows * sorted_extents[start:end] <= places).sum())
            end = start + max(1, fitting)
        batches.append((order[start:end], int(sorted_extents[end - 1])))
        start = end
    return batches


class FixedBatches:
    """The same batches every time; a plain list would mean several data loaders to Lightning."""

    def __init__(self, batches: Sequence[tuple[Indices, int]]) -> None:
        self.batches = [(torch.from_numpy(gaps), width, len(gaps)) for gaps, width in batches]

    def __iter__(self) -> Iterator[Batch]:
        return iter(self.batches)

    def __len__(self) -> int:
        return len(self.batches)


def check_labels(train: Ints, dev: Ints) -> None:
    """Something must be learnt, and every gap of dev decides which epoch is kept."""
    if not (train >= 0).any():
        raise CrossproError("train: expected labelled gaps, found none")
    if not len(dev) or (dev < 0).any():
        found = f"{int((dev < 0).sum())} without" if len(dev) else "no gap"
        raise CrossproError(f"dev: expected a label for every gap, found {found}")


def check_context(reads: Reads, context: int, train: Sequence[Example]) -> None:
    """A network may need sentences before a gap's, which are found by document."""
    if reads.earlier is not None and not context:
        who, way_out = _asking(reads.earlier)
        raise CrossproError(
            f"settings: system.{who} expected sentences before the gap's own "
            f"(system.training.context from 1), found a context of 0; give it{way_out}"
        )
    if context and not any(example.document for example in train):
        raise CrossproError(
            "settings: system.training.context: expected documents to find sentences before a gap "
            "in (X.doc-ids beside X.data), found none in train; give them, or 0"
        )


def needs_parse(reads: Reads) -> bool:
    """Whether a network reads tags, labels or heads of the source."""
    return reads.parse is not None or any(field.parse for field in reads.fields)


def check_parse(reads: Reads, examples: Iterable[Example]) -> None:
    """A network that reads tags, labels or heads of the source needs a parse of every sentence."""
    if needs_parse(reads) and any(example.source_parse is None for example in examples):
        who, way_out = _asking(reads.parse or {})
        raise CrossproError(
            f"settings: system.{who} expected a parse of the source (X.source.conllu beside "
            "X.data, --source-parse of crosspro predict), found data without one; give one"
            f"{way_out}"
        )


def check_heads(reads: Reads, train: Sequence[Example]) -> None:
    """Labels and heads are not learnt from a parse that has tags alone."""
    if reads.heads is None:
        return
    parses = [example.source_parse for example in train if example.source_parse]
    if not any(token.head >= 0 for parse in parses for token in parse.tokens):
        who, way_out = _asking(reads.heads)
        raise CrossproError(
            f"settings: system.{who} expected dependencies in X.source.conllu, found none in "
            f"train; give them{way_out}"
        )


def _asking(settings: Mapping[str, object]) -> tuple[str, str]:
    """Which settings ask for something, and how to do without it; the network, if all do."""
    if not settings:
        return "network: it", ""
    without = [str(value).lower() for value in settings.values()]
    return f"network: {_listed(settings)}", f", or train with {_listed(without)}"


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True)
class TrainingData:
    """Train and dev on the CPU; `encoded` is train as arrays, `digests` names the content.

    `soft` is what a teacher thinks of the gaps of train, if there is one.
    """

    encoded: EncodedText
    train: GapTensors
    dev: GapTensors
    classes: int
    settings: Training
    digests: Mapping[str, str]
    soft: SoftTargets | None = None

    @cached_property
    def labels(self) -> Ints:
        """The class of each gap of train, negative where it is unknown."""
        return self.train.label.numpy().astype(np.int32)

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """The share of each class in train."""
        counts = np.bincount(self.labels[self.labels >= 0], minlength=self.classes)
        return np.asarray(counts / counts.sum())

    def weights(self) -> Tensor:
        """The weight of each class in the loss."""
        power = self.settings.class_weight_power
        return torch.from_numpy(class_weights(self.labels, self.classes, power))

    def batches(self, extents: Indices, seed: int) -> Batches:
        """Train, drawn anew every epoch; an epoch without a batch is refused."""
        settings = self.settings
        shares = np.bincount(self.dev.label.numpy(), minlength=self.classes) / len(self.dev.label)
        sampler = Sampler(settings.sampling, settings.share, tuple(shares))
        drawn = int((self.labels >= 0).sum() * settings.share)
        size = batch_size(settings.batch_size, drawn, settings.min_steps)
        batches = Batches(self.labels, extents, self.classes, size, sampler, seed)
        if not len(batches):
            found = f"{(self.labels >= 0).sum()} labelled gaps with a share of {settings.share:g}"
            expected = "train: expected gaps for at least one batch an epoch"
            raise CrossproError(f"{expected}, found {found}")
        return batches

    def dev_batches(self, extents: Indices) -> FixedBatches:
        """All of dev."""
        return FixedBatches(batches_by_extent(extents, self.settings.batch_size))


def training_data(
    train: EncodedText, dev: EncodedText, task: Task, settings: Training, together: int = 0
) -> TrainingData:
    """What is learnt from encoded train and dev; labels must be there.

    Gaps may be read together (`EncodedText.spans`).
    """
    check_labels(train.label, dev.label)
    return TrainingData(
        train,
        gap_tensors(train, _contexts(len(train.label), settings), together),
        gap_tensors(dev, settings.context, together),
        len(task.classes),
        settings,
        {"train": train.digest, "dev": dev.digest},
    )


_SHORT = 4
"""A short context has fewer sentences than these, as what people type has."""


def _contexts(gaps: int, settings: Training) -> Ints:
    """How many sentences before its own each gap of train may read.

    A share of them (`short_context`) reads less than there is, the same in every epoch: a network
    that always had ten sentences does badly with one.
    """
    generator = np.random.default_rng(0)
    short = generator.random(gaps) < settings.short_context
    drawn = generator.integers(0, max(1, min(_SHORT, settings.context)), gaps)
    return np.where(short, drawn, settings.context).astype(np.int32)


def learn_reading(
    reads: Reads,
    settings: Training,
    task: Task,
    train: Sequence[Example],
    text: Text,
) -> Reading:
    """How a new system reads: in words or in units learnt from train; `text` is for lexicons."""
    units: Units | None = None
    if settings.units != "words":
        joint = settings.units == "joint"
        units = train_units(train, settings.unit_vocabulary, settings.lowercase, joint)
    lexicons = lexicons_for(reads.lexicons, text)
    if reads.nouns:
        others = {side: name for side, name in reads.lexicons.items() if side not in lexicons}
        lexicons |= noun_lists(others, task, text)
    return Reading(reads.fields, settings.lowercase, units, lexicons)
