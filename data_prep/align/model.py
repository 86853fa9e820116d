"""The aligner in one direction: probabilities, passes of EM over a text, and the best links.

Forward, source words are states and target words are observed; backward it is the other way round.
Threads read blocks, whose counts are added in order: their number changes nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.hmm import (
    NO_LINK,
    Counts,
    Posterior,
    Probabilities,
    diagonal_prior,
    hmm_posterior,
    ibm1_posterior,
)
from crosspro.data_prep.align.numbering import (
    MAX_LENGTH,
    PADDING,
    Batch,
    Block,
    Ints,
    NumberedText,
    Numbers,
)

ITERATIONS = 5
FLOOR = 1e-9
"""The probability of a translation that was never counted, so that every text has some links."""

_IBM1_BEFORE_HMM = 2
_NULL = np.float32(0.2)
"""The prior probability of no link."""
_LINK = np.float32(1 - 0.2)
_CONCENTRATION = 3e-4
"""Of the Dirichlet prior over translations."""
_JUMP_POWER = 0.5
"""Flattens jumps: the HMM takes words for more independent than they are, and would trust its path
too much."""
_WRITTEN_ALIKE = 0.5
"""The count given in advance to words written alike: names, numbers, signs."""
_NEGLIGIBLE = 0.01
"""exp(digamma(x)) of a smaller x is below the floor."""
_PAIRS_AT_ONCE = 2**17

Progress = Callable[[str, int, int], None]
"""Called with a step's name, how much of it is done, and out of how much."""
Result = TypeVar("Result")


@dataclass
class Tally:
    """Expected counts: of pairs, of observed words without link, of jumps, of first positions.

    `jumps[reach + d]` counts jumps by d.
    """

    pairs: Counts
    unlinked: Counts
    jumps: Counts
    first: Counts

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.pairs + other.pairs,
            self.unlinked + other.unlinked,
            self.jumps + other.jumps,
            self.first + other.first,
        )


@dataclass(frozen=True)
class PriorTally:
    """The tally of an earlier text, in the numbering of this one.

    `elsewhere` are the counts of state words with observed words that they do not meet here,
    `absent` is the number of observed words of the earlier text that have no number here.
    """

    tally: Tally
    elsewhere: Counts
    absent: int = 0


