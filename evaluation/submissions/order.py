"""Were gold and a submission exchanged on the command line? Gold words (column 2) tell.

The words of gold agree with its labels. A submission has no words, or those of gold beside labels
of its own; one that has words of its own (`crosspro fill`) says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from crosspro.data_prep.errors import InputError
from crosspro.data_prep.example import split_tag
from crosspro.data_prep.files.textfile import read_lines
from crosspro.data_prep.formats.shared_task import COLUMNS
from crosspro.data_prep.task import Task

LINES = 1000
LEAST_LABELS = 5


def order_warning(gold: Path, submissions: Sequence[Path], task: Task) -> str | None:
    """What to say if the first file looks like a submission and another one like gold."""
    first = _labels_and_words(gold, task)
    for path in submissions:
        other = _labels_and_words(path, task)
        if other.labels < LEAST_LABELS or other.agreement < 0.95:
            continue
        if not first.words or (first.words == other.words and first.agreement <= 0.9):
            return (
                f"{path} looks like the gold file and {gold} like a submission: "
                "gold comes first, then submissions"
            )
    return None


@dataclass(frozen=True)
class _LabelsAndWords:
    """How many labels there are, the gold words, and how many labels agree with them."""

    labels: int
    words: tuple[str, ...]
    agreeing: int

    @property
    def agreement(self) -> float:
        return self.agreeing / self.labels if self.labels else 0.0


def _labels_and_words(path: Path, task: Task) -> _LabelsAndWords:
    pairs = list(_pairs(path))
    agreeing = sum(word is not None and _agree(label, word, task) for label, word in pairs)
    words = tuple(word for _, word in pairs if word is not None)
    return _LabelsAndWords(len(pairs), words, agreeing)


def _pairs(path: Path) -> Iterator[tuple[str, str | None]]:
    """The labels of the first lines, with their words where there are as many."""
    try:
        for raw in islice(read_lines(path), LINES):
            columns = raw.rstrip(b"\r\n").split(b"\t")
            labels = _tokens(columns[0])
            words = _tokens(columns[1]) if len(columns) == len(COLUMNS) else []
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
