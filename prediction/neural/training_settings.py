"""How, where and for how long a network is trained; known without importing Lightning."""

from __future__ import annotations

from dataclasses import dataclass

DECAYS = ("none", "linear", "cosine")
ACCELERATORS = ("auto", "cpu", "gpu", "cuda", "mps")
PRECISIONS = ("32-true", "bf16-mixed", "16-mixed")


@dataclass(frozen=True)
class Optimisation:
    """How a network is trained; the defaults are Turku's (Adam as it comes)."""

    learning_rate: float = 0.001
    weight_decay: float = 0.0
    gradient_clipping: float = 0.0
    warmup_steps: int = 0
    decay: str = "none"
    label_smoothing: float = 0.0


@dataclass(frozen=True)
class TrainerSettings:
    """Where and for how long a network is trained; see `conf/trainer/default.yaml`."""

    accelerator: str = "auto"
    devices: int | str = 1
    strategy: str = "auto"
    precision: str = "32-true"
    max_epochs: int = 50
    patience: int = 3
    threads: int = 1
    compile: bool = False
    checkpoint_epochs: int = 1
    encoded_dir: str = ""
    progress_bar: bool = True
    deterministic: bool = True
