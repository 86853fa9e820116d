"""Interpolated modified Kneser-Ney: probabilities and back-offs from counts.

p(w | c) = (a(cw) - D(a(cw))) / a(c·) + g(c) p(w | c'), where a is the adjusted count, c' the
context without its first word, and g(c) the mass that the discounts (and cut-off n-grams) leave.
Unigrams are interpolated with a uniform distribution over all words and `<unk>`, without `<s>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.counting import Counts, NGramTable
from crosspro.baselines.ngram.discounts import Discounts
from crosspro.baselines.ngram.ngrams import Floats, NGrams, Rows
from crosspro.baselines.ngram.vocabulary import BEGIN_ID, END_ID
from crosspro.baselines.ngram.workspace import Workspace


def smooth(
    tables: Sequence[NGramTable],
    adjusted: Sequence[Counts],
    discounts: Sequence[Discounts],
    thresholds: Sequence[int],
    space: Workspace,
) -> tuple[list[NGrams], NDArray[np.int64]]:
    """All orders smoothed, and the words that are left, by the numbers that they had.

    N-grams that occur no more often than their threshold are left out.
    """
    kept = [
        _Kept(table, threshold, n, space)
        for n, (table, threshold) in enumerate(zip(tables, thresholds, strict=True), start=1)
    ]
    size = len(tables[0])
    uniform = np.full(1, 1 / (kept[0].number - 1))
    orders: list[NGrams] = []
    probs = uniform
    for n, (table, counts, discount) in enumerate(
        zip(tables, adjusted, discounts, strict=True), start=1
    ):
        contexts = _Contexts(table, counts, discount, kept[n - 1].mask, len(probs), size, space)
        if orders:
            contexts.write_back_offs(kept[n - 2], orders[-1].back_offs)
        probs = contexts.interpolate(counts, discount, probs)
        if n == 1:
            probs[BEGIN_ID] = 1.0  # scoring it as a word shall cost nothing, as in KenLM
        orders.append(_select(table, probs, n, kept, space))
    return orders, np.flatnonzero(kept[0].mask)


class _Kept:
    """Which n-grams of an order are above the threshold, and their rows without the others.

    What an n-gram contains is at least as frequent as itself and thresholds never fall with the
    order, so contexts and suffixes of n-grams that are kept are kept. The special words always
    are. (In lmplz `</s>` falls below a unigram threshold if the text has no more sentences than
    that, and comes out with probability 1.)
    """

    def __init__(self, table: NGramTable, threshold: int, n: int, space: Workspace) -> None:
        self.mask: NDArray[np.bool_] = space.empty(len(table), bool)
        self.rows: Rows = space.empty(len(table), np.uint32)
        self.space = space
        self.number = 0
        for part in space.blocks(len(table)):
            self.mask[part] = table.counts[part] > threshold
            if n == 1 and part.start == 0:
                self.mask[: END_ID + 1] = True
            self.rows[part] = np.cumsum(self.mask[part]) + (self.number - 1)
            self.number += int(self.mask[part].sum())


class _Contexts:
    """What the n-grams of each context have together: counts in all, and the mass left over."""

    def __init__(
        self,
        table: NGramTable,
        counts: Counts,
        discount: Discounts,
        keep: NDArray[np.bool_],
        number: int,
        size: int,
        space: Workspace,
    ) -> None:
        self.table = table
        self.size = size
        self.space = space
        self.total = space.zeros(number, np.float64)
        self.left = space.zeros(number, np.float64)
        for part in space.blocks(len(table)):
            rows = self.rows(part)
            np.add.at(self.total, rows, counts[part].astype(np.float64))
            spared = np.where(keep[part], discount.of(counts[part]), counts[part])
            np.add.at(self.left, rows, spared)
        for part in space.blocks(number):
            self.left[part] /= np.maximum(self.total[part], 1)

    def rows(self, part: slice) -> NDArray[np.int64]:
        """The contexts of a part of the table; all unigrams have the same one."""
        keys = self.table.keys[part]
        return keys // self.size if len(self.total) > 1 else np.zeros(len(keys), np.int64)

    def interpolate(
        self, counts: Counts, discount: Discounts, lower: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The probabilities of the table, given those of the order below."""
        probs: NDArray[Any] = self.space.empty(len(self.table), np.float64)
        for part in self.space.blocks(len(self.table)):
            rows = self.rows(part)
            probs[part] = (counts[part] - discount.of(counts[part])) / self.total[rows]
            probs[part] += self.left[rows] * lower[self.table.suffixes[part]]
        return probs

    def write_back_offs(self, kept: _Kept, back_offs: Floats) -> None:
        """The log10 mass left over of each context that is kept; 0 for what is no context."""
        for part in self.space.blocks(len(self.total)):
            chosen = kept.mask[part]
            with np.errstate(divide="ignore"):
                values = np.where(self.total[part] > 0, np.log10(self.left[part]), 0)
            back_offs[kept.rows[part][chosen]] = values[chosen]


def _select(
    table: NGramTable, probs: NDArray[np.float64], n: int, kept: Sequence[_Kept], space: Workspace
) -> NGrams:
    """The n-grams that are kept, their rows counted anew in each order."""
    length = kept[n - 1].number
    size = len(kept[0].rows)
    ngrams = NGrams(
        space.zeros(length, np.uint32),
        space.empty(length, np.uint32),
        space.empty(length, np.float32),
        space.zeros(length, np.float32),
    )
    at = 0
    for part in space.blocks(len(table)):
        chosen = kept[n - 1].mask[part]
        keys = table.keys[part][chosen]
        target = slice(at, at + len(keys))
        ngrams.words[target] = kept[0].rows[keys % size]
        with np.errstate(divide="ignore"):
            ngrams.log_probs[target] = np.minimum(np.log10(probs[part][chosen]), 0)
        if n > 1:
            ngrams.contexts[target] = kept[n - 2].rows[keys // size]
        at += len(keys)
    return ngrams
