"""A text as numbers: what n-grams are counted on.

Every sentence is `<s>`, its words and `</s>`, all sentences one after the other in one array.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.sentences import SentenceBatch
from crosspro.baselines.ngram.vocabulary import BEGIN_ID, END_ID, Numbering
from crosspro.baselines.ngram.workspace import Workspace
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, input_error

Report = Callable[[str], None]
"""Takes a short line that says how far the work is."""


@dataclass(frozen=True, slots=True)
class NumberedText:
    """The numbers of all words and the words by number."""

    ids: NDArray[np.int32]
    words: list[bytes]
    sentences: int

    @property
    def tokens(self) -> int:
        """Words, without the marks of sentences."""
        return len(self.ids) - 2 * self.sentences


def read_corpus(
    batches: Iterable[SentenceBatch],
    space: Workspace,
    report: Report,
    *,
    skip_symbols: bool = False,
) -> NumberedText:
    """Number the words of all sentences.

    The words `<s>`, `</s>` and `<unk>` may not be in the text, as in KenLM, unless `skip_symbols`
    says that they are to be left out.
    """
    numbering = Numbering()
    path = space.new_file()
    sentences = tokens = 0
    problems: list[Problem] = []
    with path.open("wb") as handle:
        for batch in batches:
            numbers = _number(batch.sentences, numbering)
            if not _specials_in_place(numbers, len(batch.lengths)):
                if not skip_symbols:
                    problems += _special_words(batch, numbering)
                numbers = _number(_without_specials(batch.sentences, numbering), numbering)
            sentences += len(batch.lengths)
            tokens += len(numbers) - 2 * len(batch.lengths)
            try:
                numbers.tofile(handle)
            except OSError as error:
                expected, found = "room for the text", str(error.strerror or error)
                raise input_error(space.folder, "temporary folder", expected, found) from error
            report(f"reading text: {tokens:,} words, {sentences:,} sentences")
    if problems:
        raise InputError(problems)
    if not tokens:
        raise CrossproError("text: expected sentences with words, found no word in any file")
    return NumberedText(space.load(path, np.int32), list(numbering), sentences)


def _number(sentences: Iterable[list[bytes]], numbering: Numbering) -> array[int]:
    numbers = array("i")
    number = numbering.__getitem__
    for sentence in sentences:
        numbers.append(BEGIN_ID)
        numbers.extend(map(number, sentence))
        numbers.append(END_ID)
    return numbers


def _specials_in_place(numbers: array[int], sentences: int) -> bool:
    return int((np.frombuffer(numbers, np.int32) <= END_ID).sum()) == 2 * sentences


def _special_words(batch: SentenceBatch, numbering: Numbering) -> list[Problem]:
    expected = "no special word (--skip-symbols leaves them out)"
    return [
        Problem(str(batch.path), line, "text", expected, word.decode("utf-8"))
        for line, sentence in enumerate(batch.sentences, start=batch.first_line)
        for word in sentence
        if numbering[word] <= END_ID
    ]


def _without_specials(
    sentences: Iterable[list[bytes]], numbering: Numbering
) -> Iterable[list[bytes]]:
    for sentence in sentences:
        yield [word for word in sentence if numbering[word] > END_ID]
