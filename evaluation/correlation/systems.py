"""How well automatic metrics agree with people, over MT systems (000 §3.3 and §4, 001 §5).

Every coefficient is Pearson's r of transformed scores: of average ranks it is Spearman's rho, of
the signs of all pairwise differences Kendall's tau-b. Competition ranks (equal values share the
lowest rank) give the rho that the printed values of 000 fit. Shared tasks have seven to ten
systems, so p values of rank correlations come from permutations of the systems, and intervals from
resampled systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.evaluation import published
from crosspro.evaluation.published.results import read_figures
from crosspro.evaluation.rows import read_rows
from crosspro.version import __version__

Values = NDArray[np.float64]
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
    columns: Mapping[str, Values]
    other_human: str | None = None

    @property
    def metrics(self) -> list[str]:
        return [name for name in self.columns if name not in (self.human, self.other_human)]


def read_score_table(
    path: Path,
    human: str,
    metrics: Sequence[str] = (),
    without: Sequence[str] = (),
    negate: Sequence[str] = (),
    other_human: str | None = None,
) -> ScoreTable:
    """Read a table whose first column names the systems; all other columns are metrics.

    `metrics` restricts these, systems in `without` are left out, and columns in `negate`, where
    lower is better, change their sign.
    """
    humans = [human] if other_human is None else [human, other_human]
    rows = read_rows(path, [*humans, *metrics, *negate])
    if len(rows) < FEWEST:
        raise input_error(path, "systems", f"at least {FEWEST}", str(len(rows)))
    system, *names = rows[0][1]
    if not metrics:
        metrics = [name for name in names if name not in humans]
    systems = [row[system] for _, row in rows]
    for name in without:
        if name not in systems:
            raise input_error(path, "systems left out", choices(systems), quoted(name))
    kept = [(line, row) for line, row in rows if row[system] not in without]
    systems = [row[system] for _, row in kept]
    if len(set(systems)) < len(systems):
        raise input_error(path, "systems", "different names", ", ".join(systems))
    columns = {
        name: np.array([_number(path, line, name, row, other_human) for line, row in kept])
        for name in dict.fromkeys((*humans, *metrics))
    }
    for name in negate:
        if name not in columns:
            raise input_error(path, "negate", choices(columns), quoted(name))
        columns[name] = -columns[name]
    _check_values(path, columns, other_human)
    return ScoreTable(tuple(systems), human, columns, other_human)


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


def _number(
    path: Path, line: int, column: str, row: Mapping[str, str], may_be_empty: str | None
) -> float:
    if not row[column] and column == may_be_empty:
        return math.nan
    try:
        value = float(row[column])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise input_error(path, column, "a number", quoted(row[column]), line)
    return value


def _check_values(path: Path, columns: Mapping[str, Values], other_human: str | None) -> None:
    """Constant columns have no correlation; two human evaluations need systems of both."""
    shared = np.ones(len(next(iter(columns.values()))), dtype=bool)
    if len(shared) < FEWEST:
        raise input_error(path, "systems", f"at least {FEWEST}", str(len(shared)))
    if other_human is not None:
        shared = ~np.isnan(columns[other_human])
        if shared.sum() < FEWEST_WILLIAMS:
            expected = f"scores of at least {FEWEST_WILLIAMS} systems"
            raise input_error(path, other_human, expected, str(shared.sum()))
    for name, values in columns.items():
        if np.ptp(values[shared]) == 0:
            raise input_error(path, name, "different values", f"{values[shared][0]:g} everywhere")


# Coefficients -------------------------------------------------------------------------------------


def _signs(values: Values) -> Values:
    """Which of each two systems has the higher value: 1, 0 or -1."""
    differences = values[..., :, None] - values[..., None, :]
    return np.sign(differences).reshape(*values.shape[:-1], -1)


COEFFICIENTS: Mapping[str, Callable[[Values], Values]] = {
    "pearson": lambda values: values,
    "spearman": lambda values: _stats().rankdata(values, axis=-1),
    "spearman_competition": lambda values: _stats().rankdata(values, "min", axis=-1),
    "kendall": _signs,
}
"""Transformations of scores whose Pearson correlation is the coefficient."""


def correlation(kind: str, x: Values, y: Values) -> Values:
    """A coefficient over the systems on the last axis; not a number where one side is constant."""
    transform = COEFFICIENTS[kind]
    a, b = (side - side.mean(axis=-1, keepdims=True) for side in (transform(x), transform(y)))
    above, below = (a * b).sum(axis=-1), np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    constant = (np.ptp(x, axis=-1) == 0) | (np.ptp(y, axis=-1) == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(constant, np.nan, np.clip(above / below, -1, 1)))


def p_value(kind: str, x: Values, y: Values, seed: int) -> float:
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


def interval(kind: str, x: Values, y: Values, resamples: int, seed: int) -> tuple[float, float]:
    """The 95% interval over resampled systems; resamples without two values are left out."""
    drawn = np.random.default_rng(seed).integers(0, len(x), size=(resamples, len(x)))
    low, high = np.nanquantile(correlation(kind, x[drawn], y[drawn]), (0.025, 0.975))
    return float(low), float(high)


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
    upper = float(_stats().t.sf(t, degrees))
    return WilliamsTest(t, degrees, upper, min(1.0, 2 * min(upper, 1 - upper)))


# Studies ------------------------------------------------------------------------------------------


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
    human, count = table.columns[table.human], len(table.systems)
    if not table.metrics:
        raise input_error("table", "columns", "a metric", ", ".join(table.columns))
    correlations = []
    for metric in table.metrics:
        scores = table.columns[metric]
        for kind in COEFFICIENTS:
            value, p = float(correlation(kind, scores, human)), p_value(kind, scores, human, seed)
            limits = interval(kind, scores, human, resamples, seed) if resamples else (None, None)
            correlations.append(Correlation(metric, kind, value, p, *limits))
    comparisons = []
    if count >= FEWEST_WILLIAMS:
        # The metric with the higher correlation is the first of its pair.
        pearson = {
            result.metric: result.value
            for result in correlations
            if result.coefficient == "pearson"
        }
        ranked = sorted(table.metrics, key=lambda metric: -pearson[metric])
        pairs = sorted(
            combinations(ranked, 2), key=lambda pair: sorted(map(table.metrics.index, pair))
        )
        comparisons = [compare(table, table.human, *pair) for pair in pairs]
    humans = []
    if table.other_human is not None:
        humans = [compare(table, name, table.human, table.other_human) for name in table.metrics]
    drawn = [f"bootstrap:{resamples}", "by:system"] if resamples else []
    signature = ["correlation", f"crosspro:{__version__}", f"human:{table.human}",
                 f"systems:{count}", "p:t,permutation", *drawn, f"seed:{seed}"]  # fmt: skip
    return CorrelationStudy(
        table.human, table.other_human, table.systems, tuple(correlations), tuple(comparisons),
        tuple(humans), smallest_significant(count), "|".join(signature),
    )  # fmt: skip


def compare(table: ScoreTable, shared: str, first: str, second: str) -> WilliamsComparison:
    columns = np.stack([table.columns[name] for name in (shared, first, second)])
    common, x, y = columns[:, ~np.isnan(columns).any(axis=0)]
    r12, r13, r23 = (
        float(correlation("pearson", a, b)) for a, b in ((common, x), (common, y), (x, y))
    )
    test = williams_test(r12, r13, r23, len(common))
    return WilliamsComparison(shared, first, second, len(common), r12, r13, r23, test)


def published_table() -> Path:
    """001 Table 1: the scores of nine systems and the reference.

    Table 2 comes out of it only if the reference is kept as a tenth row, which 001 does not say.
    """
    return Path(published.__file__).parent / "figures" / "apt_protest_scores.csv"


def printed_correlations() -> dict[tuple[str, str], float]:
    """001 Table 2, by column of Table 1 and coefficient."""
    printed = {}
    for row in read_figures("apt_protest_correlation"):
        alignment = "heuristics" if row["alignment_heuristics"] == "yes" else "plain"
        column = f"{row['setting'].lower().replace('-', '_')}_{alignment}"
        for kind in ("pearson", "spearman"):
            printed[column, kind] = float(row[kind])
    return printed
