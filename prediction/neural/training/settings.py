"""The settings of a neural system: what a network learns from, how, where and for how long.

The type of a setting says which values it takes. Every fault is named at once. Lightning is not
imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Any, TypeVar

from crosspro.data_prep.core.errors import choices
from crosspro.data_prep.core.settings import Fault, Must, fitted, one_of, shown
from crosspro.prediction.adjustment import WeightPower
from crosspro.prediction.arguments import faults, number, whole
from crosspro.prediction.dev_score import Monitor
from crosspro.prediction.neural.reading.network_kind import NetworkKind
from crosspro.prediction.neural.reading.subwords import KINDS

T = TypeVar("T")

RunSetting = Annotated[str | None, Must("the folder of a run, or null", lambda run: run != "")]
POLICIES = ("all", "equal", "proportional")
"""How the gaps of an epoch are drawn from those of the classes."""


@dataclass(frozen=True)
class Training:
    """What is learnt from, and how; see `conf/system/turku_gru_2016.yaml` for each setting."""

    min_count: Annotated[int, whole()] = 2
    lowercase: bool = True
    context: Annotated[int, whole()] = 0
    short_context: Annotated[float, number(0, 1)] = 0.0
    units: Annotated[str, one_of(KINDS)] = "words"
    unit_vocabulary: Annotated[int, whole(10)] = 8000
    batch_size: Annotated[int, whole(1)] = 1000
    min_steps: Annotated[int, whole()] = 0
    class_weight_power: WeightPower = 1.0
    sampling: Annotated[str, one_of(POLICIES)] = "all"
    share: Annotated[float, number(1e-6, 1)] = 1.0
    monitor: Monitor = "macro_recall"
    tune_adjustment: bool = False
    snapshots: Annotated[int, whole(1)] = 1


@dataclass(frozen=True)
class Optimisation:
    """How a network is trained; the defaults are Turku's (Adam as it comes)."""

    learning_rate: Annotated[float, number()] = 0.001
    weight_decay: Annotated[float, number()] = 0.0
    gradient_clipping: Annotated[float, number()] = 0.0
    warmup_steps: Annotated[int, whole()] = 0
    decay: Annotated[str, one_of(("none", "linear", "cosine"))] = "none"
    label_smoothing: Annotated[float, number(0, 0.999)] = 0.0


@dataclass(frozen=True)
class Distillation:
    """A trained system to learn from (a run or an archive), and how much of it.

    `weight` is the teacher's share of the loss; a temperature above 1 makes it say more of classes
    that it thinks less likely.
    """

    teacher: RunSetting = None
    temperature: Annotated[float, number(0.1, 100)] = 2.0
    weight: Annotated[float, number(0, 1)] = 0.7


@dataclass(frozen=True)
class FineTuning:
    """How a training goes on with in-domain data (`data.in_domain`), after all data.

    A learning rate of 0 is that of the training.
    """

    learning_rate: Annotated[float, number()] = 0.0
    max_epochs: Annotated[int, whole(1)] = 10
    patience: Annotated[int, whole()] = 3


@dataclass(frozen=True)
class TrainerSettings:
    """Where and for how long a network is trained; see `conf/trainer/default.yaml`."""

    accelerator: Annotated[str, one_of(("auto", "cpu", "gpu", "cuda", "mps"))] = "auto"
    devices: int | str = 1
    strategy: str = "auto"
    precision: Annotated[str, one_of(("32-true", "bf16-mixed", "16-mixed"))] = "32-true"
    max_epochs: Annotated[int, whole(1)] = 50
    patience: Annotated[int, whole()] = 3
    patience_steps: Annotated[int, whole()] = 0
    threads: Annotated[int, whole(1, 1024)] = 1
    compile: bool = False
    encoded_dir: str = ""
    progress_bar: bool = True
    deterministic: bool = True

    def patience_in_epochs(self, share: float, steps: int) -> int:
        """How many epochs without a better dev score end a training, at any size of data.

        An epoch reads a share of the data in so many steps; `patience` counts whole passes over it,
        and there must have been `patience_steps` steps.
        """
        passes = ceil(max(1, self.patience) / share)
        return max(passes, ceil(self.patience_steps / max(1, steps)))


def section(kind: type[T], name: str, values: object, found: list[Fault]) -> T:
    """The settings of a section; what is wrong is added to the faults, and defaults are used."""
    made, wrong = fitted(kind, _values(name, values, found))
    found += [Fault((name, *one.place), *one[1:]) for one in wrong]
    return kind() if wrong else made


def network_faults(name: str, network: type[NetworkKind], values: object) -> list[Fault]:
    """Faults of `network_settings`: keys and types must be those of the network's settings."""
    defaults, where = network.settings(), "system.network_settings"
    found: list[Fault] = []
    given = _values(where, values, found)
    for key, value in given.items():
        if key not in defaults:
            found.append(Fault((where, key), choices(defaults), f"an unknown key of {name}"))
        else:
            found += faults((where, key), value, network.setting_type(key, defaults[key]))
    if found:
        return found
    made = {**defaults, **given}
    for key, (times, other) in network.multiples.items():
        step = times * made[other]
        if made[key] % step:
            expected = f"a multiple of {times} * {other} = {step}"
            found.append(Fault((where, key), expected, str(made[key])))
    return found


def pretraining_section(
    name: str, network: type[NetworkKind], values: object, found: list[Fault]
) -> Any:
    """The settings of a network's pre-training, or None where it has none."""
    where = "system.pretraining"
    if network.pretraining is not None:
        return section(network.pretraining, where, values, found)
    epochs = _values(where, values, found).get("epochs", 0)
    if epochs:
        expected = f"0, since {name} has no pre-training"
        found.append(Fault((where, "epochs"), expected, shown(epochs)))
    return None


def _values(name: str, values: object, found: list[Fault]) -> Mapping[str, Any]:
    """The values of a section; one that is no section has none, and is a fault."""
    if isinstance(values, Mapping):
        return values
    if values is not None:
        # The trainer's settings are a section of their own, from which the system has them.
        where = f"system.{name.removeprefix('system.')}"
        found.append(Fault((where,), "a section of settings", shown(values)))
    return {}
