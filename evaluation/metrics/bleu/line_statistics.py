"""What sacrebleu counts on each line for BLEU and chrF, counted for all lines at once.

sacrebleu prepares the text (its tokenisers, lower case), makes scores of the sums and says how; the
n-grams between are counted here, which takes a tenth of the time. Several references are counted by
sacrebleu itself.

Lines are arrays of symbols, which are characters or words. An n-gram of the highest order is packed
into one number, in front of it the number of its line and behind it the side that it is from. One
sort of these numbers brings the equal n-grams of a line together, and those of every lower order
too, for they are prefixes. What is matched is counted as in BLEU and chrF: an n-gram as often as
the side has it that has it less often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from crosspro.evaluation.core.statistics import Floats, Ints

_BY_CHUNK = ("13a", "none")
"""Tokenisers that look at no more of a line than what stands between two spaces."""
_REMEMBERED = 300_000
_BITS = 63
_LINES_AT_ONCE = 512
"""So many fit into the caches of a processor, and their numbers into few bits."""


CHRF_BETA = 2
"""How much more recall counts than precision in chrF2."""


def chrf_of_sums(sums: Floats) -> Floats:
    """chrF2 of rows of sums: for each order n-grams of candidate and reference, and matched ones.

    The mean precision and the mean recall of all orders that both texts have (Popović 2015), as
    sacrebleu has it, which need not be installed for this.
    """
    orders = np.asarray(sums, dtype=np.float64).reshape(len(sums), -1, 3)
    both = (orders[..., :2] > 0).all(axis=2)
    number = np.maximum(both.sum(axis=1), 1)
    precision, recall = (
        (np.divide(orders[..., 2], orders[..., side], out=np.zeros(both.shape), where=both)).sum(
            axis=1
        )
        / number
        for side in (0, 1)
    )
    factor = CHRF_BETA**2
    below = factor * precision + recall
    result: Floats = np.zeros(len(orders))
    np.divide(100 * (1 + factor) * precision * recall, below, out=result, where=below > 0)
    return result


class SacrebleuMetric(Protocol):
    """The part of sacrebleu's metrics that is used here."""

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Any
    ) -> list[list[int]]: ...

    def _compute_score_from_stats(self, stats: list[int]) -> Any: ...

    def _preprocess_segment(self, sent: str) -> str: ...

    def get_signature(self) -> Any:
        """What sacrebleu says about itself."""


def line_statistics(
    name: str,
    metric: SacrebleuMetric,
    candidates: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
) -> Iterator[Ints]:
    """The statistics of each line of each candidate, as sacrebleu has them, candidate by candidate.

    sacrebleu counts a line by itself, because it knows its own signature only then.
    """
    if len(references) != 1:
        for lines in candidates:
            yield np.array(metric._extract_corpus_statistics(lines, references), dtype=np.int64)
        return
    count = (_Bleu if name == "bleu" else _Chrf)(metric, references[0])
    metric._extract_corpus_statistics(candidates[0][:1], [references[0][:1]])
    yield from map(count, candidates)


class _Bleu:
    """Lengths, matched and all n-grams of words."""

    def __init__(self, metric: Any, reference: Sequence[str]) -> None:
        self.metric = metric
        self.by_chunk = metric.tokenizer_signature in _BY_CHUNK
        self.numbers: dict[str, int] = {}
        self._seen: dict[str, list[int]] = {}
        self.reference = self._words(reference)

    def __call__(self, lines: Sequence[str]) -> Ints:
        own, order = self._words(lines), self.metric.max_ngram_order
        lengths = np.stack((own.lengths, self.reference.lengths), axis=1)
        matched = matched_ngrams(own, self.reference, order)
        return np.concatenate((lengths, matched, own.totals(order)), axis=1)

    def _words(self, lines: Sequence[str]) -> SymbolLines:
        return symbol_lines(map(self._in_chunks if self.by_chunk else self._prepared, lines))

    def _in_chunks(self, line: str) -> list[int]:
        """The words of a line from those of its chunks, which come again and again."""
        words: list[int] = []
        seen = self._seen
        for chunk in line.split(" "):
            known = seen.get(chunk)
            if known is None:
                if len(seen) >= _REMEMBERED:
                    seen.clear()
                known = seen[chunk] = self._prepared(chunk)
            words += known
        return words

    def _prepared(self, text: str) -> list[int]:
        return word_numbers(self.metric._preprocess_segment(text).split(), self.numbers)


