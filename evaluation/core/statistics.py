"""Statistics of units, ratios of their sums, how certain a score is, and whether systems differ.

Scored items (gaps, pronouns, instances, lines) belong to units: documents where they are known,
because what stands in one document is not independent. Units with equal statistics cannot be told
apart, so a test set of many small units is a table of the different *kinds* of units and a count of
each: where statistics are small numbers, resampling is as fast for fifty thousand sentences as for
fifty documents.

Every score is a metric of sums over units, so a thousand resamples are one array operation.

- Bootstrap: units are drawn with replacement; the interval is the middle 95%. Where a macro average
  skips absent classes it does so in each resample, so a class of very few instances widens the
  interval upwards.
- Paired bootstrap (Koehn 2004): both systems are scored on the same resamples.
- Approximate randomisation (Noreen 1989): what two systems have made of a unit is exchanged with
  probability one half.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.evaluation.core.score import Score

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


# Ratios of sums: APT, contrastive accuracy, PROTEST, disagreement with people ---------------------


def ratio(sums: Floats) -> Floats:
    """The first column over the second, 0 where that is 0."""
    result: Floats = np.zeros(len(sums))
    np.divide(sums[:, 0], sums[:, 1], out=result, where=sums[:, 1] != 0)
    return result


def quotient(part: Floats, whole: Floats) -> Floats:
    """One over the other, not a number where that is 0: there is nothing to score."""
    result: Floats = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=whole > 0)
    return result


def percentage(sums: Floats) -> Floats:
    """The same in per cent."""
    return 100 * ratio(sums)


def harmonic_mean(first: Floats, second: Floats) -> Floats:
    """2ab/(a+b), 0 where both are 0."""
    total = first + second
    result: Floats = np.zeros_like(total)
    np.divide(2 * first * second, total, out=result, where=total > 0)
    return result


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """The 95% interval of a share of independent examples, of which there is at least one."""
    z = 1.959964
    p = part / whole
    centre = p + z * z / (2 * whole)
    spread = z * math.sqrt(p * (1 - p) / whole + z * z / (4 * whole * whole))
    below = 1 + z * z / whole
    return max(0.0, (centre - spread) / below), min(1.0, (centre + spread) / below)


# Intervals and paired tests -----------------------------------------------------------------------

Measure = Callable[[Floats], Floats]
"""The value of each row of sums; not a number where it is not defined."""
Measures = Mapping[str, Measure] | Callable[[Floats], Mapping[str, Floats]]
"""Several measures: each by its name, or a function that gives the values of all of them."""

Interval = tuple[float, float] | tuple[None, None]

_CELLS_AT_ONCE = 250_000


class Resampling(NamedTuple):
    """How many resamples are drawn, and from which seed."""

    resamples: int = 1000
    seed: int = 12345


class Difference(NamedTuple):
    """Two systems under one metric: first minus second, its 95% interval and two p values."""

    metric: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float


def scores_of(
    table: UnitTable,
    measures: Measures,
    plan: Resampling | None,
    signatures: Mapping[str, str] | None = None,
) -> dict[str, Score]:
    """The scores of a system under each measure; with a plan also their intervals.

    A score that is not defined has no interval.
    """
    values = {name: float(own[0]) for name, own in _values(measures, table.sums[None]).items()}
    samples: Mapping[str, Floats] = {}
    if plan is not None and not np.isnan(list(values.values())).all():
        samples = _values(measures, bootstrap_sums(table, plan))
    scores = {}
    for name, value in values.items():
        low = high = None
        if samples and not np.isnan(value):
            low, high = interval(samples[name])
        signature = "" if signatures is None else signatures[name]
        scores[name] = Score(name, value, signature, low, high)
    return scores


def paired_tests(
    names: tuple[str, str],
    table: UnitTable,
    measures: Measures,
    plan: Resampling,
    chosen: Sequence[str] | None = None,
) -> list[Difference]:
    """Paired bootstrap and approximate randomisation of two systems under each measure.

    The systems stand side by side in the table. The p values are two-sided and never 0: n samples
    cannot show less than 1/(n+1). A measure that is not defined for both gives no difference, nor
    does one that is not among the `chosen`, where these are given.
    """
    width = table.kinds.shape[1] // 2

    def changes(sums: Floats) -> dict[str, Floats]:
        first, second = (_values(measures, own) for own in (sums[:, :width], sums[:, width:]))
        return {name: first[name] - second[name] for name in chosen or first}

    observed = changes(table.sums[None])
    resampled = changes(bootstrap_sums(table, plan))
    exchanged = changes(exchanged_sums(table, plan))
    found = []
    for name, (difference,) in observed.items():
        low, high = interval(resampled[name])
        if np.isnan(difference) or low is None or high is None:
            continue
        # Around the observed difference the bootstrap scatters as it would around none (Koehn 2004
        # counts signs instead, which is one-sided).
        p_bootstrap = p_value(resampled[name] - difference, difference)
        p_randomisation = p_value(exchanged[name], difference)
        found.append(
            Difference(name, *names, float(difference), low, high, p_bootstrap, p_randomisation)
        )
    return found


def _values(measures: Measures, sums: Floats) -> Mapping[str, Floats]:
    if callable(measures):
        return measures(sums)
    return {name: measure(sums) for name, measure in measures.items()}


def draws(units: int, counts: Ints | None, plan: Resampling) -> Iterator[Ints]:
    """How often each unit, or each kind where there are counts, is drawn in each resample.

    Resamples come in blocks, so that memory stays small.
    """
    generator = np.random.default_rng(plan.seed)
    if counts is not None:
        shares = counts / counts.sum()
        for size in _blocks(plan.resamples, len(counts)):
            yield generator.multinomial(int(counts.sum()), shares, size=size)
        return
    for size in _blocks(plan.resamples, units):  # much faster than a multinomial of single units
        chosen = generator.integers(0, units, size=(size, units))
        chosen += np.arange(size)[:, None] * units
        yield np.bincount(chosen.ravel(), minlength=size * units).reshape(size, units)


def bootstrap_sums(table: UnitTable, plan: Resampling) -> Floats:
    """The sums of each resample of the units."""
    drawn = draws(len(table.kinds), table.counts, plan)
    return np.concatenate([block @ table.kinds for block in drawn])


def exchanges(units: int, counts: Ints | None, plan: Resampling) -> Iterator[Ints]:
    """How many units, or of each kind where there are counts, are exchanged in each sample.

    Samples come in blocks as in `draws`.
    """
    generator = np.random.default_rng(plan.seed)
    for size in _blocks(plan.resamples, units):
        if counts is None:
            yield generator.integers(0, 2, size=(size, units))
        else:
            yield generator.binomial(counts, 0.5, size=(size, units))


def exchanged_sums(table: UnitTable, plan: Resampling) -> Floats:
    """The sums of two systems after each unit was exchanged with probability one half."""
    first, second = np.split(table.kinds, 2, axis=1)
    change = np.concatenate((second - first, first - second), axis=1)
    moved = [block @ change for block in exchanges(len(change), table.counts, plan)]
    return table.sums + np.concatenate(moved)


def interval(values: Floats) -> Interval:
    """The middle 95% of the resampled values that are defined."""
    defined = np.sort(values[~np.isnan(values)])
    if not len(defined):
        return None, None
    return _quantile(defined, 0.025), _quantile(defined, 0.975)


def _quantile(ordered: Floats, share: float) -> float:
    """What `np.quantile` gives, which imports numpy.ma: that takes longer than a usual scoring."""
    below, part = divmod((len(ordered) - 1) * share, 1)
    low = float(ordered[int(below)])
    high = float(ordered[min(int(below) + 1, len(ordered) - 1)])
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part


def p_value(under_null: Floats, observed: float, drawn: bool = True) -> float:
    """Two-sided: how often chance alone gives a value as large as the observed one.

    Values that were drawn may have missed larger ones, so the observed one counts among them; where
    they are all that there are (`drawn` is false) the share is exact.
    """
    defined = under_null[~np.isnan(under_null)]
    as_large = int((np.abs(defined) >= abs(observed) - 1e-9).sum())
    return (drawn + as_large) / (drawn + len(defined))


def _blocks(resamples: int, kinds: int) -> list[int]:
    """Sizes of the blocks in which resamples are drawn, so that memory stays small."""
    size = max(1, _CELLS_AT_ONCE // max(kinds, 1))
    return [min(size, resamples - start) for start in range(0, resamples, size)]
