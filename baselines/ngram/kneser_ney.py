"""Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998) as in lmplz (Heafield 2013).

The adjusted count of an n-gram is its count if it is of the highest order or starts with `<s>`,
else the number of different words before it. Discounts D follow from the counts of counts. Then

    p(w | c) = (a(cw) - D(a(cw))) / a(c·) + g(c) p(w | c')

where a is the adjusted count, c' the context without its first word, and g(c) the mass that the
discounts and the pruned n-grams leave. Unigrams are interpolated with a uniform distribution over
all words but `<s>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.counts import (
    BEGIN_ID,
    END_ID,
    Ints,
    NGramTable,
    Rows,
    count_ngrams,
    number_words,
)
from crosspro.baselines.ngram.model import LOWEST, NGramModel, Order, build_model
from crosspro.data_prep.core.errors import CrossproError

FALLBACK = (0.5, 1.0, 1.5)
"""The discounts that lmplz takes for `--discount_fallback` without numbers."""
MAX_ORDER = 7

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A model, and what it was estimated from."""

    model: NGramModel
    discounts: list[tuple[float, float, float]]
    fallbacks: list[int]
    """The orders whose discounts could not be estimated."""
    words: int
    sentences: int
    left_out: int


def estimate(
    sentences: Iterable[Sequence[bytes]],
    order: int = 5,
    prune: Sequence[int] = (0,),
    fallback: Sequence[float] = FALLBACK,
) -> Estimate:
    """Estimate a model.

    `prune` has a threshold for each order, the last one for all that follow: n-grams that occur no
    more often are left out. `fallback` are the discounts of an order that is too small for an
    estimate, the last one for all that follow.
    """
    _check(order, prune, fallback)
    text = number_words(sentences)
    words = len(text.tokens) - 2 * text.sentences
    tables = count_ngrams(text, order)
    adjusted = [adjusted_counts(tables, n) for n in range(order)]
    closing = closing_rows(tables)
    discounts, fallbacks = [], []
    for n, (table, counts) in enumerate(zip(tables, adjusted, strict=True)):
        frequencies = np.bincount(np.minimum(counts, 5), minlength=6)
        if n < len(closing):  # the count of this n-gram is not adjusted here
            row = closing[n]
            frequencies[min(counts[row], 5)] -= 1
            frequencies[min(table.counts[row], 5)] += 1
        amounts = closed_form(frequencies.tolist())
        if amounts is None:
            fallbacks.append(n + 1)
            one, two, more = (fallback[min(place, len(fallback) - 1)] for place in range(3))
            amounts = one, two, more
        discounts.append(amounts)
    thresholds = [*prune, *[prune[-1]] * (order - len(prune))]
    kept_words, orders = smooth(tables, adjusted, discounts, thresholds)
    vocabulary = [text.words[number] for number in kept_words.tolist()]
    sentence_count, left_out = text.sentences, text.left_out
    del text
    model = build_model(vocabulary, orders)
    return Estimate(model, discounts, fallbacks, words, sentence_count, left_out)


def _check(order: int, prune: Sequence[int], fallback: Sequence[float]) -> None:
    if not 1 <= order <= MAX_ORDER:
        raise CrossproError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    # With a falling threshold an n-gram would be kept whose context is gone.
    rising = list(prune) == sorted(prune) and all(threshold >= 0 for threshold in prune)
    if not rising or not 1 <= len(prune) <= order:
        expected = f"1 to {order} thresholds from 0 that never fall"
        raise CrossproError(f"prune: expected {expected}, found {' '.join(map(str, prune))}")
    fitting = all(0 <= amount <= count for count, amount in enumerate(fallback, start=1))
    if not fitting or not 1 <= len(fallback) <= 3:
        expected = "1 to 3 discounts of at most 1, 2, 3"
        raise CrossproError(f"fallback: expected {expected}, found {fallback}")


def adjusted_counts(tables: Sequence[NGramTable], n: int) -> Rows:
    """The adjusted counts of the table with this number."""
    table = tables[n]
    if n == len(tables) - 1:
        return table.counts
    adjusted = np.bincount(tables[n + 1].suffixes, minlength=len(table)).astype(np.uint32)
    adjusted[table.initial] = table.counts[table.initial]
    return adjusted


