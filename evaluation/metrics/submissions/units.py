"""A gold file and submissions as resampling sees them: confusion counts of each unit.

Units are documents where they are known, else gaps. Gaps with the same gold class and the same
predictions are one kind of unit, so that a hundred thousand of them are a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from crosspro.evaluation.core.statistics import Floats, Measure, UnitTable
from crosspro.evaluation.metrics.submissions.confusion import Counts
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission


def confusion_units(gold: Gold, submissions: Sequence[Submission], size: int) -> UnitTable:
    """The confusion counts of submissions side by side, flat, over the given number of classes."""
    width = size * size
    classes = gold.classes.astype(np.int64)
    if gold.documents is not None and gold.unit == "document":
        documents = np.unique(gold.documents, return_inverse=True)[1]
        number = int(documents.max()) + 1
        cells = (classes * size + submission.classes for submission in submissions)
        counted = [np.bincount(documents * width + own, minlength=number * width) for own in cells]
        rows = [counts.reshape(number, width).astype(np.float64) for counts in counted]
        kinds = np.concatenate(rows, axis=1)
        return UnitTable(kinds, None, kinds.sum(axis=0))
    code = classes
    for submission in submissions:
        code = code * size + submission.classes
    distinct, counts = np.unique(code, return_counts=True)
    kinds = np.zeros((len(distinct), width * len(submissions)))
    gold_class = distinct // size ** len(submissions)
    for place in range(len(submissions)):
        predicted = distinct // size ** (len(submissions) - 1 - place) % size
        cell = place * width + gold_class * size + predicted
        kinds[np.arange(len(distinct)), cell] = 1
    return UnitTable(kinds, counts.astype(np.int64), counts @ kinds)


def on_sums(metric: Callable[[Counts], Floats], size: int) -> Measure:
    """A metric of confusion counts as one of the sums of a table."""
    return lambda sums: metric(np.rint(sums).astype(np.int64).reshape(-1, size, size))
