"""Units: what is resampled, and the statistics of each unit that a metric is computed from.

Scored items (gaps, pronouns, instances, lines) belong to units: documents where they are known,
because what stands in one document is not independent. Units with equal statistics cannot be told
apart, so a test set of many small units is a table of the different *kinds* of units and a count of
each: where statistics are small numbers, resampling is as fast for fifty thousand sentences as for
fifty documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW_DOCUMENTS = 10
"""With fewer, the bootstrap by document is too sure of itself; the randomisation test is not."""
_MANY_KINDS = 10_000


@dataclass(frozen=True)
class ResampledUnits:
    """The unit of each scored item; `name` is what a unit is called in signatures."""

    name: str
    of_item: Ints
    count: int

    @property
    def few_documents(self) -> bool:
        """Whether documents are resampled, and so few that the bootstrap is too sure of itself."""
        return self.name == "document" and self.count < FEW_DOCUMENTS

    def sums(self, values: ArrayLike) -> Floats:
        """The sums of each unit over its items, which have one value or a row of them."""
        items = np.asarray(values, dtype=np.float64)
        if items.ndim == 1:
            return np.bincount(self.of_item, items, self.count).astype(np.float64)
        columns = [np.bincount(self.of_item, column, self.count) for column in items.T]
        return np.stack(columns, axis=1).astype(np.float64)

    def among(self, chosen: NDArray[np.bool_]) -> ResampledUnits:
        """The units of some of the items; units without one say nothing and are left out."""
        units, of_item = np.unique(self.of_item[chosen], return_inverse=True)
        return ResampledUnits(self.name, of_item, len(units))


def choose_units(**divisions: Sequence[object] | NDArray[np.generic] | None) -> ResampledUnits:
    """The units of items that are divided in one or more ways, by the name of a unit.

    The first division counts that is known and has at least two units, else the last one: a single
    document cannot be resampled, but its sentences can.
    """
    last = list(divisions)[-1]
    for name, division in divisions.items():
        if division is None and name != last:
            continue
        units, of_item = np.unique(np.asarray(division), return_inverse=True)
        if len(units) > 1 or name == last:
            return ResampledUnits(name, of_item.astype(np.int64), len(units))
    raise ValueError("no division of the items")


class UnitTable(NamedTuple):
    """Statistics of units: a row for each kind of unit, and how many units are of that kind.

    Without counts each row is one unit. `sums` are the sums over all units. Two systems stand side
    by side in the columns where they are compared, so that they are resampled together.
    """

    kinds: Floats
    counts: Ints | None
    sums: Floats


def tally(statistics: Floats) -> UnitTable:
    """The table of units whose statistics are given, a row each.

    Where there are very many kinds, and hardly two units of one kind, each unit has its own row: it
    is drawn by itself several times as fast.
    """
    # Each column by itself: numpy then sums pairwise, which loses least.
    sums = np.array([column.sum() for column in statistics.T])
    kinds, counts = _different_rows(statistics)
    if len(kinds) > max(_MANY_KINDS, len(statistics) // 2):
        return UnitTable(statistics, None, sums)
    return UnitTable(kinds, counts, sums)


def _different_rows(statistics: Floats) -> tuple[Floats, Ints]:
    """The rows in order, each once, and how often each is there.

    What `np.unique(…, axis=0)` gives, which compares whole rows and takes many times as long.
    """
    rows = statistics[np.lexsort(statistics.T[::-1])]
    new = np.ones(len(rows), dtype=bool)
    np.any(rows[1:] != rows[:-1], axis=1, out=new[1:])
    starts = np.flatnonzero(new)
    return rows[starts], np.diff(starts, append=len(rows))


def side_by_side(first: Floats, second: Floats) -> UnitTable:
    """The table of two systems over the same units."""
    if first.shape != second.shape:
        raise ValueError(f"the two systems have different units: {first.shape}, {second.shape}")
    return tally(np.concatenate((first, second), axis=1))
