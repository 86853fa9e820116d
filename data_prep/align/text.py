"""A parallel text as numbers: words, segments, and the pairs of words that meet in a segment.

Every pair of words that meet has a number, so that a translation table is one array over the pairs
that occur.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]
Forms = Callable[[str], str]
Sentences = Collection[Sequence[str]]
"""Read once, from the first to the last segment, so that it may lie in a file."""

FEW_SEGMENTS = 20_000
NO_WORD = -1
_SEGMENTS_AT_ONCE = 10_000
_PAIRS_AT_ONCE = 2**17


@dataclass(frozen=True, slots=True)
class TextSide:
    """One side of the text: the numbers of all words one after the other, and their vocabulary."""

    words: dict[str, int]
    tokens: Numbers
    starts: Ints
    lengths: Ints

    def segment(self, number: int) -> Numbers:
        """The words of one segment."""
        start = self.starts[number]
        return self.tokens[start : start + self.lengths[number]]

    def padded(self, segments: Ints) -> Numbers:
        """The words of some segments, one segment a row, padded with -1."""
        lengths = self.lengths[segments]
        places = np.arange(lengths.max())
        index = np.minimum(self.starts[segments][:, None] + places, len(self.tokens) - 1)
        return np.where(places < lengths[:, None], self.tokens[index], np.int32(NO_WORD))


@dataclass(frozen=True, slots=True)
class NumberedBitext:
    """Both sides of a text, and which segments are learnt from and which only linked.

    `outside` are segments beyond the limits of length and ratio; those without words on a side are
    in neither.
    """

    source: TextSide
    target: TextSide
    inside: Ints
    outside: Ints

    @property
    def width(self) -> int:
        """What a source word counts in the key of a pair, `source * width + target`."""
        return max(len(self.target.words), 1)


@dataclass(frozen=True, slots=True)
class PairKeys:
    """The pairs of words of a text: their keys in order; the first is -1, for no pair."""

    keys: Ints
    width: int

    @property
    def size(self) -> int:
        """The number of pairs, with that for no pair."""
        return len(self.keys)

    def parts(self) -> Iterator[tuple[slice, Ints, Ints]]:
        """Pairs, some at a time, with their source and target words; 0 for no pair."""
        for start in range(0, self.size, _PAIRS_AT_ONCE):
            part = slice(start, min(start + _PAIRS_AT_ONCE, self.size))
            yield part, *self._divided(self.keys[part])

    def words_of(self, pairs: Ints) -> tuple[Numbers, Numbers]:
        """The source and the target words of some pairs."""
        source, target = self._divided(self.keys[pairs])
        return source.astype(np.int32), target.astype(np.int32)

    def numbers(self, source: Numbers, target: Numbers) -> Ints:
        """The number of each pair of words (arrays of one shape), 0 if they do not meet."""
        wanted = source.astype(np.int64) * self.width + target
        places = np.minimum(np.searchsorted(self.keys, wanted), self.size - 1)
        return np.where(self.keys[places] == wanted, places, 0)

    def _divided(self, keys: Ints) -> tuple[Ints, Ints]:
        """The words of keys; without `np.divmod`, which takes three times as long."""
        keys = np.maximum(keys, 0)
        source = keys // self.width
        return source, keys - source * self.width


def few_segments(lines: int) -> str:
    """What to say of a text of which the aligner learns little; nothing if it is long enough."""
    if lines >= FEW_SEGMENTS:
        return ""
    return (
        f"{lines:,} lines are few to learn links from (fewer than {FEW_SEGMENTS:,}): "
        "give with --prior what crosspro align --save-prior has learnt from more text, or a "
        "bundled model (en-fr)"
    )


def make_form(form: str, prefix: int) -> Forms:
    """How a word stands in the vocabulary: lower-cased, whole or only its first characters."""
    if form == "prefix":
        return lambda word: word.lower()[:prefix]
    return str.lower


def numbered_text(
    source: Sentences,
    target: Sentences,
    form: Forms,
    longest: int,
    ratio: float | None,
    known: tuple[dict[str, int], dict[str, int]] = ({}, {}),
) -> NumberedBitext:
    """Number the words of a text, which is read once; `known` vocabularies are continued.

    Segments over the limits `longest` and `ratio` are kept apart.
    """
    left, right = _side(source, form, known[0]), _side(target, form, known[1])
    usable = (left.lengths > 0) & (right.lengths > 0)
    outside = too_unlike(left.lengths, right.lengths, longest, ratio)
    return NumberedBitext(left, right, np.flatnonzero(usable & ~outside), np.flatnonzero(outside))


def too_unlike(left: Ints, right: Ints, longest: int, ratio: float | None) -> NDArray[np.bool_]:
    """Which segments, by the lengths of both sides, are beyond the limits; empty ones are not."""
    short, long = np.minimum(left, right), np.maximum(left, right)
    beyond = long > longest
    if ratio is not None:
        beyond |= long > ratio * short
    return np.asarray(beyond & (short > 0))


class _Vocabulary(dict[str, int]):
    """Gives each written word the number of its form, new forms a new number."""

    def __init__(self, words: dict[str, int], form: Forms) -> None:
        super().__init__()
        self.words = words
        self.form = form

    def __missing__(self, word: str) -> int:
        number = self.words.setdefault(self.form(word), len(self.words))
        self[word] = number
        return number


def _side(sentences: Sentences, form: Forms, known: dict[str, int]) -> TextSide:
    words = dict(known)
    number = _Vocabulary(words, form).__getitem__
    lengths: list[Ints] = [np.empty(0, np.int64)]
    tokens: list[Numbers] = [np.empty(0, np.int32)]
    rest = iter(sentences)
    while part := list(islice(rest, _SEGMENTS_AT_ONCE)):
        lengths.append(np.fromiter(map(len, part), np.int64, len(part)))
        numbers = map(number, chain.from_iterable(part))
        tokens.append(np.fromiter(numbers, np.int32, int(lengths[-1].sum())))
    all_lengths = np.concatenate(lengths)
    return TextSide(
        words, np.concatenate(tokens), np.cumsum(all_lengths) - all_lengths, all_lengths
    )
