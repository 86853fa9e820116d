"""What a run may go on from: a run of the same network, whose settings and weights it takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosspro.data_prep.errors import input_error
from crosspro.data_prep.task import Task
from crosspro.prediction.neural.network import Network


def may_go_on(network: type[Network], earlier: Task, task: Task) -> bool:
    """Whether a task may go on from another one.

    Both have the same classes, unless the network says which weights depend on them; then it is
    enough that both have the same target language.
    """
    if network.class_layers:
        return earlier.target_language == task.target_language
    return earlier.classes == task.classes


def settings_to_go_on(
    network: type[Network], earlier: Mapping[str, Any], given: Mapping[str, Any], folder: Path
) -> dict[str, Any]:
    """The settings of a network that goes on: those given, if they fit the run in the folder.

    A network that `inherits` takes those that must not change from the run.
    """
    defaults = network.settings()
    one, other = {**defaults, **earlier}, {**defaults, **given}
    fixed = [key for key in defaults if key not in network.may_change]
    if network.inherits:
        return {**given, **{key: one[key] for key in fixed}}
    changed = [key for key in fixed if one[key] != other[key]]
    if changed:
        expected = "a run whose network has " + ", ".join(f"{k} {other[k]}" for k in changed)
        found = ", ".join(f"{k} {one[k]}" for k in changed)
        raise input_error(folder, "init_from", expected, found)
    return dict(given)


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
