"""What a network learns from, how, where and for how long; known without importing Lightning.

`LIMITS` and `CHOICES` of a section say which values it takes; other numbers begin at 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import ClassVar

from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.neural.sampling import POLICIES
from crosspro.prediction.neural.subwords import KINDS

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
