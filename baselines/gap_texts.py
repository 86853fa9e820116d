"""The words of lines as a language model numbers them, in the parts that gaps divide lines into."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.language_model import LanguageModel
from crosspro.data_prep.core.example import TAG_SEPARATOR, Example
from crosspro.data_prep.formats.shared_task import is_placeholder

_TAG = re.compile(rf"{re.escape(TAG_SEPARATOR)}[A-Za-z.:]+")
_MOST_TOKENS = 1 << 17
_GAP, _NOT_ONE = -1, -2

Ints = NDArray[np.int64]


def target_words(example: Example) -> list[list[str]]:
    """The words before, between and after the gaps, tags removed as the released program does."""
    parts: list[list[str]] = [[]]
    for words in map(_words, example.target):
        if words is None:
            parts.append([])
        else:
            parts[-1] += words
    return parts


@lru_cache(maxsize=_MOST_TOKENS)
def _words(token: str) -> tuple[str, ...] | None:
    """A token without its tag; None for a gap."""
    return None if is_placeholder(token) else tuple(_TAG.sub("", token).split())


@dataclass(frozen=True)
class GapTexts:
    """The words of some lines by number, all parts of all lines one after the other.

    A part has a place in `ids` where it starts, and a length. A line begins with its part `first`
    and has one part more than `gaps`.
    """

    ids: Ints
    starts: Ints
    lengths: Ints
    first: Ints
    gaps: Ints

    def near_gaps(self, reach: int) -> GapTexts:
        """The words that tell fillers apart: those up to `reach` before and after each gap.

        A model remembers no more words than that: by then what was in the gap is forgotten, and all
        fillings of a line share the score of the words between.
        """
        part = np.repeat(np.arange(len(self.lengths)), self.lengths)
        place = np.arange(len(self.ids)) - self.starts[part]
        begins, ends = np.zeros((2, len(self.lengths)), bool)
        begins[self.first] = ends[self.first + self.gaps] = True
        after = (place < reach) & ~begins[part]
        before = (place >= self.lengths[part] - reach) & ~ends[part]
        near = after | before
        lengths = np.bincount(part[near], minlength=len(self.lengths))
        starts = np.cumsum(lengths) - lengths
        return GapTexts(self.ids[near], starts, lengths, self.first, self.gaps)


class GapTextReader:
    """Reads lines for a model; each token that comes is looked up once."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._numbers: dict[str, int] = {}

    def read(self, examples: Sequence[Example]) -> GapTexts:
        """The words of some lines without tags, as in `target_words`."""
        sizes = np.array([len(example.target) for example in examples], np.int64)
        tokens = list(chain.from_iterable(example.target for example in examples))
        self._look_up(set(tokens))
        ids = np.fromiter(map(self._numbers.__getitem__, tokens), np.int64, len(tokens))
        if (ids == _NOT_ONE).any():
            rows = [self._word_by_word(example) for example in examples]
            sizes = np.array([len(row) for row in rows], np.int64)
            ids = np.array([number for row in rows for number in row], np.int64)
        line = np.repeat(np.arange(len(examples)), sizes)
        is_gap = ids == _GAP
        gaps = np.bincount(line[is_gap], minlength=len(examples))
        first = np.arange(len(examples)) + np.cumsum(gaps) - gaps
        part = (line + np.cumsum(is_gap))[~is_gap]
        lengths = np.bincount(part, minlength=len(examples) + int(gaps.sum()))
        return GapTexts(ids[~is_gap], np.cumsum(lengths) - lengths, lengths, first, gaps)

    def _look_up(self, tokens: set[str]) -> None:
        """Number tokens by their word: `_GAP` for a gap, `_NOT_ONE` for more words, or none."""
        if len(self._numbers) > _MOST_TOKENS:
            self._numbers.clear()
        single: dict[str, str] = {}
        for token in tokens.difference(self._numbers):
            words = _words(token)
            if words is None:
                self._numbers[token] = _GAP
            elif len(words) == 1:
                single[token] = words[0]
            else:
                self._numbers[token] = _NOT_ONE
        self._numbers.update(zip(single, self._model.ids(single.values()).tolist(), strict=True))

    def _word_by_word(self, example: Example) -> list[int]:
        """The numbers of the words of a line some of whose tokens are several words, or none."""
        first, *rest = (self._model.ids(words).tolist() for words in target_words(example))
        return [*first, *(number for words in rest for number in (_GAP, *words))]
