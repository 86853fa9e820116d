"""Records of runs: what they predict on gold files, and everything that a record says of them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from crosspro.data_prep.annotate.layers import data_stem, layers_beside
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files import is_archive, read_blocks, read_lines, sha256_of
from crosspro.data_prep.core.task import OTHER, Task, load_task
from crosspro.evaluation.leaderboard.evidence import (
    GoldLabels,
    Labels,
    MeasuredEvidence,
    digest_of,
    gold_file,
    gold_labels,
    measured_labels,
    read_gold_labels,
    write_gold,
    write_labels,
)
from crosspro.evaluation.leaderboard.record import (
    Board,
    MakingStep,
    Provenance,
    Record,
    read_records,
    record_file,
    record_paths,
    record_problems,
    write_record,
)
from crosspro.evaluation.metrics.submissions.submission import Gold, label_column, read_gold
from crosspro.prediction.output import gold_examples, predicted, read_or_predict
from crosspro.prediction.recorded_runs import (
    RecordedRun,
    by_record,
    read_recorded,
    training_text,
)
from crosspro.prediction.system import load_system

_BLOCK = 1 << 20
_LONGEST = 100
"""Letters of a name that is made of settings, at most."""

JOINED = ".joined"
"""How test sets end in which classes are one that the classes of a system do not tell apart."""

Steps = Callable[[Sequence[RecordedRun], str, str, Collection[str], str], tuple[MakingStep, ...]]
"""The commands that make runs, for the name and commit of their record, sets that are apart, and
the task of gold."""

# What a run predicts ------------------------------------------------------------------------------


@dataclass(frozen=True)
class GoldFile:
    """A gold file of a test set: its name, its file, and what it says."""

    name: str
    path: Path
    gold: Gold

    def digests(self) -> set[str]:
        """Digests of the file as it lies there and of what is in it."""
        content = hashlib.sha256()
        for block in read_blocks(self.path, _BLOCK):
            content.update(block)
        return {sha256_of(self.path), content.hexdigest()}


def set_name(stem: str) -> str:
    """The test set of a file: `ted_tst2015` of `test.ted_tst2015`."""
    return stem.removeprefix("test").lstrip(".") or "test"


def read_gold_files(folder: Path, task: Task) -> list[GoldFile]:
    """The files test*.data of a folder with the documents beside them."""
    found, problems = [], []
    for path in sorted(folder.glob("test*.data*")):
        name = set_name(data_stem(path))
        try:
            found.append(GoldFile(name, path, read_gold(path, task, layers_beside(path).documents)))
        except InputError as error:
            problems += error.problems
    if not found and not problems:
        problems.append(Problem(str(folder), None, "--data", "gold files: test*.data", "none"))
    if problems:
        raise InputError(problems)
    return found


def gold_problems(run: RecordedRun, golds: Sequence[GoldFile]) -> Iterator[Problem]:
    """Gold that is not what a run, or a member of it, was tested on."""
    known = {data_stem(Path(one.name)): one for one in run.run.data if one.split == "test"}
    for gold in golds:
        tested = known.get(data_stem(gold.path))
        if tested is not None and tested.digest not in gold.digests():
            expected = f"the file that {run.path} was tested on ({tested.digest[:8]})"
            yield Problem(str(gold.path), None, "digest", expected, sha256_of(gold.path)[:8])
    for member in run.members:
        yield from gold_problems(member, golds)


def labels_of(
    runs: Sequence[RecordedRun], golds: Sequence[GoldFile], task: Task
) -> dict[str, dict[str, tuple[str, ...]]]:
    """The labels of runs of one record, by test set and seed: of their submissions, or predicted.

    An archive, which has no submissions, predicts them.
    """
    labels: dict[str, dict[str, tuple[str, ...]]] = {gold.name: {} for gold in golds}
    problems: list[Problem] = []
    for run in runs:
        seed = "+".join(map(str, run.seeds))
        for gold in golds:
            try:
                found = _predictions(run, gold, task)
            except InputError as error:
                problems += error.problems
            else:
                labels[gold.name][seed] = found
    if problems:
        raise InputError(problems)
    return labels


def _predictions(run: RecordedRun, gold: GoldFile, task: Task) -> tuple[str, ...]:
    if run.run.task != task.name:
        return _other_predictions(run, gold, task)
    path = run.path
    examples = []
    if is_archive(path):
        examples = gold_examples(gold.path, task, layers_beside(gold.path), gold.gold)
    else:
        middle = f".{run.variant}" if run.variant else ""
        path = run.path / f"{data_stem(gold.path)}{middle}.submission.data"
    submission = read_or_predict([path], task, gold.gold, examples)[0]
    return tuple(task.classes[one] for one in submission.classes)


def _other_predictions(run: RecordedRun, gold: GoldFile, task: Task) -> tuple[str, ...]:
    """What a system of another task says of gaps, by the classes of this one."""
    system = load_system(run.path)
    own = system.task
    alike = ("source_language", "target_language", "target", "tagset")
    if any(getattr(own, name) != getattr(task, name) for name in alike):
        expected = f"one whose text is that of {own.name}, which {run.path} is for"
        raise input_error("settings", "--task", expected, task.name)
    names = [max(held, key=held.__getitem__) for held in held_classes(own, task)]
    examples = gold_examples(gold.path, task, layers_beside(gold.path), gold.gold)
    blind = [
        replace(one, gaps=tuple(replace(gap, label=None) for gap in one.gaps)) for one in examples
    ]
    found = predicted(system, blind).submission(run.path.name, pointed=False)
    return tuple(names[one] for one in found.classes)


def held_classes(own: Task, task: Task) -> list[Counter[str]]:
    """The classes of another task that each class of a task has words of, and how many.

    Words of no class of it are OTHER, which counts only where there is nothing else.
    """
    found = []
    for words in own.forms.values():
        held = Counter(map(task.class_of, words))
        if len(held) > 1:
            del held[OTHER]
        found.append(held or Counter({OTHER: 1}))
    return found


def joined_gold(gold: Mapping[str, GoldLabels], own: Task, task: Task) -> dict[str, GoldLabels]:
    """The sets once more where a class of a system has words of several classes: these are one."""
    one_of = {
        name: max(held, key=held.__getitem__) for held in held_classes(own, task) for name in held
    }
    if len(set(one_of.values())) == len(one_of):
        return {}
    return {
        f"{name}{JOINED}": replace(
            one, labels=tuple(one_of.get(label, label) for label in one.labels), apart=True
        )
        for name, one in gold.items()
    }


# Records ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What a person says of records, and what would else be taken from their runs (None).

    `names` are those of the first records, `task` is that of gold.
    """

    names: tuple[str, ...] = ()
    title: str | None = None
    origin: Provenance | None = None
    year: int | None = None
    text: str | None = None
    commit: str | None = None
    members: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    task: str | None = None


