"""Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998) as in lmplz (Heafield 2013).

The adjusted count of an n-gram is its count if it is of the highest order or starts with `<s>`,
else the number of different words before it. Discounts D follow from the counts of counts. Then

    p(w | c) = (a(cw) - D(a(cw))) / a(c·) + g(c) p(w | c')

where a is the adjusted count, c' the context without its first word, and g(c) the mass that the
discounts leave. Unigrams are interpolated with a uniform distribution over
all words but `<s>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.counts import (
    BEGIN_ID,
    NGramTable,
    Rows,
    count_ngrams,
    number_words,
)
from crosspro.baselines.ngram.model import LOWEST, NGramModel, Order, build_model
from crosspro.data_prep.core.errors import CrossproError

Discounts = tuple[float, float, float]
"""Of n-grams with the counts 1, 2, and 3 or more."""
FALLBACK: Discounts = (0.5, 1.0, 1.5)
"""The discounts that lmplz takes for `--discount_fallback` without numbers."""
MAX_ORDER = 7

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A model, and what it was estimated from."""

    model: NGramModel
    discounts: list[Discounts]
    fallbacks: list[int]
    """The orders whose discounts could not be estimated."""
    words: int
    sentences: int
    left_out: int


def estimate(
    sentences: Iterable[Sequence[bytes]], order: int = 5, fallback: Discounts = FALLBACK
) -> Estimate:
    """Estimate a model.

    `fallback` are the discounts of an order that is too small for an estimate.
    """
    if not 1 <= order <= MAX_ORDER:
        raise CrossproError(f"order: expected 1 to {MAX_ORDER}, found {order}")
    text = number_words(sentences)
    tables = count_ngrams(text, order)
    closing = closing_rows(tables)
    discounts: list[Discounts] = []
    fallbacks = []
    orders: list[Order] = []
    lower = np.array([1 / (len(text.words) - 1)])
    while tables:
        n = len(orders)
        counts, table = adjusted_counts(tables), tables.pop(0)
        amounts = closed_form(_frequencies(counts, table, closing[n : n + 1]))
        if amounts is None:
            fallbacks.append(n + 1)
            amounts = fallback
        discounts.append(amounts)
        contexts, words = np.divmod(table.keys, len(text.words))
        taken = np.array((0.0, *amounts))[np.minimum(counts, 3)]
        total = np.bincount(contexts, counts, len(lower))
        backoff = np.bincount(contexts, taken, len(lower)) / np.maximum(total, 1)
        if orders:
            weights = np.where(total > 0, _log10(backoff), 0)
            orders[-1].back_offs = weights.astype(np.float32)
        probabilities = counts - taken
        probabilities /= np.maximum(total, 1)[contexts]
        probabilities += backoff[contexts] * lower[table.suffixes]
        if n == 0:
            probabilities[BEGIN_ID] = 1.0  # as in KenLM: a context, which costs nothing as a word
        logs = np.minimum(_log10(probabilities), 0).astype(np.float32)
        rows = contexts.astype(np.uint32), words.astype(np.uint32), table.suffixes
        orders.append(Order(*rows, logs, np.zeros(len(logs), np.float32)))
        lower = probabilities
    del table, counts, contexts, words, taken, probabilities, rows
    sizes = len(text.tokens) - 2 * text.sentences, text.sentences, text.left_out
    return Estimate(build_model(text.words, orders), discounts, fallbacks, *sizes)


def adjusted_counts(tables: Sequence[NGramTable]) -> Rows:
    table = tables[0]
    if len(tables) == 1:
        return table.counts
    adjusted = np.bincount(tables[1].suffixes, minlength=len(table)).astype(np.uint32)
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


def _frequencies(counts: Rows, table: NGramTable, closing: Sequence[int]) -> list[int]:
    frequencies = np.bincount(np.minimum(counts, 5), minlength=6)
    for row in closing:  # the count of this n-gram is not adjusted here
        frequencies[min(counts[row], 5)] -= 1
        frequencies[min(table.counts[row], 5)] += 1
    return list(frequencies.tolist())


def closed_form(frequencies: Sequence[int]) -> Discounts | None:
    """Discounts from the numbers of n-grams with adjusted count 0, 1, …; None if there are none.

    In single precision, so that a border case falls on the same side as in KenLM.
    """
    singles, two, three = frequencies[1:4]
    if not (singles and two and three):
        return None
    share = np.float32(singles) / np.float32(singles + 2.0 * two)
    amounts = []
    for count in (1, 2, 3):
        ratio = np.float32(count + 1) * share * np.float32(frequencies[count + 1])
        amount = float(np.float32(count) - ratio / np.float32(frequencies[count]))
        if not 0 <= amount <= count:
            return None
        amounts.append(amount)
    return amounts[0], amounts[1], amounts[2]


def _log10(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log10(values), LOWEST))
