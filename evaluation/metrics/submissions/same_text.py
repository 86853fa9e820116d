"""Is a submission of the text of gold? Source and target (columns 3 and 4) tell, line by line.

Labels alone do not: two lines with equally many gaps may have changed places. Participants' files
are not the blind file byte for byte: columns may be missing or empty, text in lower case, gaps
without their number (`REPLACE`) or filled. What is there is compared without regard to case, and a
gap of gold with a gap of the same number, a bare one, or any other word. Gold words (column 2) are
not compared: a submission may have its own there.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, quoted
from crosspro.data_prep.formats.shared_task import COLUMNS, PLACEHOLDER

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


def same_lines(texts: Sequence[bytes], gold_texts: Sequence[bytes]) -> bool:
    """Whether a submission has the sources of gold, in whatever order."""
    own, expected = (Counter(_words(one.split(b"\t")[0]) for one in t) for t in (texts, gold_texts))
    return own == expected


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
