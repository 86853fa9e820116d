"""Where APT and people disagree, category by category (001 §6, Tables 3 and 4).

A judged example has an APT case and a human verdict. Case 1 (identical) or 2 (equivalent) says that
the pronoun is right, case 3 (different) that it is wrong; cases 4 to 6 and examples that the
annotators could not judge are left out. A disagreement is an example where the two differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.core.ratio import percentage, ratio_statistics
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Interval,
    Resampling,
    bootstrap_sums,
    interval,
)
from crosspro.evaluation.core.units import tally
from crosspro.evaluation.correlation.kinds import KINDS, UNKNOWN_KIND

CASES = (1, 2, 3)
"""The cases that are compared; the first two say that the pronoun is right."""

TOTAL = "total"

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """One pronoun of one system: its category, its APT case, and whether people accept it.

    `correct` is None where the annotators could not judge, because the translation is too `bad` or
    for another reason. `unit` is what intervals resample: a document, a system or the example
    itself. `kind` is that of a disagreement, where it is known (`kinds.KINDS`). `reference` and
    `output` are the pronouns of both sides, and `system` whose output it is, where they are known.
    """

    category: str
    case: int
    correct: bool | None
    unit: str = ""
    bad: bool = False
    kind: str = ""
    reference: str = ""
    output: str = ""
    system: str = ""

    @property
    def disagrees(self) -> bool:
        """Whether APT and people differ."""
        if self.case not in CASES or self.correct is None:
            return False
        return self.correct == (self.case == CASES[-1])


@dataclass(frozen=True)
class CategoryVerdicts:
    """The examples of a category: `counts[case - 1]` are those judged correct and incorrect."""

    category: str
    counts: Counts

    @property
    def cases(self) -> list[int]:
        """Examples of case 1, 2 and 3."""
        return [int(number) for number in self.counts.sum(axis=1)]

    @property
    def correct(self) -> int:
        """Examples that people accept."""
        return int(self.counts[:, 0].sum())

    @property
    def incorrect(self) -> int:
        """Examples that people reject."""
        return int(self.counts[:, 1].sum())

    @property
    def examples(self) -> int:
        """All examples."""
        return int(self.counts.sum())

    @property
    def disagreements(self) -> int:
        """Identical or equivalent but rejected, or different but accepted."""
        return int(self.counts[0, 1] + self.counts[1, 1] + self.counts[2, 0])

    @property
    def percentage(self) -> float | None:
        """Disagreements in per cent of the examples, if there are any."""
        return 100 * self.disagreements / self.examples if self.examples else None

    @property
    def disagreement_by_case(self) -> list[float | None]:
        """Disagreements in per cent of the examples of each case, where it has any."""
        wrong = (self.counts[0, 1], self.counts[1, 1], self.counts[2, 0])
        pairs = zip(wrong, self.cases, strict=True)
        return [100 * int(part) / whole if whole else None for part, whole in pairs]

    @property
    def precision(self) -> float | None:
        """Of the pronouns that APT accepts, the share that people accept, if it accepts any."""
        accepted = self.counts[:2]
        return float(accepted[:, 0].sum() / accepted.sum()) if accepted.any() else None

    @property
    def recall(self) -> float | None:
        """Of the pronouns that people accept, the share that APT accepts, if they accept any."""
        return float(self.counts[:2, 0].sum() / self.correct) if self.correct else None


def count_verdicts(judgements: Iterable[JudgedPronoun]) -> tuple[CategoryVerdicts, ...]:
    """The categories in order of appearance, and the total as the last."""
    counts: dict[str, Counts] = {}
    for one in judgements:
        if one.case in CASES and one.correct is not None:
            cells = counts.setdefault(one.category, np.zeros((len(CASES), 2), dtype=np.int64))
            cells[one.case - 1, 0 if one.correct else 1] += 1
    return with_total(counts)


def with_total(counts: Mapping[str, Counts]) -> tuple[CategoryVerdicts, ...]:
    """Verdicts of counts by category, and their total as the last."""
    total = sum(counts.values(), np.zeros((len(CASES), 2), dtype=np.int64))
    return tuple(CategoryVerdicts(name, cells) for name, cells in [*counts.items(), (TOTAL, total)])


@dataclass(frozen=True, slots=True)
class DisagreedPair:
    """A pronoun of the output for one of the reference, and where people contradict its case.

    001 §6 counts such: *il* for *cela* (case 3) that people accept, *il* for *il* (case 1) that
    they reject.
    """

    case: int
    output: str
    reference: str
    categories: Mapping[str, int]

    @property
    def examples(self) -> int:
        """In all categories together."""
        return sum(self.categories.values())


@dataclass(frozen=True)
class DisagreementStudy:
    """The verdicts of each category, the 95% intervals of their percentages, and how they came."""

    verdicts: tuple[CategoryVerdicts, ...]
    intervals: Mapping[str, Interval]
    signature: str
    kinds: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Disagreements of each kind by category, the total as the last; none if no kind is known."""
    pairs: tuple[DisagreedPair, ...] = ()
    """Disagreements by the pronouns of output and reference, where these are known."""


