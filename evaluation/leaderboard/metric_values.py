"""Evidence of metrics: their values for items, which of these people marked, and areas from both.

Items are outputs of segments. A metric has `{"values": {"pronouns": […]}}`, higher where something
is rather wrong. What people marked lies once for all metrics of a test, with the number of items of
each document and of each of its segments, in `results/gold/TEST.marks.xz`: `{"pronouns":
{"documents": [12, 9], "segments": [6, 6, 9], "levels": "0102…"}}`, 1 for a mark and 2 for a severe
one.

The score of a metric is the area under the ROC curve (AUC) in per cent: how often a marked item has
a higher value than one that is not. Segments with many pronouns are marked more often whatever a
system does, so `auc_within` asks the same of outputs of one segment. Documents are resampled; a
test exchanges the ranks of two metrics, document by document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import isnan
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.data_prep.core.files import read_json_object
from crosspro.data_prep.core.settings import checked
from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import (
    Floats,
    Ints,
    Resampling,
    draws,
    exchanges,
    interval,
    quotient,
)
from crosspro.evaluation.leaderboard.evidence import MeasuredEvidence, digest_of, write_packed
from crosspro.evaluation.leaderboard.ranking import PairwiseTests, pairwise_tests
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    MeasuredSet,
    Record,
    evidence_file,
)

VALUES_PLAN = Resampling(1000)
"""How intervals are made."""


@dataclass(frozen=True)
class MarkedItems:
    """What people say of items: 0 nothing, 1 a mark, 2 a severe one.

    Items of a document stand together, and so do those of a segment: there are so many of each.
    """

    levels: Ints
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
    def unit_of_item(self) -> Ints:
        """The number of each item's document."""
        return np.repeat(np.arange(len(self.documents)), self.documents)

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
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
    packed = checked(dict[str, _PackedMarks], read_json_object(path), path)
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
    found = checked(_PackedValues, read_json_object(path), path).values
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
    name: str, marks: MarkedItems, values: Floats, plan: Resampling = VALUES_PLAN
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


def compared_values(
    rows: Mapping[str, Floats], marks: MarkedItems, plan: Resampling = VALUES_PLAN
) -> PairwiseTests:
    """All metrics compared by their area for the same items.

    Exchanging documents changes a difference of areas by a sum over documents: each adds what it
    adds, or takes it away. So a test needs one number for each document and pair of metrics.
    """
    marked = marks.levels > 0
    size = len(marks.documents)
    here = marks.unit_of_item[:, None] == np.arange(size)
    units, other_units = (here[which].astype(np.float64) for which in (marked, ~marked))
    weights = _weights(marks, plan)
    total = (weights @ units.sum(axis=0)) * (weights @ other_units.sum(axis=0))
    ranks = np.stack([(2 * _ranks(own)).astype(np.int64) for own in rows.values()])
    keys, other_keys = ranks[:, marked], ranks[:, ~marked]
    drawn = []
    for own, others in zip(keys, other_keys, strict=True):
        won = (own[:, None] > others) + (own[:, None] == others) / 2
        drawn.append(((weights @ (units.T @ won @ other_units)) * weights).sum(axis=1))
    values = np.stack([100 * quotient(own, total) for own in drawn], axis=1)
    # What the marked items of a document win, and what is won against its other items, where one
    # metric (first axis) ranks the marked items and another (second axis) the others.
    wins = np.stack([_below(own, ranks)[keys] @ units for own in other_keys], axis=1)
    losses = np.stack(
        [(len(own) - _below(own, ranks)[other_keys]) @ other_units for own in keys], axis=0
    )
    every = np.arange(len(ranks))
    alone, mixed = (wins + losses)[every, every], wins - losses
    change = alone[:, None] - alone[None] + mixed - mixed.swapaxes(0, 1)
    signs = 1.0 - 2 * np.concatenate([*exchanges(size, None, plan)])

    def exchanged(one: int, other: int) -> Floats:
        found: Floats = 50 * (signs @ change[one, other]) / total[0]
        return found

    return pairwise_tests([*rows], values, exchanged)


def _below(some: Ints, ranks: Ints) -> Floats:
    """How many of some ranks are below each possible rank; those at it count half."""
    counts = np.bincount(some, minlength=int(ranks.max()) + 1)
    found: Floats = np.cumsum(counts) - counts / 2
    return found


def _ranks(values: Floats) -> Floats:
    """The mean rank of each value among all."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def measured_values(
    marks: Mapping[str, MarkedItems], values: Mapping[str, Floats]
) -> MeasuredEvidence:
    """What the values of a metric say."""
    return MeasuredEvidence(
        {name: marks[name].measured for name in values},
        {name: value_scores(name, marks[name], own) for name, own in values.items()},
        {},
        {name: digest_of(repr([*map(kept_value, own.tolist())])) for name, own in values.items()},
    )


def measured_metric(record: Record, results: Path = FOLDER) -> MeasuredEvidence:
    """What the evidence of a metric's record says."""
    marks = read_marks(record.task, results)
    return measured_values(marks, read_values(record.name, marks, results))
