"""Segments of parallel text, language tags, and a check whether source and target are exchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.core.words import table_rows, words_file

Missing = Literal["error", "skip"]
"""What to do with a segment that has no text on one side."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of text and its translation, usually a sentence.

    The texts have no line ends and no blanks at the ends; tokens, if the text is tokenised, are
    separated by spaces. `line` is where the segment begins in the source file, so that links or
    annotations with a line for each line of the file can be found although blank lines are skipped.
    """

    source: str
    target: str
    document: str | None = None
    line: int = 0


_THREE_LETTERS = {
    "eng": "en", "fra": "fr", "fre": "fr", "deu": "de", "ger": "de", "spa": "es", "ita": "it",
    "por": "pt", "nld": "nl", "dut": "nl",
}  # fmt: skip


def same_language(tag: str, wanted: str) -> bool:
    """Whether a language tag is the wanted language: `en` accepts en, EN-GB, en_US and eng."""
    tag, wanted = _canonical(tag), _canonical(wanted)
    return tag == wanted or tag.startswith(f"{wanted}-")


def _canonical(tag: str) -> str:
    language, hyphen, region = tag.strip().lower().replace("_", "-").partition("-")
    return _THREE_LETTERS.get(language, language) + hyphen + region


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
    """The same text; its beginning is read at once, and exchanged sides are refused.

    The pronouns of both languages tell, beside those of the task.
    """
    first = list(islice(texts, SENTENCES))
    sides = (
        [_WORD.findall(segment.source) for segment in first],
        [_WORD.findall(segment.target) for segment in first],
    )
    forms = {form for name, words in task.forms.items() if name != OTHER for form in words}
    left, right = task.source_language, task.target_language
    source_pronouns = {*task.source_pronouns, *pronouns_of(left)}
    if exchanged(*sides, source_pronouns, {*forms, *pronouns_of(right)}):
        expected = f"text in {left}, as {task.name} is {left} to {right}"
        found = f"pronouns of {right}: source and target look exchanged"
        raise input_error(source, "language", expected, found)
    return chain(first, texts)
