"""How often a trained system chooses the right gender of a pronoun whose number is known.

Instances come from two kinds of files. Bitext with marks: each document is an instance, and the
second column of its doc-ids says `ctx` or `cur`; the line marked `cur` has the pronoun, which
rivals of the same number compete with. TSV: id, context and sentence of the source, context and
sentence of the target, and wrong versions of that, as a release of ContraPro (Müller et al. 2018)
in one table has them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.bitext.read import beside
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.example import Example, Link
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.core.words import names_of, word_lists
from crosspro.evaluation.core.evaluation import Evaluation, evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.plain_text import lines_of
from crosspro.evaluation.leaderboard.evidence import GoldLabels
from crosspro.evaluation.leaderboard.record import FOLDER, MakingStep, record_file
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.contrastive.build import CURRENT, Line, read_lines_of
from crosspro.evaluation.metrics.contrastive.formats import (
    ContrastiveSet,
    Instance,
    WrongTranslation,
    content_digest,
)
from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, SystemScores
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.output.text import text_report
from crosspro.prediction.contrastive import (
    ContrastiveSegment,
    ContrastiveTexts,
    Located,
    PreparedSet,
    prepare_set,
    run_digest,
    system_scores,
)
from crosspro.prediction.output import layer_notes
from crosspro.prediction.recorded_runs import RecordedRun, read_recorded
from crosspro.prediction.run_records import Asked, NewRecords, labelled_record
from crosspro.prediction.system import System, load_system
from crosspro.scripts.reproduce.making import made_steps, recorded_place

BITEXT = "bitext"
TABLE = "table"
CONTEXT = "ctx"
_FIELDS = ("id", "source context", "source", "target context", "reference")
_WRONG_VERSIONS = (2, 3)
_CORPORA = ("bitext", "contrastive")
"""Folders of corpora in which the sets lie."""

PreparedLine = tuple[ContrastiveSegment, Located | None, Example]


def read_marked_bitext(prefix: Path, task: Task, most: int | None = None) -> ContrastiveSet:
    """The documents of PREFIX.en, PREFIX.fr and PREFIX.doc-ids, of a task from en to fr."""
    source, target, ids = (
        _file(prefix, ending) for ending in (task.source_language, task.target_language, "doc-ids")
    )
    problems: list[Problem] = []
    instances = list(_documents(read_lines_of(source, target, ids), ids, problems))
    return _read(prefix, BITEXT, instances[:most], problems)


def _file(prefix: Path, ending: str) -> Path:
    found = beside(prefix, [ending])
    if found is None:
        raise input_error(f"{prefix}.{ending}", "file", "a file (also .gz, .xz)", "none")
    return found


def _documents(lines: Sequence[Line], ids: Path, problems: list[Problem]) -> Iterator[Instance]:
    """An instance for each document; lines after the marked one are left alone."""
    for document, numbers in groupby(range(len(lines)), key=lambda n: lines[n].document):
        places = list(numbers)
        for place in places:
            mark = lines[place].mark
            if mark not in (CURRENT, CONTEXT):
                found = quoted(mark) if mark else "nothing"
                expected = f"{CONTEXT} or {CURRENT}"
                problems.append(Problem(str(ids), place + 1, "column 2", expected, found))
        marked = [place for place in places if lines[place].mark == CURRENT]
        if len(marked) != 1:
            field, expected = f"document {document}", f"one line marked {CURRENT}"
            problems.append(
                Problem(str(ids), places[0] + 1, field, expected, f"{len(marked)} of them")
            )
            continue
        own, before = lines[marked[0]], lines[places[0] : marked[0]]
        yield Instance(
            document or "",
            (),
            {},
            own.source,
            own.target,
            source_context=tuple(line.source for line in before),
            reference_context=tuple(line.target for line in before),
        )


def read_table(path: Path, most: int | None = None) -> ContrastiveSet:
    """The instances of a TSV file with wrong versions."""
    problems: list[Problem] = []
    instances = []
    for number, line in enumerate(lines_of(path, problems) or (), start=1):
        fields = line.removesuffix("\r").split("\t")
        wrong = fields[len(_FIELDS) :]
        if len(wrong) not in _WRONG_VERSIONS:
            expected = f"{', '.join(_FIELDS)}, and two or three wrong versions, by tabs"
            problems.append(Problem(str(path), number, "fields", expected, str(len(fields))))
            continue
        name, source_before, source, target_before, reference = fields[: len(_FIELDS)]
        both = bool(source_before.strip() and target_before.strip())
        instances.append(
            Instance(
                name,
                tuple(WrongTranslation(text, None) for text in wrong),
                {},
                source,
                reference,
                source_context=(source_before,) if both else (),
                reference_context=(target_before,) if both else (),
            )
        )
    return _read(path, TABLE, instances[:most], problems)


def _read(
    path: Path, kind: str, instances: Sequence[Instance], problems: list[Problem]
) -> ContrastiveSet:
    if not instances and not problems:
        problems.append(Problem(str(path), None, "instances", "at least one", "none"))
    if problems:
        raise InputError(problems)
    digest = content_digest([asdict(instance) for instance in instances])
    return ContrastiveSet(path.name, kind, tuple(instances), digest)


def rivals_in_number(task: Task) -> Mapping[str, tuple[str, ...]]:
    """Target pronouns of both genders with those of the same number: `conf/words/contrastive`."""
    lists = word_lists("contrastive", task.target_language)
    return {
        word: tuple(other for other in lists[pronoun] if other != word)
        for pronoun in task.source_pronouns
        for word in lists.get(pronoun, ())
    }


def find_linked(
    instance: Instance, segment: ContrastiveSegment, links: Sequence[Link], task: Task
) -> Located | None:
    """The first pronoun with rivals that is linked to a source pronoun of the task."""
    rivals = rivals_in_number(task)
    for position, word in enumerate(map(str.lower, segment.target)):
        if word not in rivals:
            continue
        for source, target in sorted(links):
            if target == position and segment.source[source].lower() in task.source_pronouns:
                return Located(position, source, (word, *rivals[word]))
    return None


def gender_questions(prepared: PreparedSet, left_out: Counter[str]) -> PreparedSet:
    """The instances in which words of two classes or more compete; the others are counted.

    A word of the class OTHER says no gender, and does not compete.
    """
    kept: list[PreparedLine] = []
    instances: list[Instance] = []
    for instance, lines in zip(prepared.test_set.instances, _instances(prepared), strict=True):
        segment, gap, example = lines[-1]
        asked = None if gap is None else _of_classes(gap, prepared.task)
        if asked is None:
            left_out[_why(segment, gap, prepared)] += 1
            continue
        errors = tuple(WrongTranslation(None, word) for word in asked.words[1:])
        groups = {"pronoun": asked.words[0], "choices": str(len(asked.words))}
        kept += [*lines[:-1], (replace(segment, instance=len(instances)), asked, example)]
        instances.append(replace(instance, errors=errors, groups=groups))
    if len({one.groups["choices"] for one in instances}) == 1:
        instances = [replace(one, groups={"pronoun": one.groups["pronoun"]}) for one in instances]
    test_set = replace(prepared.test_set, instances=tuple(instances))
    return replace(_of_lines(prepared, kept), test_set=test_set)


def within_context(prepared: PreparedSet, most: int | None) -> PreparedSet:
    """The same with so many sentences before each instance, at most; None is all that there are."""
    if most is None:
        return prepared
    return _of_lines(
        prepared, [line for lines in _instances(prepared) for line in lines[-most - 1 :]]
    )


def _instances(prepared: PreparedSet) -> Iterator[list[PreparedLine]]:
    """The lines of each instance, its own the last."""
    lines = zip(prepared.segments, prepared.gaps, prepared.examples, strict=True)
    for _, some in groupby(lines, key=lambda line: line[0].document):
        yield list(some)


def _of_lines(prepared: PreparedSet, lines: Sequence[PreparedLine]) -> PreparedSet:
    return replace(
        prepared,
        segments=[segment for segment, _, _ in lines],
        gaps=[gap for _, gap, _ in lines],
        examples=[example for _, _, example in lines],
    )


def _of_classes(gap: Located, task: Task) -> Located | None:
    """A gap with the first word of each class but OTHER; None if there is nothing to choose."""
    first: dict[str, str] = {}
    for word in gap.words:
        first.setdefault(task.class_of(word), word)
    first.pop(OTHER, None)
    if task.class_of(gap.words[0]) == OTHER or len(first) == 1:
        return None
    return replace(gap, words=tuple(first.values()))


def _why(segment: ContrastiveSegment, gap: Located | None, prepared: PreparedSet) -> str:
    """Why an instance is left out."""
    task = prepared.task
    if gap is not None:
        return f"whose words are of no two classes of {task.name}"
    if prepared.test_set.kind == TABLE:
        return "in which no word was found that all versions change"
    rivals = rivals_in_number(task)
    if not any(word.lower() in rivals for word in segment.target):
        return f"without {', '.join(rivals)} as a word of its own"
    return f"whose {', '.join(rivals)} is not linked to {', '.join(task.source_pronouns)}"


def gender(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run, the folder of its model, or an archive.")
    ],
    bitext: Annotated[
        Path | None, typer.Option(help="Prefix of bitext whose doc-ids say ctx or cur.")
    ] = None,
    versions: Annotated[
        Path | None, typer.Option(help="TSV: id, contexts, sentences, wrong versions (ContraPro).")
    ] = None,
    context: Annotated[
        int | None, typer.Option(min=0, help="Sentences before, at most; else all there are.")
    ] = None,
    annotator: Annotated[str, typer.Option(help="What tags and lemmatises the target.")] = "auto",
    most: Annotated[int | None, typer.Option(min=1, help="Instances to read, at most.")] = None,
    record: Annotated[
        str | None, typer.Option(help="Record the choices under this name, TASK/NAME.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What tables call the record.")] = None,
    commit: Annotated[
        str | None, typer.Option(help="The commit that RUN was made at, if it does not say it.")
    ] = None,
    replaced: Annotated[
        bool, typer.Option("--replace", help="Replace a record of this name.")
    ] = False,
    results: Annotated[Path, typer.Option(help="Folder of records.")] = FOLDER,
) -> None:
    """Print how often the right gender of a pronoun is chosen, with context and without.

    RUN is a run, the folder of its model, or an archive of `crosspro models export`. PREFIX is that
    of PREFIX.en, PREFIX.fr and PREFIX.doc-ids (`opensubs_contrastive`): the system chooses between
    il and elle, or between ils and elles. In FILE.tsv (ContraPro) it chooses among the classes of
    the words in which the versions differ. All other classes are ignored. The choice is the most
    probable class; what is not strictly more probable is wrong. A record (--record) has a test set
    for each context, with the class of the reference and the chosen one of each instance.
    """
    if (bitext is None) == (versions is None):
        raise typer.BadParameter("give either --bitext or --versions")
    system = load_system(run_dir)
    left_out: Counter[str] = Counter()
    prepared = gender_questions(
        _prepared(system, run_dir, bitext, versions, annotator, most), left_out
    )
    reasons = [f"{number:,} {reason}" for reason, number in sorted(left_out.items())]
    if not prepared.segments:
        expected = f"one with a choice between classes of {system.task.name}"
        raise input_error(prepared.test_set.name, "instances", expected, "; ".join(reasons))
    for note in layer_notes(system, prepared.test_set.name, layers_in(prepared.examples)):
        _tell(note)
    scored = scored_set(system, prepared, context, run_digest(run_dir))
    evaluation = judged(scored)
    for warning in evaluation.warnings:
        _tell(f"warning: {warning}")
    for reason in reasons:
        print(f"left out: {reason}")
    print(text_report(evaluation, Style(signatures=True)), end="")
    if record is not None:
        asked = Asked((record,), title, commit=commit)
        given = ("--versions", versions) if versions else ("--bitext", bitext or Path())
        made = record_choices(run_dir, scored, prepared, asked, given, results, replaced)
        made.write(results)
        _tell(f"recorded: {record_file(record, results)}")


def _prepared(
    system: System,
    run_dir: Path,
    bitext: Path | None,
    versions: Path | None,
    annotator: str,
    most: int | None,
) -> PreparedSet:
    """All instances as examples of the system's task."""
    task, texts = system.task, ContrastiveTexts()
    if versions is not None:
        return prepare_set(read_table(versions, most), task, texts, annotator, _tell)
    assert bitext is not None  # noqa: S101 - there is one of the two
    if not rivals_in_number(task):
        expected = f"for --bitext one into {', '.join(names_of('contrastive'))}"
        raise input_error(run_dir, "task", expected, task.name)
    read = read_marked_bitext(bitext, task, most)
    return prepare_set(read, task, texts, annotator, _tell, find_linked)


