"""What a training is made of: encoded train and dev, their batches, and what is counted in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from crosspro.data_prep.core.task import Task
from crosspro.prediction.class_weights import class_weights
from crosspro.prediction.neural.batches import Batches, FixedBatches, in_order
from crosspro.prediction.neural.distillation import SoftTargets
from crosspro.prediction.neural.encoding import EncodedData, Encoder, Ints
from crosspro.prediction.neural.encoding_cache import cached_encoding
from crosspro.prediction.neural.sampling import Indices, Sampler, batch_size
from crosspro.prediction.neural.tensors import GapTensors, gap_tensors
from crosspro.prediction.neural.training_checks import check_batches, check_labels
from crosspro.prediction.neural.training_settings import Training
from crosspro.prediction.neural.unread_text import UnreadText


@dataclass(frozen=True)
class TrainingData:
    """Train and dev on the CPU; `encoded` is train as arrays, `digests` names the content.

    `soft` is what a teacher thinks of the gaps of train, if there is one.
    """

    encoded: EncodedData
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
        sampler = Sampler(settings.sampling, settings.share, tuple(shares))  # type: ignore[arg-type]
        drawn = int((self.labels >= 0).sum() * settings.share)
        size = batch_size(settings.batch_size, drawn, settings.min_steps)
        batches = Batches(self.labels, extents, self.classes, size, sampler, seed)
        check_batches(len(batches), self.labels, settings.share)
        return batches

    def dev_batches(self, extents: Indices) -> FixedBatches:
        """All of dev."""
        return FixedBatches(in_order(extents, self.settings.batch_size))


def training_data(
    train: UnreadText,
    dev: UnreadText,
    encoder: Encoder,
    task: Task,
    settings: Training,
    cache: Path | None,
) -> TrainingData:
    """Encode train and dev, or map what was encoded before; labels must be there."""
    encoded, dev_encoded = (cached_encoding(text, encoder, task, cache) for text in (train, dev))
    check_labels(encoded.label, dev_encoded.label)
    return TrainingData(
        encoded,
        gap_tensors(encoded, settings.context),
        gap_tensors(dev_encoded, settings.context),
        len(task.classes),
        settings,
        {"train": train.digest, "dev": dev.digest},
    )
