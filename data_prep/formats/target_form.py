"""Is the target of a file `lemma|TAG` or words, and is that what its task has?

Systems and language models of one form know nothing of the other, and nothing else in a file of the
wrong form is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files.textfile import read_lines
from crosspro.data_prep.core.task import Task, load_task, task_names
from crosspro.data_prep.core.token import TAG_SEPARATOR
from crosspro.data_prep.formats.placeholder import PLACEHOLDER
from crosspro.data_prep.formats.shared_task import COLUMNS

LINES = 500
LEAST_TOKENS = 20
"""A handful of tokens may be anything."""
_TARGET = COLUMNS.index("target")
_BAR = TAG_SEPARATOR.encode()
_PLACEHOLDER = PLACEHOLDER.encode()


LEMMATISED = (
    "the target is lemmatised: systems see lemmas with tags, and agreement was taken away, so that "
    "no ending shows gender, number or tense"
)
"""What those should know who look at the target of such a task."""


def other_form(path: str | Path, task: Task) -> Problem | None:
    """The problem of a file nine in ten of whose target tokens are not in the form of the task."""
    tokens = tagged = 0
    for raw in islice(read_lines(Path(path)), LINES):
        columns = raw.split(b"\t")
        if len(columns) != len(COLUMNS):
            continue
        words = [word for word in columns[_TARGET].split() if not word.startswith(_PLACEHOLDER)]
        tokens += len(words)
        if _BAR in columns[_TARGET]:
            tagged += sum(_BAR in word[1:-1] for word in words)
    fitting = tagged if task.tagged else tokens - tagged
    if tokens < LEAST_TOKENS or fitting * 10 > tokens:
        return None
    forms = ("lemma|TAG", "inflected words")
    expected, found = forms if task.tagged else reversed(forms)
    expected, found = f"{expected} as in {task.name}", f"{found}{_others(task)}"
    return Problem(str(path), None, "target", expected, found)


def refuse_other_forms(files: Iterable[tuple[Path, Task]]) -> None:
    """Tell of all files whose targets are not in the form of their task."""
    problems = [problem for path, task in files if (problem := other_form(path, task))]
    if problems:
        raise InputError(problems)


def _others(task: Task) -> str:
    """The tasks of the same languages that have the other form."""
    tasks = [load_task(name) for name in task_names()]
    languages = (task.source_language, task.target_language)
    names = [
        one.name
        for one in tasks
        if (one.source_language, one.target_language) == languages and one.tagged != task.tagged
    ]
    return f" as in {', '.join(names)}" if names else ""
