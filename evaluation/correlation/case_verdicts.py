"""The six cases of APT against what people say (000 §4.3, Table 5).

A pronoun is correct, incorrect, or in a translation too bad to be judged; what nobody has judged is
left out. Unlike the disagreements of 001, all six cases count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crosspro.evaluation.core.ratio import percentage, ratio_statistics
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Interval,
    Resampling,
    bootstrap_sums,
    interval,
)
from crosspro.evaluation.core.units import tally
from crosspro.evaluation.correlation.disagreement import TOTAL, JudgedPronoun
from crosspro.evaluation.inputs.case_names import CASES
from crosspro.evaluation.inputs.placed_verdict import BAD, CORRECT, INCORRECT

VERDICT_NAMES = (CORRECT, INCORRECT, BAD)


@dataclass(frozen=True, slots=True)
class CaseVerdicts:
    """The judged pronouns of a case (or of all: `total`): how many are correct, incorrect, bad."""

    case: str
    counts: tuple[int, int, int]

    @property
    def total(self) -> int:
        """All judged pronouns."""
        return sum(self.counts)

    @property
    def percentages(self) -> tuple[float | None, ...]:
        """The verdicts in per cent of the judged pronouns, if there are any."""
        return tuple(100 * count / self.total if self.total else None for count in self.counts)


@dataclass(frozen=True)
class CaseStudy:
    """The verdicts of each case and the total, 95% intervals of the correct ones, and the rest."""

    cases: tuple[CaseVerdicts, ...]
    intervals: Mapping[str, Interval]
    unjudged: int
    signature: str


def study_cases(
    judgements: Sequence[JudgedPronoun], plan: Resampling | None = None, unit: str = "example"
) -> CaseStudy:
    """Count verdicts by case; with a resampling plan also intervals of the correct ones."""
    judged = [one for one in judgements if _column(one) is not None]
    table = []
    intervals: dict[str, Interval] = {}
    for name in (*map(str, CASES), TOTAL):
        own = [one for one in judged if name in (str(one.case), TOTAL)]
        columns = [_column(one) for one in own]
        table.append(CaseVerdicts(name, (columns.count(0), columns.count(1), columns.count(2))))
        if plan is not None and own:
            intervals[name] = _interval(own, plan)
    parts = ["case-verdicts", f"examples:{len(judged)}"]
    unjudged = len(judgements) - len(judged)
    return CaseStudy(tuple(table), intervals, unjudged, make_signature(parts, plan, unit))


def _column(one: JudgedPronoun) -> int | None:
    if one.bad:
        return 2
    return None if one.correct is None else 1 - one.correct


def _interval(judged: Sequence[JudgedPronoun], plan: Resampling) -> Interval:
    sums: dict[object, list[int]] = {}
    for number, one in enumerate(judged):
        cell = sums.setdefault(one.unit or number, [0, 0])
        cell[0] += _column(one) == 0
        cell[1] += 1
    right, all_of_them = zip(*sums.values(), strict=True)
    return interval(percentage(bootstrap_sums(tally(ratio_statistics(right, all_of_them)), plan)))
