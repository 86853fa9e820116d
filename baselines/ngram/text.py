"""Sentences for a language model: of plain text, or of examples with their gold words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import bad_byte, read_lines
from crosspro.data_prep.core.task import NONE, OTHER

_WORD = re.compile(rb"[^ \t\r\n\0]+")
_UNLIKE_SPLIT = re.compile(rb"[\0\v\f]")
"""Characters that KenLM and `bytes.split` treat differently."""


def read_sentences(paths: Iterable[Path]) -> Iterator[list[bytes]]:
    """One sentence a line (also .gz, .xz), words between spaces, tabs, CR and NUL as in KenLM.

    An empty line is an empty sentence, which also counts.
    """
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise input_error(path, "encoding", "UTF-8", bad_byte(error), number) from error
            yield _WORD.findall(line) if _UNLIKE_SPLIT.search(line) else line.split()


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
