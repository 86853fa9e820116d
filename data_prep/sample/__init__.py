"""The sample: 24 short texts written for this project, with gold pronoun links and gold gaps.

Each text is there in English, French, German and Spanish, one segment a line, tokenised in Moses
style: `sample.en`, `sample.fr`, `sample.de`, `sample.es` and `sample.doc-ids` can go through the
pipeline like any corpus. The gold files say what should come out; README.md describes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.shared_task import document_columns

SAMPLE_DIR = Path(__file__).parent
LANGUAGES = ("en", "fr", "de", "es")


@dataclass(frozen=True, slots=True)
class SampleDocument:
    """One text and its lines, both ends included."""

    name: str
    genre: str
    title: str
    first_line: int
    last_line: int


def read_tokens(language: str) -> list[list[str]]:
    """The tokens of every segment in one language."""
    return [line.split(" ") for line in read_text_lines(SAMPLE_DIR / f"sample.{language}")]


def read_documents() -> list[SampleDocument]:
    """The texts in order."""
    rows = map(tuple, map(document_columns, read_text_lines(SAMPLE_DIR / "sample.doc-ids")))
    documents = []
    first = 1
    for (name, genre, title), group in groupby(rows):
        last = first + sum(1 for _ in group) - 1
        documents.append(SampleDocument(name, genre, title, first, last))
        first = last + 1
    return documents
