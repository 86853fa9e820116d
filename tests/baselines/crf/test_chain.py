"""The arithmetic of a linear chain, against all paths written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from crosspro.baselines.crf.chain import (
    batches,
    best_paths,
    expectation,
    pack,
    pair_counts,
    path_score,
)


def packed_of(lengths):
    lengths = np.array(lengths)
    return pack(np.cumsum(lengths) - lengths, lengths, np.arange(len(lengths)))


def numbers(rows, columns):
    values = st.floats(-15, 15, allow_nan=False, width=32)
    return arrays(np.float64, (rows, columns), elements=values)


@st.composite
def chains(draw):
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    labels = draw(st.integers(1, 3))
    return lengths, draw(numbers(sum(lengths), labels)), draw(numbers(labels, labels))


def all_paths(scores, transitions):
    """Every path of one sequence with its score."""
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        score = sum(scores[place, label] for place, label in enumerate(path))
        yield path, score + sum(transitions[one, two] for one, two in itertools.pairwise(path))


@given(chains())
@settings(max_examples=60, deadline=None)
def test_sums_over_paths_are_those_of_all_paths(chain):
    lengths, scores, transitions = chain
    packed = packed_of(lengths)
    found = expectation(scores[packed.rows], transitions, packed)
    labels, pairs, total = np.zeros_like(scores), np.zeros_like(transitions), 0.0
    for first, length in zip(np.cumsum(lengths) - lengths, lengths, strict=True):
        paths = list(all_paths(scores[first : first + length], transitions))
        whole = np.logaddexp.reduce([score for _, score in paths])
        total += whole
        for path, score in paths:
            chance = np.exp(score - whole)
            labels[np.arange(first, first + length), path] += chance
            for one, two in itertools.pairwise(path):
                pairs[one, two] += chance
    assert found.log_total == pytest.approx(total, rel=1e-9, abs=1e-9)
    assert found.labels == pytest.approx(labels[packed.rows], abs=1e-9)
    assert found.pairs == pytest.approx(pairs, abs=1e-9)


@given(chains())
@settings(max_examples=60, deadline=None)
def test_the_best_path_is_the_best_of_all(chain):
    lengths, scores, transitions = chain
    packed = packed_of(lengths)
    labels, totals = best_paths(scores[packed.rows], transitions, packed)
    assert path_score(scores[packed.rows], transitions, labels, packed) == pytest.approx(
        totals.sum(), abs=1e-6
    )
    back = np.empty(len(labels), dtype=int)
    back[packed.rows] = labels
    assert pair_counts(labels, packed, len(transitions)).sum() == sum(lengths) - len(lengths)
    firsts = np.cumsum(lengths) - lengths
    for place, number in enumerate(packed.sequences):
        run = slice(firsts[number], firsts[number] + lengths[number])
        best = max(score for _, score in all_paths(scores[run], transitions))
        assert totals[place] == pytest.approx(best, abs=1e-6)
        ours = dict(all_paths(scores[run], transitions))[tuple(back[run])]
        assert ours == pytest.approx(best, abs=1e-6)


def test_huge_weights_give_numbers():
    packed = packed_of([3, 1])
    scores = np.array([[900.0, -900], [-900, 900], [900, -900], [0, 2000]])
    found = expectation(scores[packed.rows], np.array([[0.0, -5000], [-5000, 0]]), packed)
    assert np.isfinite(found.log_total)
    assert found.labels.sum(axis=1) == pytest.approx(1)
    assert found.pairs.sum() == pytest.approx(2)


def test_tokens_are_packed_longest_sequence_first():
    packed = packed_of([1, 3, 2])
    assert packed.sequences.tolist() == [1, 2, 0]
    assert packed.rows.tolist() == [1, 4, 0, 2, 5, 3]
    assert packed.sizes.tolist() == [3, 2, 1]
    assert packed.last().tolist() == [5, 4, 2]
    assert packed_of([]).rows.tolist() == []


@given(st.lists(st.integers(1, 9), max_size=40), st.integers(1, 20), st.booleans())
def test_batches_hold_every_sequence_once(lengths, tokens, shuffled):
    generator = np.random.default_rng(1) if shuffled else None
    lengths = np.array(lengths, dtype=np.int64)
    found = batches(lengths, tokens, generator)
    assert sorted(np.concatenate([[], *found]).tolist()) == list(range(len(lengths)))
    assert all(lengths[group].sum() < tokens + 9 for group in found)
    longest = [lengths[group].max() for group in found]
    assert longest == sorted(longest)
