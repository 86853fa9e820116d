"""The evaluation of some systems by one metric: scores, intervals, groups and paired tests.

One record for all metrics, from which all outputs are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isnan
from typing import Any, NamedTuple

from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import (
    Difference,
    Floats,
    Resampling,
    paired_tests,
    scores_of,
)


class GroupScores(NamedTuple):
    """A group of items in one system: what was counted, and the score of each measure."""

    breakdown: str
    group: str
    counts: Mapping[str, int]
    scores: Mapping[str, Score]


class SystemResult(NamedTuple):
    """A system with all its groups, one of which is of everything."""

    name: str
    groups: tuple[GroupScores, ...]
    facts: Mapping[str, Any]

    @property
    def total(self) -> GroupScores:
        """The scores of everything."""
        return next(group for group in self.groups if not group.breakdown)

    @property
    def scores(self) -> Mapping[str, Score]:
        """The scores of everything, by measure."""
        return self.total.scores


@dataclass(frozen=True)
class Evaluation:
    """Everything that was computed for some systems; `scored` is what it was computed from."""

    metric: Metric[Any, Any, Any]
    scored: Scored[Any, Any]
    systems: tuple[SystemResult, ...]
    comparisons: tuple[Difference, ...]
    warnings: tuple[str, ...]
    plan: Resampling | None = None
    """How scores were resampled, if they were."""

    @property
    def settings(self) -> Any:
        """Those of the metric."""
        return self.metric.settings

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [system.name for system in self.systems]

    @property
    def signatures(self) -> list[str]:
        """How the scores that are not of a breakdown were computed, each once."""
        found = (
            score.signature
            for system in self.systems
            for group in system.groups
            for measure, score in group.scores.items()
            if not group.breakdown and measure in self.metric.measures
        )
        return list(dict.fromkeys(found))


PairChoice = Callable[[Sequence[str], Sequence[float]], list[tuple[int, int]]]
"""Pairs of places of systems, whose names and scores are given; the second is subtracted.

Higher scores are better: where a metric's lower ones are, their signs are turned.
"""


def every_pair(names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
    """Each system with each other."""
    return list(combinations(range(len(names)), 2))


def against_best(names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
    """The system with the highest score, of equals the first, with each other."""
    defined = [place for place, value in enumerate(values) if not isnan(value)]
    if not defined:
        return []
    best = max(defined, key=values.__getitem__)
    return [(best, other) for other in range(len(names)) if other != best]


def against(name: str, names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
    """Each other system with the one of this name; with the best where it is not among them."""
    if name not in names:
        return against_best(names, values)
    place = list(names).index(name)
    return [(other, place) for other in range(len(names)) if other != place]


def evaluate(
    metric: Metric[Any, Any, Any],
    data: Any,
    plan: Resampling | None = None,
    pairs: PairChoice = every_pair,
) -> Evaluation:
    """Score systems; with a resampling plan also their intervals and paired differences."""
    scored, wanted = metric.items(data), plan
    if not scored.size:
        plan = None
    systems = range(len(scored.systems))
    rows = [metric.statistics(scored, place) for place in systems]
    results = tuple(_result(metric, scored, place, rows[place], plan) for place in systems)
    comparisons = []
    if plan is not None:
        for part in filter(lambda one: one.is_total, metric.parts(scored, 0)):
            comparisons += _comparisons(metric, scored, rows, results, part, plan, pairs)
    warnings = list(scored.warnings)
    if plan is not None and scored.units.few_documents:
        number = scored.units.count
        warnings.append(
            f"{number} documents are few: intervals and bootstrap p values are too small"
        )
    return Evaluation(metric, scored, results, tuple(comparisons), tuple(warnings), wanted)


def compared(evaluation: Evaluation, first: str, second: str, plan: Resampling) -> list[Difference]:
    """Paired tests of two systems of an evaluation, under each measure that has one."""
    metric, scored, names = evaluation.metric, evaluation.scored, evaluation.names
    places = [(names.index(first), names.index(second))]
    rows = [metric.statistics(scored, place) for place in range(len(names))]
    found = []
    for part in filter(lambda one: one.is_total, metric.parts(scored, 0)):
        found += _comparisons(
            metric, scored, rows, evaluation.systems, part, plan, lambda *_: places
        )
    return found


def _result(
    metric: Metric[Any, Any, Any],
    scored: Scored[Any, Any],
    place: int,
    rows: Floats,
    plan: Resampling | None,
) -> SystemResult:
    groups: list[GroupScores] = []
    for part in metric.parts(scored, place):
        used = plan if part.resampled else None
        own = rows if part.rows is None else part.rows
        table = metric.table(scored, [own], part)
        scores = {
            measure: replace(
                score,
                signature=make_signature(
                    metric.described(scored, part, measure, place),
                    plan,
                    scored.units.name,
                    metric.other_programs(scored, measure),
                ),
            )
            for measure, score in scores_of(table, part.score or metric.score, used).items()
        }
        last = groups[-1] if groups else None
        name = part.breakdown, part.group
        if last and (last.breakdown, last.group) == name and not last.scores.keys() & scores.keys():
            groups[-1] = last._replace(scores={**last.scores, **scores})
        else:
            counted = own if part.chosen is None else own[part.chosen]
            counts = metric.counts(counted.sum(axis=0)) if part.counts is None else part.counts
            groups.append(GroupScores(*name, counts, scores))
    return SystemResult(scored.systems[place], tuple(groups), metric.of_system(scored, place))


def _comparisons(
    metric: Metric[Any, Any, Any],
    scored: Scored[Any, Any],
    rows: Sequence[Floats],
    results: Sequence[SystemResult],
    part: Part,
    plan: Resampling,
    pairs: PairChoice,
) -> list[Difference]:
    """Paired tests of all pairs under the measures of a part that systems are compared by."""
    score = part.score or metric.score
    measures = metric.compared(scores_of(metric.table(scored, rows[:1], part), score, None))
    if not measures:
        return []
    first = metric.headline if metric.headline in measures else measures[0]
    found = []
    names = scored.systems
    sign = -1 if metric.lower_is_better else 1
    for one, other in pairs(names, [sign * result.scores[first].value for result in results]):
        table = metric.table(scored, [rows[one], rows[other]], part)
        found += paired_tests((names[one], names[other]), table, score, plan, measures)
    return found
