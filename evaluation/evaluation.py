"""The evaluation of some candidates by one metric: scores, intervals, groups and paired tests.

One record for all metrics, from which all outputs are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import inf, isnan
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.evaluation.metric import Data, Group, Items, Metric
from crosspro.evaluation.report import Displayed
from crosspro.evaluation.resampling import (
    FEW_DOCUMENTS,
    USUAL,
    Booleans,
    Cells,
    Columns,
    Difference,
    Resampling,
    Units,
    intervals,
    paired_tests,
    unit_table,
)
from crosspro.version import __version__

UNDEFINED = "–"
MOST_EVERY_PAIR = 3


@dataclass(frozen=True)
class Score:
    """A value in per cent with its 95% interval; nan where it is undefined."""

    value: float
    low: float | None = None
    high: float | None = None

    def shown(self, digits: int = 2) -> str:
        if isnan(self.value):
            return UNDEFINED
        if self.low is None or self.high is None:
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"

    def __str__(self) -> str:
        return self.shown()


@dataclass(frozen=True)
class GroupScores:
    """A group of items of one candidate; the total has no breakdown."""

    breakdown: str
    group: str
    counts: Mapping[str, int]
    scores: Mapping[str, Score]


@dataclass(frozen=True)
class CandidateScores:
    """A candidate: scores and counts of everything, and of each group."""

    name: str
    total: GroupScores
    groups: tuple[GroupScores, ...]
    facts: Mapping[str, Any]

    @property
    def scores(self) -> Mapping[str, Score]:
        return self.total.scores

    @property
    def counts(self) -> Mapping[str, int]:
        return self.total.counts


@dataclass(frozen=True, repr=False)
class Evaluation(Displayed):
    """All that was computed for some candidates.

    `str` is the table of the command, `repr` one line;
    `evaluation.scores["A"]["apt"].value` is a score, `.low` and `.high` are its interval.
    """

    metric: Metric[Any, Any, Any]
    items: Items[Any, Any]
    candidates: tuple[CandidateScores, ...]
    comparisons: tuple[Difference, ...]
    warnings: tuple[str, ...]
    resampling: Resampling | None
    signature: str
    """How the scores were computed, for quotation."""
    statistics: tuple[Columns, ...] = field(default=())

    @property
    def names(self) -> list[str]:
        return [candidate.name for candidate in self.candidates]

    @property
    def scores(self) -> Mapping[str, Mapping[str, Score]]:
        return {candidate.name: candidate.scores for candidate in self.candidates}

    @property
    def measures(self) -> list[str]:
        return list(self.candidates[0].scores) if self.candidates else []

    @property
    def headline(self) -> str:
        return self.metric.display.headline or self.measures[0]

    def compare(self, first: str, second: str, measure: str | None = None) -> Difference:
        """The first candidate less the second: difference, interval and p values.

        >>> import crosspro
        >>> gold = ["il", "elle", "il", "elle"] * 5
        >>> result = crosspro.evaluate(gold, {"A": gold, "B": ["il"] * 20}, "en-fr")
        >>> test = result.compare("A", "B")
        >>> test.difference, test.significant
        (50.0, True)
        """
        for argument, name in (("first", first), ("second", second)):
            if name not in self.names:
                raise input_error("arguments", argument, choices(self.names), quoted(str(name)))
        pair = self.names.index(first), self.names.index(second)
        compared = _compared(self, pair, self.resampling or USUAL) if self.items.size else []
        tests = {test.measure: test for test in compared}
        measure = measure or self.headline
        if measure not in tests:
            raise input_error("arguments", "measure", choices(tests), quoted(measure))
        return tests[measure]

    def to_dict(self) -> dict[str, Any]:
        """What `--layout json` writes: lists, mappings, texts and numbers."""
        from crosspro.evaluation.report.records import record

        return record(self)

    def html(self) -> str:
        """The page of `--html`, complete in itself."""
        from crosspro.evaluation.report.page import evaluation_page

        return evaluation_page(self)

    def __str__(self) -> str:
        from crosspro.evaluation.report.tables import text_report

        return text_report(self).rstrip("\n")

    def __repr__(self) -> str:
        digits = self.metric.display.digits
        shown = (
            f"{candidate.name} {candidate.scores[self.headline].value:.{digits}f}"
            for candidate in self.candidates
        )
        return f"<{self.metric.name} {self.headline}: {', '.join(shown)}>"


def evaluate(
    metric: Metric[Any, Data, Any],
    data: Data,
    resampling: Resampling | None = USUAL,
    baseline: str | None = None,
) -> Evaluation:
    """Score candidates; with a resampling also their intervals and paired differences.

    All are compared with the baseline; without one, up to three candidates with each other, and
    more of them with the best.
    """
    items = metric.items(data)
    places = range(len(items.candidates))
    statistics = tuple(metric.statistics(items, place) for place in places)
    groups = [Group("", "total"), *metric.groups(items)]
    candidates = tuple(
        _score_groups(metric, items, place, statistics[place], groups, resampling)
        for place in places
    )
    units, warnings, drawn = items.units, list(items.warnings), []
    if resampling:
        drawn = [f"bootstrap:{resampling.resamples}", f"by:{units.name}", f"seed:{resampling.seed}"]
        if units.name == "document" and units.count < FEW_DOCUMENTS:
            warnings.append(
                f"{units.count} documents are few: intervals and bootstrap p values are too small"
            )
    parts = [metric.name, f"crosspro:{__version__}", *drawn, *metric.signature(items)]
    evaluation = Evaluation(
        metric, items, candidates, (), tuple(warnings), resampling, "|".join(parts), statistics
    )
    if not resampling or not items.size:
        return evaluation
    pairs = _pairs(evaluation, baseline)
    tests = [test for pair in pairs for test in _compared(evaluation, pair, resampling)]
    return replace(evaluation, comparisons=tuple(tests))


def _pairs(evaluation: Evaluation, baseline: str | None) -> list[tuple[int, int]]:
    places = range(len(evaluation.names))
    if baseline is not None:
        second = evaluation.names.index(baseline)
        return [(first, second) for first in places if first != second]
    if len(places) <= MOST_EVERY_PAIR:
        return list(combinations(places, 2))
    values = [scores[evaluation.headline].value for scores in evaluation.scores.values()]
    sign = -1 if evaluation.metric.display.lower_is_better else 1
    best = max(places, key=lambda place: -inf if isnan(values[place]) else sign * values[place])
    return [(best, other) for other in places if other != best]


def _score_groups(
    metric: Metric[Any, Any, Any],
    items: Items[Any, Any],
    place: int,
    statistics: Columns,
    groups: Sequence[Group],
    resampling: Resampling | None,
) -> CandidateScores:
    """The scores of a candidate, the first group being everything."""
    counts = metric.counts(items, place)
    scored = []
    for group in groups:
        columns, counted, units = statistics, counts, items.units
        if group.statistics is not None:
            columns = group.statistics(place)
            counted = {name: columns[name] for name in counts if name in columns}
        if group.chosen is not None:
            columns, counted = _among(columns, group.chosen), _among(counted, group.chosen)
            units = units.among(group.chosen)
        scores = _scores(metric, columns, units, resampling)
        sums = {name: int(np.asarray(column).sum()) for name, column in counted.items()}
        scored.append(GroupScores(group.breakdown, group.name, sums, scores))
    facts = metric.facts(items, place)
    return CandidateScores(items.candidates[place], scored[0], tuple(scored[1:]), facts)


def _scores(
    metric: Metric[Any, Any, Any], columns: Columns, units: Units, resampling: Resampling | None
) -> dict[str, Score]:
    table = unit_table([columns], units)
    values = {
        name: float(value[0]) for name, value in metric.score(table.named(table.sums)).items()
    }
    bounds: Mapping[str, tuple[float, float] | tuple[None, None]] = {}
    if resampling and units.count > 1:
        bounds = intervals(table, metric.score, resampling)
    return {
        name: Score(value) if isnan(value) else Score(value, *bounds.get(name, ()))
        for name, value in values.items()
    }


def _among(columns: Columns, chosen: Booleans) -> Columns:
    return {
        name: column[chosen] if isinstance(column, Cells) else np.asarray(column)[chosen]
        for name, column in columns.items()
    }


def _compared(
    evaluation: Evaluation, pair: tuple[int, int], resampling: Resampling
) -> list[Difference]:
    metric, items = evaluation.metric, evaluation.items
    first, second = (items.candidates[place] for place in pair)
    table = unit_table([evaluation.statistics[place] for place in pair], items.units)
    tests = paired_tests((first, second), table, metric.score, resampling)
    compared = metric.display.compared or evaluation.measures
    return [test for test in tests if test.measure in compared]
