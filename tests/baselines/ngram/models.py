"""What the tests of the language model share: golden files, small models, slow reference code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from crosspro.baselines.ngram.arpa import write_arpa
from crosspro.baselines.ngram.files import load_ngram_model
from crosspro.baselines.ngram.kneser_ney import estimate
from crosspro.baselines.ngram.model import NGramModel
from crosspro.data_prep.core.files import read_text_lines
from tests.conftest import GOLDEN

CASES = GOLDEN / "lm_estimate"
Entries = dict[tuple[str, ...], tuple[float, float]]


def train(lines: Sequence[str], order: int = 3, **settings) -> NGramModel:
    return estimate([line.encode().split() for line in lines], order, **settings).model


@cache
def golden_a() -> NGramModel:
    return load_ngram_model(CASES / "a.5gram.arpa.xz")


def read_entries(path: Path) -> Entries:
    """The n-grams of a well-formed ARPA file, read in the simplest way."""
    entries: Entries = {}
    n = 0
    for line in read_text_lines(path):
        if line.startswith("\\") and line.endswith("-grams:"):
            n = int(line[1:-7])
        elif n and "\t" in line:
            prob, words, *back_off = line.split("\t")
            value = float(back_off[0]) if back_off else 0.0
            entries[tuple(words.split(" "))] = float(prob), value
    return entries


def entries_of(model: NGramModel, folder: Path) -> Entries:
    write_arpa(folder / "entries.arpa", model)
    return read_entries(folder / "entries.arpa")


def assert_same(found: Entries, expected: Entries, tolerance: float = 2e-6) -> None:
    assert found.keys() == expected.keys()
    ours = np.array([found[ngram] for ngram in expected])
    theirs = np.array(list(expected.values()))
    assert np.allclose(ours, theirs, rtol=0, atol=tolerance)


def slow_log10(entries: Entries, context: tuple[str, ...], word: str) -> float:
    """Back-off by its definition; every word must be known."""
    if (*context, word) in entries:
        return entries[(*context, word)][0]
    weight = entries[context][1] if context in entries else 0.0
    return weight + slow_log10(entries, context[1:], word)


def state_after(model, context, *, begin=True):
    """The state after some words, at the start of a sentence or without earlier context."""
    state = model.begin_state if begin else model.null_state
    for word in model.ids(context):
        state = int(model.advance(state, word)[1])
    return state


def word_log10(model, word, context, *, begin=True):
    """The log10 probability of a word after some words."""
    log10, _ = model.advance(state_after(model, context, begin=begin), model.ids([word])[0])
    return float(log10)