def study_disagreement(
    judgements: Sequence[JudgedPronoun], plan: Resampling | None = None, unit: str = "example"
) -> DisagreementStudy:
    """Count verdicts; with a resampling plan also intervals. `unit` is what a unit is called."""
    verdicts = count_verdicts(judgements)
    intervals = {}
    if plan is not None:
        for one in verdicts:
            intervals[one.category] = disagreement_interval(judgements, one.category, plan)
    parts = ["disagreement", "cases:1+2/3", f"examples:{verdicts[-1].examples}"]
    signature = make_signature(parts, plan, unit)
    kinds, pairs = count_kinds(judgements), count_pairs(judgements)
    return DisagreementStudy(verdicts, intervals, signature, kinds, pairs)


def count_kinds(judgements: Iterable[JudgedPronoun]) -> dict[str, dict[str, int]]:
    """How many disagreements of each category are of each kind (001 Table 4)."""
    by_category: dict[str, Counter[str]] = {}
    for one in judgements:
        if one.case in CASES and one.correct is not None:
            by_category.setdefault(one.category, Counter())[one.kind] += one.disagrees
    return kinds_with_total(by_category)


def count_pairs(judgements: Iterable[JudgedPronoun]) -> tuple[DisagreedPair, ...]:
    """Disagreements by case and pronouns, the most frequent first; none without pronouns."""
    found: dict[tuple[int, str, str], Counter[str]] = {}
    for one in judgements:
        if one.disagrees and one.reference and one.output:
            key = (one.case, one.output.lower(), one.reference.lower())
            found.setdefault(key, Counter())[one.category] += 1
    pairs = (
        DisagreedPair(*key, dict(sorted(own.items(), key=lambda item: -item[1])))
        for key, own in found.items()
    )
    return tuple(sorted(pairs, key=lambda one: -one.examples))


def kinds_with_total(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Counts of all kinds by category and their total as the last; nothing if there are none."""
    total: Counter[str] = Counter()
    for own in counts.values():
        total.update(own)
    if not any(total[kind] for kind in KINDS):
        return {}
    shown = (*KINDS, *([UNKNOWN_KIND] if total[UNKNOWN_KIND] else []))
    return {
        category: {kind: own.get(kind, 0) for kind in shown}
        for category, own in [*counts.items(), (TOTAL, total)]
    }


def disagreement_interval(
    judgements: Iterable[JudgedPronoun], category: str, plan: Resampling
) -> Interval:
    """The 95% interval of a category's percentage; units are resampled, else examples."""
    sums: dict[object, list[int]] = {}
    for number, one in enumerate(judgements):
        if one.case not in CASES or one.correct is None or category not in (one.category, TOTAL):
            continue
        cell = sums.setdefault(one.unit or number, [0, 0])
        cell[0] += one.disagrees
        cell[1] += 1
    if not sums:
        return None, None
    numerators, denominators = zip(*sums.values(), strict=True)
    samples = bootstrap_sums(tally(ratio_statistics(numerators, denominators)), plan)
    return interval(percentage(samples))


def verdicts_from_margins(
    cases: tuple[int, int, int], correct: int, disagreements: int, wrong_equivalents: int
) -> Counts:
    """The full table of a category from what 001 prints of it in Tables 3 and 4.

    With a identical but rejected, e equivalent but rejected and c different but accepted:
    a + e + c is the number of disagreements, and (case 1 - a) + (case 2 - e) + c are correct.
    Table 4 gives e, so a and c follow.
    """
    identical, equivalent, different = cases
    twice = disagreements + correct - identical - equivalent
    accepted = twice // 2
    rejected = disagreements - wrong_equivalents - accepted
    table = np.array(
        [
            [identical - rejected, rejected],
            [equivalent - wrong_equivalents, wrong_equivalents],
            [accepted, different - accepted],
        ],
        dtype=np.int64,
    )
    if twice % 2 or (table < 0).any():
        raise ValueError("no table of whole numbers has these margins")
    return table
