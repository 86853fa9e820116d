"""Rows of RESULTS.md: `results/GROUP/NAME.json` has scores, predictions and provenance of a row.

A group is `YEAR/PAIR` for systems of the papers under their published names, `ours/TASK` for ours,
`references/TASK` for systems of the papers that were trained and ensembled as ours, or
`ablations/TASK`. Runs of a system that differ in their seed alone are one row. Predictions are
strings with one character for each gap, the index of a class among the `classes` of
`results/gold/TASK.json`, which has the gold labels in the same form. So every score can be computed
again: scores are means over seeds, intervals come from 1,000 resamples of the documents, and
`pooled` stands for all test sets of a row together, except those that are `apart` (sets of another
domain). A test set `NAME.earlier` differs in a few gaps from NAME as it is now.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.files import make_folder, read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.metrics.submissions.scores import (
    Counts,
    accuracy,
    frequent_macro_recall,
    macro_f1,
    macro_recall,
)
from crosspro.evaluation.resampling import (
    Cells,
    Columns,
    Difference,
    Floats,
    Ints,
    Resampling,
    Sums,
    Units,
    interval,
    paired_tests,
    ratio,
    unit_table,
)

FOLDER = Path("results")
GOLD = "gold"
POOLED = "pooled"
FREQUENT = 10
"""Gaps in gold from which on a class counts in `frequent_macro_recall`."""
SCORES = Resampling(1000)
DIFFERENCES = Resampling(5000)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DECIMALS = 6

Scores = Mapping[str, Mapping[str, Score]]
"""Scores by test set and measure."""
Predictions = Mapping[str, Mapping[str, Mapping[str, str]]]
"""`labels` and their `digest` by test set and seed; the seed of an ensemble is that of all members
(`1+2+3`)."""


# Records ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Row:
    """A system on a task; `origin` is `own`, or `papers` for a system of the papers.

    `training` has name, digest and gaps of the training text, and the years of the rules that
    placed these; a command has what it makes and needs; a test set has its gaps, its documents, and
    the digest of its gold labels.
    """

    name: str
    title: str
    system: str
    task: str
    origin: str
    seeds: tuple[int, ...]
    commit: str
    training: Mapping[str, Any]
    configuration: tuple[str, ...]
    environment: Mapping[str, str]
    commands: tuple[Mapping[str, Any], ...]
    test_sets: Mapping[str, Mapping[str, Any]]
    scores: Scores
    predictions: Predictions
    ensemble: bool = False
    year: int | None = None
    members: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> Mapping[str, Score]:
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
        """Labels as they are stored."""
        digits = dict(zip(self.classes, _DIGITS, strict=False))
        return "".join(digits[label] for label in labels)

    def digest(self, packed: str, documents: str = "") -> str:
        """The SHA-256 of packed labels as names, after a line of the sizes of their documents."""
        names = " ".join(self.classes[_DIGITS.index(digit)] for digit in packed)
        return hashlib.sha256((documents + names).encode()).hexdigest()

    def ranking(self, names: Iterable[str]) -> list[str]:
        """The test sets that rank systems: those that are not apart."""
        return [name for name in names if not self.test_sets[name].apart]

    def described(self, test_set: str) -> dict[str, Any]:
        """Size and digest of a test set, for the rows that are scored on it."""
        gold = self.test_sets[test_set]
        digest = self.digest(gold.labels, f"{' '.join(map(str, gold.documents))}\n")
        documents = len(gold.documents) or None
        return {"gaps": len(gold.labels), "gold_digest": digest, "documents": documents}


# Files --------------------------------------------------------------------------------------------


def row_file(name: str, folder: Path = FOLDER) -> Path:
    return folder / f"{name}.json"


def read_row(name: str, folder: Path = FOLDER) -> Row:
    """A row by its name; raises `InputError` with the faults of its file."""
    path = row_file(name, folder)
    return check_settings(Row, read_json_object(path), path)


def read_rows(folder: Path = FOLDER) -> list[Row]:
    """All rows of a folder, by name."""
    paths = (path.relative_to(folder).with_suffix("") for path in folder.rglob("*.json"))
    names = sorted(path.as_posix() for path in paths if path.parts[0] != GOLD)
    return [read_row(name, folder) for name in names]


def write_row(row: Row, folder: Path = FOLDER) -> Path:
    """Write a row into its file."""
    path = row_file(row.name, folder)
    _write(path, {key: value for key, value in asdict(row).items() if value not in (None, ())})
    return path


def gold_file(task: str, folder: Path = FOLDER) -> Path:
    return folder / GOLD / f"{task}.json"


def read_gold(task: str, folder: Path = FOLDER) -> GoldLabels:
    """The gold labels of a task; raises `InputError` with the faults of the file."""
    path = gold_file(task, folder)
    return check_settings(GoldLabels, read_json_object(path), path)


def write_gold(task: str, gold: GoldLabels, folder: Path = FOLDER) -> None:
    _write(gold_file(task, folder), asdict(gold))


def renew_gold(task: Task, sets: Mapping[str, GoldSet], folder: Path = FOLDER) -> None:
    """Take gold labels of test sets over; a set with other labels becomes NAME.earlier.

    Rows that were scored on the earlier set keep their scores until they are made again.
    """
    exists = gold_file(task.name, folder).is_file()
    gold = read_gold(task.name, folder) if exists else GoldLabels(task.classes)
    kept = dict(gold.test_sets)
    renamed: dict[str, str] = {}
    for name, test in sets.items():
        before = kept.get(name, test)
        test = replace(test, apart=before.apart)
        if test != before:
            earlier = f"{name}.earlier"
            while earlier in kept:
                earlier += ".earlier"
            kept[earlier], renamed[name] = before, earlier
        kept[name] = test

    def by_new_name(by_set: Mapping[str, Any]) -> dict[str, Any]:
        return {renamed.get(name, name): value for name, value in by_set.items()}

    for row in read_rows(folder) if renamed else ():
        if row.task == task.name:
            row = replace(row, test_sets=by_new_name(row.test_sets), scores=by_new_name(row.scores))
            write_row(replace(row, predictions=by_new_name(row.predictions)), folder)
    if kept != gold.test_sets:
        write_gold(task.name, replace(gold, test_sets=kept), folder)


def _write(path: Path, content: Mapping[str, object]) -> None:
    make_folder(path.parent)
    write_text(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


# Scores -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelledSet:
    """Gold classes of a test set, the document of each gap, and the predictions of each seed."""

    gold: Ints
    documents: Ints | None
    seeds: tuple[Ints, ...]

    @property
    def units(self) -> Units:
        """Documents, else gaps."""
        return Units.choose(document=self.documents, gap=np.arange(len(self.gold)))


def labelled(gold: GoldLabels, predictions: Predictions, tests: Sequence[str]) -> LabelledSet:
    """Test sets of a row as one; documents stay apart."""
    sets = [gold.test_sets[name] for name in tests]
    sizes = [size for test in sets for size in test.documents]
    by_seed = zip(*(predictions[name].values() for name in tests), strict=True)
    return LabelledSet(
        _array("".join(test.labels for test in sets)),
        np.repeat(np.arange(len(sizes)), sizes) if all(test.documents for test in sets) else None,
        tuple(_array("".join(part["labels"] for part in parts)) for parts in by_seed),
    )


def _array(packed: str) -> Ints:
    return np.array([_DIGITS.index(digit) for digit in packed], dtype=np.int64)


def scores_of(
    gold: GoldLabels, predictions: Predictions, resampling: Resampling | None = SCORES
) -> Scores:
    """The scores of every test set of a row, and of all that rank it together."""
    tests = {name: [name] for name in predictions}
    together = gold.ranking(predictions)
    if len(together) > 1:
        tests[POOLED] = together
    classes = len(gold.classes)
    return {
        title: measure(labelled(gold, predictions, names), classes, resampling)
        for title, names in tests.items()
    }


def measure(
    test: LabelledSet, classes: int, resampling: Resampling | None = SCORES
) -> dict[str, Score]:
    """Means over seeds of each measure, rounded as they are stored."""
    measures: dict[str, Callable[[Counts], Floats]] = {
        "macro_recall": macro_recall,
        "accuracy": accuracy,
        "macro_f1": macro_f1,
    }
    frequent = np.bincount(test.gold, minlength=classes) >= FREQUENT
    if frequent.any():
        measures["frequent_macro_recall"] = partial(frequent_macro_recall, frequent=frequent)
    cells = [Cells(test.gold * classes + seed, classes**2) for seed in test.seeds]
    table = unit_table([{"confusion": column} for column in cells], test.units)

    def means(sums: Floats) -> dict[str, Floats]:
        flat = [table.named(sums, seed)["confusion"] for seed in range(len(cells))]
        counts = [np.rint(cell).astype(np.int64).reshape(-1, classes, classes) for cell in flat]
        return {
            name: np.asarray(np.mean([metric(confusion) for confusion in counts], axis=0))
            for name, metric in measures.items()
        }

    values = {name: float(value[0]) for name, value in means(table.sums).items()}
    samples = {} if resampling is None else means(resampling.bootstrap(table))
    scores = {}
    for name, value in values.items():
        bounds = interval(samples[name]) if samples else (None, None)
        low, high = (value if bound is None else bound for bound in bounds)
        scores[name] = Score(*(round(number, _DECIMALS) for number in (value, low, high)))
    return scores


def recall_columns(test: LabelledSet, classes: int) -> Columns:
    """Gold gaps and hits of each class, hits as means over seeds."""
    of_class = np.eye(classes)[test.gold]
    hits = np.mean([seed == test.gold for seed in test.seeds], axis=0)
    return {"gold": of_class, "hits": hits[:, None] * of_class}


def recall_score(sums: Sums) -> Floats:
    """Macro recall of sums of `recall_columns`."""
    return np.asarray(100 * np.nanmean(ratio(sums["hits"], sums["gold"]), axis=-1))


def difference(names: tuple[str, str], pair: Sequence[LabelledSet], classes: int) -> Difference:
    """A paired test of the macro recall of two systems on the same gold."""
    columns = [recall_columns(labelled, classes) for labelled in pair]
    table = unit_table(columns, pair[0].units, keep_units=True)
    (test,) = paired_tests(
        names, table, lambda sums: {"macro_recall": recall_score(sums)}, DIFFERENCES
    )
    return test
