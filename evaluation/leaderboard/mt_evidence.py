"""Evidence of MT systems and of metrics, and their scores from it; numbers without any text.

An MT system's evidence are sums of statistics, a row for each document that has something to score:
`{"set": …, "sums": {"apt": [[weights, pronouns], …], "chrf": …}, "signatures": {"apt": …}}`. Rows
are those of `crosspro report`, and so are scores and intervals; APT is in per cent here.

A metric's evidence are its values for items, which are outputs of segments: `{"values":
{"pronouns": […]}}`, higher where something is rather wrong. Which items people marked lies once for
all metrics of a test, with the number of items of each document and of each of its segments, in
`results/gold/TEST.marks.xz`: `{"pronouns": {"documents": [12, 9], "segments": [6, 6, 9], "levels":
"0102…"}}`, 1 for a mark and 2 for a severe one.

The score of a metric is the area under the ROC curve (AUC) in per cent: how often a marked item has
a higher value than one that is not. Segments with many pronouns are marked more often whatever a
system does, so `auc_within` asks the same of outputs of one segment. Documents are resampled; a
test exchanges the ranks of two metrics, document by document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from math import isnan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.data_prep.core.settings import checked
from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import (
    Difference,
    Floats,
    Measure,
    Resampling,
    draws,
    interval,
    p_value,
    paired_tests,
    percentage,
    quotient,
    scores_of,
    side_by_side,
    tally,
)
from crosspro.evaluation.leaderboard.evidence import digest_of, write_packed
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    MeasuredSet,
    Record,
    evidence_file,
    read_object,
)
from crosspro.evaluation.metrics.bleu.line_statistics import chrf_of_sums

PLAN = Resampling(1000)
"""How intervals are made, as in `crosspro report`."""


def _f1(sums: Floats) -> Floats:
    matched, candidate, reference = sums.T
    return 100 * quotient(2 * matched, candidate + reference)


def _in_doubt(sums: Floats) -> Floats:
    wrong, pronouns = sums.T
    return 100 * quotient(wrong, pronouns)


MEASURES: Mapping[str, Measure] = {
    "apt": percentage,
    "pronoun_f1": _f1,
    "in_doubt": _in_doubt,
    "chrf": chrf_of_sums,
}
"""The measures of MT systems, that which ranks first, each from its sums."""
WIDTHS = {"apt": 2, "pronoun_f1": 3, "in_doubt": 2, "chrf": 18}
LOWER_IS_BETTER = frozenset({"in_doubt"})
_DIGITS = 6


# MT systems ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SystemSums:
    """What an MT system's scores are computed from: by measure a row of sums for each document.

    `measured` says what the test is, `signatures` how sums were made.
    """

    test: str
    measured: MeasuredSet
    sums: Mapping[str, Floats]
    signatures: Mapping[str, str]

    def scores(self, plan: Resampling = PLAN) -> dict[str, Score]:
        """All scores with their intervals, without those that are not defined."""
        found: dict[str, Score] = {}
        for name in (name for name in MEASURES if name in self.sums):
            measure, rows = {name: MEASURES[name]}, self.sums[name]
            found |= scores_of(tally(rows), measure, plan, {name: self.signatures[name]})
        return {name: score for name, score in found.items() if not isnan(score.value)}

    @property
    def digests(self) -> dict[str, str]:
        """The digests of sums by test and measure."""
        return {
            f"{self.test} {name}": digest_of(repr(_plain(rows))) for name, rows in self.sums.items()
        }


def _plain(rows: Floats) -> list[list[float]]:
    """Rows of numbers as they are written: whole ones without a point."""
    return [
        [int(value) if value == int(value) else round(value, _DIGITS) for value in row]
        for row in np.round(rows, _DIGITS).tolist()
    ]


def write_sums(name: str, evidence: SystemSums, results: Path = FOLDER) -> None:
    """Write the sums of a record beside it."""
    content = {
        "test": evidence.test,
        "set": asdict(evidence.measured),
        "sums": {measure: _plain(rows) for measure, rows in evidence.sums.items()},
        "signatures": dict(evidence.signatures),
    }
    write_packed(evidence_file(name, results), content)


@dataclass(frozen=True)
class _PackedSums:
    """The sums of a record as they lie in a file."""

    test: str
    set: MeasuredSet
    sums: Mapping[str, tuple[tuple[float, ...], ...]]
    signatures: Mapping[str, str]


def read_sums(name: str, results: Path = FOLDER) -> SystemSums:
    """The sums of a record; raises `InputError` with all that is wrong with them."""
    path = evidence_file(name, results)
    found = checked(_PackedSums, read_object(path), path)
    problems = []
    for measure, rows in found.sums.items():
        if measure not in MEASURES:
            expected = choices(MEASURES)
            problems.append(Problem(str(path), None, "sums", expected, measure))
        elif not rows or any(len(row) != WIDTHS[measure] for row in rows):
            expected = f"rows of {WIDTHS[measure]} numbers"
            problems.append(Problem(str(path), None, f"sums.{measure}", expected, "others"))
        if measure not in found.signatures:
            where = f"signatures.{measure}"
            problems.append(Problem(str(path), None, where, "a signature", "none"))
    if problems:
        raise InputError(problems)
    sums = {name: np.array(rows, dtype=np.float64) for name, rows in found.sums.items()}
    return SystemSums(found.test, found.set, sums, found.signatures)


def sums_differences(
    first: SystemSums, second: SystemSums, plan: Resampling = PLAN
) -> dict[str, Difference]:
    """One system less another under each measure that both have, on the same documents."""
    found: dict[str, Difference] = {}
    for name, rows in first.sums.items():
        other = second.sums.get(name)
        if other is not None and other.shape == rows.shape:
            measure = {name: MEASURES[name]}
            tested = paired_tests(("first", "second"), side_by_side(rows, other), measure, plan)
            found |= {one.metric: one for one in tested}
    return found


# Metrics ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MarkedItems:
    """What people say of items: 0 nothing, 1 a mark, 2 a severe one.

    Items of a document stand together, and so do those of a segment: there are so many of each.
    """

    levels: NDArray[np.int64]
    documents: tuple[int, ...]
    segments: tuple[int, ...]

    @property
    def digest(self) -> str:
        """A digest of marks, documents and segments."""
        levels = "".join(map(str, self.levels.tolist()))
        return digest_of(f"{self.documents}\n{self.segments}\n{levels}")

    @property
    def measured(self) -> MeasuredSet:
        """What a record says of the items."""
        return MeasuredSet(len(self.levels), len(self.documents), self.digest)

    @cached_property
    def unit_of_item(self) -> NDArray[np.int64]:
        """The number of each item's document."""
        return np.repeat(np.arange(len(self.documents)), self.documents)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of marked items, each with one of the same segment that is not."""
        found = []
        first = 0
        for size in self.segments:
            places = np.arange(first, first + size)
            first += size
            marked = self.levels[places] > 0
            found += [(one, other) for one in places[marked] for other in places[~marked]]
        array = np.array(found, dtype=np.int64).reshape(-1, 2)
        return array[:, 0], array[:, 1]


Area = Callable[[MarkedItems, Floats, Floats], Floats]
"""The area of some values for each row of weights, which documents have."""


def areas(least: int, marks: MarkedItems, values: Floats, weights: Floats) -> Floats:
    """The area under the ROC curve where items of this level and above are to be found."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf))
    own, marked = weights[:, marks.unit_of_item[order]], marks.levels[order] >= least
    positive, negative = (
        np.add.reduceat(own * which, starts, axis=1) for which in (marked, ~marked)
    )
    below = np.cumsum(negative, axis=1) - negative / 2
    total = positive.sum(axis=1) * negative.sum(axis=1)
    return 100 * quotient((positive * below).sum(axis=1), total)


