"""Text that bundled models must not learn from: what is tested on, and what is held out."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from zlib import crc32

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.processes import parallel_map
from crosspro.scripts.common import tell

HELD_OUT = {
    "test.news": ("train.newstest.newstest2013", "train.newstest2016_docs."),
    "test.dialogue": ("train.chat22_test.", "train.bcontrast_test."),
}
"""What becomes a test of its domain: documents whose names begin so."""
SUBTITLES, ONE_OF = "train.opensubs_ctxpro", 20
"""Of these documents one of so many is held out, too: test.subtitles."""
WITHOUT_DOCUMENTS = "train.newstest_nodocs"
"""Sentences of test sets whose verdicts are tested on; their documents are not known."""
TEST_FOLDERS = ("antecedents", "contrastive", "mt_outputs", "official_discomt2015", "verdicts")
_LETTERS = 20
"""Shorter lines say nothing of a text: many have them."""
_NO_LETTERS = re.compile(r"[\W_]+")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])[\"”»’')]*\s+")
_RICH = 0.2
"""A document of which so much stands in unseen text is left out as a whole."""


def kept_lines(
    names: Sequence[str], letters: Sequence[tuple[str, str]], unseen: set[str]
) -> tuple[list[str], list[bool]]:
    """The names of documents, some of which are held out now, and which lines are kept.

    Training lines that say what an unseen line or a held-out one says are left out, and so are
    documents that are rich in unseen ones.
    """
    renamed = [_held_out(name) for name in names]
    held = {
        side
        for name, new, sides in zip(names, renamed, letters, strict=True)
        if name != new
        for side in sides
        if len(side) >= _LETTERS
    }
    hit = [
        name.startswith("train.") and not unseen.isdisjoint(sides)
        for name, sides in zip(names, letters, strict=True)
    ]
    hits = Counter(compress(names, hit))
    long = Counter(compress(names, (max(map(len, sides)) >= _LETTERS for sides in letters)))
    rich = {name for name, number in hits.items() if number > 1 and number > _RICH * long[name]}
    kept = [
        not new.startswith("train.")
        or not (
            is_hit
            or name in rich
            or name.startswith(WITHOUT_DOCUMENTS)
            or not held.isdisjoint(sides)
        )
        for name, new, sides, is_hit in zip(names, renamed, letters, hit, strict=True)
    ]
    return renamed, kept


def _held_out(name: str) -> str:
    """The name of a document, which begins with that of a test if it is held out."""
    rest = name.removeprefix("train.")
    for title, beginnings in HELD_OUT.items():
        if name.startswith(beginnings):
            return f"{title}.{rest}"
    if name.startswith(SUBTITLES) and crc32(name.encode()) % ONE_OF == 0:
        return f"test.subtitles.{rest}"
    return name


def unseen_letters(corpora: Path, jobs: int = 1) -> set[str]:
    """The letters of every line, and every sentence of a line, of all that is tested on."""
    files = [
        path
        for path in corpora.glob("bitext/*/*/*.xz")
        if path.parent.name != "train" and ".doc-ids" not in path.name
    ]
    for folder in TEST_FOLDERS:
        if not (corpora / folder).is_dir():
            tell(f"warning: {corpora / folder} is missing: its text may be learnt from")
        files += (corpora / folder).rglob("*.xz")
    return set().union(*parallel_map(_unseen_of, files, jobs))


def _unseen_of(path: Path) -> set[str]:
    """The letters of a file; files of scores have the same text many times."""
    parts: set[str] = set()
    # Scores of some old tools are in Latin-1: what cannot be read is no line of text.
    with lzma.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as handle:
        for line in handle:
            parts.update(_texts(line, path))
    sentences = (text for part in parts for text in (part, *_BETWEEN_SENTENCES.split(part)))
    return {letters for letters in map(_letters, sentences) if len(letters) >= _LETTERS}


def _texts(line: str, path: Path) -> Iterator[str]:
    """The texts of a line: columns, or the strings of a JSON object, without tags in them."""
    values: Iterable[object] = line.split("\t")
    if ".jsonl" in path.suffixes:
        values = json.loads(line).values()
    for text in values:
        if isinstance(text, str) and len(text) >= _LETTERS:
            yield re.sub(r"<[^<>]*>", "", text) if "<" in text else text


def letters_of_lines(path: Path) -> list[str]:
    return [_letters(line) for line in read_text_lines(path)]


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.lower().replace(" ", ""))
