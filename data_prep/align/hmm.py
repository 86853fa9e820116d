"""Posterior probabilities of links in a batch, under IBM 1 with a diagonal prior or under the HMM.

The models explain each *observed* word by one of the *state* words of the other side, or by none.
Arrays are indexed [observed position, segment, state position]. `emission` has the probability that
state words emit the observed words, `null` that no state word does; both include the prior
probability of no link. Padding has `emission` 0 and `null` 1 and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.numbering import Ints, Numbers

Probabilities = NDArray[np.float32]
Counts = NDArray[np.float64]
NO_LINK = -1
LOOSE = 0.05
"""The probability that a move of the HMM does not depend on the position before."""
_TENSION = 9.0
"""Steepness of the diagonal prior."""
_TINY = np.float32(1e-30)


@dataclass(frozen=True, slots=True)
class Posterior:
    """The probability of each link, and of no link, for each observed word.

    Under the HMM `moves` are the expected counts of moves from one state position to another.
    """

    links: Probabilities
    null: Probabilities
    moves: Probabilities | None = None

    def best(self) -> Numbers:
        """The best position of each observed word, or -1 where no link is more probable."""
        best = self.links.argmax(axis=2)
        highest = np.take_along_axis(self.links, best[:, :, None], axis=2)[:, :, 0]
        return np.where(highest > self.null, best, NO_LINK).astype(np.int32)


def diagonal_prior(state_lengths: Ints, observed_lengths: Ints) -> Probabilities:
    """The probability of each state position by its distance to the diagonal (Dyer et al. 2013).

    In short segments the prior is flatter, so that a step aside costs no more than a factor of e:
    two words may well change places.
    """
    states, observed = np.arange(state_lengths.max()), np.arange(observed_lengths.max())
    across = ((states + 0.5) / state_lengths[:, None]).astype(np.float32)
    down = ((observed[:, None] + 0.5) / observed_lengths).astype(np.float32)
    diagonal = across[None, :, :] - down[:, :, None]
    np.abs(diagonal, out=diagonal)
    steep = np.minimum(_TENSION, np.maximum(state_lengths, observed_lengths))
    diagonal *= -steep.astype(np.float32)[:, None]
    np.exp(diagonal, out=diagonal)
    diagonal *= states < state_lengths[:, None]
    diagonal /= diagonal.sum(axis=2, keepdims=True)
    return diagonal


def ibm1_posterior(
    emission: Probabilities, null: Probabilities, diagonal: Probabilities
) -> Posterior:
    """Each observed word is linked independently of the others."""
    links = emission * diagonal
    total = links.sum(axis=2) + null + _TINY
    links /= total[:, :, None]
    return Posterior(links, null / total)


def hmm_posterior(
    emission: Probabilities,
    null: Probabilities,
    diagonal: Probabilities,
    shapes: Ints,
    jump: Probabilities,
    first: Probabilities,
) -> Posterior:
    """The HMM (Vogel et al. 1996), by the forward-backward algorithm over the observed words.

    `diagonal` has one prior for each pair of lengths, `shapes` says which one each segment has.
    A word without link remembers the position before it (Och and Ney 2003). The probability of
    moving from i' to i is `jump[i', i]`, weighed by the diagonal prior of i; with probability
    `LOOSE` it is the diagonal prior alone. `first` weighs first positions.
    """
    steps, batch, width = emission.shape
    jump, loose = jump[:width, :width], np.float32(LOOSE)
    share, start = _normalisers(diagonal, jump, first[:width])
    share, start = share.take(shapes, axis=1), start.take(shapes, axis=0)
    spoken = emission * diagonal.take(shapes, axis=1)
    alpha, silent, carried = (np.empty_like(emission) for _ in range(3))
    scale = np.empty((steps, batch, 1), dtype=np.float32)
    before = start
    for step in range(steps):
        if step:
            np.multiply(before, share[step], out=carried[step])
            np.matmul(carried[step], jump, out=alpha[step])
            alpha[step] += loose
            alpha[step] *= spoken[step]
        else:
            np.multiply(start, emission[0], out=alpha[0])
        np.multiply(before, null[step][:, None], out=silent[step])
        before = alpha[step] + silent[step]
        np.maximum(before.sum(axis=1, keepdims=True), _TINY, out=scale[step])
        alpha[step] /= scale[step]
        silent[step] /= scale[step]
        before /= scale[step]
    spoken /= scale
    quiet = null[:, :, None] / scale
    beta = np.empty_like(emission)
    beta[-1] = 1
    for step in range(steps - 1, 0, -1):
        ahead = spoken[step]  # from here on: what follows a move to each position
        ahead *= beta[step]
        back = beta[step - 1]
        np.matmul(ahead, jump.T, out=back)
        back *= share[step]
        back += loose * ahead.sum(axis=1, keepdims=True)
        back += quiet[step] * beta[step]
    moves = np.matmul(carried[1:].reshape(-1, width).T, spoken[1:].reshape(-1, width)) * jump
    alpha *= beta
    silent *= beta
    return Posterior(alpha, silent.sum(axis=2), moves)


def _normalisers(
    diagonal: Probabilities, jump: Probabilities, first: Probabilities
) -> tuple[Probabilities, Probabilities]:
    """Factors that make jump[i', i] * diagonal[t, i] sum to 1 - LOOSE; first positions."""
    width, strict = diagonal.shape[2], np.float32(1 - LOOSE)
    share = np.matmul(diagonal.reshape(-1, width), jump.T).reshape(diagonal.shape)
    np.maximum(share, _TINY, out=share)
    np.divide(strict, share, out=share)
    start = first * diagonal[0]
    start *= strict / np.maximum(start.sum(axis=1, keepdims=True), _TINY)
    start += np.float32(LOOSE) * diagonal[0]
    return share, start
