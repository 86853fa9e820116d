"""Precision, recall and F1 of pronouns against a reference, with intervals and paired tests.

What MuDA (Fernandes et al. 2023) and BlonDe (Jiang et al. 2022) report of pronouns, from plain
text: no links and no parser. Intervals resample documents where they are known, else lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.ratio import quotient
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Measure,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.core.units import (
    FEW_DOCUMENTS,
    Floats,
    ResampledUnits,
    choose_units,
    side_by_side,
    tally,
)
from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES
from crosspro.evaluation.metrics.bleu.pronoun_counts import (
    TOTAL,
    Group,
    GroupCounts,
    count_groups,
    place_in_report,
    pronouns_of,
)
from crosspro.evaluation.metrics.bleu.score import MTText

_NONE = GroupCounts(np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.int64))


def _precision(sums: Floats) -> Floats:
    return 100 * quotient(sums[:, 0], sums[:, 1])


def _recall(sums: Floats) -> Floats:
    return 100 * quotient(sums[:, 0], sums[:, 2])


def _f1(sums: Floats) -> Floats:
    """Known as soon as one text has a pronoun: a kind that is never translated has F1 0."""
    return 100 * quotient(2 * sums[:, 0], sums[:, 1] + sums[:, 2])


METRICS: Mapping[str, Measure] = {"precision": _precision, "recall": _recall, "f1": _f1}
"""Functions of the sums of matched pronouns, those of the candidate and those of the reference.

Not a number where nothing is there to be scored.
"""


@dataclass(frozen=True)
class GroupF1:
    """One group of pronouns in one candidate: how many there are, and the scores."""

    breakdown: str
    group: str
    matched: int
    candidate: int
    reference: int
    scores: dict[str, Score]


@dataclass(frozen=True)
class PronounResult:
    """The groups of one candidate; the first is the total."""

    name: str
    groups: tuple[GroupF1, ...]


@dataclass(frozen=True)
class PronounF1:
    """Everything that was computed for some candidates."""

    lines: int
    documents: int | None
    language: str
    results: tuple[PronounResult, ...]
    comparisons: tuple[Difference, ...]
    warnings: tuple[str, ...]


def evaluate_pronouns(
    text: MTText,
    language: str,
    plan: Resampling | None = None,
    ambiguous: bool = False,
    pairs: PairChoice = every_pair,
) -> PronounF1:
    """Score candidates against the first reference; the language must have a table of pronouns."""
    if language not in LANGUAGES:
        raise input_error("--language", "language", choices(LANGUAGES), quoted(language))
    units = choose_units(document=text.documents, line=np.arange(text.lines))
    documents = None if text.documents is None else int(text.documents[-1]) + 1
    wanted = pronouns_of(text.references[0], language, ambiguous)
    counted = [
        count_groups(wanted, pronouns_of(lines, language, ambiguous), language, ambiguous)
        for lines in text.candidates
    ]
    groups = sorted({group for one in counted for group in one}, key=place_in_report)
    results = []
    totals = []
    for name, found in zip(text.names, counted, strict=True):
        sums = {group: _sums(found.get(group, _NONE), units) for group in groups}
        totals.append(sums[TOTAL])
        scored = (
            _scored(group, sums[group], plan, units, language, ambiguous, text.lines)
            for group in groups
        )
        results.append(PronounResult(name, tuple(scored)))
    comparisons: list[Difference] = []
    if plan:
        f1 = [result.groups[0].scores["f1"].value for result in results]
        for one, other in pairs(text.names, f1):
            table = side_by_side(totals[one], totals[other])
            comparisons += paired_tests((text.names[one], text.names[other]), table, METRICS, plan)
    return PronounF1(
        text.lines,
        documents,
        language,
        tuple(results),
        tuple(comparisons),
        tuple(_warnings(wanted, documents, plan)),
    )


def _sums(found: GroupCounts, units: ResampledUnits) -> Floats:
    """The three counts of each unit."""
    unit = units.of_item[found.lines]
    columns = [np.bincount(unit, column, units.count) for column in found.counts.T]
    return np.stack(columns, axis=1).astype(np.float64)


def _scored(
    group: Group,
    sums: Floats,
    plan: Resampling | None,
    units: ResampledUnits,
    language: str,
    ambiguous: bool,
    lines: int,
) -> GroupF1:
    parts = [f"language:{language}", f"lines:{lines}", f"ambiguous:{'yes' if ambiguous else 'no'}"]
    where = [":".join(group).replace(" ", "_")] if group != TOTAL else []
    signatures = {
        name: make_signature([f"pronoun_{name}", *where, *parts], plan, units.name)
        for name in METRICS
    }
    matched, candidate, reference = (int(number) for number in sums.sum(axis=0))
    scores = scores_of(tally(sums), METRICS, plan, signatures)
    return GroupF1(*group, matched, candidate, reference, scores)


def _warnings(
    wanted: Sequence[Counter[str]], documents: int | None, plan: Resampling | None
) -> list[str]:
    found = []
    if not any(wanted):
        found.append("the reference has no pronoun")
    if plan and documents is not None and 1 < documents < FEW_DOCUMENTS:
        found.append(
            f"{documents} documents are few: intervals and bootstrap p values are too small"
        )
    return found
