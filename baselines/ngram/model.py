"""Back-off models: sorted arrays that answer whole batches of queries, and models that KenLM opens.

An n-gram is a node; node 0 is the empty n-gram, then come the unigrams in the order of their words,
the bigrams, and so on, each order sorted by words. A state is the node of what must be remembered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.baselines.ngram.counts import BEGIN_ID, END_ID, UNKNOWN_ID, Ints, Rows
from crosspro.data_prep.core.errors import CrossproError

LOWEST = -99.0
"""The log10 of a probability of zero, so that all numbers are finite (as SRILM writes it)."""
_MOST_NODES = 1 << 32

Scores = NDArray[np.float32]
Totals = NDArray[np.float64]


class LanguageModel(ABC):
    """A language model over numbered words; log probabilities are to the base of ten."""

    order: int
    begin_state: int
    """The state after `<s>`."""
    null_state: int
    """The state that remembers nothing."""
    end_id = END_ID

    @abstractmethod
    def ids(self, words: Iterable[str]) -> Ints:
        """The numbers of words; 0 for words that the model does not know."""

    @abstractmethod
    def advance(self, states: ArrayLike, words: ArrayLike) -> tuple[Scores, Ints]:
        """The log probability of each word after its state, and the state after the word.

        The arguments are broadcast: states in a column and words in a row give a table.
        """

    def log10(self, sentences: Sequence[Sequence[str]], *, begin: bool = True) -> Totals:
        """The log probability of each sentence with `</s>`, after `<s>` or without any context."""
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        places = np.arange(int(lengths.max(initial=0)) + 1)
        tokens = np.full((len(sentences), len(places)), self.end_id)
        tokens[places < lengths[:, None]] = self.ids(chain.from_iterable(sentences))
        totals = np.zeros(len(sentences))
        states = np.full(len(sentences), self.begin_state if begin else self.null_state)
        for place in places:
            active = np.flatnonzero(place <= lengths)
            log_probs, states[active] = self.advance(states[active], tokens[active, place])
            totals[active] += log_probs
        return totals


@dataclass
class Order:
    """The n-grams of one order, sorted by context (a row of the order below), then by word.

    `suffixes` are the rows of the n-grams without their first words, which ARPA files do not tell.
    """

    contexts: Rows
    words: Rows
    suffixes: Rows | None
    log_probs: Scores
    back_offs: Scores

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, repr=False)
class NGramModel(LanguageModel):
    """A back-off model.

    `keys` are, for the nodes of two words and more, the node of the context times the size of the
    vocabulary plus the last word; they rise from node to node. `back_offs` has the nodes that can
    be contexts. `fails` is the state without the first words of a node.
    """

    words: list[str]
    counts: tuple[int, ...]
    keys: Ints
    log_probs: Scores
    back_offs: Scores
    fails: Rows

    null_state = 0

    def __repr__(self) -> str:
        return f"<NGramModel of order {self.order}: {sum(self.counts):,} n-grams>"

    @cached_property
    def order(self) -> int:  # type: ignore[override]
        return len(self.counts)

    @cached_property
    def begin_state(self) -> int:  # type: ignore[override]
        return int(self._states(np.array([BEGIN_ID + 1]))[0])

    @cached_property
    def first_nodes(self) -> list[int]:
        return [1, *(np.cumsum(self.counts)[:-1] + 1).tolist()]

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def extends(self) -> NDArray[np.bool_]:
        """Which nodes must be remembered: contexts of longer n-grams, and those with a back-off."""
        extends: NDArray[np.bool_] = np.not_equal(self.back_offs, 0)
        extends[self.keys // len(self.words)] = True
        extends[0] = True
        return extends

    def ids(self, words: Iterable[str]) -> Ints:
        number_of = self.index.get
        return np.array([number_of(word, UNKNOWN_ID) for word in words], dtype=np.int64)

    def advance(self, states: ArrayLike, words: ArrayLike) -> tuple[Scores, Ints]:
        state_array, word_array = np.broadcast_arrays(
            np.asarray(states, np.int64), np.asarray(words, np.int64)
        )
        flat_words = word_array.ravel()
        nodes = flat_words + 1
        scores = np.zeros(len(nodes), np.float32)
        contexts = state_array.ravel()
        places = np.flatnonzero(contexts)
        contexts = contexts[places]
        while len(places):  # places where no n-gram was found yet, and what is left of the context
            longer = self._find(contexts, flat_words[places])
            hit = longer > 0
            nodes[places[hit]] = longer[hit]
            places, contexts = places[~hit], contexts[~hit]
            scores[places] += self.back_offs[contexts]
            contexts = self.fails[contexts].astype(np.int64)
            rest = np.flatnonzero(contexts)
            places, contexts = places[rest], contexts[rest]
        scores += self.log_probs[nodes]
        return scores.reshape(state_array.shape), self._states(nodes).reshape(state_array.shape)

    def _find(self, contexts: Ints, words: Ints) -> Ints:
        if not len(self.keys):
            return np.zeros(len(contexts), np.int64)
        keys = contexts * len(self.words) + words
        places = np.searchsorted(self.keys, keys)
        equal = self.keys.take(places, mode="clip") == keys
        return np.where(equal, places + (1 + len(self.words)), 0)

    def _states(self, nodes: Ints) -> Ints:
        """What must be remembered of the n-grams that were found last."""
        states = self.fails[nodes].astype(np.int64)
        inner = np.flatnonzero(nodes < len(self.extends))
        kept = inner[self.extends[nodes[inner]]]
        states[kept] = nodes[kept]
        return states


def build_model(words: list[str], orders: list[Order]) -> NGramModel:
    """The model of some n-grams, whose contexts are n-grams too; `orders` is emptied."""
    counts = tuple(map(len, orders))
    first = [0, 1, *(np.cumsum(counts) + 1).tolist()]  # of the empty n-gram, of each order, the end
    if first[-1] >= _MOST_NODES:
        raise CrossproError(
            f"model: expected fewer than {_MOST_NODES:,} n-grams, found {first[-1]:,}"
        )
    zero = np.zeros(1, np.float32)
    log_probs = np.concatenate([zero, *(order.log_probs for order in orders)])
    back_offs = np.concatenate([zero, *(order.back_offs for order in orders[:-1])])
    keys = np.empty(first[-1] - first[2], np.int64)
    suffixes = []
    for n, order in enumerate(orders[1:], start=2):
        part = keys[first[n] - first[2] : first[n + 1] - first[2]]
        part[:] = order.contexts
        part += first[n - 1]
        part *= len(words)
        part += order.words
        suffixes.append(order.suffixes)
    orders.clear()
    model = NGramModel(words, counts, keys, log_probs, back_offs, np.zeros(first[-1], np.uint32))
    for n, rows in enumerate(suffixes, start=2):
        nodes = slice(first[n], first[n + 1])
        if rows is not None:
            model.fails[nodes] = model._states(rows.astype(np.int64) + first[n - 1])
        else:
            part = keys[first[n] - first[2] : first[n + 1] - first[2]]
            contexts, last = np.divmod(part, len(words))
            model.fails[nodes] = model.advance(model.fails[contexts], last)[1]
    return model
