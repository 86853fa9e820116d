"""How a training went, for those who write runs down; a system with no epochs has no report."""

from __future__ import annotations

from collections.abc import Sequence
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


@dataclass(frozen=True)
class MemberReport:
    """A part of an ensemble: its member's name, its weight and how its own training went.

    `score` is that of the part alone, by the ensemble's monitor.
    """

    name: str
    weight: float
    score: float | None
    fit: FitReport | EnsembleReport | None


@dataclass(frozen=True)
class EnsembleReport:
    """Parts and their weights, which the `monitor` chose on dev; it is None where all are equal."""

    monitor: str | None
    score: float | None
    members: Sequence[MemberReport]
