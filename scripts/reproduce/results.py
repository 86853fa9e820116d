"""Rows of RESULTS.md: `results/TASK/SYSTEM.json` has scores, predictions and provenance of a row.

Runs of a system that differ in their seed alone are one row. Predictions are strings with one
character for each gap, the index of a class among the `classes` of `results/gold/TASK.json`, which
has the gold labels in the same form. So every score can be computed again: scores are means over
seeds, intervals come from 1,000 resamples of the documents, and `pooled` stands for all test sets
of a row together, except those that are `apart` (sets of another domain).

Commands are those of the commit that made a row; `CORPORA` and `WORK` stand for the folder of
corpora and the folder of everything that is made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import make_folder, read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings
from crosspro.evaluation.metrics.submissions.scores import (
    Counts,
    accuracy,
    frequent_macro_recall,
    macro_f1,
    macro_recall,
)
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.resampling import (
    Cells,
    Floats,
    Resampling,
    interval,
    unit_table,
)

FOLDER = Path("results")
POOLED = "pooled"
FREQUENT = 10
"""Gaps in gold from which on a class counts in `frequent_macro_recall`."""
SCORES = Resampling(1000)
DIFFERENCES = Resampling(5000)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DECIMALS = 6


@dataclass(frozen=True)
class Interval:
    """A value in per cent with its 95% interval."""

    value: float
    low: float
    high: float


Scores = Mapping[str, Mapping[str, Interval]]
"""Scores by test set and measure."""


@dataclass(frozen=True)
class TrainingText:
    """Name, digest of all files, number of gaps, and the years of the rules that placed them."""

    name: str
    digest: str
    gaps: int
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class MakingCommand:
    """A shell command that makes something, and what it needs (a GPU, an extra, a folder)."""

    makes: str
    command: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class TestSet:
    """Size and digest of the gold labels that a row was scored on."""

    gaps: int
    gold_digest: str
    documents: int | None = None


@dataclass(frozen=True)
class Predictions:
    """Predicted classes, one character for each gap, and the digest of their names."""

    digest: str
    labels: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """A system on a task.

    `origin` is `own`, or `papers` for a system of the papers that was trained here. `predictions`
    are by test set and seed; of an ensemble the seed is that of all members (`1+2+3`).
    """

    name: str
    title: str
    system: str
    task: str
    origin: str
    seeds: tuple[int, ...]
    commit: str
    training: TrainingText
    configuration: tuple[str, ...]
    environment: Mapping[str, str]
    commands: tuple[MakingCommand, ...]
    test_sets: Mapping[str, TestSet]
    scores: Scores
    predictions: Mapping[str, Mapping[str, Predictions]]
    ensemble: bool = False
    year: int | None = None
    members: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> Mapping[str, Interval]:
        """The scores that rank a row: those of all test sets together, or of the only one."""
        return self.scores.get(POOLED) or next(iter(self.scores.values()))


@dataclass(frozen=True)
class GoldSet:
    """Gold labels of a test set, and the number of gaps of each document where these are known."""

    labels: str
    documents: tuple[int, ...] = ()
    apart: bool = False


@dataclass(frozen=True)
class GoldLabels:
    """The classes of a task, and the gold labels of its test sets."""

    classes: tuple[str, ...]
    test_sets: Mapping[str, GoldSet] = field(default_factory=dict)

    def packed(self, labels: Iterable[str]) -> str:
        """Names of classes as a string with one character for each."""
        digits = dict(zip(self.classes, _DIGITS, strict=False))
        return "".join(digits[label] for label in labels)

    def digest(self, labels: str) -> str:
        """The SHA-256 of packed labels as names."""
        return _sha256(" ".join(self.classes[place] for place in _places(labels)))

    def gold_digest(self, test_set: str) -> str:
        """The SHA-256 of the documents and the gold labels of a test set."""
        gold = self.test_sets[test_set]
        names = " ".join(self.classes[place] for place in _places(gold.labels))
        return _sha256(" ".join(map(str, gold.documents)) + "\n" + names)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _places(labels: str) -> list[int]:
    return [_DIGITS.index(digit) for digit in labels]


# Files --------------------------------------------------------------------------------------------


def row_file(name: str, folder: Path = FOLDER) -> Path:
    """The file of a row."""
    return folder / f"{name}.json"


def gold_file(task: str, folder: Path = FOLDER) -> Path:
    """The file of the gold labels of a task."""
    return folder / "gold" / f"{task}.json"


def read_row(path: Path) -> Row:
    """The row of a file; raises `InputError` with its faults."""
    row = check_settings(Row, read_json_object(path), path)
    if row.name != f"{path.parent.name}/{path.stem}":
        raise input_error(path, "name", f"{path.parent.name}/{path.stem}", row.name)
    return row


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """All rows of a folder, by name."""
    paths = sorted(path for path in folder.glob("*/*.json") if path.parent.name != "gold")
    return [read_row(path) for path in paths]


def write_row(row: Row, folder: Path = FOLDER) -> Path:
    """Write a row into its file."""
    path = row_file(row.name, folder)
    _write(path, {key: value for key, value in asdict(row).items() if value not in (None, ())})
    return path


def read_gold(task: str, folder: Path = FOLDER) -> GoldLabels:
    """The gold labels of a task; raises `InputError` with the faults of the file."""
    path = gold_file(task, folder)
    return check_settings(GoldLabels, read_json_object(path), path)


def write_gold(task: str, gold: GoldLabels, folder: Path = FOLDER) -> Path:
    """Write the gold labels of a task."""
    path = gold_file(task, folder)
    _write(path, asdict(gold))
    return path


def _write(path: Path, content: Mapping[str, object]) -> None:
    make_folder(path.parent)
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


# Scores -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelledSet:
    """A test set as arrays, with the predictions of each seed."""

    gold: Gold
    seeds: tuple[Submission, ...]


def labelled_sets(
    gold: GoldLabels, predictions: Mapping[str, Mapping[str, Predictions]]
) -> dict[str, LabelledSet]:
    """Test sets by name, and those that are not apart pooled, if there are several."""
    sets = {
        name: LabelledSet(
            _gold_array(name, gold.test_sets[name]),
            tuple(
                Submission(seed, _array(predicted.labels)) for seed, predicted in by_seed.items()
            ),
        )
        for name, by_seed in predictions.items()
    }
    together = [labelled for name, labelled in sets.items() if not gold.test_sets[name].apart]
    if len(together) > 1:
        sets[POOLED] = _pooled(together)
    return sets


def _array(labels: str) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.array(_places(labels), dtype=np.int8)


def _gold_array(name: str, gold: GoldSet) -> Gold:
    documents = np.repeat(np.arange(len(gold.documents)), gold.documents)
    classes = _array(gold.labels)
    return Gold(
        name, classes, np.ones_like(classes, np.int64), documents if len(documents) else None
    )


def _pooled(sets: Sequence[LabelledSet]) -> LabelledSet:
    """Several sets as one; documents stay apart."""
    documents, before = [], 0
    for labelled in sets:
        if labelled.gold.documents is not None:
            documents.append(labelled.gold.documents + before)
            before += int(labelled.gold.documents.max()) + 1
    gold = Gold(
        POOLED,
        np.concatenate([labelled.gold.classes for labelled in sets]),
        np.concatenate([labelled.gold.gaps for labelled in sets]),
        np.concatenate(documents) if len(documents) == len(sets) else None,
    )
    seeds = zip(*(labelled.seeds for labelled in sets), strict=True)
    return LabelledSet(
        gold,
        tuple(
            Submission(parts[0].name, np.concatenate([part.classes for part in parts]))
            for parts in seeds
        ),
    )


def measure(
    labelled: LabelledSet, classes: int, plan: Resampling | None = SCORES
) -> dict[str, Interval]:
    """Means over seeds of each measure, rounded as they are stored; no plan, no intervals."""
    measures: dict[str, Callable[[Counts], Floats]] = {
        "macro_recall": macro_recall,
        "accuracy": accuracy,
        "macro_f1": macro_f1,
    }
    frequent = np.bincount(labelled.gold.classes, minlength=classes) >= FREQUENT
    if frequent.any():
        measures["frequent_macro_recall"] = partial(frequent_macro_recall, frequent=frequent)
    gold = labelled.gold.classes.astype(np.int64)
    cells = [Cells(gold * classes + seed.classes, classes**2) for seed in labelled.seeds]
    table = unit_table([{"confusion": column} for column in cells], labelled.gold.units)

    def means(sums: Floats) -> dict[str, Floats]:
        confusion = [table.named(sums, place)["confusion"] for place in range(len(cells))]
        counts = [np.rint(one).astype(np.int64).reshape(-1, classes, classes) for one in confusion]
        return {
            name: np.asarray(np.mean([metric(one) for one in counts], axis=0))
            for name, metric in measures.items()
        }

    values = means(table.sums)
    samples = {} if plan is None else means(plan.bootstrap(table))
    return {
        name: _interval(float(value[0]), *interval(samples[name]) if samples else (None, None))
        for name, value in values.items()
    }


def difference(first: LabelledSet, second: LabelledSet, classes: int) -> Interval:
    """Macro recall of the first system less that of the second, on the same resamples.

    Both have the same gold, so the difference is one of hits: by class, means over seeds.
    """
    of_class = np.eye(classes)[first.gold.classes]
    more = _hits(first) - _hits(second)
    table = unit_table(
        [{"gold": of_class, "hits": more[:, None] * of_class}], first.gold.units, keep_units=True
    )

    def change(sums: Floats) -> Floats:
        columns = table.named(sums)
        present = columns["gold"] > 0
        shares = np.divide(
            columns["hits"], columns["gold"], out=np.zeros_like(columns["hits"]), where=present
        )
        return np.asarray(100 * shares.sum(axis=1) / present.sum(axis=1))

    low, high = interval(change(DIFFERENCES.bootstrap(table)))
    return _interval(float(change(table.sums)[0]), low, high)


def _hits(labelled: LabelledSet) -> Floats:
    """The share of seeds that are right, for each gap."""
    right = [seed.classes == labelled.gold.classes for seed in labelled.seeds]
    return np.asarray(np.mean(right, axis=0), dtype=np.float64)


def _interval(value: float, low: float | None, high: float | None) -> Interval:
    bounds = (value if bound is None else bound for bound in (low, high))
    return Interval(round(value, _DECIMALS), *(round(bound, _DECIMALS) for bound in bounds))
