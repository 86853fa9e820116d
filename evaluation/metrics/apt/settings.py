"""The settings of APT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.core.settings import setting
from crosspro.evaluation.inputs.case_records import CASES
from crosspro.evaluation.metrics.apt.repair import RepairRules, make_rules

Others = Literal["different", "equal", "missing"]
"""Two words that are no pronouns of the list: different, equal, or not found (cases 4 to 6)."""

PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The setting with the best correlation in 000 Table 4, and APT-B of 001."""


def _weights(text: str) -> tuple[float, ...]:
    return tuple(float(item) for item in text.split(","))


def _cases(text: str) -> frozenset[int]:
    return frozenset(int(item) for item in text.split(",") if item.strip())


@dataclass(frozen=True)
class AptSettings:
    """What is counted and how.

    `weights` are those of the six cases, `discard` the cases that are left out of both sums. With
    `probabilities` an equivalent pronoun weighs its probability, where the list has one.
    """

    weights: tuple[float, ...] = setting(PAPER_WEIGHTS, "Weights of the six cases.", read=_weights)
    discard: frozenset[int] = setting(frozenset(), "Cases left out, such as 5,6.", read=_cases)
    probabilities: bool = setting(
        False, "Weigh equivalents by their probability.", "--weigh-equivalents"
    )
    others: Others = setting(
        "different", "Words that are no pronouns: different, equal or missing.", "--other"
    )
    repair: bool = setting(True, "Repair the links of pronouns as the paper does.")
    rules: RepairRules = setting(
        RepairRules(), "A point that the paper leaves open; see docs.", "--repair-rule", make_rules
    )
    start: Literal["source", "reference"] = setting(
        "source", "Score pronouns of the source or of the reference.", "--from"
    )

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
    def repairs(self) -> RepairRules | None:
        """How links are repaired; None if they are not, as where the reference comes first."""
        return self.rules if self.repair and self.start == "source" else None
