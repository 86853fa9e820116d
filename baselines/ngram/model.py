"""What every language model can do, and our n-gram model in arrays.

Words are bytes inside, as in KenLM: a token is what stands between spaces, whatever Unicode says
about it. `<unk>`, `<s>` and `</s>` always have the numbers 0, 1 and 2.

A state stands for all that a model remembers of the words so far, as a number; equal states are
equal numbers, however they came about. All scores are log10 probabilities, as in ARPA files.

In our model every n-gram is a node, numbered by order and then sorted; node 0 is the empty context.
A back-off goes along a link to the longest suffix that can still matter. States are nodes, too:
contexts are cut to the words that can influence what follows, as in KenLM.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crosspro.baselines.ngram.index import Index, IntArray, Workspace, build_index, mixed
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.processes import processors

UNKNOWN, BEGIN, END = b"<unk>", b"<s>", b"</s>"
SPECIAL_WORDS = (UNKNOWN, BEGIN, END)
UNKNOWN_ID, BEGIN_ID, END_ID = range(3)


_PIECE = 8
_KEPT_BITS = np.array([(1 << 8 * size) - 1 for size in range(_PIECE + 1)], np.uint64)


@dataclass(frozen=True, slots=True)
class Words:
    """Words somewhere in a text: where each starts and ends."""

    text: bytes
    starts: IntArray
    ends: IntArray

    @classmethod
    def of(cls, words: Iterable[bytes]) -> Words:
        """Words one after the other."""
        every = [*words]
        ends = np.cumsum(np.fromiter(map(len, every), np.int64, len(every)))
        return cls(b"".join(every), starts_before(ends), ends)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, place: int) -> bytes:
        return self.text[self.starts[place] : self.ends[place]]

    def __iter__(self) -> Iterator[bytes]:
        bounds = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return (self.text[start:end] for start, end in bounds)

    def hashes(self) -> IntArray:
        """64 bits for each word, by which it is known, as in KenLM.

        Different words of at most eight bytes have different ones, longer words as good as surely.
        """
        pieces = np.ndarray(len(self.text) + 1, "<u8", self.text + bytes(_PIECE), strides=(1,))
        at, left = self.starts, self.ends - self.starts
        found = left.astype(np.uint64)
        places = np.arange(len(self))
        while len(places):
            piece = pieces[at] & _KEPT_BITS.take(left, mode="clip")
            found[places] = mixed(found[places] ^ piece)
            more = np.flatnonzero(left > _PIECE)
            places, at, left = places[more], at[more] + _PIECE, left[more] - _PIECE
        return found.view(np.int64)


def starts_before(ends: IntArray) -> IntArray:
    """Where things start that lie one after the other, from where they end."""
    return np.append(np.zeros(1, np.int64), ends[:-1])[: len(ends)]


class Numbering:
    """Gives each new word the next number.

    Words get their numbers in the order in which they appear, as in KenLM: the discounts depend on
    it (see `estimate.closing_rows`).
    """

    def __init__(self) -> None:
        self.words: list[bytes] = []
        self._numbers: dict[int, int] = {}
        self.of(Words.of(SPECIAL_WORDS))

    def of(self, words: Words) -> NDArray[np.int32]:
        """The numbers of words."""
        hashes, first, own = np.unique(words.hashes(), return_index=True, return_inverse=True)
        numbers = np.empty(len(hashes), np.int32)
        for place in np.argsort(first).tolist():
            number = self._numbers.setdefault(int(hashes[place]), len(self.words))
            if number == len(self.words):
                self.words.append(words[first[place]])
            numbers[place] = number
        return numbers[own]


class ModelVocabulary:
    """All words of a model, the special ones first; any other word is `<unk>`."""

    def __init__(self, text: NDArray[np.uint8], ends: IntArray) -> None:
        self.text = text
        """All words without anything between them."""
        self.ends = ends
        """Where each word ends in `text`."""

    @classmethod
    def of(cls, words: Sequence[bytes]) -> ModelVocabulary:
        """The vocabulary of a list of words, whose first three are the special ones."""
        packed = Words.of(words)
        return cls(np.frombuffer(packed.text, np.uint8), packed.ends)

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def words(self) -> list[bytes]:
        """The words by number."""
        return [*self._packed]

    @property
    def _packed(self) -> Words:
        return Words(self.text.tobytes(), starts_before(self.ends), self.ends)

    @cached_property
    def _index(self) -> Index:
        """Made only when text comes, so that opening a model is quick."""
        return Index.of(self._packed.hashes())

    def ids(self, words: Iterable[str | bytes]) -> IntArray:
        """The numbers of words; 0 for those that are not known."""
        given = words if isinstance(words, Words) else Words.of(map(as_bytes, words))
        return self._index.find(given.hashes())

    def word(self, number: int) -> str:
        """A word as text."""
        return self.words[number].decode("utf-8")


def as_bytes(word: str | bytes) -> bytes:
    """A word as it is stored; half characters, which no file can hold, match no word."""
    return word if isinstance(word, bytes) else word.encode("utf-8", "backslashreplace")


Piece = TypeVar("Piece")
Result = TypeVar("Result")


def in_threads(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """What the work makes of each piece; no thread is left when it is done."""
    waiting = list(pieces)
    threads = min(processors(), len(waiting))
    if threads < 2:
        return [work(piece) for piece in waiting]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, waiting))


Rows = NDArray[np.uint32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NGrams:
    """The n-grams of one order with their log10 values, sorted by context, then by word.

    A context, the first n-1 words, is a row of the order below; unigrams have 0 there, and the row
    of a unigram is its word.
    """

    contexts: Rows
    words: Rows
    log_probs: Floats
    back_offs: Floats

    def __len__(self) -> int:
        return len(self.words)


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


MOST_NODES = 1 << 32
ROUNDING = 0.01
"""IRSTLM writes log probabilities a little above 0; so much is taken for 0."""
SCORED_AT_ONCE = 1 << 16
"""Tokens scored at once: the arrays of so many stay in the processor's cache."""


