"""N-grams counted for all lines at once are those that sacrebleu counts line by line."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.evaluation.metrics.bleu.line_statistics import (
    characters_of,
    chrf_of_sums,
    line_statistics,
    matched_ngrams,
    symbol_lines,
)
from crosspro.evaluation.metrics.bleu.metric import sacrebleu_metric
from crosspro.evaluation.metrics.bleu.settings import BleuSettings

PIECES = (
    *("a", "b", "ab", "Ab", "il", "l'", "dit-il", "été", "ΟΔΟΣ", "İ", "日本語", "😀", "e\u0301"),
    *(".", ",", "..", ",.", "3.5", "3,", ".5", "-", "10-12", "1-", "(", "&", "&quot;", "&amp;lt;"),
    *("<skipped>", "$", "{", "\t", "\u00a0", "\u2028", "\x00", " ", "  "),
)
lines = st.lists(
    st.lists(st.one_of(st.sampled_from(PIECES), st.just(" ")), max_size=14).map("".join),
    min_size=1,
    max_size=4,
)


def counted(name, setting, candidates, references):
    metric = sacrebleu_metric(name, setting)
    return [one.tolist() for one in line_statistics(name, metric, candidates, references)]


def by_sacrebleu(name, setting, candidates, references):
    metric = sacrebleu_metric(name, setting)
    return [metric._extract_corpus_statistics(one, references) for one in candidates]


SETTINGS = {
    "bleu": [
        BleuSettings(tokenise=t, ignore_case=c) for t in ("13a", "none", "char") for c in (0, 1)
    ],
    "chrf": [BleuSettings(word_order=w, ignore_case=c) for w in (0, 2) for c in (0, 1)],
}


@pytest.fixture(autouse=True)
def _needs_sacrebleu():
    pytest.importorskip("sacrebleu")


@pytest.mark.parametrize("name", SETTINGS)
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_statistics_are_those_of_sacrebleu(name, data):
    setting = data.draw(st.sampled_from(SETTINGS[name]))
    reference = data.draw(lines)
    size = len(reference)
    made = st.lists(lines, min_size=1, max_size=2)
    candidates = [(one * size)[:size] for one in data.draw(made)]
    candidates.append([line.replace("a", "b") for line in reference])
    found = counted(name, setting, candidates, [reference])
    assert found == by_sacrebleu(name, setting, candidates, [reference])


@pytest.mark.parametrize("name", SETTINGS)
def test_several_references_are_counted_by_sacrebleu(name):
    references = [["a b c .", "il dort ."], ["a b d .", "elle dort ."]]
    candidates = [["a b c d .", "elle a dormi ."]]
    found = counted(name, BleuSettings(), candidates, references)
    assert found == by_sacrebleu(name, BleuSettings(), candidates, references)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(*[st.lists(st.integers(0, 3), max_size=9)] * 2), min_size=1, max_size=5),
    st.integers(1, 6),
    st.integers(0, 10**6),
)
def test_matches_are_those_of_a_slow_count(pairs, order, apart):
    sides = [symbol_lines([[n * (apart + 1) for n in line] for line in side]) for side in
             zip(*pairs, strict=True)]  # fmt: skip
    found = matched_ngrams(*sides, order)
    for row, pair in zip(found.tolist(), pairs, strict=True):
        for size, number in enumerate(row, start=1):
            ours, theirs = (ngrams(line, size) for line in pair)
            assert number == (ours & theirs).total()


def ngrams(line, size):
    return Counter(tuple(line[at : at + size]) for at in range(len(line) - size + 1))


def test_lines_of_very_many_different_symbols():
    generator = np.random.default_rng(1)
    texts = ["".join(map(chr, generator.integers(0x4E00, 0x9F00, 600))) for _ in range(4)]
    others = [text[:300] + text[280:] for text in texts]
    found = matched_ngrams(characters_of(texts), characters_of(others), 6)
    for row, one, other in zip(found.tolist(), texts, others, strict=True):
        assert row == [(ngrams(one, n) & ngrams(other, n)).total() for n in range(1, 7)]


def test_more_lines_than_are_counted_at_once():
    words = [[n % 7, n % 5, n % 3, n % 7] for n in range(1300)]
    others = words[1:] + words[:1]
    found = matched_ngrams(symbol_lines(words), symbol_lines(others), 3)
    for row, one, other in zip(found.tolist(), words, others, strict=True):
        assert row == [(ngrams(one, n) & ngrams(other, n)).total() for n in (1, 2, 3)]


def test_chrf_of_sums_is_that_of_sacrebleu():
    """Figures of sacrebleu 2's CHRF(), of three lines and of their sums."""
    rows = np.array(
        [
            [18, 18, 16, 17, 17, 12, 16, 16, 11, 15, 15, 10, 14, 14, 9, 13, 13, 8],
            [2, 3, 2, 1, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
    )
    wanted = [70.11966111230818, 63.636363636363626, 0.0, 68.42393097514467]
    found = chrf_of_sums(np.concatenate((rows, rows.sum(axis=0, keepdims=True))))
    assert found == pytest.approx(wanted, abs=1e-9)
