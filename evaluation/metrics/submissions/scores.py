"""Scores of a submission, as functions of confusion counts.

Counts are integer arrays whose last two axes are (gold, predicted); leading axes are resamples, so
every function here works on one matrix and on thousands alike.

Macro-averaged recall is the official score of WMT 2016 and DiscoMT 2017 (003 §6, 004 §6), macro F1
that of DiscoMT 2015. All values are per cent. A class that does not occur in gold is left out of a
macro average, as in the papers; the released scorer counts it as 0 (`official_layout.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Indices = NDArray[np.integer]
Values = NDArray[np.float64]


def confusion_counts(gold: Indices, predicted: Indices, size: int) -> Counts:
    """The matrix (gold, predicted) of two aligned arrays of class indices."""
    cells = gold.astype(np.int64) * size + predicted
    return np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.int64)


def regroup(counts: Counts, groups: Sequence[int]) -> Counts:
    """The matrix after class i has become class `groups[i]`."""
    size = max(groups) + 1
    onto = np.zeros((len(groups), size), dtype=np.int64)
    onto[np.arange(len(groups)), list(groups)] = 1
    return onto.T @ counts @ onto


def percent(part: NDArray[np.integer], whole: NDArray[np.integer]) -> Values:
    """100·part/whole, 0 where the whole is 0."""
    result: Values = np.zeros(np.broadcast(part, whole).shape)
    np.divide(100.0 * part, whole, out=result, where=whole > 0)
    return result


def hits(counts: Counts) -> Counts:
    """Right predictions of each class."""
    return np.diagonal(counts, axis1=-2, axis2=-1)


def recall(counts: Counts) -> Values:
    return percent(hits(counts), counts.sum(axis=-1))


def precision(counts: Counts) -> Values:
    return percent(hits(counts), counts.sum(axis=-2))


def f1(counts: Counts) -> Values:
    first, second = precision(counts), recall(counts)
    result: Values = np.zeros(first.shape)
    np.divide(2 * first * second, first + second, out=result, where=first + second > 0)
    return result


def accuracy(counts: Counts) -> Values:
    """Share of right predictions; as each gap has one prediction, also micro P, R and F1."""
    return percent(hits(counts).sum(axis=-1), counts.sum(axis=(-2, -1)))


def macro_average(values: Values, counts: Counts) -> Values:
    """Mean of a per-class value over the classes present in gold."""
    present = counts.sum(axis=-1) > 0
    number = present.sum(axis=-1)
    total = np.where(present, values, 0.0).sum(axis=-1)
    result: Values = np.zeros(np.shape(total))
    np.divide(total, number, out=result, where=number > 0)
    return result


def macro_recall(counts: Counts) -> Values:
    return macro_average(recall(counts), counts)


def frequent_macro_recall(counts: Counts, frequent: NDArray[np.bool_]) -> Values:
    """Macro-averaged recall of the classes that are `frequent` in the gold file as a whole.

    A single gap of a rare class can be worth ten points of macro recall.
    """
    return macro_recall(counts * frequent[:, None])


def macro_f1(counts: Counts) -> Values:
    return macro_average(f1(counts), counts)
