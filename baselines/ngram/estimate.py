"""Estimates an n-gram model from text, with the smoothing and the conventions of KenLM's lmplz.

The adjusted count of an n-gram is its count where it is of the highest order or starts with `<s>`,
and else the number of different words that precede it. Discounts follow from the count of counts of
each order (Chen and Goodman 1998, equation 26). Interpolated modified Kneser-Ney then gives

    p(w | c) = (a(cw) - D(a(cw))) / a(c·) + g(c) p(w | c')

where a is the adjusted count, c' the context without its first word, and g(c) the mass that the
discounts (and cut-off n-grams) leave. Unigrams are interpolated with a uniform distribution over
all words and `<unk>`, without `<s>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.counting import Counts, NGramTable, count_ngrams
from crosspro.baselines.ngram.index import Workspace, workspace
from crosspro.baselines.ngram.model import (
    BEGIN_ID,
    END_ID,
    Floats,
    NGramModel,
    NGrams,
    Rows,
    build_model,
)
from crosspro.baselines.ngram.text import Report, SentenceBatch, read_corpus
from crosspro.data_prep.core.errors import CrossproError


@dataclass(frozen=True, slots=True)
class Discounts:
    """What is taken from adjusted counts of 1, 2, and 3 or more; `substituted` for an estimate."""

    amounts: tuple[float, float, float]
    substituted: bool = False

    def of(self, adjusted: Counts) -> NDArray[np.float64]:
        """The discount of each count."""
        return np.array((0.0, *self.amounts))[np.minimum(adjusted, 3)]

    def __str__(self) -> str:
        one, two, more = (f"{amount:.4g}" for amount in self.amounts)
        return f"D1={one} D2={two} D3+={more}{' (fallback)' if self.substituted else ''}"


def adjusted_counts(tables: Sequence[NGramTable], n: int, space: Workspace) -> Counts:
    """The adjusted counts of order `n`, row by row."""
    table = tables[n - 1]
    if n == len(tables):
        return table.counts
    adjusted: Counts = space.zeros(len(table), np.uint32)
    longer = tables[n].suffixes
    for part in space.blocks(len(longer)):
        np.add.at(adjusted, longer[part], np.uint32(1))
    adjusted[table.begin : table.end] = table.counts[table.begin : table.end]
    return adjusted


def estimate_discounts(
    tables: Sequence[NGramTable],
    adjusted: Sequence[Counts],
    fallback: Sequence[float] | None,
    space: Workspace,
) -> list[Discounts]:
    """The discounts of each order.

    Where they cannot be estimated, the fallback takes their place; without one, that is an error
    which names all orders concerned.
    """
    found: list[Discounts] = []
    faults: list[str] = []
    closing = closing_rows(tables, space)
    for n, (table, counts) in enumerate(zip(tables, adjusted, strict=True), start=1):
        frequencies = _count_of_counts(counts, space)
        if n <= len(closing):
            row = closing[n - 1]
            _move(frequencies, int(counts[row]), int(table.counts[row]))
        amounts = closed_form(frequencies)
        if isinstance(amounts, str) and fallback is not None:
            found.append(Discounts(_three(fallback), substituted=True))
        elif isinstance(amounts, str):
            faults.append(f"{n}-grams: expected estimable discounts, found {amounts}")
        else:
            found.append(Discounts(amounts))
    if faults:
        raise CrossproError("\n".join((*faults, _advice(tables))))
    return found


def closed_form(frequencies: Sequence[int]) -> tuple[float, float, float] | str:
    """The discounts for numbers of n-grams with adjusted count 0, 1, 2, 3 and 4, or what is wrong.

    In single precision, so that a border case falls on the same side as in KenLM.
    """
    for count in (1, 2, 3):
        if not frequencies[count]:
            return f"no n-gram with adjusted count {count}"
    _, one, two, _, _ = frequencies
    share = np.float32(one) / np.float32(one + 2.0 * two)
    amounts = []
    for j in (1, 2, 3):
        ratio = np.float32(j + 1) * share * np.float32(frequencies[j + 1])
        amount = float(np.float32(j) - ratio / np.float32(frequencies[j]))
        if not 0 <= amount <= j:
            return f"a discount of {amount:.4g} for adjusted count {j}"
        amounts.append(amount)
    return amounts[0], amounts[1], amounts[2]


def closing_rows(tables: Sequence[NGramTable], space: Workspace) -> list[int]:
    """The last n-gram of orders 1, 2, … (not the highest) when words are compared from the right.

    lmplz puts the true count of just these n-grams, not the adjusted one, into its count of
    counts. On a small text that changes the discounts visibly, so it is done here, too.
    """
    size = len(tables[0])
    rows = [size - 1]
    for n in range(2, len(tables)):
        matches = np.concatenate(
            [
                np.flatnonzero(tables[n - 1].suffixes[part] == rows[-1]) + part.start
                for part in space.blocks(len(tables[n - 1]))
            ]
            or [np.empty(0, np.int64)]
        )
        if not len(matches):  # the shorter one starts with <s>
            break
        first_words = matches
        for table in reversed(tables[1:n]):
            first_words = table.keys[first_words] // size
        rows.append(int(matches[np.argmax(first_words)]))
    return rows if len(tables) > 1 else []


def _count_of_counts(adjusted: Counts, space: Workspace) -> list[int]:
    frequencies = np.zeros(6, np.int64)
    for part in space.blocks(len(adjusted)):
        frequencies += np.bincount(np.minimum(adjusted[part], 5), minlength=6)
    return [int(number) for number in frequencies[:5]]


def _move(frequencies: list[int], adjusted: int, count: int) -> None:
    if adjusted < len(frequencies):
        frequencies[adjusted] -= 1
    if count < len(frequencies):
        frequencies[count] += 1


def _three(fallback: Sequence[float]) -> tuple[float, float, float]:
    one, two, more = (fallback[min(i, len(fallback) - 1)] for i in range(3))
    return one, two, more


def _advice(tables: Sequence[NGramTable]) -> str:
    longest = max(n for n, table in enumerate(tables, start=1) if len(table))
    if longest < len(tables):
        return (
            f"The longest n-gram of the text has {longest} words (with <s> and </s>): choose an "
            f"order of {longest} or less; for small texts also --discount-fallback."
        )
    return (
        "The text is small, artificial or full of repetitions: remove repeated lines, choose a "
        "lower order, or take default discounts with --discount-fallback."
    )


def smooth(
    tables: list[NGramTable],
    adjusted: list[Counts],
    discounts: Sequence[Discounts],
    thresholds: Sequence[int],
    space: Workspace,
) -> tuple[list[NGrams], NDArray[np.int64]]:
    """All orders smoothed, and the words that are left, by the numbers that they had.

    N-grams that occur no more often than their threshold are left out. Tables and counts go when
    they are read: both lists are empty in the end.
    """
    kept = [
        _Kept(table, threshold, n, space)
        for n, (table, threshold) in enumerate(zip(tables, thresholds, strict=True), start=1)
    ]
    size = len(tables[0])
    uniform = np.full(1, 1 / (kept[0].number - 1))
    orders: list[NGrams] = []
    probs = uniform
    for n, discount in enumerate(discounts, start=1):
        table, counts = tables.pop(0), adjusted.pop(0)
        contexts = _Contexts(table, counts, discount, kept[n - 1], len(probs), size, space)
        if orders:
            contexts.write_back_offs(kept[n - 2], orders[-1].back_offs)
        probs = contexts.interpolate(counts, discount, probs)
        del contexts  # the n-grams take its place
        if n == 1:
            probs[BEGIN_ID] = 1.0  # scoring it as a word shall cost nothing, as in KenLM
        orders.append(_select(table, probs, n, kept, space))
    return orders, np.arange(size) if kept[0].mask is None else np.flatnonzero(kept[0].mask)


class _Kept:
    """Which n-grams of an order are above the threshold, and their rows without the others.

    What an n-gram contains is at least as frequent as itself and thresholds never fall with the
    order, so contexts and suffixes of n-grams that are kept are kept. The special words always
    are. (In lmplz `</s>` falls below a unigram threshold if the text has no more sentences than
    that, and comes out with probability 1.) Without a threshold there is no mask, and rows stay.
    """

    def __init__(self, table: NGramTable, threshold: int, n: int, space: Workspace) -> None:
        self.mask: NDArray[np.bool_] | None = None
        self._rows: Rows | None = None
        self.size = self.number = len(table)
        if not threshold:
            return
        self.mask = space.empty(len(table), bool)
        self._rows = space.empty(len(table), np.uint32)
        self.number = 0
        for part in space.blocks(len(table)):
            self.mask[part] = table.counts[part] > threshold
            if n == 1 and part.start == 0:
                self.mask[: END_ID + 1] = True
            self._rows[part] = np.cumsum(self.mask[part]) + (self.number - 1)
            self.number += int(self.mask[part].sum())

    def of(self, part: slice) -> NDArray[np.bool_] | slice:
        """What picks those that are kept out of a part of the table."""
        return slice(None) if self.mask is None else self.mask[part]

    def rows(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The new rows of some that are kept."""
        return rows if self._rows is None else self._rows[rows]


