"""How a training went, for those who write runs down; a system without epochs has no report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class FitReport:
    """Epochs count from 0; `score` is that of the chosen one on dev, by `monitor`.

    A training ends after all its epochs, or after enough of them without a better score.
    """

    monitor: str
    score: float
    chosen_epoch: int
    epochs: int
    stopped_by: Literal["max_epochs", "patience"]
