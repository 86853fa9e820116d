"""Sentences for a language model: of plain text, or of five-column files with their gold words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import bad_byte, read_lines
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import read_examples

_WORD = re.compile(rb"[^ \t\r\n\0]+")
_UNLIKE_SPLIT = re.compile(rb"[\0\v\f]")
"""Characters that KenLM and `bytes.split` treat differently."""


def read_sentences(paths: Iterable[Path], task: Task | None = None) -> Iterator[Sequence[bytes]]:
    """The words of each sentence: of five-column files if there is a task, else of plain text."""
    for path in paths:
        yield from read_text(path) if task is None else read_targets(path, task)


def read_text(path: Path) -> Iterator[list[bytes]]:
    """One sentence a line (also .gz, .xz), words between spaces, tabs, CR and NUL as in KenLM.

    An empty line is an empty sentence, which also counts.
    """
    for number, line in enumerate(read_lines(path), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise input_error(path, "encoding", "UTF-8", bad_byte(error), number) from error
        yield _WORD.findall(line) if _UNLIKE_SPLIT.search(line) else line.split()


def read_targets(path: Path, task: Task) -> Iterator[list[bytes]]:
    """The target lemmas of a five-column file, with the gold words in the gaps."""
    for number, example in enumerate(read_examples(path, task), start=1):
        if any(gap.word is None for gap in example.gaps):
            raise input_error(path, "words", "a gold word for every gap", "none", number)
        yield encoded(gold_sentence(example))


def gold_sentence(example: Example) -> list[str]:
    """The target lemmas (or words) of an example with its gold words in the gaps.

    Older files have inflected gold words, capitalised at the beginning of a sentence; in a
    lemmatised target a pronoun is in lower case. Words of OTHER keep their capitals, as `I` and
    German nouns do in the rest of the text.
    """
    words = [*example.lemmas]
    for gap in reversed(example.gaps):
        gold = example.gold_lemma(gap) or NONE
        if gold == NONE:
            del words[gap.position]
        else:
            pronoun = example.tagged and gap.label != OTHER
            words[gap.position] = gold.lower() if pronoun else gold
    return words


def encoded(words: Iterable[str]) -> list[bytes]:
    """Words as bytes, the form in which a vocabulary is collected."""
    return [word.encode("utf-8") for word in words]
