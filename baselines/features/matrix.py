"""From columns of values to a sparse 0/1 matrix, with a vocabulary of `slot=value` strings.

Training numbers all values that it meets and drops those of fewer than `min_count` gaps; a
prediction looks the same columns up in what is left. Rows have sorted numbers without repetitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosspro.baselines.features.gaps import AT_ONCE, ChosenFeature, Column, Resources, batches
from crosspro.baselines.features.text import NOTHING, Codes, Lookup, Values
from crosspro.data_prep.core.errors import CrossproError, quoted
from crosspro.data_prep.core.example import Example

Numbers = NDArray[np.int32]
Columns = list[Column]
"""What the gaps of a batch have, a column for each place of each feature."""


@dataclass(frozen=True)
class FeatureVocabulary:
    """The values of each slot that have a number: those of a slot follow each other."""

    slots: dict[str, tuple[str, ...]]

    @cached_property
    def tables(self) -> dict[str, dict[str, int]]:
        """The number of each value of each slot."""
        tables, size = {}, 0
        for slot, values in self.slots.items():
            tables[slot] = {value: size + place for place, value in enumerate(values)}
            size += len(values)
        return tables

    def __len__(self) -> int:
        return sum(map(len, self.slots.values()))

    def names(self) -> list[str]:
        """All features as `slot=value`, by number."""
        return [f"{slot}={value}" for slot, values in self.slots.items() for value in values]


def extracted(
    features: Sequence[ChosenFeature],
    examples: Sequence[Example],
    resources: Resources,
    at_once: int = AT_ONCE,
) -> Iterator[Columns]:
    """The columns of all gaps, so many lines at once: what training and prediction both read."""
    for batch in batches(examples, resources, at_once):
        if not len(batch):
            continue
        yield [
            column for chosen in features for column in chosen.feature.columns(batch, chosen.number)
        ]


class _Numbering(dict[str | None, int]):
    """Numbers values as they come; None is 0."""

    def __init__(self) -> None:
        self[None] = 0

    def __missing__(self, value: str | None) -> int:
        number = self[value] = len(self)
        return number


class _Slot:
    """Finds the numbers of the values of a slot."""

    def __init__(self, number: Callable[..., int], *default: int) -> None:
        self._number = number
        self._default = default
        self._names: Sequence[str | None] = ()
        self._of_codes = Lookup(self._of_code)

    def numbers(self, values: Sequence[str | None]) -> Codes:
        """The number of each value."""
        if not isinstance(values, Values):
            defaults = [repeat(one) for one in self._default]
            return np.fromiter(map(self._number, values, *defaults), np.int64, len(values))
        if values.names is not self._names:
            self._names, self._of_codes = values.names, Lookup(self._of_code)
        there = np.flatnonzero(values.codes != NOTHING)
        found = np.full(len(values), self._number(None, *self._default))
        found[there] = self._of_codes(values.codes[there])
        return found

    def _of_code(self, code: int) -> int:
        return self._number(self._names[code], *self._default)


def learnt_matrix(parts: Iterable[Columns], min_count: int) -> tuple[FeatureVocabulary, csr_matrix]:
    """The vocabulary of training gaps, and their matrix."""
    numberings: dict[str, _Numbering] = {}
    finders: dict[str, _Slot] = {}
    tables: list[Numbers] = []
    slots: list[str] = []
    for columns in parts:
        slots = [slot for slot, _ in columns]
        for slot in slots:
            if slot not in numberings:
                numberings[slot] = _Numbering()
                finders[slot] = _Slot(numberings[slot].__getitem__)
        tables.append(_table(columns, finders))
    raw = np.concatenate(tables) if tables else np.zeros((0, 0), np.int32)
    kept: dict[str, tuple[str, ...]] = {}
    size = 0
    for slot, numbering in numberings.items():
        places = [place for place, name in enumerate(slots) if name == slot]
        counts = np.bincount(raw[:, places].ravel(), minlength=len(numbering))
        counts[0] = 0
        frequent = counts >= min_count
        values = list(numbering)
        kept[slot] = tuple(str(values[number]) for number in np.flatnonzero(frequent))
        new = np.full(len(numbering), -1, np.int32)
        new[frequent] = np.arange(size, size + len(kept[slot]))
        raw[:, places] = new[raw[:, places]]
        size += len(kept[slot])
    return FeatureVocabulary(kept), _sparse(raw, size)


def matrix(parts: Iterable[Columns], vocabulary: FeatureVocabulary) -> csr_matrix:
    """The matrix of gaps with a known vocabulary; what it does not list is left out."""
    finders = {slot: _Slot(table.get, -1) for slot, table in vocabulary.tables.items()}
    tables = [_table(_known(columns, finders), finders) for columns in parts]
    raw = np.concatenate(tables) if tables else np.zeros((0, 0), np.int32)
    return _sparse(raw, len(vocabulary))


def _known(columns: Columns, finders: Mapping[str, _Slot]) -> Columns:
    """The columns, if the vocabulary has their slots: it lists all that its training met, so one
    without belongs to other features or was damaged."""
    unknown = sorted({slot for slot, _ in columns} - finders.keys())
    if unknown:
        names = ", ".join(quoted(slot) for slot in unknown[:5])
        raise CrossproError(
            f"features: expected a vocabulary of all {len(columns)} features, found none of {names}"
        )
    return columns


def _table(columns: Columns, finders: Mapping[str, _Slot]) -> Numbers:
    """A row for each gap and a column for each of theirs: the numbers of the values."""
    gaps = len(columns[0][1]) if columns else 0
    table = np.empty((len(columns), gaps), np.int32)
    for row, (slot, values) in zip(table, columns, strict=True):
        row[:] = finders[slot].numbers(values)
    return np.ascontiguousarray(table.T)


def _sparse(numbers: Numbers, size: int) -> csr_matrix:
    """A matrix of ones at the numbers of each row; -1 is none."""
    numbers.sort(axis=1)
    keep = numbers >= 0
    keep[:, 1:] &= numbers[:, 1:] != numbers[:, :-1]
    ends = np.concatenate([[0], np.cumsum(keep.sum(axis=1))])
    indices = numbers[keep]
    ones = np.ones(len(indices), np.float32)
    return csr_matrix((ones, indices, ends), shape=(len(numbers), size))
