"""Cues that are no language: do they give labels away, and are they alike in train and test?

How many links a gap has, where it stands, how long its line is and which document it is from come
of how data was made. In data whose inserted placeholders had no link, a gap without a link was
OTHER without exception, and systems learnt that instead of translation; official files have no such
gap. The source word of a gap is legitimate knowledge: it is measured as the others are, and warned
of only where train and test differ in it.

Each cue has a few values (ranges, where it is a number), and everything is counted from them, so
the time is linear in the number of gaps.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from math import ceil, log2, sqrt
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.sets.splits import Splits

CUES: Mapping[str, str] = {
    "links": "the number of links of a gap",
    "position": "the position of a gap in its line",
    "source": "the source word of a gap",
    "length": "the length of the target line",
    "document": "the document",
}
"""Each cue, and what it is in words."""

_KNOWLEDGE = "source"
_OWN = "document"
"""No two sets share documents, so there is nothing to compare."""


@dataclass(frozen=True)
class _Bounds:
    """From where on a cue is warned of.

    `strong`: how far on the way from chance to certainty it tells labels. `errors_left`: how many
    errors remain, at most, of those of a guess, where a value gives a class away. `far`: its
    distance to train, unless chance reaches it.
    """

    strong: float
    errors_left: float
    far: float


_BOUNDS = {
    "links": _Bounds(0.15, 0.25, 0.12),
    "position": _Bounds(0.5, 0.1, 0.2),
    "source": _Bounds(1, 0.1, 0.2),
    "length": _Bounds(0.5, 0.1, 0.2),
    "document": _Bounds(0.5, 0.1, 1),
}
"""Official files tell 0.03 by links, and talks up to 0.23 by documents. The demo corpus, whose
sentences are made from patterns, tells up to 0.37 by positions and lengths. Clean sets are up to
0.08 from talks to train on in links, 0.12 in positions, 0.10 in source words and 0.17 in lengths;
subtitles are 0.4 away in lengths.
"""
_PURE = 0.95
_LEAST_OF_CLASS = 0.05
"""A value gives a class away if so much of it is of the class, and so much of the class has it."""

_RARE = 0.01
"""Values that are rarer than that are compared as one."""

_LEAST_GAPS = 200
"""Smaller sets are not measured."""
_LEAST_IN_CLASS = 10
"""Classes with fewer gaps are left out: their recall is a matter of single gaps."""
_LEAST_GROUPS = 5
"""With fewer documents it cannot be told how far documents are from each other."""

_FOLDS = 10
_RESAMPLES = 99
_PRIOR_GAPS = 5.0
_Z = 1.96
_target_of = itemgetter(1)

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass
class GapCues:
    """The cues of the gaps of a data set, and their classes; lines are added one by one.

    A group is what stays together when gaps are divided: a document, or a line without one. `codes`
    has a number for each gap, which `values` explains.
    """

    task: Task
    lines: int = 0
    labels: array[int] = field(default_factory=lambda: array("q"))
    line_numbers: array[int] = field(default_factory=lambda: array("q"))
    groups: array[int] = field(default_factory=lambda: array("q"))
    codes: dict[str, array[int]] = field(default_factory=lambda: {cue: array("q") for cue in CUES})
    values: dict[str, dict[str, int]] = field(default_factory=lambda: {cue: {} for cue in CUES})
    _known_groups: dict[str | int, int] = field(default_factory=dict)

    def add(self, examples: Iterable[Example]) -> None:
        """Note the gaps of more lines; those without a label (blind files) have class -1."""
        index = self.task.class_index
        known_groups = self._known_groups
        for example in examples:
            self.lines += 1
            if not example.gaps:
                continue
            linked = list(map(_target_of, example.links))
            group = known_groups.setdefault(example.document or self.lines, len(known_groups))
            tokens = len(example.lemmas)
            for gap in example.gaps:
                self.labels.append(-1 if gap.label is None else index[gap.label])
                self.line_numbers.append(self.lines)
                self.groups.append(group)
                found = {
                    "links": _links(linked.count(gap.position)),
                    "position": _position(gap.position, tokens),
                    "source": example.source[gap.source_index].lower(),
                    "length": _length(tokens),
                    "document": example.document or "",
                }
                for cue, value in found.items():
                    known = self.values[cue]
                    self.codes[cue].append(known.setdefault(value, len(known)))

    @property
    def gaps(self) -> int:
        """The number of gaps."""
        return len(self.labels)

    def by_group(self, cue: str, columns: Mapping[str, int]) -> Numbers:
        """How often each value, which has one of these columns, stands in each group."""
        places = np.array([columns[value] for value in self.values[cue]], np.int64)
        codes, width = places[_array(self.codes[cue])], max(columns.values()) + 1
        return _table(_array(self.groups), codes, len(self._known_groups), width)

    @property
    def few_groups(self) -> bool:
        """Whether chance cannot be told from the few documents that there are."""
        return len(self._known_groups) < _LEAST_GROUPS


def gap_cues(examples: Iterable[Example], task: Task) -> GapCues:
    """The cues of all gaps of a data set."""
    cues = GapCues(task)
    cues.add(examples)
    return cues


@dataclass(frozen=True)
class GivenAway:
    """A class that a value of a cue gives away: `right` of the `gaps` with this value are of it.

    `of_class` is the share of the class that has the value, which is written as words after `gap`.
    """

    value: str
    label: str
    gaps: int
    right: int
    of_class: float

    def __str__(self) -> str:
        return (
            f"a gap {self.value} is {self.label} in {100 * self.right / self.gaps:.1f} of 100 "
            f"cases ({100 * self.of_class:.0f}% of all {self.label})"
        )


@dataclass(frozen=True)
class CueStrength:
    """How well the label of a gap is told from one cue alone.

    `told` is the balanced accuracy (mean recall of the classes) by cross-validation over documents,
    `error` its standard error over documents, and `prior` what chance, or always the same class,
    has.
    """

    cue: str
    told: float
    error: float
    prior: float
    given_away: GivenAway | None

    @property
    def strength(self) -> float:
        """Where `told` lies between chance (0) and certainty (1)."""
        return (self.told - self.prior) / (1 - self.prior)

    @property
    def warning(self) -> str | None:
        """What to say of a cue that gives labels away."""
        if self.cue == _KNOWLEDGE:
            return None
        if self.given_away is not None:
            return f"{self.given_away}: this is no language, and systems learn it"
        surely = self.strength - _Z * self.error / (1 - self.prior)
        if surely < _BOUNDS[self.cue].strong:
            return None
        return (
            f"{CUES[self.cue]} alone tells labels with a balanced accuracy of "
            f"{100 * self.told:.1f}% (chance {100 * self.prior:.1f}%): this is no language, and "
            "systems learn it"
        )


@dataclass(frozen=True)
class CueDifference:
    """How far the values of a cue are distributed otherwise in a data set than in train.

    `distance` is the total variation distance, `by_chance` the largest one of resamples of
    documents, in which both differ from themselves. `value` differs most; `share` and `in_train`
    are the shares of gaps that have it.
    """

    cue: str
    distance: float
    by_chance: float
    value: str
    share: float
    in_train: float

    @property
    def warning(self) -> str | None:
        """What to say of a cue in which the data differs from train."""
        if self.distance < _BOUNDS[self.cue].far or self.distance <= self.by_chance:
            return None
        return (
            f"{CUES[self.cue]} is not distributed as in train (distance {self.distance:.2f}, by "
            f"chance up to {self.by_chance:.2f}): {100 * self.share:.1f}% of gaps are "
            f"{self.value}, in train {100 * self.in_train:.1f}%"
        )


@dataclass(frozen=True)
class SetCues:
    """What the cues of a data set give away, and how far they are from those of train."""

    strengths: tuple[CueStrength, ...]
    differences: tuple[CueDifference, ...] = ()

    def warnings(self, told: Iterable[str] = ()) -> list[str]:
        """What to say, but for cues of which it is told already that they give labels away."""
        found = [one.warning for one in self.strengths if one.cue not in {*told}]
        return [
            one for one in (*found, *(difference.warning for difference in self.differences)) if one
        ]

    def record(self) -> dict[str, Any]:
        """Everything that was measured, as JSON files have it."""
        return {
            "strengths": [asdict(one) for one in self.strengths],
            "differences": [asdict(difference) for difference in self.differences],
        }


@dataclass(frozen=True)
class CueReport:
    """The cues of each set of a run: train, dev, and each test."""

    sets: Mapping[str, SetCues]

    @property
    def warnings(self) -> list[str]:
        """What to say, with the set that it is about; what train gives away is said of it alone."""
        told = [one.cue for one in self.sets["train"].strengths if one.warning]
        return [
            f"{name}: {warning}"
            for name, cues in self.sets.items()
            for warning in cues.warnings(() if name == "train" else told)
        ]

    def record(self) -> dict[str, Any]:
        """The report as `run.json` has it."""
        sets = {name: cues.record() for name, cues in self.sets.items()}
        return {"warnings": self.warnings, "sets": sets}


def cue_report(splits: Splits, task: Task) -> CueReport:
    """The cues of a run's data."""
    train = gap_cues(splits.train, task)
    others = {"dev": splits.dev, **splits.test}
    return CueReport(
        {
            "train": set_cues(train),
            **{name: set_cues(gap_cues(one, task), train) for name, one in others.items()},
        }
    )


