"""Where APT and people disagree, category by category (001 §6, Tables 3 and 4).

A judged example has an APT case and a human verdict. Case 1 (identical) or 2 (equivalent) says that
the pronoun is right, case 3 (different) that it is wrong; cases 4 to 6 and examples that the
annotators could not judge are left out. A disagreement is an example where the two differ.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.core.score import make_signature
from crosspro.evaluation.core.statistics import (
    Interval,
    Resampling,
    bootstrap_sums,
    interval,
    percentage,
    ratio_statistics,
    tally,
)
from crosspro.evaluation.correlation.judged import (
    COMPARED,
    KINDS,
    TOTAL,
    UNKNOWN_KIND,
    JudgedPronoun,
)
from crosspro.evaluation.output.tables import PLAIN, Style, csv_number, csv_text
from crosspro.evaluation.published.results import read_figures

Counts = NDArray[np.int64]


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
        if one.case in COMPARED and one.correct is not None:
            cells = counts.setdefault(one.category, np.zeros((len(COMPARED), 2), dtype=np.int64))
            cells[one.case - 1, 0 if one.correct else 1] += 1
    return with_total(counts)


def with_total(counts: Mapping[str, Counts]) -> tuple[CategoryVerdicts, ...]:
    """Verdicts of counts by category, and their total as the last."""
    total = sum(counts.values(), np.zeros((len(COMPARED), 2), dtype=np.int64))
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
    unit: str = "example"
    """What intervals resample."""


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
    return DisagreementStudy(verdicts, intervals, signature, kinds, pairs, unit)


def count_kinds(judgements: Iterable[JudgedPronoun]) -> dict[str, dict[str, int]]:
    """How many disagreements of each category are of each kind (001 Table 4)."""
    by_category: dict[str, Counter[str]] = {}
    for one in judgements:
        if one.case in COMPARED and one.correct is not None:
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
        if one.case not in COMPARED or one.correct is None or category not in (one.category, TOTAL):
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


# The report --------------------------------------------------------------------------------------

_DISAGREEMENTS = {
    1: "1 same, rejected",
    2: "2 equivalent, rejected",
    3: "3 different, accepted",
}
_MOST_PAIRS = 20
"""Pairs of pronouns that a table shows; JSON has all."""


def disagreement_text(study: DisagreementStudy, style: Style = PLAIN) -> str:
    """Table 3 of 001, and how reliable each case is."""
    rows = []
    for one in study.verdicts:
        shown = _shown(one.percentage, 1)
        low, high = study.intervals.get(one.category, (None, None))
        if low is not None and high is not None:
            shown += f" [{low:.1f}, {high:.1f}]"
        numbers = (*one.cases, one.correct, one.incorrect, one.disagreements, one.examples)
        rows.append((one.category, *map(str, numbers), shown))
    heading = (
        "category",
        "case 1",
        "case 2",
        "case 3",
        "correct",
        "incorrect",
        "disagree",
        "examples",
        "%",
    )
    total = study.verdicts[-1]
    by_case = [
        (f"case {case}", *map(str, cells), _shown(share, 1))
        for case, cells, share in zip(
            (1, 2, 3), total.counts.tolist(), total.disagreement_by_case, strict=True
        )
    ]
    return "\n".join(
        (
            style.table(heading, rows),
            *([f"[95% interval by {study.unit}]\n"] if study.intervals else ()),
            style.table(("total", "correct", "incorrect", "disagree %"), by_case),
            "Case 1 or 2 as a detector of correct pronouns: "
            f"precision {_shown(total.precision, 4)}, recall {_shown(total.recall, 4)}\n",
            *_kinds(study, style),
            *_pairs(study, style),
            *style.signed([study.signature]),
        )
    )


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _kinds(study: DisagreementStudy, style: Style) -> list[str]:
    """Table 4 of 001, if kinds are known."""
    if not study.kinds:
        return []
    shown = list(next(iter(study.kinds.values())))
    rows = [
        (category, *(str(own[kind]) if own[kind] else "–" for kind in shown))
        for category, own in study.kinds.items()
    ]
    heading = ("kinds of disagreement", *(kind or "unknown" for kind in shown))
    key = ", ".join(f"{kind} {name}" for kind, name in KINDS.items())
    return [style.table(heading, rows) + style.after + f"{key}.\n"]


def _pairs(study: DisagreementStudy, style: Style) -> list[str]:
    """The counts of 001 §6, if pronouns are known: il for cela that people accept, and so on."""
    if not study.pairs:
        return []
    shown = study.pairs[:_MOST_PAIRS]
    rows = [
        (
            _DISAGREEMENTS[one.case],
            one.output,
            one.reference,
            ", ".join(f"{name} {number}" for name, number in one.categories.items()),
            str(one.examples),
        )
        for one in shown
    ]
    heading = ("case and verdict", "output", "reference", "by category", "examples")
    more = len(study.pairs) - len(shown)
    rest = f"{style.after}… and {more:,} more (--layout json has all).\n" if more else ""
    return [style.table(heading, rows, 4) + rest]


def disagreement_json(study: DisagreementStudy) -> str:
    """The same for other programs."""
    content = {
        "categories": [
            {
                "category": one.category,
                "cases": one.cases,
                "correct": one.correct,
                "incorrect": one.incorrect,
                "disagreements": one.disagreements,
                "examples": one.examples,
                "percentage": one.percentage,
                "interval": study.intervals.get(one.category),
                "counts": one.counts.tolist(),
                "kinds": _named(study.kinds.get(one.category)),
                "precision": one.precision,
                "recall": one.recall,
            }
            for one in study.verdicts
        ],
        "pairs": [asdict(one) for one in study.pairs],
        "signature": study.signature,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _named(kinds: Mapping[str, int] | None) -> dict[str, int] | None:
    """Counts by the full names of kinds."""
    if kinds is None:
        return None
    return {KINDS.get(kind, "unknown"): count for kind, count in kinds.items()}


def disagreement_csv(study: DisagreementStudy) -> str:
    """One line per category, with the share of disagreements in percent; kinds where known."""
    kinds = next(iter(study.kinds.values()), {})
    none = dict.fromkeys(kinds, "")
    rows = [
        (
            one.category,
            *one.cases,
            one.correct,
            one.incorrect,
            one.disagreements,
            one.examples,
            csv_number(one.percentage),
            *map(csv_number, study.intervals.get(one.category, (None, None))),
            study.signature,
            *study.kinds.get(one.category, none).values(),
        )
        for one in study.verdicts
    ]
    heading = ("category", "case1", "case2", "case3", "correct", "incorrect", "disagreements")
    more = ("examples", "percentage", "low", "high", "signature")
    names = (name.replace(" ", "_") for name in _named(kinds) or ())
    return csv_text([(*heading, *more, *names), *rows])


# Published figures (001 Tables 3 and 4) -----------------------------------------------------------


def derived_verdicts() -> dict[str, Counts]:
    """Cases by verdicts of each category, which 001 Tables 3 and 4 determine together."""
    wrong = {
        row["category"]: row["incorrect_equivalence"] for row in read_figures("apt_disagreements")
    }
    return {
        row["category"]: verdicts_from_margins(
            (int(row["apt_case1"]), int(row["apt_case2"]), int(row["apt_case3"])),
            int(row["human_correct"]),
            int(row["disagreements"]),
            int(wrong.get(row["category"], 0)),
        )
        for row in read_figures("apt_protest_categories")
        if row["category"] != "total"
    }


def printed_kinds() -> dict[str, dict[str, int]]:
    """001 Table 4: disagreements of each kind by category, and their total.

    The kinds of single examples cannot be told from it: in the row of inter-sentential subjects V
    and I are more than the different pronouns that people accept.
    """
    columns = {kind: name.replace(" ", "_") for kind, name in KINDS.items()}
    return kinds_with_total(
        {
            row["category"]: {kind: int(row[column]) for kind, column in columns.items()}
            for row in read_figures("apt_disagreements")
        }
    )


def published_judgements() -> list[JudgedPronoun]:
    """The 2,227 examples of 001 Table 3 as far as they can be told apart."""
    return [
        JudgedPronoun(category, case, correct)
        for category, table in derived_verdicts().items()
        for case, cells in zip(COMPARED, table.tolist(), strict=True)
        for correct, number in zip((True, False), cells, strict=True)
        for _ in range(number)
    ]
