"""The sample: 24 short texts written for this project, with gold pronoun links and gold gaps.

Each text is there in English, French, German and Spanish, one segment a line, tokenised in Moses
style: `sample.en`, `sample.fr`, `sample.de`, `sample.es` and `sample.doc-ids` can go through the
pipeline like any corpus. The gold files say what should come out; README.md describes them.
`python -m crosspro.data_prep.sample` prints the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import document_columns

SAMPLE_DIR = Path(__file__).parent
LANGUAGES = ("en", "fr", "de", "es")
TASKS = ("en-fr", "en-de", "fr-en", "de-en", "es-en")
"""The tasks with gold gaps; 2015 counted objects too, which have no gold here."""
PAIRS = ("en-fr", "en-de", "en-es")
GENRES = ("story", "explanation", "dialogue", "report")
KINDS = (
    "anaphoric_same_sentence",
    "anaphoric_other_sentence",
    "pleonastic",
    "event",
    "generic",
    "addressee",
    "other",
)
"""What a pronoun does in its text; `other` is identification (who is it?) and the like."""

Token = tuple[int, int]
"""A token of the sample: line from 1, index in the line from 0."""


@dataclass(frozen=True, slots=True)
class GoldGap:
    """What a perfect pipeline extracts for one source pronoun, or one verb without a subject.

    `target_index` is None where nothing translates the pronoun; the label is then OTHER.
    `antecedent` is the head of the nearest noun phrase before the pronoun that names the same
    thing, in the source language.
    """

    line: int
    source_index: int
    target_index: int | None
    label: str
    kind: str
    antecedent: Token | None


@dataclass(frozen=True, slots=True)
class SampleDocument:
    """One text and its lines, both ends included."""

    name: str
    genre: str
    title: str
    first_line: int
    last_line: int

    def __len__(self) -> int:
        return self.last_line - self.first_line + 1


def sample_path(name: str) -> Path:
    """The path of a file of the sample, for instance `sample.fr` or `links.en-de.gold`."""
    names = sorted(
        path.name
        for path in SAMPLE_DIR.iterdir()
        if path.name.startswith(("sample.", "gold.", "links."))
    )
    if name not in names:
        raise input_error("sample", "file", choices(names), quoted(name))
    return SAMPLE_DIR / name


def read_tokens(language: str) -> list[list[str]]:
    """The tokens of every segment in one language."""
    return [line.split(" ") for line in read_text_lines(sample_path(f"sample.{language}"))]


def read_documents() -> list[SampleDocument]:
    """The texts in order."""
    lines = read_text_lines(sample_path("sample.doc-ids"))
    rows = [tuple(document_columns(line)) for line in lines]
    documents = []
    first = 1
    for (name, genre, title), group in groupby(rows):
        last = first + sum(1 for _ in group) - 1
        documents.append(SampleDocument(name, genre, title, first, last))
        first = last + 1
    return documents


def read_gold(task: str) -> list[GoldGap]:
    """The gold gaps of a task by line and source index."""
    return [
        GoldGap(
            line=int(line),
            source_index=int(source),
            target_index=None if target == "-" else int(target),
            label=label,
            kind=kind,
            antecedent=None if antecedent == "-" else _token(antecedent),
        )
        for line, source, target, label, kind, antecedent in _rows(f"gold.{task}.tsv")
    ]


def read_nonsubjects(language: str) -> dict[Token, str]:
    """The words that look like source pronouns of a task but are no subjects, and what they are."""
    rows = _rows(f"gold.nonsubjects.{language}.tsv")
    return {(int(line), int(index)): why for line, index, why in rows}


def read_pronoun_links(pair: str) -> list[tuple[Link, ...]]:
    """The gold links of the pronouns of every segment, English position first."""
    return [
        tuple(_link(link) for link in line.split())
        for line in read_text_lines(sample_path(f"links.{pair}.gold"))
    ]


def sample_summary() -> str:
    """Segments, tokens, and the gold gaps of each task by class and by kind, as a text."""
    documents = read_documents()
    segments = sum(len(document) for document in documents)
    lines = [f"{len(documents)} documents, {segments} segments"]
    for language in LANGUAGES:
        lines.append(f"{language}: {sum(map(len, read_tokens(language))):,} tokens")
    for name in TASKS:
        gaps = read_gold(name)
        labels = Counter(gap.label for gap in gaps)
        kinds = Counter(gap.kind for gap in gaps)
        classes = load_task(name).classes
        lines.append(f"{name}: {len(gaps)} gaps")
        lines.append("  " + ", ".join(f"{label} {labels[label]}" for label in classes))
        lines.append("  " + ", ".join(f"{kind} {kinds[kind]}" for kind in KINDS))
    return "\n".join(lines)


def _rows(name: str) -> Iterator[list[str]]:
    """The rows of a table below its heading."""
    lines = read_text_lines(sample_path(name))
    next(lines)
    for line in lines:
        yield line.split("\t")


def _token(text: str) -> Token:
    line, _, index = text.partition(":")
    return int(line), int(index)


def _link(text: str) -> Link:
    source, _, target = text.partition("-")
    return int(source), int(target)