def set_cues(cues: GapCues, train: GapCues | None = None) -> SetCues:
    """What is to be known of a data set, beside the one that is learnt from if there is one."""
    return SetCues(cue_strengths(cues), cue_differences(cues, train) if train is not None else ())


def cue_strengths(cues: GapCues) -> tuple[CueStrength, ...]:
    """How well each cue tells labels; nothing of sets too small for that.

    What a document tells of a gap is known from its other lines, so for this cue lines are divided
    instead of documents. One document alone is divided into lines for all cues.
    """
    labels = _array(cues.labels)
    numbers = np.bincount(labels[labels >= 0], minlength=len(cues.task.classes))
    frequent = numbers >= _LEAST_IN_CLASS
    if frequent.sum() < 2 or numbers.sum() < _LEAST_GAPS:
        return ()
    kept = np.flatnonzero((labels >= 0) & frequent[labels])
    names = [cues.task.classes[number] for number in np.flatnonzero(frequent)]
    labels = (np.cumsum(frequent) - 1)[labels[kept]]
    lines, groups = (_renumbered(_array(one)[kept]) for one in (cues.line_numbers, cues.groups))
    found = []
    for cue in CUES:
        codes = _array(cues.codes[cue])[kept]
        divided = lines if cue == _OWN or not groups.any() else groups
        told, error = _balanced_accuracy(codes, labels, divided, len(names))
        given = _given_away(cue, codes, labels, list(cues.values[cue]), names)
        found.append(CueStrength(cue, told, error, 1 / len(names), given))
    return tuple(found)


