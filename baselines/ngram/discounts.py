"""Adjusted counts and the discounts of modified Kneser-Ney, as KenLM's lmplz computes them.

Chen and Goodman (1998), equation 26, on the count of counts of each order. The adjusted count of
an n-gram is its count where it is of the highest order or starts with `<s>`, and else the number
of different words that precede it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.workspace import Workspace
from crosspro.data_prep.core.errors import CrossproError

if TYPE_CHECKING:
    from crosspro.baselines.ngram.counting import Counts, NGramTable

DEFAULT_FALLBACK = (0.5, 1.0, 1.5)
"""What lmplz takes for `--discount_fallback` without numbers."""


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
    adjusted: Counts = space.zeros(len(table), np.int64)
    longer = tables[n].suffixes
    for part in space.blocks(len(longer)):
        np.add.at(adjusted, longer[part], 1)
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