def areas_within(marks: MarkedItems, values: Floats, weights: Floats) -> Floats:
    """The same among outputs of one segment: of how many pairs the marked one is first."""
    one, other = marks.pairs
    won = (values[one] > values[other]) + (values[one] == values[other]) / 2
    units, size = marks.unit_of_item[one], len(marks.documents)
    sums = np.stack([np.bincount(units, own, size) for own in (won, np.ones(len(won)))], axis=1)
    found = weights @ sums
    return 100 * quotient(found[:, 0], found[:, 1])


AREAS: Mapping[str, Area] = {
    "auc": partial(areas, 1),
    "auc_within": areas_within,
    "auc_severe": partial(areas, 2),
}
"""The measures of metrics, that which ranks first."""


def marks_file(test: str, results: Path = FOLDER) -> Path:
    """Where the marks of a test lie."""
    return results / "gold" / f"{test}.marks.xz"


def write_marks(test: str, sets: Mapping[str, MarkedItems], results: Path = FOLDER) -> None:
    """Write the marks of a test's sets of items."""
    content = {
        name: {
            "documents": list(one.documents),
            "segments": list(one.segments),
            "levels": "".join(map(str, one.levels.tolist())),
        }
        for name, one in sets.items()
    }
    write_packed(marks_file(test, results), content)


@dataclass(frozen=True)
class _PackedMarks:
    """Marks as they lie in a file."""

    documents: tuple[int, ...]
    segments: tuple[int, ...]
    levels: str


@dataclass(frozen=True)
class _PackedValues:
    """The values of a metric as they lie in a file."""

    values: Mapping[str, tuple[float, ...]]


def read_marks(test: str, results: Path = FOLDER) -> dict[str, MarkedItems]:
    """The marks of each set of items of a test."""
    path = marks_file(test, results)
    packed = checked(dict[str, _PackedMarks], read_object(path), path)
    problems = [
        Problem(str(path), None, name, "a level of 0, 1 or 2 for each item", "others")
        for name, one in packed.items()
        if set(one.levels) - set("012")
        or not len(one.levels) == sum(one.documents) == sum(one.segments)
    ]
    if problems:
        raise InputError(problems)
    return {
        name: MarkedItems(
            np.array([*map(int, one.levels)], dtype=np.int64), one.documents, one.segments
        )
        for name, one in packed.items()
    }


