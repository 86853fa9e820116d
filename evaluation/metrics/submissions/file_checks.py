"""Do gold and submissions belong together? Their order on the command line, and their text.

**Order.** Gold words (column 2) tell whether gold and a submission were exchanged. The words of
gold agree with its labels, and stand as they were found in the text: with capitals and tags, and
words that no list has. A submission has no words, its labels once more, the words of gold beside
labels of its own, or what a language model put into the gaps (`crosspro lm fill`, the official
baseline): bare words of a list. Where both files have words that agree with their labels and stand
as in a text, nothing tells them apart.

**Text.** Labels alone do not tell whether two lines with equally many gaps have changed places, but
source and target do (columns 3 and 4). Participants' files are not the blind file byte for byte:
columns may be missing or empty, text in lower case, gaps without their number (`REPLACE`) or
filled. What is there is compared without regard to case, and a gap of gold with a gap of the same
number, a bare one, or any other word. Gold words are not compared: a submission may have its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.example import split_tag
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import COLUMNS, PLACEHOLDER

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


TEXT = slice(2, 4)
"""The columns with text."""
SHOWN = 6
"""So many words are shown from the first one that differs."""
_PLACEHOLDER = PLACEHOLDER.casefold()
_NUMBERED = re.compile(rf"{_PLACEHOLDER}\d+")


def text_columns(raw: bytes) -> bytes:
    """Source and target of a line with the tab between them; empty where there are none."""
    return b"\t".join(raw.removesuffix(b"\n").split(b"\t")[TEXT])


def text_differences(
    path: str | Path, texts: Sequence[bytes], gold: str, gold_texts: Sequence[bytes]
) -> list[Problem]:
    """The lines of a submission that have other text than gold, each with its first difference."""
    if texts == gold_texts:
        return []
    found = []
    pairs = zip(texts, gold_texts, strict=False)
    for line, (own, expected) in enumerate(pairs, start=1):
        if own != expected and own:
            found += [
                Problem(str(path), line, field, f"{words} as in {gold}", own_words)
                for field, words, own_words in _differences(own, expected)
            ]
    return found


def kind_of_difference(texts: Sequence[bytes], gold_texts: Sequence[bytes]) -> str:
    """What a submission has whose text is not that of gold, by its sources."""
    own, gold = ([_words(one.split(b"\t")[0]) for one in some] for some in (texts, gold_texts))
    if own == gold:
        return "other words in the target than gold"
    if Counter(own) == Counter(gold):
        return "the lines of gold in another order"
    return "other text than gold"


def _differences(own: bytes, gold: bytes) -> Iterator[tuple[str, str, str]]:
    """The column that differs, what gold has there and what the submission has; the first of them.

    Both begin with the first word that differs.
    """
    for field, ours, golds in zip(COLUMNS[TEXT], own.split(b"\t"), gold.split(b"\t"), strict=False):
        words, expected = _words(ours), _words(golds)
        if not words or words == expected:
            continue
        pairs = zip(words, expected, strict=False)
        alike = (_alike(word, other) for word, other in pairs)
        place = next((n for n, same in enumerate(alike) if not same), None)
        if place is None and len(words) == len(expected):
            continue
        at = min(len(words), len(expected)) if place is None else place
        yield field, f"{_from(golds, at)} (word {at + 1})", _from(ours, at)
        return


def _alike(word: str, gold: str) -> bool:
    if word == gold:
        return True
    return bool(_NUMBERED.fullmatch(gold)) and not word.startswith(_PLACEHOLDER)


def _from(raw: bytes, place: int) -> str:
    words = _decoded(raw).split()[place : place + SHOWN]
    return quoted(" ".join(words)) if words else "the end"


def _words(raw: bytes) -> tuple[str, ...]:
    """The words of a column as they are compared."""
    text = _decoded(raw)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return tuple(text.casefold().split())


def _decoded(raw: bytes) -> str:
    """The text of a column; one that is not UTF-8 is taken for Latin-1, as the scorer takes any."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
