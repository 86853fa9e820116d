"""A parallel text for the aligner: numbered words in batches of similar length.

Every pair of words that stand in one segment pair has a number, so that a translation table is one
array over the pairs that occur, and expected counts are one `bincount`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Forms = Callable[[str], str]
Sentences = Sequence[Sequence[str]]

_BUCKET = 4
_MOST_CELLS = 2_000_000
NO_WORD = -1


@dataclass(frozen=True)
class Batch:
    """Segments of similar length: numbers, words (padded with -1), lengths, and pair numbers.

    `pairs[b, j, i]` is the number of source word i with target word j; 0 where there is no word.
    """

    segments: Ints
    source: Ints
    target: Ints
    source_lengths: Ints
    target_lengths: Ints
    pairs: NDArray[np.int32]


@dataclass(frozen=True)
class PairedText:
    """The batches of a text, its vocabularies, and the words of each pair (pair 0 is none)."""

    batches: tuple[Batch, ...]
    source_words: dict[str, int]
    target_words: dict[str, int]
    pair_source: Ints
    pair_target: Ints
    longest: int

    @property
    def pairs(self) -> int:
        """The number of different pairs, and one."""
        return len(self.pair_source)


def make_form(form: str, prefix: int) -> Forms:
    """How a word is written in the vocabulary: lower-cased, or only its first characters."""
    if form == "prefix":
        return lambda word: word.lower()[:prefix]
    return str.lower


def paired_text(
    source: Sentences,
    target: Sentences,
    form: Forms,
    source_words: dict[str, int] | None = None,
    target_words: dict[str, int] | None = None,
) -> PairedText:
    """Number the words and the pairs of a text; vocabularies of a prior are continued."""
    source_words = dict(source_words or {})
    target_words = dict(target_words or {})
    left = [_numbers(sentence, source_words, form) for sentence in source]
    right = [_numbers(sentence, target_words, form) for sentence in target]
    width = max(len(target_words), 1)
    raw = list(_padded(left, right))
    found = [np.zeros(0, dtype=np.int64)]
    for batch in raw:  # the distinct pairs, batch by batch, so that memory stays small
        found.append(np.unique(_keys(batch, width)))
        if len(found) > 64:
            found = [np.unique(np.concatenate(found))]
    keys = np.unique(np.concatenate(found))
    keys = np.concatenate([[np.int64(-1)], keys[keys >= 0]])
    batches = tuple(
        Batch(*batch, np.searchsorted(keys, _keys(batch, width)).astype(np.int32)) for batch in raw
    )
    longest = max((max(len(a), len(b)) for a, b in zip(left, right, strict=True)), default=1)
    return PairedText(
        batches,
        source_words,
        target_words,
        np.where(keys < 0, 0, keys // width),
        np.where(keys < 0, 0, keys % width),
        longest,
    )


def _numbers(sentence: Sequence[str], words: dict[str, int], form: Forms) -> list[int]:
    return [words.setdefault(form(word), len(words)) for word in sentence]


Padded = tuple[Ints, Ints, Ints, Ints, Ints]


def _padded(left: Sequence[list[int]], right: Sequence[list[int]]) -> Iterator[Padded]:
    """Segments with words on both sides, in batches of similar lengths."""
    lengths = np.array([(len(a), len(b)) for a, b in zip(left, right, strict=True)]).reshape(-1, 2)
    usable = np.flatnonzero((lengths > 0).all(axis=1))
    rough = lengths[usable] // _BUCKET
    usable = usable[np.lexsort((rough[:, 1], rough[:, 0]))]
    start = 0
    while start < len(usable):
        end = start + 1
        first = lengths[usable[start]] // _BUCKET
        cells = int((lengths[usable[start]] + _BUCKET).prod())
        most = max(1, _MOST_CELLS // cells)
        while (
            end < len(usable)
            and end - start < most
            and (lengths[usable[end]] // _BUCKET == first).all()
        ):
            end += 1
        group = usable[start:end]
        widths = lengths[group].max(axis=0)
        a = np.full((len(group), widths[0]), NO_WORD, dtype=np.int64)
        b = np.full((len(group), widths[1]), NO_WORD, dtype=np.int64)
        for row, segment in enumerate(group):
            a[row, : len(left[segment])] = left[segment]
            b[row, : len(right[segment])] = right[segment]
        yield group, a, b, lengths[group, 0], lengths[group, 1]
        start = end


def _keys(batch: Padded, width: int) -> Ints:
    _, source, target, _, _ = batch
    keys = source[:, None, :] * width + target[:, :, None]
    keys[(source[:, None, :] < 0) | (target[:, :, None] < 0)] = -1
    return keys
