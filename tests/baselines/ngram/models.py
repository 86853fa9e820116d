"""What the tests of the language model share: golden files, small models, slow reference code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from crosspro.baselines.ngram import DEFAULT_FALLBACK
from crosspro.baselines.ngram.estimate import EstimationSettings, estimate
from crosspro.baselines.ngram.load import load_own
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.text import SentenceBatch, read_sentences
from crosspro.data_prep.core.files import read_text_lines
from tests.conftest import GOLDEN

CASES = GOLDEN / "lm_estimate"
Entries = dict[tuple[str, ...], tuple[float, float]]


def train(text: str | list[str], order: int = 3, **settings) -> NGramModel:
    """The model of a text; discounts that cannot be estimated have defaults."""
    lines = text.splitlines() if isinstance(text, str) else text
    batch = SentenceBatch.of(Path("text"), 1, [line.encode().split() for line in lines])
    chosen = {"order": order, "fallback": DEFAULT_FALLBACK} | settings
    return estimate([batch], EstimationSettings(**chosen)).model


def train_file(path: Path, order: int, **settings) -> NGramModel:
    return estimate(read_sentences([path]), EstimationSettings(order=order, **settings)).model


@cache
def golden_a() -> NGramModel:
    return load_own(CASES / "a.5gram.arpa.xz")


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


def entries_of(model: NGramModel) -> Entries:
    """The n-grams of a model."""
    words = [word.decode() for word in model.vocabulary.words]
    ngrams: list[tuple[str, ...]] = [()] * len(model.log_probs)
    for number, word in enumerate(words):
        ngrams[number + 1] = (word,)
    for place in np.argsort(model.index.nodes):
        context, word_number = divmod(int(model.index.keys[place]), len(words))
        ngrams[model.index.nodes[place]] = (*ngrams[context], words[word_number])
    back_offs = np.zeros(len(model.log_probs))
    back_offs[: len(model.back_offs)] = model.back_offs
    values = zip(model.log_probs.tolist(), back_offs.tolist(), strict=True)
    return dict(zip(ngrams[1:], [*values][1:], strict=True))


def assert_same(found: Entries, expected: Entries, tolerance: float = 2e-6) -> None:
    assert found.keys() == expected.keys()
    ngrams = list(expected)
    ours = np.array([found[ngram] for ngram in ngrams])
    theirs = np.array([expected[ngram] for ngram in ngrams])
    assert np.allclose(ours, theirs, rtol=0, atol=tolerance)


def arpa_text(entries: Entries) -> str:
    """An ARPA file with some n-grams."""
    order = max(map(len, entries))
    orders = [[ngram for ngram in entries if len(ngram) == n] for n in range(1, order + 1)]
    lines = ["\\data\\", *(f"ngram {n}={len(part)}" for n, part in enumerate(orders, start=1))]
    for n, part in enumerate(orders, start=1):
        lines += ["", f"\\{n}-grams:"]
        for ngram in part:
            prob, back_off = entries[ngram]
            lines.append(f"{prob}\t{' '.join(ngram)}" + (f"\t{back_off}" if n < order else ""))
    return "\n".join([*lines, "", "\\end\\", ""])


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