@dataclass(frozen=True)
class NGramModel(LanguageModel):
    """A back-off model; `back_offs` and `extends` have only the nodes that can be contexts.

    `fails` has the state that remains when the first words of a node are forgotten; `extends` says
    whether a node is the context of a longer n-gram or has a back-off.
    """

    vocabulary: ModelVocabulary
    counts: tuple[int, ...]
    index: Index
    log_probs: Floats
    back_offs: Floats
    fails: NDArray[np.uint32]
    extends: NDArray[np.bool_]

    null_state = 0
    end_id = END_ID

    @cached_property
    def order(self) -> int:  # type: ignore[override]
        """The length of the longest n-grams."""
        return len(self.counts)

    @cached_property
    def begin_state(self) -> int:  # type: ignore[override]
        """The state after `<s>`."""
        return int(self._states(np.array([BEGIN_ID + 1]))[0])

    @cached_property
    def first_nodes(self) -> IntArray:
        """The first node of each order."""
        return np.cumsum([1, *self.counts])[:-1]

    def ids(self, words: Iterable[str | bytes]) -> IntArray:
        """The numbers of words; 0 for words that the model does not know."""
        return self.vocabulary.ids(words)

    def find(self, contexts: IntArray, words: IntArray) -> IntArray:
        """The nodes of contexts (nodes, not the empty one) followed by words; 0 where absent."""
        return self.index.find(contexts * len(self.vocabulary) + words)

    def advance(self, states: ArrayLike, words: ArrayLike) -> tuple[Scores, IntArray]:
        """The log10 probability of each word after its state, and the state after the word."""
        state_array, word_array = np.broadcast_arrays(
            np.asarray(states, np.int64), np.asarray(words, np.int64)
        )
        every = word_array.ravel()
        nodes = every + 1
        log10 = np.zeros(len(nodes), np.float32)
        contexts = state_array.ravel()
        places = np.flatnonzero(contexts)
        contexts = contexts.take(places)
        while len(places):
            found = self.find(contexts, every.take(places))
            hits = np.flatnonzero(found)
            nodes[places.take(hits)] = found.take(hits)
            missed = np.flatnonzero(found == 0)
            places, contexts = places.take(missed), contexts.take(missed)
            log10[places] += self.back_offs.take(contexts)
            contexts = self.fails.take(contexts)
            still = np.flatnonzero(contexts)
            places, contexts = places.take(still), contexts.take(still).astype(np.int64)
        log10 += self.log_probs.take(nodes)
        return log10.reshape(state_array.shape), self._states(nodes).reshape(state_array.shape)

    def _states(self, nodes: IntArray) -> IntArray:
        """What must be remembered of the n-grams that were found last."""
        states = self.fails.take(nodes).astype(np.int64)
        possible = np.flatnonzero(nodes < len(self.extends))
        inner = nodes.take(possible)
        kept = np.flatnonzero(self.extends.take(inner))
        states[possible.take(kept)] = inner.take(kept)
        return states

    def score(
        self, ids: IntArray, lengths: IntArray, *, begin: bool = True, end: bool = True
    ) -> TokenScores:
        """Score sentences; all words of many sentences at once, order by order."""
        lengths = np.asarray(lengths, np.int64)
        stops = np.cumsum(lengths)
        tokens = np.empty(len(ids) + len(lengths) * (1 + end), np.int64)
        # One place before each sentence stands for its context, one after it for </s>.
        starts = stops - lengths + np.arange(len(lengths)) * (1 + end)
        is_word = np.ones(len(tokens), bool)
        is_word[starts] = False
        if end:
            is_word[starts + lengths + 1] = False
        tokens[is_word] = ids
        tokens[starts] = BEGIN_ID
        if end:
            tokens[starts + lengths + 1] = END_ID
        scored = np.ones(len(tokens), bool)
        scored[starts] = False
        log10 = np.empty(len(tokens), np.float32)
        found = np.empty(len(tokens), np.uint8)

        def score_part(part: slice) -> None:
            log10[part], found[part] = self._score_part(tokens[part], scored[part], begin)

        in_threads(score_part, _groups(starts, len(tokens)))
        ends = stops + np.arange(1, len(lengths) + 1) * end
        return TokenScores(tokens[scored], log10[scored], found[scored], ends)

    def _score_part(
        self, tokens: IntArray, scored: NDArray[np.bool_], begin: bool
    ) -> tuple[Scores, NDArray[np.uint8]]:
        """The scores of tokens, and the lengths of the n-grams that were found.

        Only places where there is a context are looked at: an n-gram that was found is the context
        of the word after it, unless a sentence ends there.
        """
        longest = tokens + 1
        lengths = np.ones(len(tokens), np.uint8)
        back_offs = np.zeros(len(tokens), np.float32)
        following = np.append(scored[1:], False)
        before = np.flatnonzero(following if begin else following & scored)
        contexts = longest[before]
        for n in range(2, self.order + 1):
            places = before + 1
            found = self.find(contexts, tokens[places])
            misses = np.flatnonzero(found == 0)
            back_offs[places[misses]] += self.back_offs.take(contexts[misses])
            hits = np.flatnonzero(found)
            longer, nodes = places[hits], found[hits]
            longest[longer] = nodes
            lengths[longer] = n
            back_offs[longer] = 0  # a longer match makes those of shorter contexts void
            inside = np.flatnonzero(following[longer])
            before, contexts = longer[inside], nodes[inside]
        return self.log_probs.take(longest) + back_offs, lengths


