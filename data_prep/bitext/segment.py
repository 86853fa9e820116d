"""Segments of parallel text, language tags, and a check of the language of the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.words.language import looks_otherwise


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
"""Segments that tell the language of a text."""


def right_way_round(task: Task, texts: Iterator[Segment], source: Path) -> Iterator[Segment]:
    """The same text; its beginning is read at once, and a source of another language is refused."""
    first = list(islice(texts, _CHECKED))
    language = task.source_language
    if other := looks_otherwise((segment.source for segment in first), language):
        expected = f"text in {language}, as {task.name} is {language} to {task.target_language}"
        raise input_error(source, "language", expected, other)
    return chain(first, texts)
