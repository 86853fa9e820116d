"""Learning from other runs: going on from one, or from a teacher's probabilities.

Going on takes settings and weights of a run of the same network. A teacher is any trained system,
best an ensemble whose knowledge is to fit into one network (Hinton et al. 2015): its probabilities
of each gap are learnt beside the label. A temperature above 1 gives more weight to its less likely
classes.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.prediction.models import chosen_run
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.network_settings import NetworkSettings
from crosspro.prediction.system import System, load_system

Kind = TypeVar("Kind", bound=System)


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


# A teacher ----------------------------------------------------------------------------------------

_LEAST = 1e-12
"""Probabilities of the teacher are at least so large, since their logarithms are taken."""


def teacher_losses(scores: Tensor, targets: Tensor, temperature: float) -> Tensor:
    """The Kullback-Leibler divergence of each gap's scores from the teacher's soft targets.

    Gradients shrink with the square of the temperature, so the loss is multiplied with it.
    """
    log_probabilities = torch.log_softmax(scores.float() / temperature, -1)
    divergence = nn.functional.kl_div(log_probabilities, targets, reduction="none")
    return divergence.sum(-1) * temperature**2


def load_teacher(run: str, task: Task) -> System:
    teacher = load_system(chosen_run(Path(run)))
    if teacher.task.classes != task.classes:
        expected = f"a teacher with the classes of {task.name}"
        raise input_error(run, "teacher", expected, f"one for {teacher.task.name}")
    return teacher


def soft_targets(teacher: System, train: Sequence[Example], temperature: float) -> Tensor:
    """The teacher's probabilities (gaps, classes), smoothed by the temperature."""
    for note in teacher.layer_warnings("train", layers_in(train)):
        print(note, file=sys.stderr)
    softened = np.maximum(teacher.predict(train), _LEAST) ** (1 / temperature)
    return torch.from_numpy(softened / softened.sum(axis=1, keepdims=True)).float()
