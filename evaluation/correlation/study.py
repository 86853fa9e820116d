"""How well automatic metrics agree with people, over MT systems (000 §3.3 and §4, 001 §5).

Rank correlations are Spearman's rho on average ranks, which is the usual one, and on competition
ranks (equal values share the lowest rank), which the values printed in 000 fit, and Kendall's
tau-b; their p values come from permutations. Williams's test compares metrics, and two human
evaluations of the same systems: does a metric agree better with the one or with the other?

Coefficients are functions of arrays whose last axis is the systems, so that a thousand resamples
are one call.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np

from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.evaluation.core.score import Scale, Score, make_signature
from crosspro.evaluation.core.statistics import Resampling, draws, interval, p_value
from crosspro.evaluation.correlation.score_table import (
    FEWEST,
    FEWEST_WILLIAMS,
    ScoreTable,
    Values,
)
from crosspro.evaluation.published.results import figures_file, read_figures

SCALE = Scale(1, 3, -1)
"""How correlations are shown."""

# Coefficients -------------------------------------------------------------------------------------

Coefficient = Callable[[Values, Values], Values]

FEW_SYSTEMS = 20
ALL_PERMUTATIONS = 8
"""Up to so many systems p values are exact; nine have 362,880 permutations."""

_CELLS_AT_ONCE = 4_000_000


def _scipy_stats() -> Any:
    try:
        import scipy.stats
    except ImportError as error:
        raise CrossproError(f"correlate: scipy is not installed: {how_to_install('mt')}") from error
    return scipy.stats


def pearson(x: Values, y: Values) -> Values:
    """Pearson's r; not a number where one side is constant."""
    a, b = (side - side.mean(axis=-1, keepdims=True) for side in (x, y))
    above = (a * b).sum(axis=-1)
    below = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    constant = (np.ptp(x, axis=-1) == 0) | (np.ptp(y, axis=-1) == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(constant, np.nan, np.clip(above / below, -1, 1)))


def ranks(x: Values, method: Literal["average", "min"] = "average") -> Values:
    """Ranks from 1, the lowest value first; equal values share their mean or the lowest rank."""
    return np.asarray(_scipy_stats().rankdata(x, method, axis=-1), dtype=float)


def spearman(x: Values, y: Values) -> Values:
    """Spearman's rho: Pearson's r of average ranks."""
    return pearson(ranks(x), ranks(y))


def spearman_competition(x: Values, y: Values) -> Values:
    """Pearson's r of competition ranks; not the usual rho where values are equal."""
    return pearson(ranks(x, "min"), ranks(y, "min"))


def kendall(x: Values, y: Values) -> Values:
    """Kendall's tau-b, which allows for equal values."""
    a, b = _signs(x), _signs(y)
    above = (a * b).sum(axis=(-2, -1))
    below = np.sqrt((a * a).sum(axis=(-2, -1)) * (b * b).sum(axis=(-2, -1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)


COEFFICIENTS: dict[str, Coefficient] = {
    "pearson": pearson,
    "spearman": spearman,
    "spearman_competition": spearman_competition,
    "kendall": kendall,
}


def _signs(x: Values) -> Values:
    """1, 0 or -1 for each two systems: which has the higher value."""
    return np.sign(x[..., :, None] - x[..., None, :])


def regression(x: Values, y: Values) -> RegressionLine:
    """The line of y over x, which has at least two different values."""
    away = x - x.mean()
    slope = float((away * (y - y.mean())).sum() / (away * away).sum())
    return RegressionLine(slope, float(y.mean() - slope * x.mean()))


def t_test(r: float, n: int) -> float:
    """Two-sided p value of Pearson's r under normality."""
    if abs(r) >= 1:
        return 0.0
    return 2 * float(_scipy_stats().t.sf(abs(r) * math.sqrt((n - 2) / (1 - r * r)), n - 2))


def smallest_significant(n: int) -> float:
    """The smallest Pearson correlation over n systems with p < 0.05 (two-sided)."""
    limit = float(_scipy_stats().t.ppf(0.975, n - 2))
    return limit / math.sqrt(n - 2 + limit * limit)


def permutation_test(coefficient: Coefficient, x: Values, y: Values, plan: Resampling) -> float:
    """Two-sided p value: how often a random pairing of the systems does as well."""
    n = len(x)
    observed = float(coefficient(x, y))
    exact = n <= ALL_PERMUTATIONS
    if exact:
        orders = np.array(list(permutations(range(n))))
    else:
        generator = np.random.default_rng(plan.seed)
        orders = generator.permuted(np.tile(np.arange(n), (plan.resamples, 1)), axis=1)
    found = _in_blocks(coefficient, np.broadcast_to(x, orders.shape), y[orders])
    return p_value(found, observed, drawn=not exact)


def bootstrap_systems(coefficient: Coefficient, x: Values, y: Values, plan: Resampling) -> Values:
    """The coefficient over resampled systems; resamples without two values are left out."""
    everyone = np.arange(len(x))
    counts = np.concatenate(list(draws(len(x), None, plan)))
    drawn = np.array([np.repeat(everyone, row) for row in counts])
    found = _in_blocks(coefficient, x[drawn], y[drawn])
    return found[~np.isnan(found)]


def _in_blocks(coefficient: Coefficient, x: Values, y: Values) -> Values:
    size = max(1, _CELLS_AT_ONCE // x.shape[-1] ** 2)
    starts = range(0, len(x), size)
    return np.concatenate([coefficient(x[s : s + size], y[s : s + size]) for s in starts])


# Williams's test: do two metrics correlate differently with the same human scores?
#
# Williams (1959), as used for MT metrics by Graham and Baldwin (2014) and by 001 §5. The two
# correlations share the human variable and the systems, so they are dependent: the test takes the
# correlation between the two metrics into account.


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """The statistic t with n-3 degrees of freedom; one-sided p is for r12 > r13."""

    t: float
    degrees: int
    p_one_sided: float
    p_two_sided: float


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Compare r12 and r13, where 1 is the human score, 2 and 3 are metrics, over n systems."""
    if n < FEWEST_WILLIAMS:
        raise ValueError(f"Williams's test needs {FEWEST_WILLIAMS} systems, not {n}")
    degrees = n - 3
    difference = r12 - r13
    # Rounding can make the determinant of three nearly dependent variables slightly negative.
    determinant = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    variance = 2 * determinant * (n - 1) / degrees + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    above = difference * math.sqrt((n - 1) * (1 + r23))
    if variance > 0:
        t = above / math.sqrt(variance)
    else:
        t = math.copysign(math.inf, above) if above else 0.0
    upper = float(_scipy_stats().t.sf(t, degrees))
    return WilliamsTest(t, degrees, upper, min(1.0, 2 * min(upper, 1 - upper)))


# Studies -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Correlation(Score):
    """A coefficient with its p value."""

    p: float = math.nan


@dataclass(frozen=True, slots=True)
class RegressionLine:
    """The straight line that fits human scores best, by least squares (000 Figure 1)."""

    slope: float
    intercept: float


@dataclass(frozen=True, slots=True)
class WithoutSystem:
    """What remains of a correlation when one system is left out."""

    system: str
    pearson: float
    spearman: float


@dataclass(frozen=True)
class MetricCorrelation:
    """Everything about one metric; `coefficients` is keyed as `COEFFICIENTS` is."""

    metric: str
    coefficients: dict[str, Correlation]
    without: tuple[WithoutSystem, ...]
    regression: RegressionLine


@dataclass(frozen=True, slots=True)
class WilliamsComparison:
    """Williams's test between two correlations with a `shared` column, over systems that all have.

    Two metrics share the human scores, the one with the higher correlation is the first; two human
    evaluations share a metric. One-sided p is for a higher correlation of the first.
    """

    shared: str
    first: str
    second: str
    systems: int
    r_first: float
    r_second: float
    r_between: float
    test: WilliamsTest


@dataclass(frozen=True)
class CorrelationStudy:
    """The metrics of a table, in its order, against the human scores, and perhaps against others.

    `humans` are the tests between two human evaluations, where there are two.
    """

    table: ScoreTable
    results: tuple[MetricCorrelation, ...]
    comparisons: tuple[WilliamsComparison, ...]
    warnings: tuple[str, ...]
    humans: tuple[WilliamsComparison, ...] = ()


def correlate(table: ScoreTable, plan: Resampling | None = None) -> CorrelationStudy:
    """Correlate each metric with the human scores; without a plan there are no intervals."""
    human = table.columns[table.human]
    results = tuple(_metric(table, name, plan) for name in table.metrics)
    comparisons = []
    if len(table.systems) >= FEWEST_WILLIAMS:
        for pair in combinations(table.metrics, 2):
            # The higher correlation first; equal ones stay in the order of the table.
            first, second = sorted(pair, key=lambda name: -pearson(table.columns[name], human))
            comparisons.append(_compare(table, table.human, first, second))
    humans = []
    if table.other_human is not None:
        both = table.human, table.other_human
        humans = [_compare(table, name, *both) for name in table.metrics]
    warnings = tuple(_warnings(table))
    return CorrelationStudy(table, results, tuple(comparisons), warnings, tuple(humans))


def _metric(table: ScoreTable, name: str, plan: Resampling | None) -> MetricCorrelation:
    x, y = table.columns[name], table.columns[table.human]
    n = len(table.systems)
    tested = plan or Resampling()
    found = {}
    for kind, coefficient in COEFFICIENTS.items():
        value = float(coefficient(x, y))
        p = t_test(value, n) if kind == "pearson" else permutation_test(coefficient, x, y, tested)
        low = high = None
        if plan:
            low, high = interval(bootstrap_systems(coefficient, x, y, plan))
        found[kind] = Correlation(kind, value, _signature(kind, table, plan), low, high, p)
    without: tuple[WithoutSystem, ...] = ()
    if n > FEWEST:
        without = tuple(
            WithoutSystem(
                system,
                float(pearson(np.delete(x, place), np.delete(y, place))),
                float(spearman(np.delete(x, place), np.delete(y, place))),
            )
            for place, system in enumerate(table.systems)
        )
    return MetricCorrelation(name, found, without, regression(x, y))


def _compare(table: ScoreTable, shared: str, first: str, second: str) -> WilliamsComparison:
    columns = np.stack([table.columns[name] for name in (shared, first, second)])
    common, x, y = columns[:, ~np.isnan(columns).any(axis=0)]
    n = len(common)
    r12, r13, r23 = (float(pearson(a, b)) for a, b in ((common, x), (common, y), (x, y)))
    test = williams_test(r12, r13, r23, n)
    return WilliamsComparison(shared, first, second, n, r12, r13, r23, test)


def _signature(kind: str, table: ScoreTable, plan: Resampling | None) -> str:
    n = len(table.systems)
    tested = plan or Resampling()
    drawn = kind != "pearson" and n > ALL_PERMUTATIONS
    if drawn:
        test = f"permutation-{tested.resamples}"
    else:
        test = "t" if kind == "pearson" else "permutation-exact"
    parts = [kind, f"human:{table.human}", f"systems:{n}", f"table:{table.digest}", f"p:{test}"]
    if drawn and plan is None:
        parts.append(f"seed:{tested.seed}")
    return make_signature(parts, plan, "system")


def _warnings(table: ScoreTable) -> list[str]:
    n = len(table.systems)
    if n >= FEW_SYSTEMS:
        return []
    return [
        f"{n} systems say little: a Pearson correlation below {smallest_significant(n):.3f} is not "
        "significant at the 5% level, and a single system can make or break it"
    ]


def published_table() -> Path:
    """001 Table 1: the scores of nine systems and the reference.

    Table 2 comes out of it only if the reference is kept as a tenth row, which 001 does not say.
    """
    return figures_file("apt_protest_scores")


def printed_correlations() -> dict[tuple[str, str], float]:
    """001 Table 2, by column of Table 1 and coefficient."""
    printed = {}
    for row in read_figures("apt_protest_correlation"):
        alignment = "heuristics" if row["alignment_heuristics"] == "yes" else "plain"
        column = f"{row['setting'].lower().replace('-', '_')}_{alignment}"
        for kind in ("pearson", "spearman"):
            printed[column, kind] = float(row[kind])
    return printed
