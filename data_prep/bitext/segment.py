"""The record of parallel text, and what all its readers share.

A reader is a generator of segments and problems; `segments_of` turns it into one that raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from crosspro.data_prep.core.errors import InputError, Problem

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


def segments_of(found: Iterable[Segment | Problem]) -> Iterator[Segment]:
    """The segments of a reader.

    At the first fault no further segment is yielded; the rest of the file is still checked, and all
    faults are raised together as one `InputError`.
    """
    items = iter(found)
    for item in items:
        if isinstance(item, Problem):
            raise InputError(chain([item], _problems(items)))
        yield item


def _problems(items: Iterator[Segment | Problem]) -> Iterator[Problem]:
    try:
        yield from (item for item in items if isinstance(item, Problem))
    except InputError as error:  # a fault that ends the reading, such as a damaged archive
        yield from error.problems


def or_nothing(found: Iterable[Segment | Problem], path: object) -> Iterator[Segment | Problem]:
    """The same, with a problem if there is neither a segment nor a problem."""
    empty = True
    for item in found:
        empty = False
        yield item
    if empty:
        yield Problem(str(path), None, "file", "at least one segment", "none")


def one_line(text: str) -> str:
    """A text without line ends and with single spaces."""
    return " ".join(text.split())


_THREE_LETTERS = {
    "eng": "en",
    "fra": "fr",
    "fre": "fr",
    "deu": "de",
    "ger": "de",
    "spa": "es",
    "ita": "it",
    "por": "pt",
    "nld": "nl",
    "dut": "nl",
}


def same_language(tag: str, wanted: str) -> bool:
    """Whether a language tag is the wanted language: `en` accepts en, EN-GB, en_US and eng."""
    tag, wanted = _canonical(tag), _canonical(wanted)
    return tag == wanted or tag.startswith(f"{wanted}-")


def _canonical(tag: str) -> str:
    language, hyphen, region = tag.strip().lower().replace("_", "-").partition("-")
    return _THREE_LETTERS.get(language, language) + hyphen + region
