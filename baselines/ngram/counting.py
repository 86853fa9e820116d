"""Counts all n-grams of a corpus, order by order, by sorting.

An n-gram is a pair: the row of its first n-1 words in the table of the order below, and its last
word. Both fit into one 64-bit key, whatever the order, and a table sorted by key is sorted by
words. A text too large to sort at once is sorted in chunks; the chunks are merged on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.index import Workspace
from crosspro.baselines.ngram.model import BEGIN_ID, Rows
from crosspro.baselines.ngram.text import NumberedText, Report
from crosspro.data_prep.core.errors import CrossproError

NO_ROW = np.uint32(0xFFFFFFFF)
"""Instead of a row, where an n-gram would begin before its sentence."""

Keys = NDArray[np.int64]
Counts = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class NGramTable:
    """All n-grams of one order, sorted.

    `keys` are context row times vocabulary size plus last word (of unigrams: the word); `counts`
    say how often each occurs; `suffixes` are the rows of the last n-1 words in the order below.
    The n-grams that start with `<s>` are the rows from `begin` to `end`.
    """

    keys: Keys
    counts: Counts
    suffixes: Rows
    begin: int
    end: int

    def __len__(self) -> int:
        return len(self.keys)


def count_ngrams(
    corpus: NumberedText, order: int, space: Workspace, report: Report
) -> list[NGramTable]:
    """The tables of the orders 1 to `order`.

    `<s>` is only context: it starts n-grams but is never counted as a word.
    """
    size = len(corpus.words)
    tables = [_unigrams(corpus, space)]
    rows = _copy(corpus.ids, space)
    for n in range(2, order + 1):
        report(f"counting {n}-grams")
        if len(tables[-1]) * size >= 2**63 or len(rows) >= 2**32 - 1:
            raise CrossproError(f"text: {len(rows):,} words are too many to count {n}-grams")
        most_bits = (len(tables[-1]) * size).bit_length()
        new_rows = space.empty(len(rows), np.uint32) if n < order else None
        runs = [
            _sort_chunk(corpus.ids, rows, new_rows, part, size, most_bits, space)
            for part in _chunks(len(rows), space.chunk)
        ]
        keys, counts, suffixes = merge(runs, space)
        if len(runs) > 1 and new_rows is not None:
            for part, run in zip(_chunks(len(rows), space.chunk), runs, strict=True):
                _to_global(new_rows, part, run, keys)
        begin = int(np.searchsorted(keys, tables[-1].begin * size))
        end = int(np.searchsorted(keys, tables[-1].end * size))
        tables.append(NGramTable(keys, counts, suffixes, begin, end))
        if new_rows is not None:
            rows = new_rows
    return tables


def _unigrams(corpus: NumberedText, space: Workspace) -> NGramTable:
    counts = np.zeros(len(corpus.words), np.uint32)
    for part in space.blocks(len(corpus.ids)):
        counts += np.bincount(corpus.ids[part], minlength=len(counts)).astype(np.uint32)
    counts[BEGIN_ID] = 0
    keys = np.arange(len(counts), dtype=np.int64)
    return NGramTable(keys, counts, np.zeros(len(counts), np.uint32), BEGIN_ID, BEGIN_ID + 1)


def _copy(ids: NDArray[np.int32], space: Workspace) -> Rows:
    rows: Rows = space.empty(len(ids), np.uint32)
    for part in space.blocks(len(ids)):
        rows[part] = ids[part]
    return rows


def _chunks(length: int, size: int) -> Iterator[slice]:
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))


@dataclass(frozen=True, slots=True)
class SortedRun:
    """The different n-grams of one chunk of the text, sorted by key."""

    keys: Keys
    counts: Counts
    suffixes: Rows


def _sort_chunk(
    ids: NDArray[np.int32],
    rows: Rows,
    new_rows: Rows | None,
    part: slice,
    size: int,
    most_bits: int,
    space: Workspace,
) -> SortedRun:
    """Count the n-grams that end in a part of the text.

    `rows` has the row of the (n-1)-gram that ends at each word; `new_rows` gets that of the n-gram,
    as a row of the run. No key has more than `most_bits`.
    """
    words = ids[part]
    contexts = np.empty(len(words), np.uint32)
    contexts[0] = rows[part.start - 1] if part.start else NO_ROW
    contexts[1:] = rows[part.start : part.stop - 1]
    places = np.flatnonzero((contexts != NO_ROW) & (words != BEGIN_ID))
    keys = contexts[places].astype(np.int64)
    del contexts
    keys *= size
    keys += words[places]
    keys, places = _sorted(keys, places, most_bits, len(words).bit_length())
    first = np.empty(len(keys), bool)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    if new_rows is not None:
        part_rows = new_rows[part]
        part_rows[:] = NO_ROW
        part_rows[places] = np.cumsum(first, dtype=np.uint32) - 1
    # Memory is fullest here: what is not needed any more goes at once.
    found: Keys = space.empty(len(starts), np.int64)
    keys.take(starts, out=found, mode="clip")
    del keys, first
    counts: Counts = space.empty(len(starts), np.uint32)
    np.subtract(starts[1:], starts[:-1], out=counts[:-1], casting="unsafe")
    counts[-1:] = len(places) - starts[-1:]
    suffixes: Rows = space.empty(len(starts), np.uint32)
    rows[part].take(places.take(starts), out=suffixes, mode="clip")
    return SortedRun(found, counts, suffixes)


def _sorted(
    keys: Keys, places: NDArray[np.int64], key_bits: int, place_bits: int
) -> tuple[Keys, NDArray[np.int64]]:
    """Keys in order, and the place of each, those of equal keys in any order.

    Where both fit into one number, it is sorted: that takes a third of sorting places by keys.
    """
    if key_bits + place_bits > 63:
        order = np.argsort(keys)
        return keys[order], places[order]
    keys <<= place_bits
    keys |= places
    keys.sort()
    np.bitwise_and(keys, (1 << place_bits) - 1, out=places)
    keys >>= place_bits
    return keys, places


def _to_global(rows: Rows, part: slice, run: SortedRun, keys: Keys) -> None:
    """Change rows of a run into rows of the merged table."""
    table_rows = np.append(np.searchsorted(keys, run.keys).astype(np.uint32), NO_ROW)
    rows[part] = table_rows[np.minimum(rows[part], len(run.keys))]


def merge(runs: list[SortedRun], space: Workspace) -> tuple[Keys, Counts, Rows]:
    """One sorted table from sorted runs; the counts of equal keys are added."""
    if len(runs) == 1:
        return runs[0].keys, runs[0].counts, runs[0].suffixes
    longest = sum(len(run.keys) for run in runs)
    keys = space.empty(longest, np.int64)
    counts = space.empty(longest, np.uint32)
    suffixes = space.empty(longest, np.uint32)
    length = 0
    step = max(1, space.chunk // len(runs))
    at = [0] * len(runs)
    while open_runs := [i for i, run in enumerate(runs) if at[i] < len(run.keys)]:
        # Everything up to the smallest last key of the windows is known to be complete.
        limit = min(runs[i].keys[min(at[i] + step, len(runs[i].keys)) - 1] for i in open_runs)
        parts = []
        for i in open_runs:
            window = runs[i].keys[at[i] : at[i] + step]
            stop = at[i] + int(np.searchsorted(window, limit, side="right"))
            parts.append((runs[i], slice(at[i], stop)))
            at[i] = stop
        found = np.concatenate([run.keys[part] for run, part in parts])
        order = np.argsort(found, kind="stable")
        found = found[order]
        starts = np.flatnonzero(np.append(True, found[1:] != found[:-1]))
        part_counts = np.concatenate([run.counts[part] for run, part in parts])[order]
        part_suffixes = np.concatenate([run.suffixes[part] for run, part in parts])[order]
        target = slice(length, length + len(starts))
        keys[target] = found[starts]
        counts[target] = np.add.reduceat(part_counts, starts)
        suffixes[target] = part_suffixes[starts]
        length += len(starts)
    return keys[:length], counts[:length], suffixes[:length]
