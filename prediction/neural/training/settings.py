"""The settings of a neural system: its network, and how, where and for how long it is trained.

Neither Lightning nor torch is imported.
"""

from __future__ import annotations

from math import ceil
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt, model_validator

from crosspro.data_prep.core.settings import Seed, settings
from crosspro.prediction.adjustment import WeightPower
from crosspro.prediction.dev_score import Monitor
from crosspro.prediction.neural.network_settings import AnyNetwork, Fraction
from crosspro.prediction.neural.reading.subwords import UnitKind

Portion = Annotated[float, Field(ge=0, le=1)]
RunFolder = Annotated[str, Field(min_length=1)]
Sampling = Literal["all", "equal", "proportional"]
"""How the gaps of an epoch are drawn from those of the classes."""


@settings
class Training:
    """What is learnt from, and how."""

    min_count: NonNegativeInt = 2
    lowercase: bool = False
    context: NonNegativeInt = 0
    short_context: Portion = 0.0
    units: UnitKind = "words"
    unit_vocabulary: Annotated[int, Field(ge=10)] = 8000
    batch_size: PositiveInt = 100
    min_steps: NonNegativeInt = 100
    class_weight_power: WeightPower = 0.0
    sampling: Sampling = "all"
    share: Annotated[float, Field(ge=1e-6, le=1)] = 1.0
    monitor: Monitor = "macro_recall"
    tune_adjustment: bool = False
    snapshots: PositiveInt = 1


@settings
class Optimisation:
    """How a network is trained; the defaults are Turku's (Adam with its usual settings)."""

    learning_rate: NonNegativeFloat = 0.001
    weight_decay: NonNegativeFloat = 0.0
    gradient_clipping: NonNegativeFloat = 0.0
    warmup_steps: NonNegativeInt = 0
    decay: Literal["none", "linear", "cosine"] = "none"
    label_smoothing: Fraction = 0.0


@settings
class SkipGramSettings:
    """Skip-gram embeddings before the training (Turku 2017); a batch has about so many pairs."""

    epochs: NonNegativeInt = 0
    window: Annotated[int, Field(ge=1, le=1000)] = 5
    negatives: PositiveInt = 5
    batch_size: PositiveInt = 131072
    learning_rate: NonNegativeFloat = 0.003


@settings
class Distillation:
    """A trained system to learn from (a run or an archive), and its share of the loss."""

    teacher: RunFolder | None = None
    temperature: Annotated[float, Field(ge=0.1, le=100)] = 2.0
    weight: Portion = 0.7


@settings
class TrainerSettings:
    """Where and for how long a network is trained."""

    accelerator: Literal["auto", "cpu", "gpu"] = "auto"
    devices: int | str = 1
    strategy: str = "auto"
    precision: Literal["32-true", "bf16-mixed"] = "32-true"
    max_epochs: PositiveInt = 50
    patience: NonNegativeInt = 3
    patience_steps: NonNegativeInt = 300
    max_minutes: NonNegativeFloat = 0.0
    threads: Annotated[int, Field(ge=1, le=1024)] = 1
    progress_bar: bool = True
    deterministic: bool = True

    def patience_in_epochs(self, share: float, steps: int) -> int:
        """How many epochs without a better dev score end a training, at any size of data.

        An epoch reads a share of the data in so many steps; `patience` counts whole passes over it,
        and there must have been `patience_steps` steps.
        """
        passes = ceil(max(1, self.patience) / share)
        return max(passes, ceil(self.patience_steps / max(1, steps)))


@settings
class NeuralSettings:
    """The settings of a neural system; the network's are of its own class."""

    network: AnyNetwork
    training: Training = Training()
    optimisation: Optimisation = Optimisation()
    pretraining: SkipGramSettings = SkipGramSettings()
    trainer: TrainerSettings = TrainerSettings()
    init_from: RunFolder | None = None
    seed: Seed = 1
    distillation: Distillation = Distillation()

    @model_validator(mode="after")
    def _may_pretrain(self) -> Self:
        if self.pretraining.epochs and not self.network.pretrains:
            raise ValueError(
                f"pretraining.epochs should be 0: {self.network.name} cannot be pre-trained"
            )
        return self
