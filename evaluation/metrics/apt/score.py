"""APT scores: Σ w·n / Σ n over the cases that are used (000 §2.4), with intervals and tests."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isnan

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.ratio import ratio, ratio_statistics
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Metric,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.core.units import Floats, ResampledUnits, side_by_side, tally
from crosspro.evaluation.inputs.anchors import Anchor, reference_anchors, source_anchors
from crosspro.evaluation.inputs.case_names import CASES
from crosspro.evaluation.inputs.document_units import Documents, sentence_units
from crosspro.evaluation.inputs.linked_text import Text, Translation, text_digest
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.apt.cases import Occurrence, Others, judge
from crosspro.evaluation.metrics.apt.repair import RepairRules
from crosspro.evaluation.metrics.apt.sides import Side, reference_sides, translation_sides

PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The setting with the best correlation in 000 Table 4, and APT-B of 001."""

METRICS: dict[str, Metric] = {"APT": ratio}


@dataclass(frozen=True)
class AptSettings:
    """What is counted and how.

    `weights` are those of the six cases, `discarded` the cases that are left out of both sums.
    With `probabilities` an equivalent pronoun weighs its probability, where the list has one.
    """

    weights: tuple[float, ...] = PAPER_WEIGHTS
    discarded: frozenset[int] = frozenset()
    probabilities: bool = False
    others: Others = "different"
    repair: RepairRules | None = field(default_factory=RepairRules)
    links: str = "given"
    tokens: bool = False
    """Whether the anchors are those of a list of tokens."""

    def check(self) -> None:
        """Raise if the weights or cases make no sense; all faults together."""
        problems = []
        if len(self.weights) != len(CASES) or not all(0 <= w <= 1 for w in self.weights):
            shown = ",".join(f"{w:g}" for w in self.weights)
            problems.append(Problem("settings", None, "weights", "six numbers from 0 to 1", shown))
        for case in sorted(self.discarded):
            if case not in CASES:
                problems.append(Problem("settings", None, "discard", "cases 1 to 6", str(case)))
        if set(CASES) <= self.discarded:
            problems.append(Problem("settings", None, "discard", "a case that is left", "none"))
        if problems:
            raise InputError(problems)

    def used(self) -> tuple[int, ...]:
        """The cases that are counted."""
        return tuple(case for case in CASES if case not in self.discarded)


@dataclass(frozen=True)
class AptResult:
    """A candidate's score, its cases, and every occurrence behind them."""

    name: str
    score: Score
    counts: tuple[int, ...]
    occurrences: tuple[Occurrence, ...]
    matrix_labels: tuple[str, ...]
    matrix: NDArray[np.int64]
    """Reference labels in rows, candidate labels in columns; cases that are used only."""
    statistics: Floats
    """Σ w·n and Σ n of each unit."""


@dataclass(frozen=True)
class AptEvaluation:
    """Everything that was computed for the candidates of one reference."""

    lists: PronounLists
    settings: AptSettings
    source: Text
    reference: Translation
    candidates: tuple[Translation, ...]
    results: tuple[AptResult, ...]
    comparisons: tuple[Difference, ...]
    units: ResampledUnits
    starts_from: str
    unlinked: int = 0
    """Pronouns of the reference without a link, where occurrences start from the reference."""
    warnings: tuple[str, ...] = ()


def evaluate_apt(
    source: Text,
    reference: Translation,
    candidates: Sequence[Translation],
    lists: PronounLists,
    settings: AptSettings,
    plan: Resampling | None,
    documents: Documents | None = None,
    anchors: Sequence[Anchor] | None = None,
    starts_from: str = "source",
    pairs: PairChoice = every_pair,
) -> AptEvaluation:
    """Score candidates. `anchors` replaces the source pronouns of the lists by given tokens."""
    settings.check()
    unlinked = 0
    if starts_from == "reference":
        anchors, unlinked = reference_anchors(reference, lists)
        sides = reference_sides(anchors, lists)
        rules = None
    else:
        anchors = source_anchors(source, lists) if anchors is None else list(anchors)
        rules = settings.repair
        sides = translation_sides(anchors, source, reference, lists, rules)
    units = sentence_units([anchor.sentence for anchor in anchors], documents)
    plan = plan if len(anchors) else None
    texts = text_digest(source, reference.text)
    signature = _signature(lists, settings, plan, units, starts_from, anchors, texts)
    results = []
    for candidate in candidates:
        theirs = translation_sides(anchors, source, candidate, lists, rules)
        occurrences = judge(anchors, sides, theirs, lists, settings.others)
        results.append(
            _result(candidate.name, occurrences, lists, settings, units, plan, signature)
        )
    comparisons: list[Difference] = []
    if plan is not None:
        names, values = [one.name for one in results], [one.score.value for one in results]
        for one, other in pairs(names, values):
            if not isnan(values[one] + values[other]):
                table = side_by_side(results[one].statistics, results[other].statistics)
                comparisons += paired_tests((names[one], names[other]), table, METRICS, plan)
    return AptEvaluation(
        lists,
        settings,
        source,
        reference,
        tuple(candidates),
        tuple(results),
        tuple(comparisons),
        units,
        starts_from,
        unlinked,
        tuple(_warnings(units, plan, lists, reference.name, sides, results)),
    )


