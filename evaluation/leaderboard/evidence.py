"""Evidence of records: what their scores are computed from, labels and numbers without any text.

A predictor's evidence are its labels by test set and seed:
`{"labels": {"ted_tst2015": {"1": "er es OTHER …"}}}`. The gold labels of a task lie once for all
its records, with the number of gaps of each document, in `results/gold/TASK.xz`:
`{"ted_tst2015": {"documents": [31, 18], "labels": "…"}}`. Both are JSON, compressed with xz.
Sets of other domains stay `apart`: they are scored, and are no part of the pooled set.

Scores are means over seeds, and so are intervals: a resample of the documents is the same for all
seeds (docs/results/protocol.md).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files import atomic_output, make_folder, read_json_object
from crosspro.data_prep.core.settings import Fault, checked
from crosspro.data_prep.core.task import Task, load_task
from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import (
    Difference,
    Floats,
    Measure,
    Resampling,
    draws,
    exchanges,
    interval,
    p_value,
    scores_of,
)
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    POOLED,
    Board,
    ClassScore,
    MeasuredSet,
    Record,
    evidence_file,
)
from crosspro.evaluation.metrics.submissions.scores import (
    ConfusionMetric,
    accuracy,
    confusion_counts,
    confusion_units,
    frequent_macro_recall,
    hits,
    macro_f1,
    macro_recall,
    on_sums,
    percent,
)
from crosspro.evaluation.metrics.submissions.submission import ClassIndices, Gold, Submission

FREQUENT = 10
"""Gaps in gold from which on a class counts in the macro recall of frequent classes."""
MEASURES: Mapping[str, ConfusionMetric] = {
    "macro_recall": macro_recall,
    "accuracy": accuracy,
    "macro_f1": macro_f1,
}
FREQUENT_RECALL = "frequent_macro_recall"
PLAN = Resampling()
"""How intervals of records are resampled."""

Labels = Mapping[str, Mapping[str, Sequence[str]]]
"""Labels of gaps by test set and seed; those of an ensemble by the seeds of its members, `1+2+3`.
"""


@dataclass(frozen=True)
class GoldLabels:
    """The gold labels of a test set in the order of its gaps, and the gaps of each document.

    `documents` is empty where documents are not known. A set that is `apart` is not pooled.
    """

    labels: tuple[str, ...]
    documents: tuple[int, ...] = ()
    apart: bool = False

    @property
    def digest(self) -> str:
        """A digest of labels and documents."""
        return digest_of(" ".join(map(str, self.documents)) + "\n" + " ".join(self.labels))

    @property
    def told(self) -> str:
        """The set in a message."""
        return f"{self.digest[:8]}, {'apart' if self.apart else 'pooled'}"

    @property
    def measured(self) -> MeasuredSet:
        """What a record says of the set."""
        return MeasuredSet(len(self.labels), len(self.documents) or None, self.digest)


def digest_of(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def label_digests(labels: Labels) -> dict[str, str]:
    """The digests of predictions by test set and seed."""
    return {
        f"{name} {seed}": digest_of(" ".join(own))
        for name, by_seed in labels.items()
        for seed, own in by_seed.items()
    }


def gold_file(task: str, results: Path = FOLDER) -> Path:
    """Where the gold labels of a task lie."""
    return results / "gold" / f"{task}.xz"


def write_packed(path: Path, content: Mapping[str, Any]) -> None:
    """Write JSON into a compressed file; who calls has seen to what was there."""
    make_folder(path.parent)
    with atomic_output(path, merged=True) as handle:
        handle.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())


# Gold and predictions -----------------------------------------------------------------------------


def gold_labels(gold: Gold, task: Task, apart: bool = False) -> GoldLabels:
    """The labels of a gold file."""
    runs: tuple[int, ...] = ()
    if gold.documents is not None:
        counts = np.bincount(gold.documents)
        runs = tuple(int(number) for number in counts[counts > 0])
    return GoldLabels(tuple(task.classes[one] for one in gold.classes), runs, apart)


def write_gold(task: str, sets: Mapping[str, GoldLabels], results: Path = FOLDER) -> None:
    """Write the gold labels of a task's test sets, beside those that are there.

    A set that is there with other labels is a fault: records rest on them.
    """
    path = gold_file(task, results)
    known = read_gold_labels(task, results) if path.is_file() else {}
    problems = [
        Problem(str(path), None, name, f"the gold of before: {known[name].told}", one.told)
        for name, one in sets.items()
        if name in known and known[name] != one
    ]
    if problems:
        raise InputError(problems, "another set needs another name")
    content: dict[str, dict[str, object]] = {}
    for name, one in sorted({**known, **sets}.items()):
        content[name] = {"documents": list(one.documents), "labels": " ".join(one.labels)}
        if one.apart:
            content[name]["apart"] = True
    if known.keys() != content.keys():
        write_packed(path, content)


def read_gold_labels(task: str, results: Path = FOLDER) -> dict[str, GoldLabels]:
    """The gold labels of each test set of a task."""
    path = gold_file(task, results)
    found = checked(dict[str, _PackedGold], read_json_object(path), path)
    return {
        name: GoldLabels(tuple(one.labels.split(" ")), one.documents, one.apart)
        for name, one in found.items()
    }


@dataclass(frozen=True)
class _PackedGold:
    """Gold labels as they lie in a file."""

    labels: str
    documents: tuple[int, ...]
    apart: bool = False

    def faults(self) -> Iterator[Fault]:
        """Documents whose gaps are not those of the labels."""
        gaps = len(self.labels.split(" "))
        if self.documents and (min(self.documents) < 1 or sum(self.documents) != gaps):
            yield Fault(("documents",), f"gaps of documents, {gaps:,} in all", "others")


@dataclass(frozen=True)
class _PackedLabels:
    """The labels of a record as they lie in a file."""

    labels: Mapping[str, Mapping[str, str]]


def write_labels(name: str, labels: Labels, results: Path = FOLDER) -> None:
    """Write the labels of a record beside it."""
    joined = {
        test: {seed: " ".join(own) for seed, own in by_seed.items()}
        for test, by_seed in labels.items()
    }
    write_packed(evidence_file(name, results), {"labels": joined})


def read_labels(name: str, results: Path = FOLDER) -> dict[str, dict[str, tuple[str, ...]]]:
    """The labels of a record by test set and seed."""
    path = evidence_file(name, results)
    found = checked(_PackedLabels, read_json_object(path), path)
    return {
        test: {seed: tuple(own.split(" ")) for seed, own in by_seed.items()}
        for test, by_seed in found.labels.items()
    }


# Scores of labels ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelledSet:
    """A test set (or several, pooled) with the predictions of all seeds as classes."""

    name: str
    gold: Gold
    digest: str
    seeds: tuple[Submission, ...]


def labelled_sets(
    task: Task, gold: Mapping[str, GoldLabels], labels: Labels, where: Path
) -> tuple[LabelledSet, ...]:
    """The test sets that have labels, those that stay apart last, and several others pooled.

    Raises `InputError` for labels that are none of the task and for sets of another length.
    """
    problems: list[Problem] = []
    sets = []
    pooled = []
    for name, by_seed in sorted(labels.items(), key=lambda one: _is_apart(one[0], gold)):
        if name not in gold:
            problems.append(
                Problem(
                    str(where),
                    None,
                    name,
                    f"a set of {choices(gold)}" if gold else "gold labels",
                    "none",
                )
            )
            continue
        own = gold[name]
        seeds = []
        strange = sorted(set(own.labels) - set(task.classes))
        if strange or by_seed.keys() != next(iter(labels.values())).keys():
            expected = f"gold of {choices(task.classes)}, and the same seeds in all sets"
            told = ", ".join(map(quoted, strange)) or f"seeds {', '.join(by_seed)}"
            problems.append(Problem(str(where), None, name, expected, told))
            continue
        for seed, found in by_seed.items():
            unknown = sorted(set(found) - set(task.classes))
            if unknown or len(found) != len(own.labels):
                expected = f"{len(own.labels):,} labels of {choices(task.classes)}"
                told = f"{len(found):,}" + "".join(f", {quoted(one)}" for one in unknown)
                problems.append(Problem(str(where), None, f"{name} {seed}", expected, told))
                continue
            seeds.append(Submission(seed, _classes(found, task)))
        sets.append(LabelledSet(name, _gold(name, own, task), own.digest, tuple(seeds)))
        if not own.apart:
            pooled.append(sets[-1])
    if problems:
        raise InputError(problems)
    return (*sets, pool(pooled)) if len(pooled) > 1 else tuple(sets)


def _is_apart(name: str, gold: Mapping[str, GoldLabels]) -> bool:
    return name in gold and gold[name].apart


def _classes(labels: Sequence[str], task: Task) -> ClassIndices:
    index = task.class_index
    return np.fromiter(map(index.__getitem__, labels), np.int8, len(labels))


def _gold(name: str, gold: GoldLabels, task: Task) -> Gold:
    documents = None
    if gold.documents:
        documents = np.repeat(np.arange(len(gold.documents)), gold.documents)
    classes = _classes(gold.labels, task)
    return Gold(name, classes, np.ones(len(classes), dtype=np.int64), documents)


def pool(sets: Sequence[LabelledSet]) -> LabelledSet:
    """Several test sets as one; documents, if all have them, stay apart."""
    documents: list[NDArray[np.int64]] = []
    offset = 0
    for one in sets:
        if one.gold.documents is not None:
            documents.append(one.gold.documents + offset)
            offset += int(one.gold.documents.max(initial=0)) + 1
    gold = Gold(
        POOLED,
        np.concatenate([one.gold.classes for one in sets]),
        np.concatenate([one.gold.gaps for one in sets]),
        np.concatenate(documents) if len(documents) == len(sets) else None,
    )
    seeds = tuple(
        Submission(first.name, np.concatenate([one.seeds[place].classes for one in sets]))
        for place, first in enumerate(sets[0].seeds)
    )
    return LabelledSet(POOLED, gold, digest_of(" ".join(one.digest for one in sets)), seeds)


def mean_macro_recall(tested: LabelledSet) -> float:
    """The mean over seeds of the macro recall, without an interval."""
    size = int(max(tested.gold.classes.max(), *(one.classes.max() for one in tested.seeds))) + 1
    found = (confusion_counts(tested.gold.classes, one.classes, size) for one in tested.seeds)
    return float(np.mean([macro_recall(one) for one in found]))


def label_scores(tested: LabelledSet, task: Task, plan: Resampling) -> dict[str, Score]:
    """The means over seeds of each measure, with their intervals and signatures."""
    size, number = len(task.classes), len(tested.seeds)
    frequent = np.bincount(tested.gold.classes, minlength=size) >= FREQUENT
    measures = dict(MEASURES)
    if frequent.any():
        measures[FREQUENT_RECALL] = partial(frequent_macro_recall, frequent=frequent)
    table = confusion_units(tested.gold, tested.seeds, size)
    means = {name: _mean(metric, number, size) for name, metric in measures.items()}
    return scores_of(
        table, means, plan, {name: _signature(name, tested, task, plan) for name in means}
    )


def _signature(measure: str, tested: LabelledSet, task: Task, plan: Resampling) -> str:
    described = [
        measure,
        f"task:{task.name}",
        f"classes:{len(task.classes)}",
        "absent:skip",
        f"gaps:{len(tested.gold.classes)}",
        f"gold:{tested.digest[:8]}",
        f"seeds:{len(tested.seeds)}",
    ]
    return make_signature(described, plan, tested.gold.units.name)


def class_scores(tested: LabelledSet, task: Task, plan: Resampling) -> dict[str, ClassScore]:
    """Recall, with its interval, and precision of each class that gold has, means over seeds."""
    size, number = len(task.classes), len(tested.seeds)
    table = confusion_units(tested.gold, tested.seeds, size)
    matrices = [confusion_counts(tested.gold.classes, one.classes, size) for one in tested.seeds]
    present = [place for place, count in enumerate(matrices[0].sum(axis=1).tolist()) if count]
    recalls = {
        task.classes[place]: _mean(partial(_recall_of, place), number, size) for place in present
    }
    scores = scores_of(table, recalls, plan)
    predicted = np.mean([one.sum(axis=0) for one in matrices], axis=0)
    precise = np.mean([percent(hits(one), one.sum(axis=0)) for one in matrices], axis=0)
    gold = matrices[0].sum(axis=1)
    return {
        name: ClassScore(
            gold=int(gold[place]),
            predicted=float(predicted[place]),
            recall=scores[name].value,
            low=scores[name].low,
            high=scores[name].high,
            precision=float(precise[place]),
        )
        for place, name in ((place, task.classes[place]) for place in present)
    }


def _recall_of(place: int, counts: NDArray[np.int64]) -> Floats:
    return percent(counts[..., place, place], counts[..., place, :].sum(axis=-1))


def _mean(metric: ConfusionMetric, seeds: int, size: int) -> Measure:
    """The mean of a metric over seeds whose sums stand side by side."""
    value = on_sums(metric, size)

    def mean_of(sums: Floats) -> Floats:
        return np.asarray(np.mean([value(one) for one in np.split(sums, seeds, axis=1)], axis=0))

    return mean_of


def differences(
    first: LabelledSet, second: LabelledSet, task: Task, plan: Resampling
) -> list[Difference]:
    """The means of one over all its seeds less those of another, on the same documents."""
    return table_differences([first], second, task, plan)[0]


def table_differences(
    rows: Sequence[LabelledSet], reference: LabelledSet, task: Task, plan: Resampling
) -> list[list[Difference]]:
    """The differences of several systems to one, all on the same resamples.

    The n-th seed is exchanged with the n-th one of the other, whose seeds begin anew where it has
    fewer. Recalls are shares of gold, which is one for both: sums of the hits that one has more
    than the other, by class, are all that is resampled.
    """
    if not rows:
        return []
    units, size = reference.gold.units, len(task.classes)
    gold = units.sums(np.eye(size)[reference.gold.classes])
    more = np.stack([_more_hits(one, reference, size) for one in rows], axis=2)
    whole = gold.sum(axis=0)[None]
    observed = _changes(np.ones((1, units.count)), more, whole)
    weights = (block.astype(np.float64) for block in draws(units.count, None, plan))
    drawn = [_changes(one, more, one @ gold) for one in weights]
    signs = (1 - 2 * block.astype(np.float64) for block in exchanges(units.count, None, plan))
    moved = [_changes(one, more, whole) for one in signs]
    found: list[list[Difference]] = [[] for _ in rows]
    for name, values in observed.items():
        samples, under_null = (np.concatenate([one[name] for one in own]) for own in (drawn, moved))
        for place, difference in enumerate(values[0].tolist()):
            test = _tested(name, difference, samples[:, place], under_null[:, place])
            found[place].append(test)
    return found


def _more_hits(first: LabelledSet, second: LabelledSet, size: int) -> Floats:
    """The hits of one less those of another by unit and class, means over their seeds."""
    gold, units = second.gold.classes, second.gold.units
    number = max(len(first.seeds), len(second.seeds))
    found = np.zeros(len(gold))
    for place in range(number):
        one, other = (side.seeds[place % len(side.seeds)] for side in (first, second))
        found += (one.classes == gold).astype(np.float64) - (other.classes == gold)
    cells = units.of_item * size + gold
    sums = np.bincount(cells, found / number, units.count * size)
    return np.asarray(sums.reshape(units.count, size), dtype=np.float64)


def _changes(weights: Floats, more: Floats, gold: Floats) -> dict[str, Floats]:
    """What so many more hits change of macro recall and of accuracy: a row for each sample.

    `more` is by unit, class and system; `gold` are the gaps of each class in each sample.
    """
    shares = np.where(gold > 0, 100 / np.maximum(gold, 1), 0)
    macro = np.zeros((len(weights), more.shape[2]))
    total = np.zeros_like(macro)
    for place in range(gold.shape[1]):
        sums = weights @ more[:, place]
        total += sums
        sums *= shares[:, place : place + 1]
        macro += sums
    macro /= (gold > 0).sum(axis=1, keepdims=True)
    total *= 100 / gold.sum(axis=1, keepdims=True)
    return {"macro_recall": macro, "accuracy": total}


def _tested(name: str, difference: float, drawn: Floats, moved: Floats) -> Difference:
    low, high = interval(drawn)
    if low is None or high is None:
        raise ValueError("no resample has a gap")
    bootstrap = p_value(drawn - difference, difference)
    return Difference(
        name, "first", "second", difference, low, high, bootstrap, p_value(moved, difference)
    )


# Everything that is measured ----------------------------------------------------------------------


@dataclass(frozen=True)
class MeasuredEvidence:
    """All of a record that is computed from its evidence."""

    sets: Mapping[str, MeasuredSet]
    scores: Mapping[str, Mapping[str, Score]]
    classes: Mapping[str, Mapping[str, ClassScore]]
    digests: Mapping[str, str]


def measured(record: Record, results: Path = FOLDER) -> MeasuredEvidence:
    """What the evidence of a record says; raises `InputError` where there is none to read."""
    where = evidence_file(record.name, results)
    if record.board != Board.PREDICTION:
        raise input_error(where, "board", "evidence of a board that is known", record.board)
    gold = read_gold_labels(record.task, results)
    return measured_labels(load_task(record.task), gold, read_labels(record.name, results), where)


def measured_labels(
    task: Task, gold: Mapping[str, GoldLabels], labels: Labels, where: Path
) -> MeasuredEvidence:
    """Scores, intervals and classes of labels."""
    sets = labelled_sets(task, gold, labels, where)
    return MeasuredEvidence(
        sets={one.name: gold[one.name].measured for one in sets if one.name != POOLED},
        scores={one.name: label_scores(one, task, PLAN) for one in sets},
        classes={one.name: class_scores(one, task, PLAN) for one in sets},
        digests=label_digests(labels),
    )


def evidence_of(
    record: Record, task: Task, results: Path = FOLDER, gold: Mapping[str, GoldLabels] | None = None
) -> tuple[LabelledSet, ...]:
    """The test sets of a predictor's record with its labels, and all of them pooled.

    `gold` is that of the task, where it was read before.
    """
    known = read_gold_labels(record.task, results) if gold is None else gold
    labels = read_labels(record.name, results)
    return labelled_sets(task, known, labels, evidence_file(record.name, results))