class _Chrf:
    """N-grams of the candidate, of the reference and of both, of characters and then of words."""

    def __init__(self, metric: Any, reference: Sequence[str]) -> None:
        self.metric = metric
        self.numbers: dict[str, int] = {}
        self.reference = self._sides(reference)

    def __call__(self, lines: Sequence[str]) -> Ints:
        orders = self.metric.char_order, self.metric.word_order
        columns = []
        sides = zip(self._sides(lines), self.reference, orders, strict=True)
        for own, reference, order in sides:
            wanted = reference.totals(order)
            # Where the reference has none, sacrebleu counts none.
            made = own.totals(order) * (wanted > 0)
            columns.append(np.stack((made, wanted, matched_ngrams(own, reference, order)), axis=2))
        return np.concatenate(columns, axis=1).reshape(len(lines), -1)

    def _sides(self, lines: Sequence[str]) -> tuple[SymbolLines, SymbolLines]:
        texts = [self.metric._preprocess_segment(line) for line in lines]
        split = self.metric._remove_punctuation if self.metric.word_order else _no_words
        return (
            characters_of("".join(text.split()) for text in texts),
            symbol_lines(word_numbers(split(text), self.numbers) for text in texts),
        )


def _no_words(text: str) -> list[str]:
    return []


# N-grams that a line of a candidate and of a reference have in common ---------------------------


@dataclass(frozen=True)
class SymbolLines:
    """Lines as numbers: the symbols of all of them, from 0, and how many each line has."""

    symbols: Ints
    lengths: Ints

    def part(self, lines: slice, ends: Ints) -> SymbolLines:
        """Some of the lines; `ends` are where lines end."""
        first = ends[lines.start] - self.lengths[lines.start]
        return SymbolLines(self.symbols[first : ends[lines.stop - 1]], self.lengths[lines])

    def totals(self, order: int) -> Ints:
        """How many n-grams of each order up to `order` each line has."""
        totals: Ints = np.maximum(self.lengths[:, None] - np.arange(order), 0)
        return totals


def characters_of(lines: Iterable[str]) -> SymbolLines:
    """The characters of lines."""
    texts = list(lines)
    packed = "".join(texts).encode("utf-32-le", "surrogatepass")
    symbols = np.frombuffer(packed, dtype=np.uint32).astype(np.int64)
    return SymbolLines(symbols, np.fromiter(map(len, texts), np.int64, len(texts)))


def word_numbers(words: Iterable[str], numbers: dict[str, int]) -> list[int]:
    """Words by their numbers, to which those of new words are added."""
    return [numbers.setdefault(word, len(numbers)) for word in words]


def symbol_lines(lines: Iterable[Sequence[int]]) -> SymbolLines:
    """Lines whose symbols have numbers already."""
    symbols: list[int] = []
    lengths: list[int] = []
    for line in lines:
        symbols += line
        lengths.append(len(line))
    return SymbolLines(np.array(symbols, dtype=np.int64), np.array(lengths, dtype=np.int64))


