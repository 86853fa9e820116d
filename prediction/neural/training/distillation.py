"""Distillation: a network learns what a teacher thinks of each gap, beside what its label says.

A teacher is any trained system, best an ensemble whose knowledge is to fit into one network (Hinton
et al. 2015). Its probabilities of the training gaps are computed once, and kept where the encoded
data is. At a temperature above 1 they say more of the classes that it thinks less likely.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, examples_digest
from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.core.stored import Cache, content_key
from crosspro.data_prep.core.task import Task
from crosspro.prediction.model_archive import opened_run
from crosspro.prediction.neural.layers.network import Network, gap_losses
from crosspro.prediction.neural.reading.tensors import GapTensors
from crosspro.prediction.neural.training.settings import Distillation
from crosspro.prediction.output import layer_notes
from crosspro.prediction.system import (
    DESCRIPTION,
    Probabilities,
    System,
    load_saved,
    model_folder,
)

_LEAST = 1e-12
"""Probabilities of the teacher are at least so large, since their logarithms are taken."""


@dataclass(frozen=True)
class Teacher:
    """A trained system to learn from; `digest` names its content."""

    system: System
    digest: str


@dataclass(frozen=True)
class SoftTargets:
    """What the teacher thinks of each training gap (gaps, classes), at a temperature.

    `weight` is its share of the loss; the labels have the rest.
    """

    chances: Tensor
    temperature: float
    weight: float

    def to(self, device: torch.device) -> SoftTargets:
        """The same on another device."""
        return replace(self, chances=self.chances.to(device))

    def losses(self, scores: Tensor, gaps: Tensor) -> Tensor:
        """How far each gap's scores are from the teacher: 0 where both agree (Kullback-Leibler).

        Gradients shrink with the square of the temperature, which is made up for.
        """
        wanted = self.chances[gaps]
        found = torch.log_softmax(scores.float() / self.temperature, -1)
        apart = nn.functional.kl_div(found, wanted, reduction="none").sum(-1)
        return apart * self.temperature**2


def load_teacher(run: str, task: Task) -> Teacher:
    """The system of a run or an archive, which must have the classes of the task."""
    with opened_run(run) as folder:
        model = model_folder(folder)
        system = load_saved(model)
        digest = sha256_of(model / DESCRIPTION)  # which has those of all other files
    if system.task.classes != task.classes:
        expected = f"a teacher with the classes of {task.name}"
        raise input_error(run, "teacher", expected, f"one for {system.task.name}")
    return Teacher(system, digest)


def soft_targets(
    teacher: Teacher, train: Sequence[Example], settings: Distillation, cache: Path | None
) -> SoftTargets:
    """What a teacher thinks of the gaps of train, in reading order; computed once."""

    def predicted() -> Probabilities:
        for note in layer_notes(teacher.system, "train", layers_in(train)):
            print(note, file=sys.stderr)
        return teacher.system.predict(train)

    if cache is None:
        chances = predicted()
    else:
        key = content_key(teacher.digest, examples_digest(train))
        made = Cache(cache).arrays("teacher", key, ["chances"], lambda: {"chances": predicted()})
        chances = np.array(made["chances"])
    softer = np.maximum(chances, _LEAST) ** (1 / settings.temperature)
    softer /= softer.sum(axis=1, keepdims=True)
    return SoftTargets(torch.from_numpy(softer).float(), settings.temperature, settings.weight)


def distilled_losses(
    network: Network,
    soft: SoftTargets,
    data: GapTensors,
    gaps: Tensor,
    width: int,
    weights: Tensor,
    smoothing: float,
) -> Tensor:
    """The loss of each gap: the teacher's share, and that of the network's own loss.

    One pass serves both, unless the network has a loss of its own kind.
    """
    scores = network(data, gaps, width)
    losses = soft.weight * soft.losses(scores, gaps)
    if soft.weight == 1:
        return losses
    if type(network).loss is Network.loss:
        own = gap_losses(scores, data.label[gaps].clamp(min=0), weights, smoothing)
    else:
        own = network.loss(data, gaps, width, weights, smoothing)
    return losses + (1 - soft.weight) * own
