"""Going on from another run: a run of the same network, whose settings and weights are taken.

Or from itself: a training on all data may go on with the in-domain part of it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import Task
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.network_settings import NetworkSettings
from crosspro.prediction.neural.training.settings import NeuralSettings
from crosspro.prediction.system import System, load_system

Kind = TypeVar("Kind", bound=System)

IN_DOMAIN = "in_domain"
"""The folder in a run's for the training on in-domain data."""


def run_to_continue(run: Path, kind: type[Kind], name: str, task: Task) -> Kind:
    """The system of a run, which must have the network of that name, and fitting classes.

    Classes must be equal, unless the network says which weights depend on them; then an equal
    target language is enough.
    """
    earlier: Any = load_system(run).trainable()
    alike = "classes"
    if isinstance(earlier, kind) and earlier.name == name:
        network: Network = earlier.network  # type: ignore[attr-defined]
        if earlier.task.classes == task.classes or (
            network.class_layers and earlier.task.target_language == task.target_language
        ):
            return earlier
        alike = "target language" if network.class_layers else "classes"
    expected = f"a run of {name} with the {alike} of {task.name}"
    raise input_error(run, "init_from", expected, f"{earlier.name} for {earlier.task.name}")


def continued_settings(earlier: NetworkSettings, network: Any, run: Path) -> Any:
    """The settings of a network that goes on from a run: its own, if they fit that run's.

    A network that `inherits` takes the settings that must not change from the run.
    """
    before, after = vars(earlier), vars(network)
    fixed = [key for key in after if key not in network.may_change]
    if network.inherits:
        return replace(network, **{key: before[key] for key in fixed})
    changed = [key for key in fixed if before[key] != after[key]]
    if changed:
        expected, others = (
            ", ".join(f"{key} {values[key]}" for key in changed) for values in (after, before)
        )
        raise input_error(run, "init_from", f"a run whose network has {expected}", others)
    return network


def take_weights(network: Network, earlier: Network, same_classes: bool) -> None:
    """Copy the weights of a network; layers of other classes and optional ones may stay new."""
    weights, new = earlier.state_dict(), network.state_dict()
    for name in {*new, *weights}:
        optional = name.startswith(network.optional_layers)
        of_classes = name.startswith(network.class_layers) and not same_classes
        if name in new and (of_classes or (optional and name not in weights)):
            weights[name] = new[name]
        elif optional and name not in new:
            del weights[name]
    network.load_state_dict(weights)


def in_domain_settings(settings: NeuralSettings) -> NeuralSettings:
    stage, optimisation = settings.fine_tuning, settings.optimisation
    rate = stage.learning_rate or optimisation.learning_rate
    return replace(
        settings,
        trainer=replace(settings.trainer, max_epochs=stage.max_epochs, patience=stage.patience),
        optimisation=replace(optimisation, learning_rate=rate),
    )