def write_values(name: str, values: Mapping[str, Iterable[float]], results: Path = FOLDER) -> None:
    """Write the values of a metric beside its record."""
    short = {test: [kept_value(value) for value in own] for test, own in values.items()}
    write_packed(evidence_file(name, results), {"values": short})


def kept_value(value: float) -> float:
    """A value as exact as it is written."""
    return float(f"{value:.7g}")


def read_values(
    name: str, marks: Mapping[str, MarkedItems], results: Path = FOLDER
) -> dict[str, Floats]:
    """The values of a metric for each set of items, one for each item."""
    path = evidence_file(name, results)
    found = checked(_PackedValues, read_object(path), path).values
    problems = []
    for test, own in found.items():
        if test not in marks:
            problems.append(Problem(str(path), None, test, f"a set of {choices(marks)}", "another"))
        elif len(own) != len(marks[test].levels):
            expected = f"{len(marks[test].levels):,} values"
            problems.append(Problem(str(path), None, test, expected, f"{len(own):,}"))
    if problems:
        raise InputError(problems)
    return {test: np.array(own, dtype=np.float64) for test, own in found.items()}


def value_scores(
    name: str, marks: MarkedItems, values: Floats, plan: Resampling = PLAN
) -> dict[str, Score]:
    """The areas of a metric with their intervals."""
    weights = _weights(marks, plan)
    found = {}
    for measure, area in AREAS.items():
        own = area(marks, values, weights)
        if isnan(own[0]):
            continue
        described = [measure, f"set:{name}", f"items:{len(values)}", f"marks:{marks.digest[:8]}"]
        signature = make_signature(described, plan, "document")
        found[measure] = Score(measure, float(own[0]), signature, *interval(own[1:]))
    return found


def _weights(marks: MarkedItems, plan: Resampling) -> Floats:
    """How often each document is there: once, and in each resample."""
    size = len(marks.documents)
    return np.concatenate((np.ones((1, size)), *draws(size, None, plan))).astype(np.float64)


def value_differences(
    first: Floats, second: Floats, marks: MarkedItems, plan: Resampling = PLAN
) -> dict[str, Difference]:
    """The area of one metric less that of another for the same items."""
    weights = _weights(marks, plan)
    ranks = [_ranks(values) for values in (first, second)]
    generator = np.random.default_rng(plan.seed)
    swapped = generator.integers(0, 2, size=(plan.resamples, len(marks.documents))) > 0
    found = {}
    for measure, area in AREAS.items():
        change = area(marks, first, weights) - area(marks, second, weights)
        low, high = interval(change[1:])
        if isnan(change[0]) or low is None or high is None:
            continue
        exchanged = np.empty(plan.resamples)
        for place, units in enumerate(swapped):
            moved = units[marks.unit_of_item]
            one, other = np.where(moved, ranks[::-1], ranks)
            exchanged[place] = (area(marks, one, weights[:1]) - area(marks, other, weights[:1]))[0]
        p_bootstrap = p_value(change[1:] - change[0], change[0])
        p_exchanged = p_value(exchanged, change[0])
        found[measure] = Difference(
            measure, "first", "second", float(change[0]), low, high, p_bootstrap, p_exchanged
        )
    return found


def _ranks(values: Floats) -> Floats:
    """The mean rank of each value among all."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


# What a record says -------------------------------------------------------------------------------


@dataclass(frozen=True)
class MeasuredTest:
    """All of a record of an MT system or a metric that is computed from its evidence."""

    sets: Mapping[str, MeasuredSet]
    scores: Mapping[str, Mapping[str, Score]]
    digests: Mapping[str, str]


def measured_sums(evidence: SystemSums) -> MeasuredTest:
    """What the sums of an MT system say."""
    test = evidence.test
    return MeasuredTest({test: evidence.measured}, {test: evidence.scores()}, evidence.digests)


def measured_values(marks: Mapping[str, MarkedItems], values: Mapping[str, Floats]) -> MeasuredTest:
    """What the values of a metric say."""
    return MeasuredTest(
        {name: marks[name].measured for name in values},
        {name: value_scores(name, marks[name], own) for name, own in values.items()},
        {name: digest_of(repr([*map(kept_value, own.tolist())])) for name, own in values.items()},
    )


def measured_translations(record: Record, results: Path = FOLDER) -> MeasuredTest:
    """What the evidence of an MT system's record says."""
    return measured_sums(read_sums(record.name, results))


def measured_metric(record: Record, results: Path = FOLDER) -> MeasuredTest:
    """What the evidence of a metric's record says."""
    marks = read_marks(record.task, results)
    return measured_values(marks, read_values(record.name, marks, results))