def closing_rows(tables: Sequence[NGramTable]) -> list[int]:
    """The last n-gram of each order but the highest, when words are compared from the right.

    lmplz puts the count of just these n-grams, not the adjusted count, into its counts of counts.
    On a small text that changes the discounts visibly.
    """
    size = len(tables[0])
    rows = [size - 1]
    for n in range(1, len(tables) - 1):
        longer = np.flatnonzero(tables[n].suffixes == rows[-1])
        if not len(longer):  # the shorter one starts with <s>
            break
        first_words = longer
        for table in reversed(tables[1 : n + 1]):
            first_words = table.keys[first_words] // size
        rows.append(int(longer[np.argmax(first_words)]))
    return rows if len(tables) > 1 else []


def closed_form(frequencies: Sequence[int]) -> tuple[float, float, float] | None:
    """Discounts from the numbers of n-grams with adjusted count 0, 1, …; None if there are none.

    In single precision, so that a border case falls on the same side as in KenLM.
    """
    one, two, three = frequencies[1:4]
    if not (one and two and three):
        return None
    share = np.float32(one) / np.float32(one + 2.0 * two)
    amounts = []
    for count in (1, 2, 3):
        ratio = np.float32(count + 1) * share * np.float32(frequencies[count + 1])
        amount = float(np.float32(count) - ratio / np.float32(frequencies[count]))
        if not 0 <= amount <= count:
            return None
        amounts.append(amount)
    return amounts[0], amounts[1], amounts[2]


def smooth(
    tables: list[NGramTable],
    adjusted: list[Rows],
    discounts: Sequence[tuple[float, float, float]],
    thresholds: Sequence[int],
) -> tuple[Ints, list[Order]]:
    """The words that are kept, and the smoothed n-grams of each order.

    Both lists are emptied on the way to free memory. The context and the suffix of an n-gram are at
    least as frequent as the n-gram, so those of an n-gram that is kept are kept.
    """
    size = len(tables[0])
    orders: list[Order] = []
    masks: list[NDArray[np.bool_] | None] = []
    lower = np.zeros(1)
    for amounts, threshold in zip(discounts, thresholds, strict=True):
        table, counts = tables.pop(0), adjusted.pop(0)
        contexts, words = np.divmod(table.keys, size)
        kept: NDArray[np.bool_] | None = None
        if threshold:
            kept = table.counts > threshold
            if not orders:
                kept[: END_ID + 1] = True
        if not orders:
            contexts = np.zeros(size, np.int64)
            lower[0] = 1 / ((size if kept is None else int(kept.sum())) - 1)
        taken = np.array((0.0, *amounts))[np.minimum(counts, 3)]
        total = np.bincount(contexts, counts, len(lower))
        left = taken if kept is None else np.where(kept, taken, counts)
        backoff = np.bincount(contexts, left, len(lower)) / np.maximum(total, 1)
        if orders:
            weights = np.where(total > 0, _log10(backoff), 0)
            orders[-1].back_offs = _pick(weights, masks[-1]).astype(np.float32)
        probabilities = counts - taken
        probabilities /= np.maximum(total, 1)[contexts]
        probabilities += backoff[contexts] * lower[table.suffixes]
        if not orders:
            probabilities[BEGIN_ID] = 1.0  # as in KenLM: a context, which costs nothing as a word
        lower = probabilities
        logs = np.minimum(_log10(_pick(probabilities, kept)), 0).astype(np.float32)
        above = masks[-1] if orders else None
        orders.append(
            Order(
                _new_rows(_pick(contexts, kept), above),
                _new_rows(_pick(words, kept), masks[0] if orders else kept),
                _new_rows(_pick(table.suffixes, kept), above),
                logs,
                np.zeros(len(logs), np.float32),
            )
        )
        masks.append(kept)
    return np.arange(size) if masks[0] is None else np.flatnonzero(masks[0]), orders


def _log10(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log10(values), LOWEST))


def _pick(values: NDArray[Any], kept: NDArray[np.bool_] | None) -> NDArray[Any]:
    return values if kept is None else values[kept]


def _new_rows(rows: NDArray[Any], kept: NDArray[np.bool_] | None) -> Rows:
    """Rows of a table after the pruning of that table."""
    if kept is None:
        return rows.astype(np.uint32)
    new: Rows = (np.cumsum(kept) - 1)[rows].astype(np.uint32)
    return new
