"""Learning from other runs: going on from one, or from a teacher's probabilities.

Going on takes settings and weights of a run of the same network; a training on all data may also go
on with the in-domain part of it. A teacher is any trained system, best an ensemble whose knowledge
is to fit into one network (Hinton et al. 2015): its probabilities of each gap are learnt beside the
label. A temperature above 1 gives more weight to its less likely classes.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.core.task import Task
from crosspro.prediction.model_archive import DESCRIPTION, opened_run
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.network_settings import NetworkSettings
from crosspro.prediction.neural.training.settings import Distillation, NeuralSettings
from crosspro.prediction.system import System, load_saved, load_system, model_folder

Kind = TypeVar("Kind", bound=System)

IN_DOMAIN = "in_domain"
"""The folder in a run's for the training on in-domain data."""


def run_to_continue(run: Path, kind: type[Kind], name: str, task: Task) -> Kind:
    """The system of a run with the network of that name, and classes that its weights allow."""
    earlier: Any = load_system(run, to_train=True)
    alike = "classes"
    if isinstance(earlier, kind) and earlier.name == name:
        network: Network = earlier.network  # type: ignore[attr-defined]
        alike = "target language" if network.class_layers else "classes"
        same_language = earlier.task.target_language == task.target_language
        if earlier.task.classes == task.classes or (network.class_layers and same_language):
            return earlier
    expected = f"a run of {name} with the {alike} of {task.name}"
    raise input_error(run, "init_from", expected, f"{earlier.name} for {earlier.task.name}")


def continued_settings(earlier: NetworkSettings, network: Any, run: Path) -> Any:
    """The settings of the run's network, but for those that `may_change`."""
    fixed = {key: v for key, v in vars(earlier).items() if key not in network.may_change}
    kept = {key: value for key, value in fixed.items() if value != vars(network)[key]}
    if kept:
        values = ", ".join(f"{key} {value}" for key, value in kept.items())
        logging.getLogger("crosspro").warning(f"init_from: as in {run}: {values}")
    return replace(network, **kept)


def take_weights(network: Network, earlier: Network, same_classes: bool) -> None:
    """Copy the weights of a network.

    Layers of other classes stay new, and those that only one of the two has (`may_change`).
    """
    weights = network.state_dict()
    for name, weight in earlier.state_dict().items():
        if name in weights and (same_classes or not name.startswith(network.class_layers)):
            weights[name] = weight
    network.load_state_dict(weights)


def in_domain_settings(settings: NeuralSettings) -> NeuralSettings:
    stage, optimisation = settings.fine_tuning, settings.optimisation
    rate = stage.learning_rate or optimisation.learning_rate
    return replace(
        settings,
        trainer=replace(settings.trainer, max_epochs=stage.max_epochs, patience=stage.patience),
        optimisation=replace(optimisation, learning_rate=rate),
    )


# A teacher ----------------------------------------------------------------------------------------

_LEAST = 1e-12
"""Probabilities of the teacher are at least so large, since their logarithms are taken."""


class Teacher(NamedTuple):
    """A trained system to learn from; `digest` names its content."""

    system: System
    digest: str


class SoftTargets(nn.Module):
    """The teacher's probabilities (gaps, classes), and its share of the loss."""

    probabilities: Tensor

    def __init__(self, probabilities: Tensor, temperature: float, weight: float) -> None:
        super().__init__()
        self.temperature, self.weight = temperature, weight
        self.register_buffer("probabilities", probabilities, persistent=False)

    def forward(self, scores: Tensor, gaps: Tensor) -> Tensor:
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
    for note in teacher.system.layer_warnings("train", layers_in(train)):
        print(note, file=sys.stderr)
    predicted = teacher.system.predict(train)
    softened = np.maximum(predicted, _LEAST) ** (1 / settings.temperature)
    softened /= softened.sum(axis=1, keepdims=True)
    return SoftTargets(torch.from_numpy(softened).float(), settings.temperature, settings.weight)
