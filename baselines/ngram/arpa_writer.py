"""Writes models as ARPA files, as KenLM does: log10 values in their shortest exact form."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.corpus import Report
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.ngrams import Floats
from crosspro.baselines.ngram.vocabulary import IntArray
from crosspro.data_prep.core.files import atomic_output

BLOCK = 1 << 16


def write_arpa(path: Path, model: NGramModel, report: Report = lambda _: None) -> None:
    """Write a model (also .gz, .xz); the highest order has no back-offs."""
    with atomic_output(path) as handle:
        handle.write(b"\\data\\\n")
        for n, count in enumerate(model.counts, start=1):
            handle.write(b"ngram %d=%d\n" % (n, count))
        keys = keys_by_node(model)
        for n in range(1, model.order + 1):
            handle.write(b"\n\\%d-grams:\n" % n)
            for lines in _lines(model, keys, n):
                handle.write(lines)
                report(f"writing {n}-grams")
        handle.write(b"\n\\end\\\n")


def keys_by_node(model: NGramModel) -> IntArray:
    """The keys of all n-grams that are no unigrams, in the order of their nodes."""
    keys = np.empty(len(model.index.keys), np.int64)
    keys[model.index.nodes - np.uint32(model.counts[0] + 1)] = model.index.keys
    return keys


def _lines(model: NGramModel, keys: IntArray, n: int) -> Iterator[bytes]:
    words = np.array(model.vocabulary.words, dtype=object)
    size = len(words)
    first = int(model.first_nodes[n - 1])
    for start in range(first, first + model.counts[n - 1], BLOCK):
        nodes = np.arange(start, min(start + BLOCK, first + model.counts[n - 1]))
        numbers = []
        contexts = nodes
        for _ in range(n - 1):
            key = keys[contexts - (size + 1)]
            numbers.append(key % size)
            contexts = key // size
        numbers.append(contexts - 1)
        columns: list[list[bytes]] = [formatted(model.log_probs[nodes])]
        columns += [words[number].tolist() for number in reversed(numbers)]
        pattern = b"%b\t" + b" ".join([b"%b"] * n)
        if n < model.order:
            columns.append(formatted(model.back_offs[nodes]))
            pattern += b"\t%b"
        pattern += b"\n"
        yield b"".join([pattern % values for values in zip(*columns, strict=True)])


def formatted(values: Floats) -> list[bytes]:
    """The shortest decimal number of each value that reads as the same 32-bit value.

    Equal values, which are many, are formatted once.
    """
    different, inverse = np.unique(values, return_inverse=True)
    texts: NDArray[np.object_] = np.array(
        [text.removesuffix(b".0") for text in different.astype("S").tolist()], dtype=object
    )
    formatted_values: list[bytes] = texts[inverse].tolist()
    return formatted_values
