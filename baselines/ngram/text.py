"""Text for a language model: sentences of plain text or of five-column files, and their numbers.

Plain text is read as KenLM reads it: a sentence a line, words between spaces, tabs, carriage
returns and NULs; an empty line is an empty sentence. (A last line without a line end is a whole
sentence here; lmplz forgets its `</s>`.) Five-column files give their target lemmas, the gold
words put into the gaps.

N-grams are counted on numbers: every sentence is `<s>`, its words and `</s>`, all sentences one
after the other in one array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.index import Workspace
from crosspro.baselines.ngram.model import BEGIN_ID, END_ID, Numbering, Words, sums
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, input_error
from crosspro.data_prep.core.files import bad_byte, read_lines

if TYPE_CHECKING:
    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task

BATCH_LINES = 8192
_IS_SPACE = bytes(byte in b" \t\r\n\0" for byte in range(256))


@dataclass(frozen=True, slots=True)
class SentenceBatch:
    """Consecutive sentences of a file: all their words, and how many each has.

    `first_line` counts from 1.
    """

    path: Path
    first_line: int
    words: Words
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, path: Path, first_line: int, sentences: Sequence[list[bytes]]) -> SentenceBatch:
        """Sentences that are already split into words."""
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        return cls(path, first_line, Words.of(chain.from_iterable(sentences)), lengths)

    @property
    def sentences(self) -> Iterator[list[bytes]]:
        """The words of each sentence."""
        words = iter(self.words)
        return (list(islice(words, length)) for length in self.lengths.tolist())


def read_sentences(paths: Iterable[Path], task: Task | None = None) -> Iterator[SentenceBatch]:
    """The sentences of all files: of five-column files if there is a task, else of plain text."""
    for path in paths:
        yield from read_text(path) if task is None else read_targets(path, task)


def read_text(path: Path) -> Iterator[SentenceBatch]:
    """The sentences of a text file (also .gz, .xz)."""
    lines = read_lines(path)
    first = 1
    while batch := list(islice(lines, BATCH_LINES)):
        text = b"".join(batch)
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(_bad_lines(path, first, batch, lines)) from None
        yield SentenceBatch(path, first, *split_lines(text))
        first += len(batch)


def read_targets(path: Path, task: Task) -> Iterator[SentenceBatch]:
    """The target sentences of a five-column file whose gaps have gold words."""
    from crosspro.data_prep.formats.shared_task import read_examples  # plain text goes without

    examples = read_examples(path, task)
    first = 1
    while batch := list(islice(examples, BATCH_LINES)):
        problems = [
            Problem(str(path), line, "words", "a gold word for every gap", "none")
            for line, example in enumerate(batch, start=first)
            if any(gap.word is None for gap in example.gaps)
        ]
        if problems:
            raise InputError(problems)
        sentences = [[word.encode("utf-8") for word in filled(example)] for example in batch]
        yield SentenceBatch.of(path, first, sentences)
        first += len(batch)


def filled(example: Example) -> list[str]:
    """The target lemmas (or words) of an example with its gold words in the gaps.

    Older files have forms as gold words, and at the beginning of a sentence a pronoun's is
    capitalised: in a lemmatised target it becomes the lemma. Words of OTHER stay as they are, since
    `I` and German nouns have capitals in the rest of the text too.
    """
    from crosspro.data_prep.core.task import NONE, OTHER

    words: list[str] = [*example.lemmas]
    for gap in reversed(example.gaps):
        gold = example.gold_lemma(gap) or NONE
        if gold == NONE:
            del words[gap.position]
        else:
            pronoun = example.tagged and gap.label != OTHER
            words[gap.position] = gold.lower() if pronoun else gold
    return words


def split_lines(text: bytes) -> tuple[Words, NDArray[np.int64]]:
    """The words of some lines, and how many each line has."""
    if not text.endswith(b"\n"):
        text += b"\n"
    space = np.frombuffer((b"\n" + text).translate(_IS_SPACE), bool)
    edges = np.flatnonzero(space[1:] != space[:-1])
    words = Words(text, edges[::2], edges[1::2])
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    return words, np.diff(words.starts.searchsorted(ends), prepend=0)


def _bad_lines(
    path: Path, first: int, batch: list[bytes], rest: Iterator[bytes]
) -> Iterator[Problem]:
    """The problems of a batch and of all the lines that follow it."""
    for lines in (batch, rest):
        for line in lines:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                yield Problem(str(path), first, "encoding", "UTF-8", bad_byte(error))
            first += 1


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
            numbers = numbering.of(batch.words)
            lengths = batch.lengths
            special = numbers <= END_ID
            if special.any():
                if not skip_symbols:
                    problems += _special_words(batch, special)
                lengths = lengths - sums(special.astype(np.int64), np.cumsum(lengths))
                numbers = numbers[~special]
            sentences += len(lengths)
            tokens += len(numbers)
            try:
                _with_ends(numbers, lengths).tofile(handle)
            except OSError as error:
                expected, found = "room for the text", str(error.strerror or error)
                raise input_error(space.folder, "temporary folder", expected, found) from error
            report(f"reading text: {tokens:,} words, {sentences:,} sentences")
    if problems:
        raise InputError(problems)
    if not tokens:
        raise CrossproError("text: expected sentences with words, found no word in any file")
    return NumberedText(space.load(path, np.int32), numbering.words, sentences)


def _with_ends(numbers: NDArray[np.int32], lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """Sentences one after the other, each between `<s>` and `</s>`."""
    ends = np.cumsum(lengths + 2) - 1
    result = np.empty(len(numbers) + 2 * len(lengths), np.int32)
    inside = np.ones(len(result), bool)
    for mark, places in ((BEGIN_ID, ends - lengths - 1), (END_ID, ends)):
        result[places] = mark
        inside[places] = False
    result[inside] = numbers
    return result


def _special_words(batch: SentenceBatch, special: NDArray[np.bool_]) -> list[Problem]:
    expected = "no special word (--skip-symbols leaves them out)"
    lines = np.repeat(np.arange(len(batch.lengths)) + batch.first_line, batch.lengths)
    return [
        Problem(str(batch.path), int(lines[place]), "text", expected, batch.words[place].decode())
        for place in np.flatnonzero(special).tolist()
    ]