def record_titles(rows: Sequence[Sequence[RecordedRun]]) -> list[str]:
    """What each record is called: its system, and the settings that not all of the system share."""
    titles = []
    for own in rows:
        first = own[0]
        alike = [row[0] for row in rows if row[0].title == first.title]
        shared = frozenset.intersection(*(one.changes for one in alike))
        titles.append(" ".join([first.title, *sorted(first.changes - shared)]))
    return titles


def make_record(
    runs: Sequence[RecordedRun],
    name: str,
    title: str,
    found: MeasuredEvidence,
    known: Iterable[Record],
    asked: Asked,
    steps: Steps,
    apart: Collection[str] = (),
) -> Record:
    """The record of runs that differ in their seed alone.

    `title` is what it is called unless it is asked otherwise, and `known` are records among which
    those of its members are.
    """
    first = runs[0]
    leaves = list(first.leaves())
    several = len(leaves) > 1
    own = any(run.is_own for run in runs) or is_archive(first.path)
    commits = sorted({run.run.commit or "" for run in runs})
    commit = asked.commit if asked.commit is not None else ", ".join(commits)
    task = asked.task or first.run.task
    text = training_text(runs)
    if text is not None and asked.text is not None:
        text = replace(text, name=asked.text)
    return Record(
        name=name,
        board=Board.PREDICTION,
        title=asked.title or title,
        system=first.run.system if several else leaves[0].run.system,
        origin=asked.origin or (Provenance.OWN if own else Provenance.PAPERS),
        task=task,
        ensemble=several,
        year=asked.year or first.year,
        text=text,
        seeds=tuple(sorted(set(chain.from_iterable(run.seeds for run in runs)))),
        commit=commit,
        configuration=_configuration(first),
        environment=_environment(runs),
        steps=steps(runs, name, commit, apart, task),
        members=asked.members or _members(runs, known),
        sets=found.sets,
        scores=found.scores,
        classes=found.classes,
        digests=found.digests,
        notes=asked.notes,
    )


def _plain(title: str) -> str:
    """A title as a name of a file."""
    return re.sub(r"[^\w.+-]+", "_", title).strip("_")[:_LONGEST]


def _configuration(run: RecordedRun) -> tuple[str, ...]:
    """How a run was asked for, without its seed and without paths."""
    if run.is_ensemble:
        settings = run.run.configuration.settings
        asked = {key: one for key, one in settings.items() if key != "members" and one is not None}
        return tuple(f"{key}={one}" for key, one in asked.items())
    chosen = run.run.configuration.choices
    named = [f"{key}={chosen[key]}" for key in ("system", "experiment") if key in chosen]
    return (*named, *sorted(run.changes))


def _environment(runs: Sequence[RecordedRun]) -> dict[str, str]:
    """The versions of all runs; several are told one after the other."""
    names = dict.fromkeys(name for run in runs for name in run.run.versions)
    return {
        name: ", ".join(
            sorted({run.run.versions[name] for run in runs if name in run.run.versions})
        )
        for name in names
    }


def _members(runs: Sequence[RecordedRun], known: Iterable[Record]) -> tuple[str, ...]:
    """The records of members, by what they predict."""
    names = {}
    for record in known:
        for place, digest in record.digests.items():
            names[record.task, place.partition(" ")[0], digest] = record.name
    found: dict[str, None] = {}
    for run in runs:
        for member in run.members:
            for test, digest in submission_digests(member).items():
                if name := names.get((run.run.task, test, digest)):
                    found[name] = None
                    break
    return tuple(found)