class _Contexts:
    """What the n-grams of each context have together: counts in all, and the mass left over."""

    def __init__(
        self,
        table: NGramTable,
        counts: Counts,
        discount: Discounts,
        kept: _Kept,
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
            spared = discount.of(counts[part])
            if kept.mask is not None:
                spared = np.where(kept.mask[part], spared, counts[part])
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
        at = 0
        for part in self.space.blocks(len(self.total)):
            with np.errstate(divide="ignore"):
                values = np.where(self.total[part] > 0, np.log10(self.left[part]), 0)
            values = values[kept.of(part)]
            back_offs[at : at + len(values)] = values
            at += len(values)


def _select(
    table: NGramTable, probs: NDArray[np.float64], n: int, kept: Sequence[_Kept], space: Workspace
) -> NGrams:
    """The n-grams that are kept, their rows counted anew in each order."""
    length = kept[n - 1].number
    size = kept[0].size
    ngrams = NGrams(
        space.zeros(length, np.uint32),
        space.empty(length, np.uint32),
        space.empty(length, np.float32),
        space.zeros(length, np.float32),
    )
    at = 0
    for part in space.blocks(len(table)):
        chosen = kept[n - 1].of(part)
        keys = table.keys[part][chosen]
        target = slice(at, at + len(keys))
        ngrams.words[target] = kept[0].rows(keys % size)
        with np.errstate(divide="ignore"):
            ngrams.log_probs[target] = np.minimum(np.log10(probs[part][chosen]), 0)
        if n > 1:
            ngrams.contexts[target] = kept[n - 2].rows(keys // size)
        at += len(keys)
    return ngrams


MAX_ORDER = 7
DEFAULT_MEMORY = 2 << 30


@dataclass(frozen=True, slots=True)
class EstimationSettings:
    """How a model is estimated; checked when it is made.

    `prune` has a threshold for each order, the last one for all that follow: n-grams that occur no
    more often are left out. `fallback` has the discounts of adjusted counts 1, 2, and 3 or more for
    orders where they cannot be estimated. `memory` is in bytes; what does not fit goes to files in
    `folder`. `skip_symbols` leaves out `<s>`, `</s>` and `<unk>` that are in the text.
    """

    order: int = 5
    prune: Sequence[int] = ()
    fallback: Sequence[float] | None = None
    memory: int = DEFAULT_MEMORY
    folder: Path | None = None
    skip_symbols: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.order <= MAX_ORDER:
            raise CrossproError(f"order: expected 1 to {MAX_ORDER}, found {self.order}")
        if self.memory < 1:
            raise CrossproError(f"memory: expected bytes above 0, found {self.memory}")
        prune = [*self.prune]
        if len(prune) > self.order:
            raise CrossproError(
                f"prune: expected at most {self.order} thresholds, found {len(prune)}"
            )
        if prune != sorted(prune) or any(threshold < 0 for threshold in prune):
            # A cut-off that falls would keep n-grams whose parts are gone.
            found = " ".join(map(str, prune))
            raise CrossproError(f"prune: expected thresholds from 0 that never fall, found {found}")
        if self.fallback is not None:
            _check_fallback(self.fallback)

    @property
    def thresholds(self) -> list[int]:
        """The threshold of each order."""
        given = [*self.prune] or [0]
        return given + given[-1:] * (self.order - len(given))


@dataclass(frozen=True)
class Estimate:
    """The words and n-grams of a model, and what they were estimated from."""

    words: list[bytes]
    orders: list[NGrams]
    discounts: list[Discounts]
    tokens: int
    sentences: int
    settings: EstimationSettings

    @cached_property
    def model(self) -> NGramModel:
        """The model that answers queries; an ARPA file needs but the n-grams."""
        with workspace(self.settings.memory, self.settings.folder) as space:
            return build_model(self.words, self.orders, space)


def estimate(
    batches: Iterable[SentenceBatch], settings: EstimationSettings, report: Report = lambda _: None
) -> Estimate:
    """Estimate a model from sentences."""
    with workspace(settings.memory, settings.folder) as space:
        corpus = read_corpus(batches, space, report, skip_symbols=settings.skip_symbols)
        tokens, sentences = corpus.tokens, corpus.sentences
        tables = count_ngrams(corpus, settings.order, space, report)
        words = corpus.words
        del corpus
        report("smoothing")
        adjusted = [adjusted_counts(tables, n, space) for n in range(1, len(tables) + 1)]
        discounts = estimate_discounts(tables, adjusted, settings.fallback, space)
        orders, left = smooth(tables, adjusted, discounts, settings.thresholds, space)
    kept = [words[number] for number in left.tolist()]
    return Estimate(kept, orders, discounts, tokens, sentences, settings)


def _check_fallback(fallback: Sequence[float]) -> None:
    if not 1 <= len(fallback) <= 3:
        raise CrossproError(f"fallback: expected 1 to 3 discounts, found {len(fallback)}")
    for count, discount in enumerate(fallback, start=1):
        if not 0 <= discount <= count:
            raise CrossproError(
                f"fallback: expected a discount from 0 to {count} for count {count}, "
                f"found {discount:g}"
            )
