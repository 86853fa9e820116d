"""APT's cases against what people say of the same pronouns (000 Table 5; 001 §6, Tables 3 and 4).

Case 1 (same) or 2 (equivalent) says that a pronoun is right, case 3 (different) that it is wrong. A
disagreement is an example where people say otherwise; other cases are not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosspro.evaluation.core.metric import TOTAL
from crosspro.evaluation.core.score import UNDEFINED, Scale, Score, make_signature
from crosspro.evaluation.core.statistics import (
    ResampledUnits,
    Resampling,
    percentage,
    scores_of,
    tally,
)
from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.correlation.judged import COMPARED, KINDS, JudgedPronoun
from crosspro.evaluation.inputs.case_records import BAD, CASE_NAMES, CASES, CORRECT, INCORRECT
from crosspro.evaluation.output.tables import PLAIN, Style
from crosspro.evaluation.output.text import tables_text

VERDICTS = (CORRECT, INCORRECT, BAD)
SCALE = Scale(digits=1)


@dataclass(frozen=True)
class CategoryCounts:
    """Compared examples of a category: by case, by verdict, and where APT and people differ."""

    category: str
    cases: Mapping[int, int]
    correct: int
    incorrect: int
    disagreements: int
    examples: int
    share: Score
    kinds: Mapping[str, int]


@dataclass(frozen=True)
class DisagreementStudy:
    """Counts by category, the total as the last, and verdicts of each case.

    `precision` and `recall` are those of case 1 or 2 as a detector of pronouns that people accept;
    `left_out` were not judged.
    """

    categories: tuple[CategoryCounts, ...]
    verdicts: Mapping[int, Mapping[str, int]]
    precision: float
    recall: float
    left_out: int
    signature: str


def study_disagreement(
    pronouns: Sequence[JudgedPronoun], plan: Resampling | None = None, unit: str = "example"
) -> DisagreementStudy:
    """Count judged pronouns; intervals resample by `unit`."""
    compared = [pronoun for pronoun in pronouns if pronoun.compared]
    parts = ["disagreement", "cases:1+2/3", f"examples:{len(compared)}"]
    signature = make_signature(parts, plan, unit)
    groups = {
        name: [one for one in compared if one.category == name]
        for name in dict.fromkeys(pronoun.category for pronoun in compared)
    }
    judged = Counter((pronoun.case, pronoun.human) for pronoun in pronouns)
    verdicts = {case: {name: judged[case, name] for name in VERDICTS} for case in CASES}
    detected = verdicts[1][CORRECT] + verdicts[2][CORRECT]
    return DisagreementStudy(
        tuple(
            _category(name, group, plan, signature, unit)
            for name, group in {**groups, TOTAL: compared}.items()
        ),
        verdicts,
        _share(detected, detected + verdicts[1][INCORRECT] + verdicts[2][INCORRECT]),
        _share(detected, detected + verdicts[3][CORRECT]),
        sum(not pronoun.human for pronoun in pronouns),
        signature,
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _category(
    name: str, group: Sequence[JudgedPronoun], plan: Resampling | None, signature: str, unit: str
) -> CategoryCounts:
    cases, verdicts = Counter(one.case for one in group), Counter(one.human for one in group)
    kinds = Counter(one.kind for one in group if one.disagrees)
    share = Score("disagreement", float("nan"), signature)
    if group:
        numbers: dict[object, int] = {}
        of_item = [numbers.setdefault(one.unit or n, len(numbers)) for n, one in enumerate(group)]
        units = ResampledUnits(unit, np.array(of_item), len(numbers))
        table = tally(units.sums([(one.disagrees, 1) for one in group]))
        share = scores_of(table, {"": percentage}, plan, {"": signature})[""]
    return CategoryCounts(
        name,
        {case: cases[case] for case in COMPARED},
        verdicts[CORRECT],
        verdicts[INCORRECT],
        kinds.total(),
        len(group),
        share,
        {kind: kinds[kind] for kind in KINDS} if any(kinds) else {},
    )


def disagreement_text(study: DisagreementStudy, style: Style = PLAIN) -> str:
    """Verdicts by case, disagreements by category, and their kinds where some are known."""
    tables = [_verdict_table(study), _category_table(study)]
    if study.categories[-1].kinds:
        tables.append(_kinds_table(study))
    judged = sum(sum(counts.values()) for counts in study.verdicts.values())
    title = f"APT's cases against people: {judged:,} judged pronouns"
    return tables_text(title, tables, SCALE, [study.signature], style)


def _verdict_table(study: DisagreementStudy) -> Table:
    named = {f"{case} {CASE_NAMES[case - 1]}": counts for case, counts in study.verdicts.items()}
    named[TOTAL] = {name: sum(one[name] for one in named.values()) for name in VERDICTS}
    rows = []
    for name, counts in named.items():
        size = sum(counts.values())
        shares = (f"{100 * n / size:.1f}" if size else UNDEFINED for n in counts.values())
        rows.append((name, f"{size:,}", *shares))
    detector = (
        UNDEFINED if np.isnan(one) else f"{one:.4f}" for one in (study.precision, study.recall)
    )
    notes = ["Case 1 or 2 detects correct pronouns: precision {}, recall {}".format(*detector)]
    if study.left_out:
        notes.append(f"{study.left_out:,} pronouns that nobody has judged are left out.")
    return Table(("case", "total", *(f"{name} %" for name in VERDICTS)), rows, notes=tuple(notes))


def _category_table(study: DisagreementStudy) -> Table:
    rows: list[list[Cell]] = []
    for one in study.categories:
        counts = *one.cases.values(), one.correct, one.incorrect, one.disagreements, one.examples
        rows.append([one.category, *(f"{count:,}" for count in counts), one.share])
    cases = (f"case {case}" for case in COMPARED)
    heading = ("category", *cases, CORRECT, INCORRECT, "disagree", "examples", "disagreement %")
    unit = study.categories[-1].share.unit
    return Table(heading, rows, notes=(f"[95% interval by {unit}]",) if unit else ())


def _kinds_table(study: DisagreementStudy) -> Table:
    rows = [
        (one.category, *(str(one.kinds.get(kind) or UNDEFINED) for kind in KINDS))
        for one in study.categories
    ]
    key = ", ".join(f"{kind} {name}" for kind, name in KINDS.items())
    return Table(("kinds of disagreement", *KINDS), rows, notes=(f"{key}.",))
