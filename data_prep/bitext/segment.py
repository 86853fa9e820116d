"""Segments of parallel text, language tags, and a check whether source and target are exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.core.words import table_rows, words_file


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


def canonical_tag(tag: str) -> str:
    """A language tag in two letters and lower case: en_US is en-us, eng is en."""
    language, hyphen, region = tag.strip().lower().replace("_", "-").partition("-")
    return _THREE_LETTERS.get(language, language) + hyphen + region


def same_language(tag: str, wanted: str) -> bool:
    """Whether a language tag is the wanted language: `en` accepts en, EN-GB, en_US and eng."""
    tag, wanted = canonical_tag(tag), canonical_tag(wanted)
    return tag == wanted or tag.startswith(f"{wanted}-")


_CHECKED = 2000
"""Segments whose pronouns tell whether source and target are exchanged."""
_LEAST = 5
_COLUMNS = 7
_WORD = re.compile(r"\w+")


def right_way_round(task: Task, texts: Iterator[Segment], source: Path) -> Iterator[Segment]:
    """The same text; its beginning is read at once, and exchanged sides are refused.

    They are exchanged if more than twice as many pronouns of the two languages stand on the wrong
    side as on the right one.
    """
    first = list(islice(texts, _CHECKED))
    left, right = task.source_language, task.target_language
    forms = {form for name, words in task.forms.items() if name != OTHER for form in words}
    source_pronouns = {*task.source_pronouns} | _pronouns(left)
    target_pronouns = forms | _pronouns(right)
    sides = (
        (source_pronouns - target_pronouns, target_pronouns - source_pronouns),
        (target_pronouns - source_pronouns, source_pronouns - target_pronouns),
    )
    fitting = wrong = 0
    for segment in first:
        for text, (here, there) in zip((segment.source, segment.target), sides, strict=True):
            for word in _WORD.findall(text.lower()):
                fitting += word in here
                wrong += word in there
    if wrong >= _LEAST and wrong > 2 * fitting:
        expected = f"text in {left}, as {task.name} is {left} to {right}"
        found = f"pronouns of {right}: source and target look exchanged"
        raise input_error(source, "language", expected, found)
    return chain(first, texts)


def _pronouns(language: str) -> set[str]:
    """The pronouns of a language by its table of forms; none if it has no table."""
    path = words_file("forms", language)
    rows = list(table_rows(path, _COLUMNS))[1:] if path else ()
    return {row[0] for row in rows}