class Direction:
    """Translations and jumps of one direction, and the passes over the text with them."""

    def __init__(
        self, text: NumberedText, backward: bool, prior: PriorTally | None = None, jobs: int = 1
    ) -> None:
        self.text, self.backward, self.prior, self.jobs = text, backward, prior, jobs
        order, pair_words = -1 if backward else 1, text.pair_words
        self.states, self.observed = (text.source, text.target)[::order]
        self.pair_state, self.pair_observed = pair_words[::order]
        self.vocabulary = max(len(self.observed.words), 1)
        self.kinds = self.vocabulary + (prior.absent if prior else 0)
        self.alike = _written_alike(text, *pair_words)
        self.jumps, self.first = first_jumps(MAX_LENGTH)
        self.unlinked: Probabilities = np.full(self.vocabulary, 1 / self.kinds, np.float32)
        self.table: Probabilities = np.full(len(text.keys), 1 / self.kinds, np.float32)
        self.table[0] = 0
        self.tally = self._empty_tally(len(text.keys))
        if prior is not None:
            self._reestimate()
            self._open_to_new_words(prior)

    @property
    def counts(self) -> Tally:
        """The counts of this text and those of the prior."""
        return self.tally if self.prior is None else self.tally + self.prior.tally

    def fit(self, iterations: int, progress: Progress) -> Numbers:
        """The state position of each observed word, or -1, in the order of the text.

        The HMM needs translations to begin with, from IBM 1 or from a prior. Segments beyond the
        limits get their links from IBM 1, trained apart, as the tasks left them to fast_align.
        """
        step = "backward" if self.backward else "forward"
        ibm1 = 0 if self.prior is not None else min(_IBM1_BEFORE_HMM, iterations)
        back_off = copy.copy(self)
        for number in range(iterations):
            progress(step, number, iterations + 1)
            self._train(hmm=number >= ibm1)
            if number < ibm1:
                back_off = copy.copy(self)
            elif self.text.outside:
                back_off._train(hmm=False)
        progress(step, iterations, iterations + 1)
        best = np.full(len(self.observed.tokens), NO_LINK, np.int32)
        for batches in self._map(self._best):
            for places, positions in batches:
                best[places] = positions
        back_off._link_outside(best)
        progress(step, iterations + 1, iterations + 1)
        return best

    def _train(self, hmm: bool) -> None:
        """One pass of EM over the text."""
        tally = self._empty_tally(len(self.text.keys))
        expected = self._map(lambda block: self._expected(block, hmm))
        for block, counts in zip(self.text.blocks, expected, strict=True):
            tally.pairs[block.pairs] += counts.pairs
            tally.unlinked += counts.unlinked
            tally.jumps += counts.jumps
            tally.first += counts.first
        self.tally = tally
        self._reestimate()

    def _map(self, function: Callable[[Block], Result]) -> Iterator[Result]:
        """The result for each block, in order; numpy lets threads work at the same time."""
        with ThreadPoolExecutor(self.jobs) as pool:
            yield from pool.map(function, self.text.blocks)

    def _empty_tally(self, pairs: int) -> Tally:
        sizes = pairs, self.vocabulary, len(self.jumps), len(self.first)
        return Tally(*map(np.zeros, sizes))

    def _expected(self, block: Block, hmm: bool) -> Tally:
        """Expected counts in a block, pairs in its own numbering."""
        tally = self._empty_tally(len(block.pairs))
        for batch, posterior in self._posteriors(block, hmm):
            # In the order of the text, and of the types that numpy adds without a copy for each.
            cells = np.ascontiguousarray(self._cells(batch), np.intp).ravel()
            np.add.at(tally.pairs, cells, posterior.links.astype(np.float64, order="C").ravel())
            observed = self._observed(batch)
            inside = observed != PADDING
            tally.unlinked += np.bincount(observed[inside], posterior.null[inside], self.vocabulary)
            if posterior.moves is not None:
                width, size = len(posterior.moves), len(tally.jumps)
                index = jump_index(width, size)
                tally.jumps += np.bincount(index.ravel(), posterior.moves.ravel(), size)
                tally.first[:width] += posterior.links[0].sum(axis=0)
        tally.pairs[0] = 0
        return tally

    def _best(self, block: Block) -> list[tuple[Ints, Numbers]]:
        """Where the observed words of each batch stand in the text, and their best positions."""
        links = []
        for batch, posterior in self._posteriors(block, hmm=True):
            steps = np.arange(len(posterior.null))[:, None]
            inside = steps < self.observed.lengths[batch.segments]
            places = self.observed.starts[batch.segments] + steps
            links.append((places[inside], posterior.best()[inside]))
        return links

    def _posteriors(self, block: Block, hmm: bool) -> Iterator[tuple[Batch, Posterior]]:
        table = self.table[block.pairs] * _LINK
        jump, first = jump_weights(self.jumps), self.first.astype(np.float32)
        for batch in block.batches:
            emission = table.take(self._cells(batch))
            null = self._null(self._observed(batch))
            states, observed = (
                side.lengths[batch.segments] for side in (self.states, self.observed)
            )
            # The diagonal prior depends on lengths alone; few pairs of lengths meet in a batch.
            _, examples, shapes = np.unique(
                states * (observed.max() + 1) + observed, return_index=True, return_inverse=True
            )
            diagonal = diagonal_prior(states[examples], observed[examples])
            if hmm:
                yield batch, hmm_posterior(emission, null, diagonal, shapes, jump, first)
            else:
                yield batch, ibm1_posterior(emission, null, diagonal.take(shapes, axis=1))

    def _link_outside(self, best: Numbers) -> None:
        """Link the segments beyond the limits by IBM 1."""
        for segment in self.text.outside:
            states, observed = self.states.segment(segment), self.observed.segment(segment)
            words = np.broadcast_arrays(states[None, :], observed[:, None])
            pairs = self.text.pair_numbers(*(words[::-1] if self.backward else words))
            emission = np.maximum(self.table[pairs], np.float32(FLOOR)) * _LINK
            diagonal = diagonal_prior(np.array([len(states)]), np.array([len(observed)]))
            posterior = ibm1_posterior(
                emission[:, None, :], self._null(observed[:, None]), diagonal
            )
            best[self.observed.range(segment)] = posterior.best()[:, 0]

    def _cells(self, batch: Batch) -> Numbers:
        return batch.cells.T if self.backward else batch.cells

    def _observed(self, batch: Batch) -> Numbers:
        return (batch.source if self.backward else batch.target).T

    def _null(self, observed: Numbers) -> Probabilities:
        return np.where(observed == PADDING, np.float32(1), _NULL * self.unlinked[observed])

    def _open_to_new_words(self, prior: PriorTally) -> None:
        """Pairs of two words of which neither was ever counted begin as likely as any."""
        counted = prior.tally.pairs > 0
        state_seen, observed_seen = prior.elsewhere > 0, prior.tally.unlinked > 0
        state_seen[self.pair_state[counted]] = True
        observed_seen[self.pair_observed[counted]] = True
        new = ~(state_seen[self.pair_state] | observed_seen[self.pair_observed])
        self.table[new] = np.maximum(self.table[new], np.float32(1 / self.kinds))
        self.table[0] = 0

    def _reestimate(self) -> None:
        """New probabilities from the last counts and those of the prior."""
        tally = self.counts
        counts = tally.pairs + _WRITTEN_ALIKE * self.alike
        size = max(len(self.states.words), 1)
        totals: Counts = np.bincount(self.pair_state, counts, size).astype(np.float64)
        if self.prior is not None:
            totals += self.prior.elsewhere
        self.table = np.empty(len(counts), np.float32)
        for start in range(0, len(counts), _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            self.table[part] = translation_probabilities(
                counts[part], totals, self.pair_state[part], self.kinds
            )
        self.table[0] = 0
        total, states = max(tally.unlinked.sum(), FLOOR), np.zeros(self.vocabulary, np.int32)
        self.unlinked = translation_probabilities(
            tally.unlinked, np.array([total]), states, self.kinds
        )
        if tally.jumps.sum() > 0:
            self.jumps = tally.jumps.copy()
            self.first = tally.first + 1e-3 * tally.first.mean()


def translation_probabilities(
    counts: Counts, totals: Counts, states: Numbers, kinds: int
) -> Probabilities:
    """The probability of the observed word of each pair, given its state word.

    `totals` are the counts of the state words. Variational Bayes under a Dirichlet prior over
    `kinds` observed words: exp(digamma) takes the place of counts and makes rare words less greedy.
    """
    table = np.full(len(counts), FLOOR, dtype=np.float32)
    chosen = np.flatnonzero(counts + _CONCENTRATION > _NEGLIGIBLE)
    logs = digamma(counts[chosen] + _CONCENTRATION)
    logs -= digamma(totals + _CONCENTRATION * kinds)[states[chosen]]
    table[chosen] = np.exp(logs)
    return np.maximum(table, np.float32(FLOOR))


def digamma(values: Counts) -> Counts:
    """The derivative of log gamma for positive values: moved up by 6, then the asymptotic series.

    scipy is no dependency of light commands. The sum of the six reciprocals is one fraction, which
    costs one division.
    """
    # 1/x + … + 1/(x+5) with u = x (x + 5): three pairs of equal sum 2x + 5.
    u = values * (values + 5)
    low, middle = u + 4, u + 6
    shift = (2 * values + 5) * (low * middle + u * middle + u * low) / (u * low * middle)
    y = values + 6
    f = 1 / (y * y)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))))
    return np.asarray(np.log(y) - 0.5 / y - series - shift)


