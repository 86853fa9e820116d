"""Distillation: a network learns a teacher's probabilities of each gap, beside its label.

A teacher is any trained system, best an ensemble whose knowledge is to fit into one network (Hinton
et al. 2015). A temperature above 1 gives more weight to its less likely classes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.core.task import Task
from crosspro.prediction.model_archive import DESCRIPTION, opened_run
from crosspro.prediction.neural.training.settings import Distillation
from crosspro.prediction.output import layer_notes
from crosspro.prediction.system import System, load_saved, model_folder

_LEAST = 1e-12
"""Probabilities of the teacher are at least so large, since their logarithms are taken."""


class Teacher(NamedTuple):
    """A trained system to learn from; `digest` names its content."""

    system: System
    digest: str


class SoftTargets(NamedTuple):
    """The teacher's probabilities of the training gaps (gaps, classes), at a temperature.

    `weight` is its share of the loss; the network's own loss has the rest.
    """

    probabilities: Tensor
    temperature: float
    weight: float

    def mixed(self, losses: Tensor, scores: Tensor, gaps: Tensor) -> Tensor:
        """The loss of each gap: the teacher's share, and that of the network's own losses."""
        return self.weight * self.losses(scores, gaps) + (1 - self.weight) * losses

    def losses(self, scores: Tensor, gaps: Tensor) -> Tensor:
        """The Kullback-Leibler divergence of each gap's scores from the teacher.

        Gradients shrink with the square of the temperature, so the loss is multiplied with it.
        """
        log_probabilities = torch.log_softmax(scores.float() / self.temperature, -1)
        targets = self.probabilities[gaps]
        divergence = nn.functional.kl_div(log_probabilities, targets, reduction="none")
        return divergence.sum(-1) * self.temperature**2


def load_teacher(run: str, task: Task) -> Teacher:
    with opened_run(run) as folder:
        model = model_folder(folder)
        system = load_saved(model)
        digest = sha256_of(model / DESCRIPTION)  # which has those of all other files
    if system.task.classes != task.classes:
        expected = f"a teacher with the classes of {task.name}"
        raise input_error(run, "teacher", expected, f"one for {system.task.name}")
    return Teacher(system, digest)


def soft_targets(teacher: Teacher, train: Sequence[Example], settings: Distillation) -> SoftTargets:
    for note in layer_notes(teacher.system, "train", layers_in(train)):
        print(note, file=sys.stderr)
    predicted = teacher.system.predict(train)
    softened = np.maximum(predicted, _LEAST) ** (1 / settings.temperature)
    softened /= softened.sum(axis=1, keepdims=True)
    return SoftTargets(torch.from_numpy(softened).float(), settings.temperature, settings.weight)
