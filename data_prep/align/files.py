"""Tokenised texts that are to be aligned, and their lemmas."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from crosspro.data_prep.align.text import Sentences
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.files.textfile import read_text_lines


class TokenisedFile(Collection[list[str]]):
    """The words of each line of a file, which is read whenever it is gone over, and never kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = sum(1 for _ in read_text_lines(path))

    def __len__(self) -> int:
        return self.lines

    def __iter__(self) -> Iterator[list[str]]:
        return (line.split() for line in read_text_lines(self.path))

    def __contains__(self, words: object) -> bool:
        return any(one == words for one in self)


def parallel_words(source: Path, target: Path) -> tuple[Sentences, Sentences]:
    """The words of two tokenised texts, which must have the same number of lines."""
    texts = []
    for path in (source, target):
        texts.append(TokenisedFile(path))
        if not texts[-1]:
            raise input_error(path, "file", "at least one line", "none")
    if len(texts[0]) != len(texts[1]):
        raise input_error(target, "lines", f"{len(texts[0])} as in {source}", str(len(texts[1])))
    return texts[0], texts[1]


def check_lemmas(
    words: tuple[Sentences, Sentences],
    lemmas: tuple[Sentences, Sentences],
    paths: tuple[Path, Path],
) -> None:
    """Raise everything in which two texts of lemmas differ in size from those of words."""
    problems = []
    for text, other, path in zip(words, lemmas, paths, strict=True):
        if len(text) != len(other):
            problems.append(Problem(str(path), None, "lines", f"{len(text)}", f"{len(other)}"))
        problems += [
            Problem(str(path), number, "lemmas", f"{len(one)}, one a word", f"{len(two)}")
            for number, (one, two) in enumerate(zip(text, other, strict=False), start=1)
            if len(one) != len(two)
        ]
    if problems:
        raise InputError(problems)
