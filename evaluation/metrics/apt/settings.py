"""The settings of APT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.inputs.case_records import CASES

Others = Literal["different", "equal", "missing"]
"""Two words that are no pronouns of the list: different, equal, or not found (cases 4 to 6)."""

Heuristics = Literal["paper", "released"]
"""The repair of links that the paper describes, or that of its released tool."""

PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The setting with the best correlation in 000 Table 4, and APT-B of 001."""


@dataclass(frozen=True)
class AptSettings:
    """What is counted and how.

    `weights` are those of the six cases, `discard` the cases that are left out of both sums. With
    `probabilities` an equivalent pronoun weighs its probability, where the list has one.
    """

    weights: tuple[float, ...] = PAPER_WEIGHTS
    discard: frozenset[int] = frozenset()
    probabilities: bool = False
    others: Others = "different"
    repair: bool = True
    heuristics: Heuristics = "paper"

    def check(self) -> None:
        """Raise if the weights or cases make no sense; all faults together."""
        problems = []
        if len(self.weights) != len(CASES) or not all(0 <= w <= 1 for w in self.weights):
            shown = ",".join(f"{w:g}" for w in self.weights)
            problems.append(Problem("settings", None, "weights", "six numbers from 0 to 1", shown))
        for case in sorted(self.discard):
            if case not in CASES:
                problems.append(Problem("settings", None, "discard", "cases 1 to 6", str(case)))
        if set(CASES) <= self.discard:
            problems.append(Problem("settings", None, "discard", "a case that is left", "none"))
        if problems:
            raise InputError(problems)

    @property
    def used(self) -> tuple[int, ...]:
        """The cases that are counted."""
        return tuple(case for case in CASES if case not in self.discard)

    @property
    def repairs(self) -> Heuristics | None:
        """How links are repaired, if they are."""
        return self.heuristics if self.repair else None
