"""How good a scorer of `it` is: cross-validation by document, with intervals.

No document is in both parts of a fold, so that a talk's words and topics do not help. Two things
are told beside the model: always the most frequent label, and the patterns alone (which were
written with some of this text in view, so that their figures flatter them).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.it_classifier.classifier import train_classifier
from crosspro.baselines.it_classifier.context import LABELS, ItScorer
from crosspro.baselines.it_classifier.patterns import PatternScorer
from crosspro.baselines.it_classifier.training_data import ItExample
from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.significance import Measure, Resampling, scores_of
from crosspro.evaluation.core.units import Floats, choose_units, tally
from crosspro.evaluation.metrics.submissions.confusion import Counts, confusion_counts
from crosspro.evaluation.metrics.submissions.scores import accuracy, f1, macro_f1, precision, recall
from crosspro.evaluation.output.tables import text_table

Indices = NDArray[np.int64]
Trainer = Callable[[Sequence[ItExample]], ItScorer]


@dataclass(frozen=True)
class ItReport:
    """What one way of labelling was worth: scores with intervals, and the confusion counts."""

    name: str
    scores: dict[str, Score]
    counts: Counts


def cross_validate(
    examples: Sequence[ItExample],
    trainer: Trainer = train_classifier,
    folds: int = 10,
    plan: Resampling | None = None,
) -> list[ItReport]:
    """Reports on the most frequent label, the patterns, and the model of each fold."""
    documents = sorted({one.document for one in examples})
    if len(documents) < folds:
        raise CrossproError(
            f"it-classifier: expected at least {folds} documents for {folds} folds, found "
            f"{len(documents)}"
        )
    fold = {document: number % folds for number, document in enumerate(documents)}
    gold = np.array([LABELS.index(one.label) for one in examples])
    of_fold = np.array([fold[one.document] for one in examples])
    learnt, frequent = np.zeros_like(gold), np.zeros_like(gold)
    for number in range(folds):
        chosen = of_fold == number
        scorer = trainer([one for one, left in zip(examples, chosen, strict=True) if not left])
        held_out = [one.context for one, left in zip(examples, chosen, strict=True) if left]
        learnt[chosen] = scorer.probabilities(held_out).argmax(axis=1)
        frequent[chosen] = np.bincount(gold[~chosen]).argmax()
    patterns = PatternScorer().probabilities([one.context for one in examples]).argmax(axis=1)
    ways = {"most frequent": frequent, "patterns": patterns, "model": learnt}
    return [report(name, examples, found, plan) for name, found in ways.items()]


def report(
    name: str, examples: Sequence[ItExample], found: Indices, plan: Resampling | None = None
) -> ItReport:
    """The scores of labels (as numbers of `LABELS`), resampled by document."""
    gold = np.array([LABELS.index(one.label) for one in examples])
    cells = np.eye(len(LABELS) ** 2)[gold * len(LABELS) + found]
    units = choose_units(document=[one.document for one in examples], pronoun=range(len(examples)))
    metrics = _metrics()
    signatures = dict.fromkeys(metrics, f"by:{units.name}")
    scores = scores_of(tally(units.sums(cells)), metrics, plan, signatures)
    return ItReport(name, scores, confusion_counts(gold, found, len(LABELS)))


def _metrics() -> dict[str, Measure]:
    def whole(function: Callable[[Counts], Floats]) -> Measure:
        return lambda sums: np.asarray(function(_matrices(sums)), dtype=np.float64)

    def of_label(function: Callable[[Counts], Floats], number: int) -> Measure:
        return lambda sums: np.asarray(function(_matrices(sums))[..., number], dtype=np.float64)

    found = {"accuracy": whole(accuracy), "macro F1": whole(macro_f1)}
    for number, label in enumerate(LABELS):
        for name, function in (("P", precision), ("R", recall), ("F1", f1)):
            found[f"{label} {name}"] = of_label(function, number)
    return found


def _matrices(sums: Floats) -> Counts:
    return np.rint(sums).astype(np.int64).reshape(*sums.shape[:-1], len(LABELS), len(LABELS))


def report_table(reports: Sequence[ItReport]) -> str:
    """Scores in rows, ways of labelling in columns, and the confusion counts of each."""
    rows = [
        (metric, *(one.scores[metric].shown(1) for one in reports)) for metric in reports[0].scores
    ]
    parts = [text_table(("per cent", *(one.name for one in reports)), rows)]
    for one in reports:
        matrix = [
            (label, *map(str, row)) for label, row in zip(LABELS, one.counts.tolist(), strict=True)
        ]
        parts.append(text_table((f"{one.name}: gold", *LABELS), matrix))
    return "\n".join(parts)
