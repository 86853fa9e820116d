"""How certain a score is, and whether two systems really differ.

Every score is a metric of sums over units (`units.py`), so a thousand resamples are one array
operation, whatever the metric.

- Bootstrap: units are drawn with replacement; the interval is the middle 95%. Where a macro average
  skips absent classes it does so in each resample, so a class of very few instances widens the
  interval upwards.
- Paired bootstrap (Koehn 2004): both systems are scored on the same resamples.
- Approximate randomisation (Noreen 1989): what two systems have made of a unit is exchanged with
  probability one half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.units import Floats, Ints, UnitTable

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


def exchanged_sums(table: UnitTable, plan: Resampling) -> Floats:
    """The sums of two systems after each unit was exchanged with probability one half."""
    generator = np.random.default_rng(plan.seed)
    first, second = np.split(table.kinds, 2, axis=1)
    change = np.concatenate((second - first, first - second), axis=1)
    moved = []
    for size in _blocks(plan.resamples, len(change)):
        if table.counts is None:
            exchanged = generator.integers(0, 2, size=(size, len(change)))
        else:
            exchanged = generator.binomial(table.counts, 0.5, size=(size, len(change)))
        moved.append(exchanged @ change)
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


def holm(p_values: Sequence[float]) -> list[float]:
    """p values corrected for their number, in their order (Holm 1979)."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = largest
    return corrected


def _blocks(resamples: int, kinds: int) -> list[int]:
    """Sizes of the blocks in which resamples are drawn, so that memory stays small."""
    size = max(1, _CELLS_AT_ONCE // max(kinds, 1))
    return [min(size, resamples - start) for start in range(0, resamples, size)]