def matched_ngrams(candidate: SymbolLines, reference: SymbolLines, order: int) -> Ints:
    """How many n-grams of each order from 1 to `order` both sides of each line have."""
    matched = np.zeros((len(candidate.lengths), order), dtype=np.int64)
    ends = [np.cumsum(side.lengths) for side in (candidate, reference)]
    waiting = list(_blocks(len(matched)))
    while waiting:
        lines = waiting.pop()
        sides = candidate.part(lines, ends[0]), reference.part(lines, ends[1])
        found = _matched(*sides, order)
        if found is not None:
            matched[lines] = found
        elif lines.stop - lines.start > 1:
            middle = (lines.start + lines.stop) // 2
            waiting += [slice(lines.start, middle), slice(middle, lines.stop)]
        else:
            matched[lines] = _matched_singly(*sides, order)
    return matched


def _blocks(lines: int) -> Iterator[slice]:
    for first in range(0, lines, _LINES_AT_ONCE):
        yield slice(first, min(first + _LINES_AT_ONCE, lines))


def _matched(candidate: SymbolLines, reference: SymbolLines, order: int) -> Ints | None:
    """The same for a few lines; None if their n-grams do not fit into one number."""
    lines = len(candidate.lengths)
    matched = np.zeros((lines, order), dtype=np.int64)
    symbols = np.concatenate((candidate.symbols, reference.symbols))
    if not len(symbols):
        return matched
    symbols, different = _renumbered(symbols)
    bits = different.bit_length()
    if order * bits + (lines - 1).bit_length() + 1 > _BITS:
        return None
    keys = _keys(symbols, (candidate.lengths, reference.lengths), order, bits)
    keys.sort()
    before = np.concatenate(([0], np.cumsum(keys & 1)))
    change = keys[1:] ^ keys[:-1]
    for size in range(1, order + 1):
        lower = 1 + bits * (order - size)
        bounds = np.concatenate(([0], np.flatnonzero(change >> lower) + 1, [len(keys)]))
        several = np.flatnonzero(np.diff(bounds) > 1)  # one alone is matched by none
        first, end = bounds[several], bounds[several + 1]
        ngrams = keys[first] >> lower
        ours = before[end] - before[first]
        shared = np.minimum(ours, end - first - ours)
        shared[ngrams & ((1 << bits) - 1) == 0] = 0  # it goes beyond the end of its line
        matched[:, size - 1] = np.bincount(ngrams >> (bits * size), shared, lines)
    return matched


def _renumbered(symbols: Ints) -> tuple[Ints, int]:
    """The symbols numbered from 1 without holes, and the highest number."""
    numbers = np.zeros(int(symbols.max()) + 1, dtype=np.int64)
    numbers[symbols] = 1
    np.cumsum(numbers, out=numbers)
    return numbers[symbols], int(numbers[-1])


def _keys(symbols: Ints, lengths: tuple[Ints, Ints], order: int, bits: int) -> Ints:
    """A number for each place: its line, the symbols from there on (0 beyond the end), its side."""
    sides = len(lengths[0]), len(lengths[1])
    line = np.repeat(np.concatenate([np.arange(size) for size in sides]), np.concatenate(lengths))
    row = np.repeat(np.arange(sum(sides)), np.concatenate(lengths))
    places = np.arange(len(symbols)) + row * (order - 1)
    spaced = np.zeros(places[-1] + order, dtype=np.int64)
    spaced[places] = symbols
    packed = spaced[: len(spaced) - order + 1].copy()
    for further in range(1, order):
        packed <<= bits
        packed |= spaced[further : len(packed) + further]
    keys: Ints = packed[places]
    keys |= line << (bits * order)
    keys <<= 1
    keys |= row >= sides[0]
    return keys


def _matched_singly(candidate: SymbolLines, reference: SymbolLines, order: int) -> list[int]:
    """The same for a line of very many different symbols."""
    sides = candidate.symbols.tolist(), reference.symbols.tolist()
    found = []
    for size in range(1, order + 1):
        ours, theirs = (
            Counter(tuple(side[at : at + size]) for at in range(len(side) - size + 1))
            for side in sides
        )
        found.append((ours & theirs).total())
    return found
