"""Are source and target exchanged? The pronouns of the two languages tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files.table_file import table_rows
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.core.words import words_file

SENTENCES = 2000
LEAST = 5
_COLUMNS = 7
_WORD = re.compile(r"\w+")


def pronouns_of(language: str) -> frozenset[str]:
    """The pronouns of a language by its table of forms; none if it has no table."""
    path = words_file("forms", language)
    rows = list(table_rows(path, _COLUMNS))[1:] if path else ()
    return frozenset(row[0] for row in rows)


def exchanged(
    source: Iterable[Sequence[str]],
    target: Iterable[Sequence[str]],
    source_pronouns: Collection[str],
    target_pronouns: Collection[str],
) -> bool:
    """Whether at least twice as many pronouns stand on the wrong side as on the right one."""
    of_source, of_target = set(source_pronouns), set(target_pronouns)
    both = of_source & of_target
    of_source, of_target = of_source - both, of_target - both
    right = wrong = 0
    for text, here, there in ((source, of_source, of_target), (target, of_target, of_source)):
        for words in islice(text, SENTENCES):
            for word in words:
                lower = word.lower()
                right += lower in here
                wrong += lower in there
    return wrong >= LEAST and wrong > 2 * right


def right_way_round(task: Task, texts: Iterator[Segment], source: Path) -> Iterator[Segment]:
    """The text of a task, whose beginning is read at once: exchanged sides are refused before work.

    The pronouns of both languages tell, beside those of the task.
    """
    first = list(islice(texts, SENTENCES))
    sides = (
        [_WORD.findall(one.source) for one in first],
        [_WORD.findall(one.target) for one in first],
    )
    forms = {form for name, words in task.forms.items() if name != OTHER for form in words}
    left, right = task.source_language, task.target_language
    known = {*task.source_pronouns, *pronouns_of(left)}, {*forms, *pronouns_of(right)}
    if exchanged(*sides, *known):
        expected = f"text in {left}, as {task.name} is {left} to {right}"
        found = f"pronouns of {right}: source and target look exchanged"
        raise input_error(source, "language", expected, found)
    return chain(first, texts)
