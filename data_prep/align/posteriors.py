"""The chances of links in a batch of segments, under IBM 1 with a diagonal prior or under the HMM.

Each *made* word is explained by one of the *given* words of the other side, or by none. Arrays are
indexed [made position, segment, given position]. `emit` holds the chances that given words make the
made words, `none` the chance that no given word does; both include the prior chance of no link.
Positions after the end of a segment have `emit` 0 and `none` 1, which leaves everything as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.text import Ints, Numbers

Chances = NDArray[np.float32]
Counts = NDArray[np.float64]
NO_LINK = -1
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
    shapes: Ints,
) -> tuple[Posterior, Jumps]:
    """The HMM (Vogel et al. 1996), by forward and backward recursion over the made words.

    `near` is the diagonal prior of some pairs of lengths, `shapes` says which one each segment has.

    A word without link remembers the position before it (Och and Ney 2003). The chance of moving
    from i' to i is `jump[i', i]`, weighed by how near i is to the diagonal; with a chance of
    `loose` the move does not depend on i' but on the diagonal alone.
    """
    steps, batch, width = emit.shape
    jump = jump[:width, :width]
    share, start = _shares(near, jump, first, loose)
    share, start = share.take(shapes, axis=1), start.take(shapes, axis=0)
    spoken = emit * near.take(shapes, axis=1)
    alpha, silent, carried = (np.empty_like(emit) for _ in range(3))
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


def _shares(near: Chances, jump: Chances, first: Chances, loose: float) -> tuple[Chances, Chances]:
    """What turns jump[i', i] * near[t, i] into chances that sum to 1 - loose over i; those of the
    first position."""
    width = near.shape[2]
    share = np.matmul(near.reshape(-1, width), jump.T).reshape(near.shape)
    np.maximum(share, _TINY, out=share)
    np.divide(np.float32(1 - loose), share, out=share)
    start = first[:width] * near[0]
    start *= np.float32(1 - loose) / np.maximum(start.sum(axis=1, keepdims=True), _TINY)
    start += np.float32(loose) * near[0]
    return share, start


@dataclass(frozen=True, slots=True)
class Moves:
    """A weight for each move from one position to another, and for the first; and `loose`."""

    jump: Chances
    first: Chances
    loose: float


@dataclass(frozen=True, slots=True)
class BatchChances:
    """What the links of a batch depend on; without moves they are those of IBM 1.

    `cells` are the numbers of pairs of words [made, segment, given], whose chances are `table`.
    `near` is the diagonal prior of some pairs of lengths, `shapes` says which one a segment has.
    """

    cells: Numbers
    table: Chances
    none: Chances
    made_lengths: Ints
    near: Chances
    shapes: Ints
    moves: Moves | None

    def count(self, pairs: Counts) -> tuple[Chances, Jumps | None]:
        """Add the chances of links to the counts of pairs; those of no link, and jumps."""
        posterior, jumps = self._posterior()
        # In the order of the text, and both of the types that numpy adds without a copy for each.
        cells = np.ascontiguousarray(self.cells, np.intp).ravel()
        np.add.at(pairs, cells, posterior.links.astype(np.float64, order="C").ravel())
        return posterior.none, jumps

    def best(self) -> Numbers:
        """The given position of each made word, if it is more likely than no link, or -1."""
        return best_links(self._posterior()[0])

    def _posterior(self) -> tuple[Posterior, Jumps | None]:
        emit = self.table.take(self.cells)
        if self.moves is None:
            near = self.near.take(self.shapes, axis=1)
            return diagonal_posterior(emit, self.none, near), None
        moves = self.moves
        given = emit, self.none, self.near, moves.jump, moves.first, moves.loose, self.shapes
        return hmm_posterior(*given)


def best_links(posterior: Posterior) -> Numbers:
    """The best position of each made word, if it is more likely than no link."""
    best = posterior.links.argmax(axis=2)
    chance = np.take_along_axis(posterior.links, best[:, :, None], axis=2)[:, :, 0]
    return np.where(chance > posterior.none, best, NO_LINK).astype(np.int32)
