"""What a run may go on from: a run of the same network, whose settings and weights it takes.

Or from itself: a training on all data may go on with the in-domain part of it.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import Task
from crosspro.prediction.fit_report import FineTunedReport, FitReport
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.network_settings import NetworkSettings
from crosspro.prediction.neural.training.settings import FineTuning, Optimisation, TrainerSettings
from crosspro.prediction.system import System, load_system

Kind = TypeVar("Kind", bound=System)

IN_DOMAIN = "in_domain"
"""The folder in a run's for the training on in-domain data."""


def may_go_on(network: Network, earlier: Task, task: Task) -> bool:
    """Whether a task may go on from another one.

    Both have the same classes, unless the network says which weights depend on them; then it is
    enough that both have the same target language.
    """
    if network.class_layers:
        return earlier.target_language == task.target_language
    return earlier.classes == task.classes


def run_to_go_on(run: Path, kind: type[Kind], name: str, task: Task) -> Kind:
    """The system of a run, which must have the network of that name, and classes that fit."""
    earlier: Any = load_system(run).trainable()
    alike = "classes"
    if isinstance(earlier, kind) and earlier.name == name:
        network: Network = earlier.network  # type: ignore[attr-defined]
        if may_go_on(network, earlier.task, task):
            return earlier
        alike = "target language" if network.class_layers else "classes"
    expected = f"a run of {name} with the {alike} of {task.name}"
    raise input_error(run, "init_from", expected, f"{earlier.name} for {earlier.task.name}")


def in_domain_stage(
    stage: FineTuning, trainer: TrainerSettings, optimisation: Optimisation
) -> tuple[TrainerSettings, Optimisation]:
    """The settings of a training on all data as those of one that goes on with in-domain data."""
    rate = stage.learning_rate or optimisation.learning_rate
    return (
        replace(trainer, max_epochs=stage.max_epochs, patience=stage.patience),
        replace(optimisation, learning_rate=rate),
    )


def fine_tuned_report(first: FitReport, second: FitReport) -> FineTunedReport:
    """How both stages of a training went, and which was better; of equal ones the first."""
    better = second.score > first.score
    figures = asdict(second if better else first)
    return FineTunedReport(**figures, stages=(first, second), kept="in_domain" if better else "all")


def settings_to_go_on(earlier: NetworkSettings, given: NetworkSettings, folder: Path) -> Any:
    """The settings of a network that goes on: those given, if they fit the run in the folder.

    A network that `inherits` takes those that must not change from the run.
    """
    before, after = vars(earlier), vars(given)
    fixed = [key for key in after if key not in given.may_change]
    if given.inherits:
        return type(given)(**{**after, **{key: before[key] for key in fixed}})
    changed = [key for key in fixed if before[key] != after[key]]
    if changed:
        expected = "a run whose network has " + ", ".join(f"{k} {after[k]}" for k in changed)
        found = ", ".join(f"{k} {before[k]}" for k in changed)
        raise input_error(folder, "init_from", expected, found)
    return given


def take_weights(network: Network, earlier: Network, same_classes: bool) -> None:
    """Give a new network the weights of another one, but for those that its classes decide on.

    Of layers that only one of the two has, it keeps its own, and takes none.
    """
    weights, own = earlier.state_dict(), network.state_dict()
    optional = {name for name in {*own, *weights} if name.startswith(network.optional_layers)}
    for name in optional:
        if name not in own:
            del weights[name]
        elif name not in weights:
            weights[name] = own[name]
    if not same_classes:
        for name in own:
            if name.startswith(network.class_layers):
                weights[name] = own[name]
    network.load_state_dict(weights)
