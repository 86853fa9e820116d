"""From the strings of gaps to one sparse 0/1 matrix, with a vocabulary of `slot=value` strings."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosspro.baselines.features.view import ChosenFeature, Resources, gap_views
from crosspro.data_prep.core.example import Example

Ints = NDArray[np.int64]
Vocabulary = dict[str, int]
"""The column of each string."""


def strings_of(
    features: Sequence[ChosenFeature], examples: Sequence[Example], resources: Resources
) -> Iterator[list[str]]:
    functions = [(chosen.feature.strings, chosen.number) for chosen in features]
    for view in gap_views(examples, resources):
        yield [string for strings, number in functions for string in strings(view, number)]


def learn_matrix(gaps: Iterable[list[str]], min_count: int) -> tuple[Vocabulary, csr_matrix]:
    """The vocabulary of training gaps, of strings seen often enough, and their matrix."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    columns, ends = _columns(gaps, numbers.__getitem__)
    frequent = np.bincount(columns, minlength=len(numbers)) >= min_count
    kept = np.where(frequent, np.cumsum(frequent) - 1, -1)
    numbered = zip(numbers, kept.tolist(), strict=True)
    vocabulary = {string: number for string, number in numbered if number >= 0}
    return vocabulary, _sparse(kept[columns], ends, len(vocabulary))


def matrix_of(gaps: Iterable[list[str]], vocabulary: Vocabulary) -> csr_matrix:
    """The matrix of gaps with a known vocabulary; other strings are left out."""
    columns, ends = _columns(gaps, lambda string: vocabulary.get(string, -1))
    return _sparse(columns, ends, len(vocabulary))


def _columns(gaps: Iterable[list[str]], column: Callable[[str], int]) -> tuple[Ints, Ints]:
    """The columns of all gaps, one gap after the other, and where each gap ends."""
    columns, ends = array("i"), array("q", [0])
    for strings in gaps:
        columns.extend(map(column, strings))
        ends.append(len(columns))
    return np.array(columns, np.int64), np.array(ends, np.int64)


def _sparse(columns: Ints, ends: Ints, size: int) -> csr_matrix:
    kept = columns >= 0
    ends = np.concatenate([[0], np.cumsum(kept)])[ends]
    ones = np.ones(int(ends[-1]), np.float32)
    matrix = csr_matrix((ones, columns[kept], ends), shape=(len(ends) - 1, size))
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix
