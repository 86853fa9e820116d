"""How well automatic metrics agree with people, over MT systems (000 §3.3 and §4, 001 §5).

Every coefficient is Pearson's r of transformed scores: of average ranks it is Spearman's rho, of
the signs of all pairwise differences Kendall's tau-b. Competition ranks (equal values share the
lowest rank) give the rho that the printed values of 000 fit. Shared tasks have seven to ten
systems, so p values of rank correlations come from permutations of the systems, and intervals from
resampled systems.

`order_agreement` compares two orders of the systems of a shared task: the published one, and that
of the same systems trained here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.resampling import (
    USUAL,
    Columns,
    Floats,
    Resampling,
    Sums,
    Units,
    interval,
    unit_table,
)
from crosspro.evaluation.rows import read_rows
from crosspro.version import __version__

FEWEST = 3
"""Over two systems every correlation is 1 or -1."""
FEWEST_WILLIAMS = 4
"""With fewer systems Williams's test has no degree of freedom."""
MOST_FOR_EXACT_P = 8
"""Nine systems have 362,880 permutations."""
PERMUTATIONS = 9_999
_PERMUTATIONS_AT_ONCE = 5_000


def _stats() -> Any:
    try:
        import scipy.stats
    except ImportError as error:
        raise CrossproError(f"correlate: scipy is not installed: {how_to_install('mt')}") from error
    return scipy.stats


# Tables of scores ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoreTable:
    """The scores of systems by column; a second human evaluation may lack some (not a number)."""

    systems: tuple[str, ...]
    human: str
    columns: Mapping[str, Floats]
    other_human: str | None = None

    @property
    def metrics(self) -> list[str]:
        return [name for name in self.columns if name not in (self.human, self.other_human)]


def read_score_table(path: Path, human: str, other_human: str | None = None) -> ScoreTable:
    """Read a table whose first column names the systems; all other columns are metrics."""
    humans = [human] if other_human is None else [human, other_human]
    rows = read_rows(path, humans)
    if len(rows) < FEWEST:
        raise input_error(path, "systems", f"at least {FEWEST}", str(len(rows)))
    system, *names = rows[0][1]
    systems = tuple(row[system] for _, row in rows)
    if len(set(systems)) < len(systems):
        raise input_error(path, "systems", "different names", ", ".join(systems))
    columns = {
        name: np.array(
            [_number(path, line, name, row[name], name == other_human) for line, row in rows]
        )
        for name in dict.fromkeys((*humans, *names))
    }
    in_all = ~np.isnan(columns[other_human or human])
    if other_human is not None and in_all.sum() < FEWEST_WILLIAMS:
        expected = f"scores of at least {FEWEST_WILLIAMS} systems"
        raise input_error(path, other_human, expected, str(in_all.sum()))
    for name, values in columns.items():
        if np.ptp(values[in_all]) == 0:
            raise input_error(path, name, "different values", f"{values[in_all][0]:g} everywhere")
    return ScoreTable(systems, human, columns, other_human)


def _number(path: Path, line: int, column: str, text: str, may_be_empty: bool) -> float:
    if not text and may_be_empty:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise input_error(path, column, "a number", quoted(text), line)
    return value


def with_weights(
    table: ScoreTable, counts: Mapping[str, Sequence[int]], weights: Sequence[Sequence[float]]
) -> ScoreTable:
    """The table with APT as further metrics, with each of the weights (000 Table 4).

    `counts` are the numbers of pronouns in the six cases, by system.
    """
    columns = dict(table.columns)
    for system in table.systems:
        if system not in counts:
            raise input_error("cases", "system", choices(sorted(counts)), quoted(system))
    cases = np.array([counts[system] for system in table.systems], dtype=np.float64)
    for case_weights in weights:
        if len(case_weights) != cases.shape[1]:
            expected = f"{cases.shape[1]} numbers"
            raise input_error("--weights", "weights", expected, str(len(case_weights)))
        name = "apt " + ",".join(f"{weight:g}" for weight in case_weights)
        columns[name] = 100 * (cases @ np.array(case_weights)) / cases.sum(axis=1)
        if np.ptp(columns[name]) == 0:
            raise input_error("--weights", name, "different scores", "the same for all systems")
    return replace(table, columns=columns)


# Coefficients -------------------------------------------------------------------------------------


def _signs(values: Floats) -> Floats:
    """Which of each two systems has the higher value: 1, 0 or -1."""
    differences = values[..., :, None] - values[..., None, :]
    return np.sign(differences).reshape(*values.shape[:-1], values.shape[-1] ** 2)


COEFFICIENTS: Mapping[str, Callable[[Floats], Floats]] = {
    "pearson": lambda values: values,
    "spearman": lambda values: _stats().rankdata(values, axis=-1),
    "spearman_competition": lambda values: _stats().rankdata(values, "min", axis=-1),
    "kendall": _signs,
}
"""Transformations of scores whose Pearson correlation is the coefficient."""


def correlation(kind: str, x: Floats, y: Floats) -> Floats:
    """A coefficient over the systems on the last axis; not a number where one side is constant."""
    transform = COEFFICIENTS[kind]
    a, b = (side - side.mean(axis=-1, keepdims=True) for side in (transform(x), transform(y)))
    above, below = (a * b).sum(axis=-1), np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    constant = (np.ptp(x, axis=-1) == 0) | (np.ptp(y, axis=-1) == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(constant, np.nan, np.clip(above / below, -1, 1)))


def p_value(kind: str, x: Floats, y: Floats, seed: int) -> float:
    """Two-sided: by the t test for Pearson's r, by permutation of the systems for ranks."""
    if kind == "pearson":
        return float(_stats().pearsonr(x, y).pvalue)
    exact = len(x) <= MOST_FOR_EXACT_P
    test = _stats().permutation_test(
        (x,),
        lambda permuted, axis: correlation(kind, permuted, y),
        permutation_type="pairings",
        vectorized=True,
        n_resamples=math.factorial(len(x)) if exact else PERMUTATIONS,
        batch=_PERMUTATIONS_AT_ONCE,
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def smallest_significant(systems: int) -> float:
    """The smallest Pearson correlation over so many systems with p < 0.05 (two-sided)."""
    limit = float(_stats().t.ppf(0.975, systems - 2))
    return limit / math.sqrt(systems - 2 + limit * limit)


# Williams's test: do two metrics correlate differently with the same human scores?
#
# Williams (1959), as used for MT metrics by Graham and Baldwin (2014) and by 001 §5. The two
# correlations share the human variable and the systems, so they are dependent: the test takes the
# correlation between the two metrics into account.


@dataclass(frozen=True)
class WilliamsTest:
    """The statistic t with n-3 degrees of freedom; one-sided p is for r12 > r13."""

    t: float
    degrees: int
    p_one_sided: float
    p_two_sided: float


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Compare r12 and r13, where 1 is the human score, 2 and 3 are metrics, over n systems."""
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
    upper = float(_stats().t.sf(t, degrees))
    return WilliamsTest(t, degrees, upper, min(1.0, 2 * min(upper, 1 - upper)))


# Metrics against people ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Correlation:
    """A coefficient of a metric with its p value and, if systems were resampled, its interval."""

    metric: str
    coefficient: str
    value: float
    p: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class WilliamsComparison:
    """Two columns that are correlated with a shared one, over the systems that have all three."""

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
    """All metrics of a table against people, each other, and perhaps a second human evaluation."""

    human: str
    other_human: str | None
    systems: tuple[str, ...]
    correlations: tuple[Correlation, ...]
    williams: tuple[WilliamsComparison, ...]
    williams_humans: tuple[WilliamsComparison, ...]
    smallest_significant: float
    signature: str


def correlate(table: ScoreTable, resamples: int = 0, seed: int = 12345) -> CorrelationStudy:
    """Correlate each metric with the human scores; without resamples there are no intervals."""
    human, metrics, size = table.columns[table.human], table.metrics, len(table.systems)
    if not metrics:
        raise input_error("table", "columns", "a metric", ", ".join(table.columns))
    drawn = np.random.default_rng(seed).integers(0, size, size=(resamples, size))
    correlations = []
    for metric in metrics:
        scores = table.columns[metric]
        for kind in COEFFICIENTS:
            value, p = float(correlation(kind, scores, human)), p_value(kind, scores, human, seed)
            low, high = interval(correlation(kind, scores[drawn], human[drawn]))
            correlations.append(Correlation(metric, kind, value, p, low, high))
    comparisons = []
    if size >= FEWEST_WILLIAMS:
        r = {metric: float(correlation("pearson", table.columns[metric], human))
             for metric in metrics}  # fmt: skip
        for pair in combinations(metrics, 2):
            higher, lower = sorted(pair, key=lambda metric: -r[metric])
            comparisons.append(_compare(table, table.human, higher, lower))
    humans = []
    if table.other_human is not None:
        humans = [_compare(table, name, table.human, table.other_human) for name in metrics]
    bootstrap = [f"bootstrap:{resamples}", "by:system"] if resamples else []
    signature = ["correlation", f"crosspro:{__version__}", f"human:{table.human}",
                 f"systems:{size}", "p:t,permutation", *bootstrap, f"seed:{seed}"]  # fmt: skip
    return CorrelationStudy(
        table.human, table.other_human, table.systems, tuple(correlations), tuple(comparisons),
        tuple(humans), smallest_significant(size), "|".join(signature),
    )  # fmt: skip


def _compare(table: ScoreTable, shared: str, first: str, second: str) -> WilliamsComparison:
    columns = np.stack([table.columns[name] for name in (shared, first, second)])
    common, x, y = columns[:, ~np.isnan(columns).any(axis=0)]
    r12, r13, r23 = (
        float(correlation("pearson", a, b)) for a, b in ((common, x), (common, y), (x, y))
    )
    test = williams_test(r12, r13, r23, len(common))
    return WilliamsComparison(shared, first, second, len(common), r12, r13, r23, test)


# Two orders of the same systems -------------------------------------------------------------------


@dataclass(frozen=True)
class OrderAgreement:
    """Coefficients from -1 to 1 with their 95% intervals over resampled documents."""

    systems: int
    spearman: Score
    kendall: Score


def order_agreement(
    published: Sequence[float],
    systems: Sequence[Columns],
    units: Units,
    score: Callable[[Sums], Floats],
    resampling: Resampling = USUAL,
) -> OrderAgreement:
    """Compare published scores with those of the same systems here; higher is better in both.

    `systems` has the statistics of each system for each item, `units` the documents of the items.
    The same documents are drawn for all systems, so the interval says how sure the order here is.
    """
    if not len(published) == len(systems) >= FEWEST:
        raise ValueError(f"expected at least {FEWEST} systems with published scores")
    table = unit_table(systems, units)

    def scores(sums: Floats) -> Floats:
        of_systems = [score(table.named(sums, place)) for place in range(len(systems))]
        return np.stack(of_systems, axis=-1)

    here, resampled = scores(table.sums), scores(resampling.bootstrap(table))
    ranking = np.asarray(published, dtype=np.float64)
    coefficients = {
        kind: Score(
            float(correlation(kind, ranking, here)[0]),
            *interval(correlation(kind, ranking, resampled)),
        )
        for kind in ("spearman", "kendall")
    }
    return OrderAgreement(len(systems), **coefficients)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values corrected for their number by Holm's step-down procedure (1979)."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    corrected = np.empty_like(values)
    corrected[order] = np.minimum(1, np.maximum.accumulate(factors * values[order]))
    return [float(value) for value in corrected]