def cue_differences(cues: GapCues, train: GapCues) -> tuple[CueDifference, ...]:
    """How far a data set is from train in each cue but the document; nothing of small sets.

    What chance does is shown by drawing the documents of both again (lines where there are none):
    gaps of a document are alike, so few documents differ from others however many gaps they have.
    """
    if min(cues.gaps, train.gaps) < _LEAST_GAPS:
        return ()
    few = cues.few_groups or train.few_groups
    found = []
    for cue in CUES:
        if cue == _OWN:
            continue
        columns = _columns(cue, (cues, train))
        here = _resampled(cues.by_group(cue, columns), seed=1)
        there = _resampled(train.by_group(cue, columns), seed=2)
        apart = here[0] - there[0]
        drawn = (here[1:] - here[0]) - (there[1:] - there[0])
        by_chance = 1.0 if few else float(np.abs(drawn).sum(axis=1).max() / 2)
        most = int((apart**2 / np.maximum(here[0] + there[0], _RARE)).argmax())
        alike = [value for value, column in columns.items() if column == most]
        value = _in_words(cue, alike[0]) if len(alike) == 1 else "others"
        distance = float(np.abs(apart).sum() / 2)
        shares = (float(here[0, most]), float(there[0, most]))
        found.append(CueDifference(cue, distance, by_chance, value, *shares))
    return tuple(found)


def _columns(cue: str, sets: Sequence[GapCues]) -> dict[str, int]:
    """A column for each value of a cue, the first of them for all that are rare in both sets."""
    shares: Counter[str] = Counter()
    for one in sets:
        counts = np.bincount(_array(one.codes[cue])) / one.gaps
        shares.update(dict(zip(one.values[cue], counts.tolist(), strict=True)))
    frequent = [value for value, share in shares.items() if share >= len(sets) * _RARE]
    return {**dict.fromkeys(shares, 0), **{value: 1 + n for n, value in enumerate(frequent)}}


def _resampled(table: Numbers, seed: int) -> Numbers:
    """The shares of the columns in all groups, and in further rows those in resamples of groups.

    A resample draws as many groups as there are, with replacement. What few groups vary too little
    is made good, as in the variance of a sample.
    """
    random, number = np.random.default_rng(seed), len(table)
    draws = (random.integers(number, size=number) for _ in range(_RESAMPLES))
    weights = (np.bincount(draw, minlength=number).astype(np.float64) for draw in draws)
    counts = np.array([table.sum(axis=0), *(weight @ table for weight in weights)])
    shares: Numbers = counts / counts.sum(axis=1, keepdims=True)
    shares[1:] += (shares[1:] - shares[0]) * (sqrt(number / max(number - 1, 1)) - 1)
    return shares


