"""What sacrebleu counts on each line for BLEU and chrF, counted for all lines at once.

sacrebleu prepares the text (its tokenisers, lower case), makes scores of the sums and says how; the
n-grams between are counted here, which takes a tenth of the time. Several references are counted by
sacrebleu itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from crosspro.evaluation.core.statistics import Ints
from crosspro.evaluation.metrics.bleu.ngram_matches import (
    SymbolLines,
    characters_of,
    matched_ngrams,
    symbol_lines,
    word_numbers,
)

_TOKENISED = " ."
_ENOUGH = 100
"""With so many lines that end in a period of its own, sacrebleu warns of tokenised text."""

_BY_CHUNK = ("13a", "none")
"""Tokenisers that look at no more of a line than what stands between two spaces."""
_REMEMBERED = 300_000


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

    sacrebleu gets some lines of each to count by itself: it knows its own signature only then, and
    warns of text that is tokenised already.
    """
    if len(references) != 1:
        for lines in candidates:
            yield np.array(metric._extract_corpus_statistics(lines, references), dtype=np.int64)
        return
    count = (_Bleu if name == "bleu" else _Chrf)(metric, references[0])
    for lines in candidates:
        shown = [n for n, line in enumerate(lines) if line.endswith(_TOKENISED)][:_ENOUGH]
        if len(shown) < _ENOUGH:
            shown = [0]
        metric._extract_corpus_statistics(
            [lines[n] for n in shown], [[references[0][n] for n in shown]]
        )
        yield count(lines)


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
