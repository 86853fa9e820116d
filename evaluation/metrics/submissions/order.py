"""Were gold and a submission exchanged on the command line? Gold words (column 2) tell.

The words of gold agree with its labels, and stand as they were found in the text: with capitals and
tags, and words that no list has. A submission has no words, its labels once more, the words of gold
beside labels of its own, or what a language model put into the gaps (`crosspro fill`, the official
baseline): bare words of a list. Where both files have words that agree with their labels and stand
as in a text, nothing tells them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import split_tag
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import COLUMNS

LINES = 300
"""So many lines of a file are looked at."""
LEAST = 5
"""So many labels, or words as of a text, are evidence."""


def order_warning(gold: Path, submissions: Sequence[Path], task: Task) -> str | None:
    """What to say if the first file looks like a submission and another one like gold."""
    if not gold.is_file():  # what comes through a pipe can be read once
        return None
    first = _labels_and_words(gold, task)
    for path in filter(Path.is_file, submissions):
        if _exchanged(first, _labels_and_words(path, task)):
            return (
                f"{path} looks like the gold file and {gold} like a submission: "
                "gold comes first, then submissions"
            )
    return None


@dataclass(frozen=True)
class _LabelsAndWords:
    """How many labels there are, the gold words, and how many of them are of which kind."""

    labels: int
    words: tuple[str, ...]
    agreeing: int
    """With their labels."""
    formed: int
    """Capitalised or tagged: written as in a text."""
    unlisted: int
    """No fillers of the language model."""

    @property
    def bare_words(self) -> list[str]:
        """The words without tags and capitals."""
        return [split_tag(word)[0].lower() for word in self.words]

    @property
    def agreement(self) -> float:
        return self.agreeing / self.labels if self.labels else 0.0


def _exchanged(first: _LabelsAndWords, other: _LabelsAndWords) -> bool:
    """Whether the other file is rather gold than the first."""
    if other.labels < LEAST or other.agreement < 0.95 or OTHER in other.words:
        return False
    if len(first.words) <= first.labels / 2 or OTHER in first.words:
        return True
    if first.bare_words == other.bare_words:
        return first.agreement < other.agreement
    counts = (first.formed, other.formed), (first.unlisted, other.unlisted)
    return any(mine == 0 and its >= LEAST for mine, its in counts)


def _labels_and_words(path: Path, task: Task) -> _LabelsAndWords:
    pairs = list(_pairs(path))
    words = tuple(word for _, word in pairs if word is not None)
    listed = {*task.fillers, *task.other_fillers, NONE}
    return _LabelsAndWords(
        labels=len(pairs),
        words=words,
        agreeing=sum(word is not None and _agree(label, word, task) for label, word in pairs),
        formed=sum(_formed(word) for word in words),
        unlisted=sum(word not in listed for word in words),
    )


def _pairs(path: Path) -> Iterator[tuple[str, str | None]]:
    """The labels of the first lines, with their words where there are as many."""
    try:
        for raw in islice(read_lines(path), LINES):
            columns = raw.rstrip(b"\r\n").split(b"\t", 2)
            labels = _tokens(columns[0])
            words = _tokens(columns[1]) if raw.count(b"\t") == len(COLUMNS) - 1 else []
            known = words if len(words) == len(labels) else [None] * len(labels)
            yield from zip(labels, known, strict=True)
    except InputError:  # whoever reads the file as a whole says so
        return


def _tokens(column: bytes) -> list[str]:
    return column.decode("utf-8", errors="replace").split()


def _agree(label: str, word: str, task: Task) -> bool:
    """Whether a label is the class of a word, or of a plural whose lemma the word is (ils, il)."""
    found = task.class_of(split_tag(word)[0].lower())
    return label == found or task.class_of(label) == found or label.startswith(found)


def _formed(word: str) -> bool:
    """Whether a word is capitalised or tagged."""
    return word != NONE and (word != word.lower() or "|" in word[1:])