def _balanced_accuracy(
    codes: Integers, labels: Integers, groups: Integers, classes: int
) -> tuple[float, float]:
    """Mean recall of the classes from one cue, by cross-validation over groups; standard error.

    A gap gets the class in which its value is most frequent, as balanced accuracy wants it. Classes
    in which it is equally frequent share the gap, so a cue that tells nothing has chance exactly.
    """
    shuffled = np.random.default_rng(1).permutation(int(groups.max()) + 1)
    folds = shuffled[groups] % _FOLDS
    values = int(codes.max()) + 1
    pairs, pair = np.unique(folds * values + codes, return_inverse=True)
    fold, value = pairs // values, pairs % values
    in_fold = _table(folds, labels, _FOLDS, classes)
    seen = _table(codes, labels, values, classes)[value] - _table(pair, labels, len(pairs), classes)
    of_class = np.maximum(in_fold.sum(axis=0) - in_fold, 1)[fold]
    pooled = (seen / of_class).mean(axis=1, keepdims=True)
    frequency = (seen + _PRIOR_GAPS * pooled) / (of_class + _PRIOR_GAPS)
    best = frequency >= frequency.max(axis=1, keepdims=True) * (1 - 1e-9)
    right = (best / best.sum(axis=1, keepdims=True))[pair, labels]
    numbers = np.bincount(labels, minlength=classes)
    recalls = np.bincount(labels, right, classes) / numbers
    moves = (right - recalls[labels]) / (classes * numbers[labels])
    error = float(np.sqrt((np.bincount(groups, moves) ** 2).sum()))
    return float(recalls.mean()), error


def _given_away(
    cue: str, codes: Integers, labels: Integers, values: Sequence[str], names: Sequence[str]
) -> GivenAway | None:
    """The value that gives most of a class away, if one does; the interval is Wilson's."""
    table = _table(codes, labels, len(values), len(names))
    gaps = np.maximum(table.sum(axis=1, keepdims=True), 1)
    share = table / gaps
    spread = np.sqrt(share * (1 - share) / gaps + (_Z / gaps) ** 2 / 4)
    low = (share + _Z**2 / (2 * gaps) - _Z * spread) / (1 + _Z**2 / gaps)
    of_class = table / table.sum(axis=0)
    guessed = table.sum(axis=0) / table.sum()
    pure = (share >= _PURE) & (low >= 1 - _BOUNDS[cue].errors_left * (1 - guessed))
    pure &= of_class >= _LEAST_OF_CLASS
    if not pure.any():
        return None
    value, label = divmod(int(np.where(pure, of_class, -1).argmax()), len(names))
    right = int(table[value, label])
    shares = (int(gaps[value, 0]), right, float(of_class[value, label]))
    return GivenAway(_in_words(cue, values[value]), names[label], *shares)


def _array(numbers: array[int]) -> Integers:
    return np.array(numbers, np.int64)


def _renumbered(numbers: Integers) -> Integers:
    """The same groups, counted from 0."""
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _table(rows: Integers, columns: Integers, height: int, width: int) -> Numbers:
    """How often each row goes with each column."""
    counted = np.bincount(rows * width + columns, minlength=height * width)
    return counted.reshape(height, width).astype(np.float64)


def _in_words(cue: str, value: str) -> str:
    """A value as words that follow `gap`."""
    if cue == "source":
        return f"of {quoted(value)}"
    if cue == "document":
        return f"in document {quoted(value)}" if value else "in no document"
    return value


@lru_cache
def _links(number: int) -> str:
    return ("without a link", "with one link", "with two links", "with more links")[min(number, 3)]


@lru_cache(maxsize=1 << 16)
def _position(position: int, tokens: int) -> str:
    """The first or the last token, or the tenth of the line."""
    if position == 0:
        return "at the beginning of the line"
    if position == tokens - 1:
        return "at the end of the line"
    tenth = 10 * position // tokens
    return f"after {10 * tenth} to {10 * tenth + 10}% of the line"


@lru_cache(maxsize=1 << 12)
def _length(tokens: int) -> str:
    """Two ranges for each power of two."""
    half = int(2 * log2(tokens))
    first, after = (ceil(2 ** (step / 2)) for step in (half, half + 1))
    return f"in a line of {first} to {max(first, after - 1)} tokens"