def scored_set(
    system: System, prepared: PreparedSet, context: int | None, digest: str
) -> ScoredSet:
    """The scores with context, unless the system reads none, and without; `digest` names it."""
    return ScoredSet(prepared.test_set, tuple(_scores(system, prepared, context, digest)))


def judged(scored: ScoredSet) -> Evaluation:
    """The accuracy of each way."""
    return evaluate(make_metric("contrastive"), scored, Resampling())


def chosen_words(scores: SystemScores, prepared: PreparedSet) -> list[tuple[str, str]]:
    """The word of the reference and the best one of each instance, which no equal one is."""
    asked = [gap.words for gap in prepared.gaps if gap is not None]
    found, place = [], 0
    for words in asked:
        own = scores.values[place : place + len(words)]
        best = int(np.argmin(own[1:])) + 1
        found.append((words[0], words[0] if own[0] < own[best] else words[best]))
        place += len(words)
    return found


def _scores(
    system: System, prepared: PreparedSet, context: int | None, digest: str
) -> Iterator[SystemScores]:
    ways = {"with context": context} if system.context and context != 0 else {}
    for name, most in {**ways, "without context": 0}.items():
        _tell(f"{name}: {len(prepared.test_set.instances):,} instances")
        scores = system_scores(name, system, within_context(prepared, most), digest)
        how = ("choice:gender", f"context:{'all' if most is None else most}")
        yield replace(scores, origin=(*scores.origin, *how))