def submission_digests(run: RecordedRun) -> dict[str, str]:
    """The digest of what a run predicted, by test set."""
    found = {}
    for path in sorted(run.path.glob("test*.submission.data")):
        labels = (label_column(line) for line in read_lines(path))
        joined = " ".join(label.decode() for label in labels if label)
        found[set_name(path.name.removesuffix(".submission.data"))] = digest_of(joined)
    return found


@dataclass(frozen=True)
class NewRecord:
    """A record that is not written yet, and its labels."""

    record: Record
    labels: Labels


@dataclass(frozen=True)
class NewRecords:
    """Records of one task that are not written yet, and the gold labels of their test sets."""

    task: str
    gold: Mapping[str, GoldLabels]
    records: tuple[NewRecord, ...]

    def write(self, results: Path) -> None:
        """Write gold, labels and records to their places."""
        write_gold(self.task, self.gold, results)
        for one in self.records:
            write_labels(one.record.name, one.labels, results)
            write_record(one.record, results)


def rows_of(runs: Sequence[str]) -> list[list[RecordedRun]]:
    """Runs of one task by the records that they make; raises with all that is wrong with them."""
    found: list[RecordedRun] = []
    problems: list[Problem] = []
    for one in runs:
        try:
            found.append(read_recorded(one))
        except InputError as error:
            problems += error.problems
    tasks = sorted({one.run.task for one in found})
    if len(tasks) > 1:
        problems.append(Problem("runs", None, "task", "one task", ", ".join(tasks)))
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    return by_record(found)


def new_records(
    rows: Sequence[Sequence[RecordedRun]],
    data: Path,
    asked: Asked,
    steps: Steps,
    results: Path,
    *,
    apart: Collection[str] = (),
    replaced: bool = False,
    progress: Callable[[int], None] = lambda number: None,
) -> NewRecords:
    """The records of runs on the gold files of a folder; raises `InputError` with all faults.

    Test sets that are `apart` are not pooled, nor are those of which gold says so already. Records
    that are there are only `replaced` on demand.
    """
    own = rows[0][0].run.task
    task = load_task(asked.task or own)
    golds = read_gold_files(data, task)
    problems: list[Problem] = []
    if task.name == own:
        problems += [one for row in rows for run in row for one in gold_problems(run, golds)]
    names = [gold.name for gold in golds]
    problems += [
        Problem("settings", None, "--apart", choices(names), quoted(one))
        for one in apart
        if one not in names
    ]
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    before = read_gold_labels(task.name, results) if gold_file(task.name, results).is_file() else {}
    kept = {*apart, *(name for name in names if name in before and before[name].apart)}
    gold = {one.name: gold_labels(one.gold, task, one.name in kept) for one in golds}
    joined = {} if task.name == own else joined_gold(gold, load_task(own), task)
    gold |= joined
    known = list(read_records(results)) if record_paths(results) else []
    taken = set() if replaced else {one.name for one in known}
    found = []
    titles = record_titles(rows)
    own_names = [
        f"{task.name}/{_plain(title if row[0].is_plain else row[0].stem)}"
        for row, title in zip(rows, titles, strict=True)
    ]
    called = [*asked.names, *own_names[len(asked.names) :]]
    for row, name, title in zip(rows, called, titles, strict=True):
        labels = labels_of(row, golds, task)
        labels |= {one: labels[one.removesuffix(JOINED)] for one in joined}
        measured = measured_labels(task, gold, labels, row[0].path)
        record = make_record(row, name, title, measured, known, asked, steps, kept)
        problems += record_problems(record, results)
        if record.name in taken:
            problems.append(_taken(record.name, results))
        taken.add(record.name)
        known = [*(one for one in known if one.name != record.name), record]
        found.append(NewRecord(record, labels))
        progress(1)
    if problems:
        raise InputError(problems)
    return NewRecords(task.name, gold, tuple(found))


def _taken(name: str, results: Path) -> Problem:
    path = str(record_file(name, results))
    return Problem(path, None, "name", "a name that is free, or --replace", "a record")


def labelled_record(
    run: RecordedRun,
    gold: Mapping[str, GoldLabels],
    labels: Mapping[str, Sequence[str]],
    asked: Asked,
    steps: Steps,
    results: Path,
    *,
    replaced: bool = False,
) -> NewRecords:
    """The record of a run whose labels of test sets are known; raises `InputError` with all faults.

    `asked` has its name, and `labels` are by test set.
    """
    task, name = load_task(run.run.task), asked.names[0]
    seed = "+".join(map(str, run.seeds))
    by_seed = {test: {seed: tuple(own)} for test, own in labels.items()}
    measured = measured_labels(task, gold, by_seed, run.path)
    record = make_record([run], name, run.title, measured, (), asked, steps)
    problems = record_problems(record, results)
    if record_file(name, results).is_file() and not replaced:
        problems.append(_taken(name, results))
    if problems:
        raise InputError(problems)
    return NewRecords(task.name, gold, (NewRecord(record, by_seed),))
