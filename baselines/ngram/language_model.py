"""What every language model can do, whichever engine does it.

A state stands for all that the model remembers of the words so far, as a number; equal states are
equal numbers, however they came about. All scores are log10 probabilities, as in ARPA files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.baselines.ngram.vocabulary import UNKNOWN_ID, IntArray

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The scores of all tokens of some sentences, one sentence after the other.

    `lengths` are the lengths of the n-grams that were found; `ends` says where sentences end.
    """

    ids: IntArray
    log10: Scores
    lengths: NDArray[np.uint8]
    ends: IntArray

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """Which tokens are not in the vocabulary."""
        return np.equal(self.ids, UNKNOWN_ID)

    @property
    def totals(self) -> NDArray[np.float64]:
        """The log10 probability of each sentence."""
        return sums(self.log10.astype(np.float64), self.ends)

    @property
    def unknown_totals(self) -> IntArray:
        """The number of unknown words in each sentence."""
        return sums(self.unknown.astype(np.int64), self.ends)


def sums(values: NDArray[Any], ends: IntArray) -> NDArray[Any]:
    """The sums of consecutive groups that end at `ends`; groups may be empty."""
    running = np.concatenate([np.zeros(1, values.dtype), np.cumsum(values)])
    return np.diff(running[np.concatenate([np.zeros(1, np.int64), ends])])


class LanguageModel(ABC):
    """A language model over numbered words."""

    order: int
    begin_state: int
    """The state after `<s>`."""
    null_state: int
    """The state that remembers nothing."""
    end_id: int
    """The number of `</s>`."""

    @abstractmethod
    def ids(self, words: Iterable[str | bytes]) -> IntArray:
        """The numbers of words; 0 for words that the model does not know."""

    @abstractmethod
    def advance(self, states: ArrayLike, words: ArrayLike) -> tuple[Scores, IntArray]:
        """The log10 probability of each word after its state, and the state after the word.

        The arguments are broadcast: states in a column and words in a row give a table.
        """

    @abstractmethod
    def score(
        self, ids: IntArray, lengths: IntArray, *, begin: bool = True, end: bool = True
    ) -> TokenScores:
        """Score sentences, given as all their words and the length of each sentence.

        `begin` says whether sentences start after `<s>` or without context, `end` whether `</s>`
        is scored as the last token.
        """

    def encode(self, sentences: Sequence[Sequence[str | bytes]]) -> tuple[IntArray, IntArray]:
        """Sentences as `score` takes them."""
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        return self.ids(chain.from_iterable(sentences)), lengths

    def log10(
        self, sentences: Sequence[Sequence[str | bytes]], *, begin: bool = True, end: bool = True
    ) -> NDArray[np.float64]:
        """The log10 probability of each sentence."""
        return self.score(*self.encode(sentences), begin=begin, end=end).totals

    def state(self, context: Iterable[str | bytes], *, begin: bool = True) -> int:
        """The state after some words, at the start of a sentence or without earlier context."""
        state = self.begin_state if begin else self.null_state
        for word in self.ids(context):
            state = int(self.advance(state, word)[1])
        return state

    def word_log10(
        self, word: str | bytes, context: Iterable[str | bytes], *, begin: bool = True
    ) -> float:
        """The log10 probability of a word after some words."""
        return float(self.advance(self.state(context, begin=begin), self.ids([word])[0])[0])