def record_choices(
    run_dir: Path,
    scored: ScoredSet,
    prepared: PreparedSet,
    asked: Asked,
    given: tuple[str, Path],
    results: Path,
    replaced: bool,
) -> NewRecords:
    """The record of a system's choices: a test set, apart, for each way; `given` says the set."""
    classes = prepared.task.class_of
    stem = scored.test_set.name.partition(".")[0]
    gold, labels = {}, {}
    for place, one in enumerate(scored.systems):
        test = f"{stem}.{one.name.replace(' ', '_')}" if place else stem
        words = chosen_words(one, prepared)
        gold[test] = GoldLabels(tuple(classes(right) for right, _ in words), apart=True)
        labels[test] = [classes(chosen) for _, chosen in words]
    option, path = given
    file = _of_corpora(path)

    def steps(
        runs: Sequence[RecordedRun], name: str, commit: str, apart: object, task: str
    ) -> tuple[MakingStep, ...]:
        asks = ("python", "-m", "crosspro.scripts.reproduce.antecedents", "gender")
        kept = ("--record", name, "--commit", commit, "--results", "{work}/results")
        command = (*asks, recorded_place(runs[0]), option, file, *kept)
        needs = (f"folder {file.rpartition('/')[0]}",)
        return (*made_steps(runs), MakingStep("choices", command, needs))

    run = read_recorded(str(run_dir))
    return labelled_record(run, gold, labels, asked, steps, results, replaced=replaced)


def _of_corpora(path: Path) -> str:
    """A path as it is in the folder of corpora."""
    folders = [place for place, part in enumerate(path.parts) if part in _CORPORA]
    return "/".join(("{corpora}", *path.parts[folders[-1] if folders else -1 :]))


def _tell(text: str) -> None:
    print(text, file=sys.stderr)
