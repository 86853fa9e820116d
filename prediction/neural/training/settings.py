"""The settings of a neural system: what a network learns from, how, where and for how long.

`LIMITS` and `CHOICES` of a section say which values it takes; other numbers begin at 0. Every fault
is named at once. Lightning is not imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import ceil, inf
from typing import Any, ClassVar, TypeVar, get_type_hints

from crosspro.data_prep.core.errors import Problem, choices, quoted
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.reading.subwords import KINDS

POLICIES = ("all", "equal", "proportional")
"""How the gaps of an epoch are drawn from those of the classes."""
Limits = Mapping[str, tuple[float, float]]
Choices = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Training:
    """What is learnt from, and how; see `conf/system/turku_gru_2016.yaml` for each setting."""

    LIMITS: ClassVar[Limits] = {
        "batch_size": (1, inf),
        "share": (1e-6, 1),
        "unit_vocabulary": (10, inf),
        "class_weight_power": (0, 5),
        "snapshots": (1, inf),
    }
    CHOICES: ClassVar[Choices] = {
        "sampling": POLICIES,
        "monitor": MONITORS,
        "units": KINDS,
    }

    min_count: int = 2
    lowercase: bool = True
    context: int = 0
    units: str = "words"
    unit_vocabulary: int = 8000
    batch_size: int = 1000
    min_steps: int = 0
    class_weight_power: float = 1.0
    sampling: str = "all"
    share: float = 1.0
    monitor: str = "macro_recall"
    tune_adjustment: bool = False
    snapshots: int = 1


@dataclass(frozen=True)
class Optimisation:
    """How a network is trained; the defaults are Turku's (Adam as it comes)."""

    LIMITS: ClassVar[Limits] = {"label_smoothing": (0, 0.999)}
    CHOICES: ClassVar[Choices] = {"decay": ("none", "linear", "cosine")}

    learning_rate: float = 0.001
    weight_decay: float = 0.0
    gradient_clipping: float = 0.0
    warmup_steps: int = 0
    decay: str = "none"
    label_smoothing: float = 0.0


@dataclass(frozen=True)
class Distillation:
    """A trained system to learn from (a run or an archive), and how much of it.

    `weight` is the teacher's share of the loss; a temperature above 1 makes it say more of classes
    that it thinks less likely.
    """

    LIMITS: ClassVar[Limits] = {"temperature": (0.1, 100), "weight": (0, 1)}

    teacher: str | None = None
    temperature: float = 2.0
    weight: float = 0.7


@dataclass(frozen=True)
class FineTuning:
    """How a training goes on with in-domain data (`data.in_domain`), after all data.

    A learning rate of 0 is that of the training.
    """

    LIMITS: ClassVar[Limits] = {"max_epochs": (1, inf)}

    learning_rate: float = 0.0
    max_epochs: int = 10
    patience: int = 3


@dataclass(frozen=True)
class TrainerSettings:
    """Where and for how long a network is trained; see `conf/trainer/default.yaml`."""

    LIMITS: ClassVar[Limits] = {
        "threads": (1, 1024),
        "max_epochs": (1, inf),
        "checkpoint_epochs": (1, inf),
    }
    CHOICES: ClassVar[Choices] = {
        "accelerator": ("auto", "cpu", "gpu", "cuda", "mps"),
        "precision": ("32-true", "bf16-mixed", "16-mixed"),
    }

    accelerator: str = "auto"
    devices: int | str = 1
    strategy: str = "auto"
    precision: str = "32-true"
    max_epochs: int = 50
    patience: int = 3
    patience_steps: int = 0
    threads: int = 1
    compile: bool = False
    checkpoint_epochs: int = 1
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


T = TypeVar("T")
_SIZES = (1.0, 1e6)
_SHARES = (0.0, 0.999)


def section(kind: type[T], name: str, values: object, problems: list[Problem]) -> T:
    """The dataclass made from a section; what is wrong is added to the problems and left out."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    limits, allowed = getattr(kind, "LIMITS", {}), getattr(kind, "CHOICES", {})
    good = {}
    for key, value in _values(name, values, problems).items():
        expected = _expected(key, value, known, hints, limits, allowed)
        if expected is None:
            good[key] = value
        else:
            found = _shown(value) if key in known else "an unknown key"
            problems.append(Problem("settings", None, f"{name}.{key}", expected, found))
    return kind(**good)


def network_section(
    name: str, network: type[Network], values: object, problems: list[Problem]
) -> None:
    """Faults of `network_settings`: keys and types must be those of the network's settings."""
    defaults = network.settings()
    hints = {key: type(default) for key, default in defaults.items()}
    limits = {key: _SHARES if hint is float else _SIZES for key, hint in hints.items()}
    given = _values("system.network_settings", values, problems)
    before = len(problems)
    for key, value in given.items():
        bounds = {**limits, **network.limits}
        expected = _expected(key, value, list(defaults), hints, bounds, network.choices)
        if expected is not None:
            found = _shown(value) if key in defaults else f"an unknown key of {name}"
            where = f"system.network_settings.{key}"
            problems.append(Problem("settings", None, where, expected, found))
    if len(problems) > before:
        return
    made = {**defaults, **given}
    for key, (times, other) in network.multiples.items():
        step = times * made[other]
        if made[key] % step:
            where, expected = f"system.network_settings.{key}", f"a multiple of {times} * {other}"
            problems.append(
                Problem("settings", None, where, f"{expected} = {step}", str(made[key]))
            )


def pretraining_section(
    name: str, network: type[Network], values: object, problems: list[Problem]
) -> Any:
    """The settings of a network's pre-training, or None where it has none.

    There the section may only say so: version 0.1.0 saved it with every system.
    """
    if network.pretraining is not None:
        return section(network.pretraining, "system.pretraining", values, problems)
    epochs = _values("system.pretraining", values, problems).get("epochs", 0)
    if epochs:
        where, expected = "system.pretraining.epochs", f"0, since {name} has no pre-training"
        problems.append(Problem("settings", None, where, expected, _shown(epochs)))
    return None


def _values(name: str, values: object, problems: list[Problem]) -> Mapping[str, Any]:
    """The values of a section; one that is no section has none, and is a problem."""
    if isinstance(values, Mapping):
        return values
    if values is not None:
        # The trainer's settings are a section of their own, from which the system has them.
        where, expected = f"system.{name.removeprefix('system.')}", "a section of settings"
        problems.append(Problem("settings", None, where, expected, _shown(values)))
    return {}


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _expected(
    key: str,
    value: object,
    known: list[str],
    hints: Mapping[str, Any],
    limits: Limits,
    allowed: Mapping[str, tuple[str, ...]],
) -> str | None:
    """What should have been there, or None if the value is good."""
    if key not in known:
        return choices(known)
    if key in allowed:
        return None if value in allowed[key] else choices(allowed[key])
    hint = hints[key]
    if hint is bool:
        return None if isinstance(value, bool) else "true or false"
    if hint in (int, float):
        number = isinstance(value, int) or (hint is float and isinstance(value, float))
        low, high = limits.get(key, (0.0, float("inf")))
        if number and not isinstance(value, bool) and low <= value <= high:  # type: ignore[operator]
            return None
        what = "a whole number" if hint is int else "a number"
        return f"{what} from {low:g}" + (f" to {high:g}" if high < float("inf") else "")
    return "a text" if hint is str and not isinstance(value, str) else None