def _groups(starts: IntArray, length: int) -> Iterator[slice]:
    """Slices of whole sentences, each about as long as what is scored at once."""
    at = 0
    while at < length:
        following = int(np.searchsorted(starts, at + SCORED_AT_ONCE))
        stop = int(starts[following]) if following < len(starts) else length
        yield slice(at, stop)
        at = stop


def build_model(words: Sequence[bytes], orders: Sequence[NGrams], space: Workspace) -> NGramModel:
    """The model of some n-grams; every context of an n-gram must be an n-gram, too."""
    counts = tuple(len(ngrams) for ngrams in orders)
    first = np.cumsum([1, *counts]).tolist()
    size, total = len(words), first[-1]

    if total >= MOST_NODES:
        raise CrossproError(f"model: expected fewer than {MOST_NODES:,} n-grams, found {total:,}")

    def keys(n: int, part: slice) -> IntArray:
        keys: IntArray = orders[n - 1].contexts[part].astype(np.int64) + first[n - 2]
        keys *= size
        keys += orders[n - 1].words[part]
        return keys

    def parts() -> Iterator[tuple[int, IntArray]]:
        yield 0, np.empty(0, np.int64)
        for n in range(2, len(orders) + 1):
            for part in space.blocks(counts[n - 1]):
                yield first[n - 1] + part.start, keys(n, part)

    contexts = first[-2]
    model = NGramModel(
        ModelVocabulary.of(words),
        counts,
        build_index(parts, total - 1 - counts[0], space),
        space.zeros(total, np.float32),
        space.zeros(contexts, np.float32),
        space.zeros(total, np.uint32),
        space.zeros(contexts, bool),
    )
    model.extends[0] = True
    for n, ngrams in enumerate(orders, start=1):
        for part in space.blocks(len(ngrams)):
            nodes = slice(first[n - 1] + part.start, first[n - 1] + part.stop)
            model.log_probs[nodes] = ngrams.log_probs[part]
            if n < len(orders):
                model.back_offs[nodes] = ngrams.back_offs[part]
                model.extends[nodes] |= ngrams.back_offs[part] != 0
            if n > 1:
                model.extends[ngrams.contexts[part].astype(np.int64) + first[n - 2]] = True
    for n, ngrams in enumerate(orders[1:], start=2):
        for part in space.blocks(len(ngrams)):
            nodes = slice(first[n - 1] + part.start, first[n - 1] + part.stop)
            shorter = model.fails[ngrams.contexts[part].astype(np.int64) + first[n - 2]]
            model.fails[nodes] = model.advance(shorter, ngrams.words[part])[1]
    return model
