"""Posteriors of the models against a sum over all alignments, and estimates."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import digamma as scipy_digamma

from crosspro.data_prep.align.hmm import (
    LOOSE,
    diagonal_prior,
    hmm_posterior,
    ibm1_posterior,
)
from crosspro.data_prep.align.model import (
    FLOOR,
    digamma,
    first_jumps,
    jump_weights,
    translation_probabilities,
)

STATES, OBSERVED = np.array([3, 2, 4]), np.array([3, 4, 2])


@pytest.fixture
def batch():
    """Three segments of different lengths, filled up as the aligner does it."""
    random = np.random.default_rng(7)
    emit = random.random((4, 3, 4)).astype(np.float32)
    none = random.random((4, 3)).astype(np.float32)
    for segment, length in enumerate(OBSERVED):
        emit[length:, segment] = 0
        none[length:, segment] = 1
    for segment, length in enumerate(STATES):
        emit[:, segment, length:] = 0
    jump, first = first_jumps(5)
    jump = random.random(len(jump))
    return emit, none, diagonal_prior(STATES, OBSERVED), jump_weights(jump), first


def all_alignments(batch, segment):
    """Probabilities of links, of no link, and counts of moves, by adding up every path."""
    emit, none, near, jump, first = (np.asarray(array, dtype=float) for array in batch)
    width, steps = STATES[segment], OBSERVED[segment]

    def move(step, before):
        weights = (first if before is None else jump[before])[:width] * near[step, segment, :width]
        return (1 - LOOSE) * weights / weights.sum(), LOOSE * near[step, segment, :width]

    links, silent = np.zeros((steps, width)), np.zeros(steps)
    moves = np.zeros((width, width))
    total = 0.0
    for path in product(range(2 * width), repeat=steps):  # width and above: no link, same place
        chance, place, jumped = 1.0, None, []
        for step, state in enumerate(path):
            here = state % width
            jumps, loose = move(step, place)
            if state >= width:
                start = (jumps + loose)[here] if place is None else float(here == place)
                chance *= none[step, segment] * start
            else:
                chance *= (jumps + loose)[here] * emit[step, segment, here]
                if place is not None:
                    jumped.append((place, here, jumps[here] / (jumps + loose)[here]))
            place = here
        total += chance
        for step, state in enumerate(path):
            if state >= width:
                silent[step] += chance
            else:
                links[step, state] += chance
        for before, here, share in jumped:
            moves[before, here] += chance * share
    return links / total, silent / total, moves / total


def test_the_hmm_sums_over_all_alignments(batch):
    emission, null, diagonal, jump, first = batch
    posterior = hmm_posterior(emission, null, diagonal, np.arange(3), jump, first)
    expected_moves = np.zeros((4, 4))
    for segment in range(3):
        links, silent, moves = all_alignments(batch, segment)
        steps, width = links.shape
        assert posterior.links[:steps, segment, :width] == pytest.approx(links, abs=1e-5)
        assert posterior.null[:steps, segment] == pytest.approx(silent, abs=1e-5)
        assert posterior.links[steps:, segment].sum() == 0
        assert posterior.links[:, segment, width:].sum() == 0
        expected_moves[:width, :width] += moves
    assert posterior.moves == pytest.approx(expected_moves, abs=1e-5)


def test_ibm1_links_each_word_for_itself(batch):
    emit, none, near, _, _ = batch
    posterior = ibm1_posterior(emit, none, near)
    total = posterior.links.sum(axis=2) + posterior.null
    assert total == pytest.approx(np.ones_like(total), abs=1e-6)
    expected = emit[1, 0] * near[1, 0] / ((emit[1, 0] * near[1, 0]).sum() + none[1, 0])
    assert posterior.links[1, 0] == pytest.approx(expected, abs=1e-6)


def test_the_diagonal_prior_is_highest_on_the_diagonal():
    near = diagonal_prior(np.array([4, 2]), np.array([4, 4]))
    assert near.sum(axis=2) == pytest.approx(np.ones((4, 2)))
    assert near[:, 0].argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert near[:, 1].argmax(axis=1).tolist() == [0, 0, 1, 1]
    assert near[:, 1, 2:].sum() == 0


def test_digamma_is_that_of_scipy():
    values = np.concatenate([np.geomspace(1e-3, 1e6, 500), np.linspace(0.1, 20, 500)])
    assert digamma(values) == pytest.approx(scipy_digamma(values), rel=1e-9, abs=1e-9)


def test_estimates_discount_rare_words_most_and_nothing_is_impossible():
    states = np.array([0, 0, 1, 1], dtype=np.int32)
    counts, totals = np.array([90.0, 10.0, 0.1, 0.0]), np.array([100.0, 0.1])
    bayes = translation_probabilities(counts, totals, states, 50)
    plain = counts / totals[states]
    assert (bayes[:3] < plain[:3]).all()
    assert bayes[2] / plain[2] < bayes[1] / plain[1] < bayes[0] / plain[0]
    assert bayes[3] == pytest.approx(FLOOR)
