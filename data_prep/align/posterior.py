"""Chances of links in a batch of segments, under IBM 1 with a diagonal prior and under the HMM.

Each *made* word is explained by one of the *given* words of the other side, or by none. Arrays are
indexed [made position, segment, given position]. `emit` holds the chances that given words make the
made words, `none` the chance that no given word does; both include the prior chance of no link.
Positions after the end of a segment have `emit` 0 and `none` 1, which leaves everything as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.text import Ints

Chances = NDArray[np.float32]
_TINY = np.float32(1e-30)


@dataclass(frozen=True, slots=True)
class Posterior:
    """The chance of each link, and of no link, for each made word."""

    links: Chances
    none: Chances


@dataclass(frozen=True, slots=True)
class Jumps:
    """Expected counts of moves from one given position to another, and of the first position."""

    moves: Chances
    first: Chances


def diagonal_prior(
    given_lengths: Ints, made_lengths: Ints, tension: float, made: Ints | None = None
) -> Chances:
    """The chance of each given position by its distance to the diagonal (Dyer et al. 2013).

    For all made positions of the segments, or for some. In short segments the prior is flatter, so
    that a step aside costs no more than a factor of e: two words may well change places.
    """
    given = np.arange(given_lengths.max())
    made = np.arange(made_lengths.max()) if made is None else made
    across = ((given + 0.5) / given_lengths[:, None]).astype(np.float32)
    down = ((made[:, None] + 0.5) / made_lengths).astype(np.float32)
    near = across[None, :, :] - down[:, :, None]
    np.abs(near, out=near)
    steep = np.minimum(tension, np.maximum(given_lengths, made_lengths))
    near *= -steep.astype(np.float32)[:, None]
    np.exp(near, out=near)
    near *= given < given_lengths[:, None]
    near /= near.sum(axis=2, keepdims=True)
    return near


def diagonal_posterior(emit: Chances, none: Chances, near: Chances) -> Posterior:
    """IBM 1: every made word is linked for itself."""
    links = emit * near
    total = links.sum(axis=2) + none + _TINY
    links /= total[:, :, None]
    return Posterior(links, none / total)


def hmm_posterior(
    emit: Chances,
    none: Chances,
    near: Chances,
    jump: Chances,
    first: Chances,
    loose: float,
) -> tuple[Posterior, Jumps]:
    """The HMM (Vogel et al. 1996), by forward and backward recursion over the made words.

    A word without link remembers the position before it (Och and Ney 2003). The chance of moving
    from i' to i is `jump[i', i]`, weighed by how near i is to the diagonal; with a chance of
    `loose` the move does not depend on i' but on the diagonal alone.
    """
    steps, batch, width = emit.shape
    jump = jump[:width, :width]
    # share[t] turns jump[i', i] * near[t, i] into chances that sum to 1 - loose over i.
    share = np.matmul(near.reshape(-1, width), jump.T).reshape(near.shape)
    np.maximum(share, _TINY, out=share)
    np.divide(np.float32(1 - loose), share, out=share)
    start = first[:width] * near[0]
    start *= np.float32(1 - loose) / np.maximum(start.sum(axis=1, keepdims=True), _TINY)
    start += np.float32(loose) * near[0]
    spoken = emit * near
    alpha, silent = np.empty_like(emit), np.empty_like(emit)
    carried = np.zeros_like(emit)
    scale = np.empty((steps, batch, 1), dtype=np.float32)
    before = start
    for step in range(steps):
        if step:
            np.multiply(before, share[step], out=carried[step])
            np.matmul(carried[step], jump, out=alpha[step])
            alpha[step] += np.float32(loose)
            alpha[step] *= spoken[step]
        else:
            np.multiply(start, emit[0], out=alpha[0])
        np.multiply(before, none[step][:, None], out=silent[step])
        before = alpha[step] + silent[step]
        np.maximum(before.sum(axis=1, keepdims=True), _TINY, out=scale[step])
        alpha[step] /= scale[step]
        silent[step] /= scale[step]
        before /= scale[step]
    spoken /= scale
    quiet = none[:, :, None] / scale
    beta = np.empty_like(emit)
    beta[-1] = 1
    for step in range(steps - 1, 0, -1):
        ahead = spoken[step]  # becomes what comes after a move to each position
        ahead *= beta[step]
        back = beta[step - 1]
        np.matmul(ahead, jump.T, out=back)
        back *= share[step]
        back += np.float32(loose) * ahead.sum(axis=1, keepdims=True)
        back += quiet[step] * beta[step]
    moves = np.matmul(carried[1:].reshape(-1, width).T, spoken[1:].reshape(-1, width)) * jump
    alpha *= beta
    silent *= beta
    return Posterior(alpha, silent.sum(axis=2)), Jumps(moves, alpha[0].sum(axis=0))
