"""The files that a pre-training learns from: the task of each, and its lines with their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from crosspro.data_prep.annotate.corpus import AnnotationSettings
from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.annotate.shards import annotate_shards, document_shards
from crosspro.data_prep.annotate.store import read_store
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.cache import Cache
from crosspro.data_prep.core.documents import read_doc_ids
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files.textfile import read_text_lines
from crosspro.data_prep.core.step import Report, Step
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.core.token import AnnotatedSentence, Token
from crosspro.data_prep.pipeline.self_labels import SelfLabels, held_out, learnt_determiners
from crosspro.data_prep.pipeline.sets.unseen import without_unseen

LEARNT_FROM = ("--data", "--text")
"""The options for files that are learnt from."""


@dataclass(frozen=True)
class TaskFile:
    """A file, as it was `given` and where it is.

    It is read by the rules of `task`; its pronouns get classes of the task `labels`. `beside` are
    the files that are read with it.
    """

    given: Path
    path: Path
    task: Task
    labels: Task
    beside: tuple[Path, ...] = ()


@dataclass(frozen=True)
class TargetText:
    """A text of a target language in tokens, and the document of each line."""

    file: TaskFile
    sentences: Sequence[Sequence[str]]
    documents: Sequence[str | None]


@dataclass(frozen=True)
class TextAnnotation:
    """How texts are annotated: by what, in how many processes, and where the results are kept."""

    annotator: str
    jobs: int
    steps: Cache
    report: Report

    def of(self, text: TargetText) -> Iterator[AnnotatedSentence]:
        """The sentences with lemmas and tags, where the task has any."""
        task = text.file.labels
        if not task.tagged:
            for words in text.sentences:
                yield AnnotatedSentence(tuple(Token(word, word, "") for word in words))
            return
        language = task.target_language
        files = annotate_shards(
            AnnotationSettings(self.annotator, language, task.tagset, parse=False),
            text.sentences,
            document_shards(text.documents),
            self.steps,
            lambda detail, done, total: self.report(
                Step(f"annotating {language}", detail, done, total)
            ),
            jobs=self.jobs,
        )
        yield from chain.from_iterable(map(read_store, files))


def files_of_tasks(
    tasks: Mapping[str, Task], given: Mapping[str, Sequence[Path]]
) -> dict[str, list[TaskFile]]:
    """The files that each option gives, with their tasks.

    If there are several tasks, all files must say theirs (TASK:FILE), and each task has some to
    learn from; if there is one, files may be of another with the same target language.
    """
    if len(tasks) == 1:
        (only,) = tasks.values()
        return {
            option: [_with_layers(_of_one_task(path, only, option)) for path in paths]
            for option, paths in given.items()
        }
    known = {str(Path(name)): task for name, task in tasks.items()}  # as in paths with it
    problems: list[Problem] = []
    found: dict[str, list[TaskFile]] = {option: [] for option in given}
    for option, paths in given.items():
        for path in paths:
            name, _, file = str(path).partition(":")
            if name in known and file:
                one = TaskFile(path, Path(file), known[name], known[name])
                found[option].append(_with_layers(one))
            else:
                expected, shown = f"TASK:FILE with {choices(tasks)}", quoted(str(path), 200)
                problems.append(Problem("settings", None, option, expected, shown))
    if not problems:
        learnt = [file.task for option in LEARNT_FROM for file in found[option]]
        options = " or ".join(LEARNT_FROM)
        problems = [
            Problem("settings", None, "--task", f"a file of {name} ({options})", "none")
            for name, task in tasks.items()
            if task not in learnt
        ]
    if problems:
        raise InputError(problems)
    return found


def _with_layers(file: TaskFile) -> TaskFile:
    return replace(file, beside=tuple(layers_beside(file.path).files().values()))


def _of_one_task(given: Path, task: Task, option: str) -> TaskFile:
    name, colon, file = str(given).partition(":")
    if not colon or given.is_file():
        return TaskFile(given, given, task, task)
    other = load_task(name)
    if other.target_language != task.target_language or other.target != task.target:
        expected = f"a task with a {task.target} target in {task.target_language}"
        raise input_error("settings", option, expected, quoted(name))
    return TaskFile(given, Path(file), other, task)


def read_target_text(file: TaskFile, doc_ids: Path | None) -> TargetText:
    """A text in tokens."""
    sentences = list(tokenise_lines(read_text_lines(file.path), file.labels.target_language))
    ids: list[str | None] = list(read_doc_ids(doc_ids)) if doc_ids else [None] * len(sentences)
    if len(ids) != len(sentences):
        found = str(len(ids))
        raise input_error(doc_ids or file.path, "doc-ids", f"{len(sentences)} lines", found)
    return TargetText(replace(file, beside=(doc_ids,) if doc_ids else ()), sentences, ids)


def labelled_bitext(file: TaskFile, labels: SelfLabels) -> Iterator[Example]:
    """The examples of a prepared file with all gaps that its task can label."""
    return labels.of_bitext(read_layered(file.path, file.task))


def self_labelled(
    labels: SelfLabels,
    data: Sequence[TaskFile],
    texts: Sequence[TargetText],
    annotation: TextAnnotation,
    unseen: set[bytes],
    share: float,
    tell: Callable[[TaskFile, Sequence[Example], int], None],
) -> tuple[list[Example], list[Example]]:
    """What is learnt from for the task of the labels, and a share of it to choose by.

    `tell` gets the lines of each file, and how many more are left out, as they are `unseen`.
    """

    def labelled(by: SelfLabels) -> Iterator[tuple[TaskFile, list[Example]]]:
        for file in data:
            yield file, list(labelled_bitext(file, by))
        for text in texts:
            yield text.file, list(by.of_text(annotation.of(text), text.documents))

    seen = (without_unseen(lines, unseen) for _, lines in labelled(labels))
    train: list[Example] = []
    dev: list[Example] = []
    for file, lines in labelled(learnt_determiners(labels, chain.from_iterable(seen))):
        kept = without_unseen(lines, unseen)
        for part, more in zip((train, dev), held_out(kept, share), strict=True):
            part += more
        tell(file, kept, len(lines) - len(kept))
    return train, dev