def _result(
    name: str,
    occurrences: Sequence[Occurrence],
    lists: PronounLists,
    settings: AptSettings,
    units: ResampledUnits,
    plan: Resampling | None,
    signature: str,
) -> AptResult:
    cases = np.array([o.case for o in occurrences], dtype=np.int64)
    counts = np.bincount(cases, minlength=len(CASES) + 1)[1:]
    used = np.isin(cases, settings.used())
    weights = np.array([0.0, *settings.weights])[cases]
    if settings.probabilities:
        for index, occurrence in enumerate(occurrences):
            if occurrence.probability is not None:
                weights[index] = occurrence.probability
    statistics = ratio_statistics(units.sums(weights * used), units.sums(used))
    score = Score("APT", float("nan"), signature)
    if used.any():
        score = scores_of(tally(statistics), METRICS, plan, {"APT": signature})["APT"]
    labels, matrix = _matrix([o for o in occurrences if o.case in settings.used()], lists)
    return AptResult(
        name,
        score,
        tuple(counts.tolist()),
        tuple(occurrences),
        labels,
        matrix,
        statistics,
    )


def _matrix(
    occurrences: Sequence[Occurrence], lists: PronounLists
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Labels in the order of the list (of frequency where there is none), and the counts."""
    labels = list(dict.fromkeys(lists.label(word) for word in lists.target_pronouns))
    if not labels:
        words = Counter(label for o in occurrences for label in o.cell)
        words.pop(NONE, None)
        labels = sorted(words, key=lambda word: (-words[word], word))
    labels += [label for label in (OTHER, NONE) if label not in labels]
    index = {label: number for number, label in enumerate(labels)}
    matrix = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for occurrence in occurrences:
        row, column = occurrence.cell
        matrix[index[row], index[column]] += 1
    return tuple(labels), matrix


def _signature(
    lists: PronounLists,
    settings: AptSettings,
    plan: Resampling | None,
    units: ResampledUnits,
    starts_from: str,
    anchors: Sequence[Anchor],
    texts: str,
) -> str:
    """How a score was computed, in one line that can be quoted with it."""
    repair = "none"
    if settings.repair is not None and starts_from == "source":
        repair = f"paper({settings.repair})"
    parts = [
        "metric:APT",
        f"pronouns:{lists.name}-{lists.digest}",
        f"text:{texts}",
        f"occurrences:{len(anchors)}",
        f"from:{_tokens(anchors) if settings.tokens else starts_from}",
        f"cases:{''.join(map(str, settings.used()))}",
        f"weights:{','.join(f'{w:g}' for w in settings.weights)}",
        *(["probabilities:yes"] if settings.probabilities else []),
        f"other:{settings.others}",
        f"repair:{repair}",
        f"links:{settings.links}",
    ]
    return make_signature(parts, plan, units.name)


def _tokens(anchors: Sequence[Anchor]) -> str:
    content = "".join(f"{anchor.sentence} {anchor.position}\n" for anchor in anchors)
    return f"tokens-{hashlib.sha256(content.encode()).hexdigest()[:8]}"


def _warnings(
    units: ResampledUnits,
    plan: Resampling | None,
    lists: PronounLists,
    reference: str,
    references: Sequence[Side],
    results: Sequence[AptResult],
) -> list[str]:
    if not references:
        return ["no pronoun of the lists was found: there is no score"]
    found = []
    if lists.target_pronouns:
        sides = [(reference, references)]
        sides += [(r.name, [o.candidate for o in r.occurrences]) for r in results]
        for name, own in sides:
            if all(side.labels in ((), (OTHER,)) for side in own):
                fault = f"no target pronoun of the lists {lists.name} is linked to a pronoun"
                found.append(f"{name}: {fault}; are they the lists of this language pair?")
    if plan and units.few_documents:
        found.append(f"only {units.count} documents: their bootstrap intervals are too narrow")
    return found
