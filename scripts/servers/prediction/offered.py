"""Examples to start from: lines of test sets, and sentence pairs of the package's sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.demo.language import PROFILES
from crosspro.data_prep.formats.shared_task import format_example, other_form
from crosspro.data_prep.pipeline.pairs.typed_text import SentencePair
from crosspro.data_prep.sample import LANGUAGES, read_documents, read_tokens
from crosspro.prediction.output import whole_documents
from crosspro.scripts.servers.prediction.api import ExampleAnswer, OfferedText, PairRequest

MOST = 100
"""Examples that are offered from each set."""
CONTEXT = 5
"""Sentences before an example that are offered with it."""
DEMO_DOCUMENTS = 12


@dataclass(frozen=True)
class OfferedExample:
    """A line of a test set with the lines before it, or a pair of sentences as text."""

    name: str
    group: str
    title: str
    lines: tuple[Example, ...] = ()
    pairs: tuple[SentencePair, ...] = ()

    def content(self) -> ExampleAnswer:
        """What a page puts into its fields."""
        if self.lines:
            lines = [format_example(line) for line in self.lines]
            return ExampleAnswer(name=self.name, lines=lines)
        *context, pair = (PairRequest(source=one.source, target=one.target) for one in self.pairs)
        text = OfferedText(source=pair.source, target=pair.target, context=context)
        return ExampleAnswer(name=self.name, text=text)


def offered_examples(
    tasks: Sequence[Task], files: Sequence[Path]
) -> dict[str, list[OfferedExample]]:
    """The examples of each task, by its name: those of the files, else of the demo corpus.

    A file belongs to the tasks that can read it and whose source words its gaps have; a file that
    belongs to none is an error.
    """
    found: dict[str, list[OfferedExample]] = {task.name: [] for task in tasks}
    problems: list[Problem] = []
    for number, path in enumerate(files):
        faults: list[Problem] = []
        fitting = False
        for task in tasks:
            examples = _read(path, task, faults)
            if examples is not None:
                fitting = True
                found[task.name] += offered_lines(examples, path.name, f"file{number}")
        problems += [] if fitting else faults
    if problems:
        raise InputError(problems)
    for task in tasks:
        if not files and task.name in PROFILES:
            documents = demo_examples(task, "test", DEMO_DOCUMENTS)
            found[task.name] += offered_lines(documents, "demo corpus", "demo")
        found[task.name] += _sample(task)
    return found


def offered_lines(examples: Iterable[Example], group: str, prefix: str) -> Iterator[OfferedExample]:
    """The first lines with gaps, each with some lines of its document before it."""

    def all_lines() -> Iterator[OfferedExample]:
        number = 0
        for document in whole_documents(examples, 1):
            for place, example in enumerate(document):
                number += 1
                if example.gaps:
                    lines = tuple(document[max(0, place - CONTEXT) : place + 1])
                    yield OfferedExample(
                        f"{prefix}-{number}", group, f"{number}: {_title(example)}", lines
                    )

    return islice(all_lines(), MOST)


def _title(example: Example) -> str:
    words = [f"{example.source[gap.source_index]} → {gap.label or '?'}" for gap in example.gaps]
    return f"{', '.join(words)} · {' '.join(example.source)}"


def _read(path: Path, task: Task, faults: list[Problem]) -> list[Example] | None:
    """The examples of a file, or None if it is not of the task."""
    try:
        examples = list(read_layered(path, task))
    except InputError as error:
        faults += error.problems
        return None
    form = other_form(path, task)
    if form is not None:
        faults.append(form)
        return None
    sources = [example.source[gap.source_index] for example in examples for gap in example.gaps]
    known = sum(word.lower() in task.source_pronouns for word in sources)
    if not sources:
        faults.append(Problem(str(path), None, "file", "a line with a gap", "none"))
        return None
    if not task.null_subjects and 2 * known < len(sources):
        expected = f"gaps of the source words of {task.name} ({', '.join(task.source_pronouns)})"
        faults.append(Problem(str(path), None, "source", expected, f"{known} of {len(sources)}"))
        return None
    return examples


def _sample(task: Task) -> Iterator[OfferedExample]:
    """Sentences of the sample with a source pronoun, or every third where verbs are looked for."""
    if not {task.source_language, task.target_language} <= set(LANGUAGES):
        return
    source, target = read_tokens(task.source_language), read_tokens(task.target_language)
    for document in read_documents():
        first = document.first_line - 1
        for line in range(first + 1, document.last_line):
            words = {word.lower() for word in source[line]}
            wanted = line % 3 == 0 if task.null_subjects else words & {*task.source_pronouns}
            if wanted:
                pairs = tuple(
                    SentencePair(" ".join(source[one]), " ".join(target[one]))
                    for one in range(max(first, line - CONTEXT), line + 1)
                )
                title = f"{document.title}: {pairs[-1].source}"
                yield OfferedExample(f"sample-{line + 1}", "text", title, pairs=pairs)
                break
