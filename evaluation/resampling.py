"""Intervals and paired tests of any score that is a function of sums.

Scored items (gaps, pronouns, lines) belong to units: documents where they are known, because items
of one document are not independent. Statistics are summed by unit once; a thousand resamples are
then one matrix product, and text is never looked at again.

- Bootstrap: units are drawn with replacement; the interval is the middle 95% of the scores. A macro
  average that skips absent classes does so in each resample.
- Paired bootstrap (Koehn 2004): both candidates are scored on the same resamples.
- Approximate randomisation (Noreen 1989): the outputs of two candidates for a unit are exchanged
  with probability one half.

Units with equal statistics are interchangeable, so they are drawn together: fifty thousand lines
with few different rows are resampled as fast as fifty documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.data_prep.core.errors import input_error

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Sums = Mapping[str, Floats]
"""Sums of named columns; their leading axes are resamples, the last axis that of a wide column."""
Scores = Mapping[str, Floats]
"""Values of measures for each resample; nan where a measure is undefined."""

FEW_DOCUMENTS = 10
"""With fewer documents, bootstrap intervals are too narrow; the randomisation test stays exact."""
SIGNIFICANT = 0.05
_MANY_KINDS = 10_000
_NUMBERS_AT_ONCE = 2_000_000
"""Many small products are slow where the processors are busy."""


@dataclass(frozen=True)
class Cells:
    """A wide column of counts in short: item `i` adds one to cell `codes[i]` of `size` cells."""

    codes: NDArray[np.integer]
    size: int

    def __getitem__(self, chosen: Booleans) -> Cells:
        return Cells(self.codes[chosen], self.size)

    def sums(self, of_item: Ints, units: int) -> Floats:
        codes = of_item * self.size + self.codes
        counts = np.bincount(codes, minlength=units * self.size)
        return counts.reshape(units, self.size).astype(np.float64)


Columns = Mapping[str, ArrayLike | Cells]
"""Named columns with one number, or one row of numbers, for each item."""


@dataclass(frozen=True)
class Units:
    """The unit of each item, numbered from 0; `name` is the kind of unit (document, line, gap)."""

    name: str
    of_item: Ints
    count: int

    @classmethod
    def choose(cls, **divisions: Sequence[object] | NDArray[np.generic] | None) -> Units:
        """The first division that is not None and has at least two units, else the last.

        A single document cannot be resampled, but its lines can:
        `Units.choose(document=names_or_none, line=range(4))`.
        """
        last = list(divisions)[-1]
        for name, division in divisions.items():
            if division is None:
                continue
            units, of_item = np.unique(np.asarray(division), return_inverse=True)
            if len(units) > 1 or name == last:
                return cls(name, of_item.astype(np.int64), len(units))
        raise ValueError("the last division must be there")

    def among(self, chosen: Booleans) -> Units:
        units, of_item = np.unique(self.of_item[chosen], return_inverse=True)
        return Units(self.name, of_item.astype(np.int64), len(units))


@dataclass(frozen=True)
class UnitTable:
    """Sums of units in flat rows, and how many units each row stands for (None: one each).

    Two candidates stand side by side in the columns, so that they are resampled together.
    """

    rows: Floats
    counts: Ints | None
    layout: Mapping[str, int]
    """The width of each named column of one candidate; 0 for a plain number."""

    def named(self, flat: Floats, candidate: int = 0) -> Sums:
        """The columns of one candidate in flat sums."""
        start = candidate * flat_width(self.layout)
        columns = {}
        for name, width in self.layout.items():
            columns[name] = flat[..., start : start + width] if width else flat[..., start]
            start += max(width, 1)
        return columns

    @property
    def sums(self) -> Floats:
        if self.counts is not None:
            return np.asarray(self.counts @ self.rows, dtype=np.float64)[None]
        # Each column by itself: numpy then sums pairwise, which loses least.
        return np.array([[column.sum() for column in self.rows.T]], dtype=np.float64)


def flat_width(layout: Mapping[str, int]) -> int:
    return sum(max(width, 1) for width in layout.values())


def unit_table(candidates: Sequence[Columns], units: Units, keep_units: bool = False) -> UnitTable:
    """The statistics of candidates side by side, by unit; each unit may keep a row of its own."""
    layout, cells = {}, []
    for name, column in candidates[0].items():
        if isinstance(column, Cells):
            layout[name] = column.size
        else:
            array = np.asarray(column)
            layout[name] = 0 if array.ndim == 1 else array.shape[1]
    for columns in candidates:
        cells += [column for column in columns.values() if isinstance(column, Cells)]
    if len(cells) == len(candidates) == len(layout) * len(candidates):
        if units.count == len(units.of_item):
            return UnitTable(*_kinds_of_cells(cells), layout)
        rows = np.hstack([column.sums(units.of_item, units.count) for column in cells])
        return UnitTable(rows, None, layout)
    blocks = [_unit_sums(column, units) for columns in candidates for column in columns.values()]
    rows = np.hstack(blocks)
    return UnitTable(*((rows, None) if keep_units else _kinds(rows)), layout)


def _unit_sums(column: ArrayLike | Cells, units: Units) -> Floats:
    if isinstance(column, Cells):
        return column.sums(units.of_item, units.count)
    array = np.asarray(column, dtype=np.float64)
    if array.ndim == 1:
        array = array[:, None]
    sums = [np.bincount(units.of_item, numbers, units.count) for numbers in array.T]
    return np.stack(sums, axis=1).astype(np.float64)


def _kinds_of_cells(cells: Sequence[Cells]) -> tuple[Floats, Ints]:
    """The different rows of units that are single items, and how many units have each."""
    code = np.zeros(len(cells[0].codes), dtype=np.int64)
    for column in cells:
        code = code * column.size + column.codes
    distinct, counts = np.unique(code, return_counts=True)
    blocks = []
    for column in reversed(cells):
        distinct, cell = np.divmod(distinct, column.size)
        blocks.append(np.eye(column.size)[cell])
    return np.hstack(blocks[::-1]), counts.astype(np.int64)


def _kinds(rows: Floats) -> tuple[Floats, Ints | None]:
    """The different rows in order, and how many units have each.

    Where hardly two units are equal, each keeps its row: single units are drawn much faster.
    """
    ordered = rows[np.lexsort(rows.T[::-1])]  # np.unique(rows, axis=0) takes many times as long
    new = np.ones(len(rows), dtype=bool)
    np.any(ordered[1:] != ordered[:-1], axis=1, out=new[1:])
    starts = np.flatnonzero(new)
    if len(starts) > max(_MANY_KINDS, len(rows) // 2):
        return rows, None
    return ordered[starts], np.diff(starts, append=len(rows)).astype(np.int64)


def ratio(part: Floats, whole: Floats) -> Floats:
    """`part / whole`; nan where the whole is 0, so that there is nothing to score."""
    result: Floats = np.full(np.broadcast(part, whole).shape, np.nan)
    np.divide(part, whole, out=result, where=np.asarray(whole) > 0)
    return result


# Intervals and paired tests -----------------------------------------------------------------------


@dataclass(frozen=True)
class Resampling:
    """How many resamples are drawn, and from which seed."""

    resamples: int = 1000
    seed: int = 12345

    def bootstrap(self, table: UnitTable) -> Floats:
        drawn = self.draws(len(table.rows), table.counts)
        return np.concatenate([numbers @ table.rows for numbers in drawn])

    def exchanged(self, table: UnitTable) -> Floats:
        """Sums of two candidates after each unit was exchanged with probability one half."""
        first, second = np.split(table.rows, 2, axis=1)
        change = np.hstack((second - first, first - second))
        moved = [numbers @ change for numbers in self._exchanges(len(change), table.counts)]
        return np.asarray(table.sums + np.concatenate(moved), dtype=np.float64)

    def draws(self, rows: int, counts: Ints | None = None) -> Iterator[Ints]:
        """How often each row is drawn in each resample, in blocks of resamples."""
        generator = np.random.default_rng(self.seed)
        for size in self._blocks(rows):
            if counts is None:  # much faster than a multinomial of single units
                chosen = generator.integers(0, rows, size=(size, rows))
                chosen += np.arange(size)[:, None] * rows
                yield np.bincount(chosen.ravel(), minlength=size * rows).reshape(size, rows)
            else:
                units = int(counts.sum())
                yield generator.multinomial(units, counts / units, size=size)

    def _exchanges(self, rows: int, counts: Ints | None) -> Iterator[Ints]:
        generator = np.random.default_rng(self.seed)
        for size in self._blocks(rows):
            if counts is None:
                yield generator.integers(0, 2, size=(size, rows))
            else:
                yield generator.binomial(counts, 0.5, size=(size, rows))

    def _blocks(self, rows: int) -> list[int]:
        """Sizes of the blocks in which resamples are drawn, so that memory stays small."""
        size = max(1, _NUMBERS_AT_ONCE // max(rows, 1))
        return [min(size, self.resamples - start) for start in range(0, self.resamples, size)]


USUAL = Resampling()


def resampling_or_none(resamples: int, seed: int) -> Resampling | None:
    """The resampling of these numbers; 0 resamples are none."""
    for field, number in (("resamples", resamples), ("seed", seed)):
        if type(number) is not int or number < 0:
            raise input_error("arguments", field, "a whole number from 0", repr(number))
    return Resampling(resamples, seed) if resamples else None


@dataclass(frozen=True)
class Difference:
    """Two candidates under one measure: first minus second, its 95% interval, two p values.

    `differing` is the number of units in which their statistics differ.
    """

    measure: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    differing: int

    @property
    def decidable(self) -> bool:
        """Whether p < .05 is possible: n differing units have 2^(n-1) different exchanges."""
        return self.differing == 0 or 2.0 ** (1 - self.differing) < SIGNIFICANT

    @property
    def significant(self) -> bool:
        """Whether randomisation gives p < .05; not corrected for several comparisons."""
        return self.decidable and self.p_randomisation < SIGNIFICANT


def intervals(
    table: UnitTable, score: Callable[[Sums], Scores], resampling: Resampling
) -> dict[str, tuple[float, float] | tuple[None, None]]:
    samples = score(table.named(resampling.bootstrap(table)))
    return {measure: interval(values) for measure, values in samples.items()}


def paired_tests(
    names: tuple[str, str],
    table: UnitTable,
    score: Callable[[Sums], Scores],
    resampling: Resampling,
) -> list[Difference]:
    """Paired bootstrap and approximate randomisation of two candidates that stand side by side.

    p values are two-sided and never 0: n samples cannot show less than 1/(n+1).
    """

    def changes(sums: Floats) -> dict[str, Floats]:
        first, second = score(table.named(sums, 0)), score(table.named(sums, 1))
        return {measure: first[measure] - second[measure] for measure in first}

    resampled = changes(resampling.bootstrap(table))
    exchanged = changes(resampling.exchanged(table))
    left, right = np.split(table.rows, 2, axis=1)
    unequal = (left != right).any(axis=1)
    differing = int(unequal.sum() if table.counts is None else table.counts[unequal].sum())
    tests = []
    for measure, values in changes(table.sums).items():
        difference = float(values[0])
        low, high = interval(resampled[measure])
        if np.isnan(difference) or low is None or high is None:
            continue
        # Around the observed difference the bootstrap scatters as it would around none (Koehn 2004
        # counts signs instead, which is one-sided).
        p_bootstrap = p_value(resampled[measure] - difference, difference)
        p_randomisation = p_value(exchanged[measure], difference)
        tests.append(
            Difference(
                measure, *names, difference, low, high, p_bootstrap, p_randomisation, differing
            )
        )
    return tests


def interval(values: Floats) -> tuple[float, float] | tuple[None, None]:
    """The middle 95% of the values that are defined."""
    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return None, None
    # As np.quantile, which imports numpy.ma for longer than a usual scoring takes.
    places = np.arange(len(defined)) / max(len(defined) - 1, 1)
    low, high = np.interp((0.025, 0.975), places, defined)
    return float(low), float(high)


def p_value(under_null: Floats, observed: float) -> float:
    """How often chance gives a value as large as the observed one, which counts among them."""
    defined = under_null[~np.isnan(under_null)]
    as_large = int((np.abs(defined) >= abs(observed) - 1e-9).sum())
    return (1 + as_large) / (1 + len(defined))
