"""The aligner's models: IBM 1 with a diagonal prior, and an HMM, in one direction.

A direction explains each *made* word by one of the *given* words of the other side, or by none.
IBM 1 weighs given words by how near they are to the diagonal (Dyer et al. 2013); the HMM (Vogel et
al. 1996) by the distance to the word before, with a share of the diagonal mixed in. Posteriors are
computed for whole batches at once; counts go into the table of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data_prep.align.pairs import Batch, Ints, PairedText

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
"""Posteriors of batches: half the memory to move, and precise enough for counts."""

_TINY = 1e-30


@dataclass(frozen=True)
class Parameters:
    """Fixed numbers of the models.

    `diagonal` is the steepness of the diagonal prior, `null` and `hmm_null` the prior chance of no
    given word, `jump_diagonal` the share of the diagonal in the HMM's jumps, `dirichlet` the
    concentration of the prior over translations in variational training (0: plain EM).
    """

    diagonal: float = 6.0
    null: float = 0.08
    hmm_null: float = 0.2
    jump_diagonal: float = 0.1
    dirichlet: float = 0.0


@dataclass
class View:
    """A batch seen from one direction; `pairs[b, made, given]`."""

    made: Ints
    given_lengths: Ints
    made_lengths: Ints
    pairs: NDArray[np.int32]


@dataclass
class Posterior:
    """The chances of each given word (or none) for each made word, and counts of jumps."""

    links: Singles
    none: Singles
    jumps: Floats | None = None


class Direction:
    """Translation and jump probabilities of one direction."""

    def __init__(self, text: PairedText, backward: bool, parameters: Parameters) -> None:
        self.text = text
        self.backward = backward
        self.parameters = parameters
        self.given = text.pair_target if backward else text.pair_source
        words = (text.target_words, text.source_words)
        self.given_size = max(len(words[0] if backward else words[1]), 1)
        self.made_size = max(len(words[1] if backward else words[0]), 1)
        self.table: Floats = np.full(text.pairs, 1 / self.made_size)
        self.table[0] = 0
        self.unaligned: Floats = np.full(self.made_size, 1 / self.made_size)
        reach = text.longest
        self.jump: Floats = np.exp(-0.7 * np.abs(np.arange(-reach, reach + 1) - 1)) + 1e-3
        self.first: Floats = np.exp(-0.5 * np.arange(reach))
        self._cast: tuple[Floats, Singles] | None = None

    def view(self, batch: Batch) -> View:
        """A batch from this direction."""
        if self.backward:
            pairs = batch.pairs.transpose(0, 2, 1)
            return View(batch.source, batch.target_lengths, batch.source_lengths, pairs)
        return View(batch.target, batch.source_lengths, batch.target_lengths, batch.pairs)

    def ibm1(self, view: View) -> Posterior:
        """Posteriors of IBM 1 with the diagonal prior."""
        null = self.parameters.null
        links = self._singles()[view.pairs]
        links *= _diagonal(view, self.parameters.diagonal)
        links *= np.float32(1 - null)
        none = np.float32(null) * self._unaligned(view.made)
        total = links.sum(axis=2) + none + np.float32(_TINY)
        links /= total[:, :, None]
        return Posterior(links, none / total)

    def hmm(self, view: View) -> Posterior:
        """Posteriors of the HMM, by forward and backward recursion over the made words."""
        p = self.parameters
        batch, steps, width = view.pairs.shape
        emit = self._singles()[view.pairs.transpose(1, 0, 2)]
        emit *= np.float32(1 - p.hmm_null)
        none = (np.float32(p.hmm_null) * self._unaligned(view.made)).T
        near = np.ascontiguousarray(_diagonal(view, p.diagonal).transpose(1, 0, 2))
        near *= np.float32(p.jump_diagonal)
        valid = (np.arange(width) < view.given_lengths[:, None]).astype(np.float32)
        jump = self._jumps(width)
        share = np.float32(1 - p.jump_diagonal) / np.maximum(valid @ jump.T, np.float32(_TINY))
        active = view.made.T >= 0
        alpha = np.zeros((steps, batch, width), dtype=np.float32)
        silent = np.zeros((steps, batch, width), dtype=np.float32)
        scale = np.ones((steps, batch), dtype=np.float32)
        start = self.first[:width].astype(np.float32) * valid
        start *= np.float32(1 - p.jump_diagonal) / start.sum(axis=1, keepdims=True)
        start += near[0]
        before = start
        for step in range(steps):
            if step:
                before = alpha[step - 1] + silent[step - 1]
                mass = before.sum(axis=1, keepdims=True)
                moved = ((before * share) @ jump) * valid + mass * near[step]
            else:
                moved = start
            spoken, quiet = moved * emit[step], before * none[step][:, None]
            total = spoken.sum(axis=1) + quiet.sum(axis=1)
            total = np.where(active[step] & (total > 0), total, np.float32(1))
            weight = (active[step] / total).astype(np.float32)[:, None]
            np.multiply(spoken, weight, out=alpha[step])
            np.multiply(quiet, weight, out=silent[step])
            scale[step] = total
        beta = np.zeros((steps, batch, width), dtype=np.float32)
        jumps = np.zeros((width, width))
        last = view.made_lengths - 1
        for step in range(steps - 1, -1, -1):
            if step < steps - 1:
                weight = (active[step + 1] / scale[step + 1]).astype(np.float32)
                ahead = emit[step + 1] * beta[step + 1] * weight[:, None]
                jumped = ahead * valid
                back = (jumped @ jump.T) * share
                back += (ahead * near[step + 1]).sum(axis=1, keepdims=True)
                stay = none[step + 1] * weight
                beta[step] = back + stay[:, None] * beta[step + 1]
                here = (alpha[step] + silent[step]) * share
                jumps += (here.T @ jumped) * jump
            beta[step][last == step] = 1.0
        alpha *= beta
        silent *= beta
        return Posterior(alpha.transpose(1, 0, 2), silent.sum(axis=2).T, jumps)

    def _singles(self) -> Singles:
        """The table in single precision, made once after each update."""
        if self._cast is None or self._cast[0] is not self.table:
            self._cast = self.table, self.table.astype(np.float32)
        return self._cast[1]

    def _unaligned(self, made: Ints) -> Singles:
        chances = self.unaligned.astype(np.float32)
        return np.where(made >= 0, chances[np.maximum(made, 0)], np.float32(0))

    def _jumps(self, width: int) -> Singles:
        reach = (len(self.jump) - 1) // 2
        distance = np.arange(width)[None, :] - np.arange(width)[:, None] + reach
        return np.asarray((self.jump / self.jump.max()).astype(np.float32)[distance])


class Counts:
    """Expected counts of one direction, collected over a pass through the text."""

    def __init__(self, direction: Direction) -> None:
        self.direction = direction
        self.pairs: Floats = np.zeros(direction.text.pairs)
        self.unaligned: Floats = np.zeros(direction.made_size)
        self.jump: Floats = np.zeros(len(direction.jump))
        self.first: Floats = np.zeros(len(direction.first))

    def add(self, view: View, posterior: Posterior, weights: Singles) -> None:
        """Add a batch; `weights` are the links to count, which may be those both sides agree on."""
        size = len(self.pairs)
        self.pairs += np.bincount(view.pairs.ravel(), weights.ravel(), minlength=size)
        known = view.made >= 0
        self.unaligned += np.bincount(
            view.made[known], posterior.none[known], minlength=len(self.unaligned)
        )
        if posterior.jumps is not None:
            width = len(posterior.jumps)
            reach = (len(self.jump) - 1) // 2
            distance = np.arange(width)[None, :] - np.arange(width)[:, None] + reach
            flat = posterior.jumps.ravel()
            self.jump += np.bincount(distance.ravel(), flat, minlength=len(self.jump))
            self.first[:width] += posterior.links[:, 0].sum(axis=0)

    def update(self, prior: Floats | None = None) -> None:
        """The new probabilities of the direction; `prior` adds counts of an earlier text."""
        direction = self.direction
        counts = self.pairs if prior is None else self.pairs + prior
        counts[0] = 0
        concentration = direction.parameters.dirichlet
        totals = np.bincount(direction.given, counts, minlength=direction.given_size)
        if concentration:  # variational Bayes: exp(psi) in place of the counts
            whole = totals + concentration * direction.made_size
            table = np.exp(digamma(counts + concentration) - digamma(whole)[direction.given])
        else:
            table = counts / np.maximum(totals, _TINY)[direction.given]
        table[0] = 0
        direction.table = table
        direction.unaligned = np.maximum(
            self.unaligned / max(float(self.unaligned.sum()), _TINY), 1e-12
        )
        if self.jump.sum() > 0:  # smoothed, so that no jump is impossible
            direction.jump = self.jump + 1e-3 * self.jump.mean()
            direction.first = self.first + 1e-3 * self.first.mean()


def _diagonal(view: View, steepness: float) -> Singles:
    """The prior of each given word by its distance to the diagonal, summing to 1."""
    made, given = view.pairs.shape[1], view.pairs.shape[2]
    across = ((np.arange(given) + 0.5) / view.given_lengths[:, None]).astype(np.float32)
    down = ((np.arange(made) + 0.5) / view.made_lengths[:, None]).astype(np.float32)
    prior = across[:, None, :] - down[:, :, None]
    np.abs(prior, out=prior)
    prior *= np.float32(-steepness)
    np.exp(prior, out=prior)
    prior *= (np.arange(given) < view.given_lengths[:, None])[:, None, :]
    prior /= prior.sum(axis=2, keepdims=True)
    return prior


def digamma(values: NDArray[np.floating]) -> Floats:
    """The logarithmic derivative of the gamma function, for positive values."""
    x = np.array(values, dtype=np.float64)
    shift = np.zeros_like(x)
    for _ in range(6):
        small = x < 6
        shift[small] -= 1 / x[small]
        x[small] += 1
    f = 1 / (x * x)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))))
    return np.asarray(shift + np.log(x) - 0.5 / x - series)


def views(directions: tuple[Direction, Direction]) -> Iterator[tuple[Batch, View, View]]:
    """Every batch, seen from both directions."""
    forward, backward = directions
    for batch in forward.text.batches:
        yield batch, forward.view(batch), backward.view(batch)