def first_jumps(reach: int) -> tuple[Counts, Counts]:
    """Jumps and first positions before anything is counted: mostly one step forward."""
    jumps = np.exp(-0.7 * np.abs(np.arange(-reach, reach + 1) - 1)) + 1e-3
    return jumps, np.exp(-0.5 * np.arange(reach)) + 1e-3


def jump_weights(jumps: Counts) -> Probabilities:
    """A weight for each move between positions, from the counts of jump widths."""
    smooth = jumps + 1e-3 * jumps.mean()
    weights = (smooth / smooth.max()) ** _JUMP_POWER
    return np.asarray(weights[jump_index(len(jumps) // 2, len(jumps))], dtype=np.float32)


def jump_index(width: int, size: int) -> NDArray[np.int64]:
    """Where the jump from each position to each other is counted, in an array of a given size."""
    places = np.arange(width)
    return np.asarray(places[None, :] - places[:, None] + size // 2)


def _written_alike(text: NumberedText, source: Numbers, target: Numbers) -> NDArray[np.bool_]:
    """Which pairs are two words of the same form."""
    partner = np.full(max(len(text.source.words), 1), PADDING, np.int32)
    for word, number in text.source.words.items():
        partner[number] = text.target.words.get(word, PADDING)
    alike = np.asarray(partner[source] == target)
    alike[0] = False
    return alike
