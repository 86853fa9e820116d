"""The aligner in one direction: reads the text, learns from it, and says which links are best.

Forward, the given words are those of the source and the made words those of the target; backward
it is the other way round. Both directions are independent of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.estimate import (
    FLOOR,
    Counts,
    first_jumps,
    jump_chances,
    jump_index,
    translation_chances,
)
from crosspro.data_prep.align.posterior import (
    Chances,
    Jumps,
    Posterior,
    diagonal_posterior,
    diagonal_prior,
    hmm_posterior,
)
from crosspro.data_prep.align.text import NO_WORD, Block, Ints, Numbers, PairedText, SegmentBatch

NO_LINK = -1
_LONG_CELLS = 2**18
Report = Callable[[], None]
"""Called after each block that was read."""


@dataclass(frozen=True)
class Parameters:
    """Fixed numbers of the models.

    `tension` is the steepness of the diagonal prior, `null` the prior chance of no link, `loose`
    the chance that the HMM does not jump but starts from the diagonal again, `jump_power` the
    flattening of its jumps, `concentration` that of the Dirichlet prior over translations (0 for
    plain EM), and `same` the count given in advance to words written alike: names, numbers, signs.
    """

    tension: float = 9.0
    null: float = 0.2
    loose: float = 0.05
    jump_power: float = 0.5
    concentration: float = 3e-4
    same: float = 0.5


@dataclass
class Tally:
    """Expected counts: of pairs, of made words without link, of jumps and of first positions."""

    pairs: Counts
    unlinked: Counts
    jump: Counts
    first: Counts


@dataclass(frozen=True)
class Known:
    """The tally of an earlier text, in the numbering of this one.

    `beyond` are the counts of given words with made words that they do not meet in this text.
    """

    tally: Tally
    beyond: Counts


class Direction:
    """Translations and jumps of one direction, and the reading of the text with them."""

    def __init__(
        self,
        text: PairedText,
        backward: bool,
        parameters: Parameters,
        longest: int,
        known: Known | None = None,
    ) -> None:
        self.text, self.backward, self.parameters = text, backward, parameters
        source, target = text.pair_words()
        self.given = target if backward else source
        sides = (text.target, text.source) if backward else (text.source, text.target)
        self.given_side, self.made_side = sides
        self.kinds = max(len(self.made_side.words), 1)
        self.same = _written_alike(text, source, target)
        self.jump, self.first = first_jumps(max(longest, 1))
        self.known = known
        self.tally = self._empty() if known is None else known.tally
        self.table: Chances = np.full(len(text.keys), 1 / self.kinds, dtype=np.float32)
        self.unlinked: Chances = np.full(self.kinds, 1 / self.kinds, dtype=np.float32)
        if known is not None:
            self._learn(self._empty())
            made = source if backward else target
            new = self._unseen(self.given, self.tally.pairs, known.beyond)
            new &= self._unseen(made, self.tally.pairs, self.tally.unlinked)
            self.table[new] = np.maximum(self.table[new], np.float32(1 / self.kinds))
        self.table[0] = 0

    def read(self, hmm: bool, report: Report) -> None:
        """One pass of EM over the text."""
        tally = self._empty()
        for block in self.text.blocks:
            weights = np.empty(len(block.cells), dtype=np.float32)
            start = 0
            for batch, posterior, jumps in self._posteriors(block, hmm):
                stop = start + batch.cells.size
                links = posterior.links
                shaped = weights[start:stop].reshape(batch.cells.shape)
                shaped[...] = links.transpose(2, 1, 0) if self.backward else links
                start = stop
                made = self._made(batch).T
                inside = made != NO_WORD
                tally.unlinked += np.bincount(
                    made[inside], posterior.none[inside], minlength=self.kinds
                )
                if jumps is not None:
                    self._count_jumps(tally, jumps)
            tally.pairs[block.pairs] += np.bincount(block.cells, weights, len(block.pairs))
            report()
        self._learn(tally)

    def best(self, hmm: bool, report: Report) -> Numbers:
        """The given position that each made word is linked to, or -1, in the order of the text."""
        result = np.full(len(self.made_side.tokens), NO_LINK, dtype=np.int32)
        for block in self.text.blocks:
            for batch, posterior, _ in self._posteriors(block, hmm):
                starts = self.made_side.starts[batch.segments]
                lengths = self.made_side.lengths[batch.segments]
                steps = np.arange(posterior.none.shape[0])[:, None]
                inside = steps < lengths
                result[(starts + steps)[inside]] = _decide(posterior)[inside]
            report()
        self.link_outside(result)
        return result

    def link_outside(self, result: Numbers) -> None:
        """Write the links of the segments beyond the limits into the result of `best`."""
        for segment in self.text.outside:
            start = self.made_side.starts[segment]
            for row, found in self._rows(int(segment)):
                result[start + row : start + row + len(found)] = found

    def _posteriors(
        self, block: Block, hmm: bool
    ) -> Iterator[tuple[SegmentBatch, Posterior, Jumps | None]]:
        p = self.parameters
        table = self.table[block.pairs] * np.float32(1 - p.null)
        jump = jump_chances(self.jump, p.jump_power) if hmm else None
        first = self.first.astype(np.float32)
        for batch in block.batches:
            cells = np.ascontiguousarray(batch.cells.T) if self.backward else batch.cells
            emit = np.take(table, cells)
            none = self._none(self._made(batch).T)
            near = diagonal_prior(
                self.given_side.lengths[batch.segments],
                self.made_side.lengths[batch.segments],
                p.tension,
            )
            if jump is None:
                yield batch, diagonal_posterior(emit, none, near), None
            else:
                yield batch, *hmm_posterior(emit, none, near, jump, first, p.loose)

    def _rows(self, segment: int) -> Iterator[tuple[int, Numbers]]:
        """Links of a segment that may be too long for the HMM, by IBM 1, some rows at a time."""
        given, made = self.given_side.segment(segment), self.made_side.segment(segment)
        lengths: tuple[Ints, Ints] = (np.array([len(given)]), np.array([len(made)]))
        rows = max(1, _LONG_CELLS // len(given))
        for row in range(0, len(made), rows):
            part = made[row : row + rows, None]
            words = np.broadcast_arrays(given[None, :], part)
            pairs = self.text.pair_numbers(*(words[::-1] if self.backward else words))
            emit = np.maximum(self.table[pairs], np.float32(FLOOR))
            emit *= np.float32(1 - self.parameters.null)
            places = np.arange(row, row + len(part))
            near = diagonal_prior(*lengths, self.parameters.tension, places)
            posterior = diagonal_posterior(emit[:, None, :], self._none(part), near)
            yield row, _decide(posterior)[:, 0]

    def _made(self, batch: SegmentBatch) -> Numbers:
        return batch.source if self.backward else batch.target

    def _none(self, made: Numbers) -> Chances:
        chances = np.float32(self.parameters.null) * self.unlinked[made]
        return np.where(made == NO_WORD, np.float32(1), chances)

    def _empty(self) -> Tally:
        sizes = len(self.text.keys), self.kinds, len(self.jump), len(self.first)
        return Tally(*(np.zeros(size) for size in sizes))

    @staticmethod
    def _unseen(words: Numbers, counts: Counts, further: Counts) -> NDArray[np.bool_]:
        """Which pairs have a word (given as `words`) that was never counted."""
        seen = np.bincount(words, counts, minlength=len(further)) + further
        return np.asarray(seen[words] <= 0)

    def _count_jumps(self, tally: Tally, jumps: Jumps) -> None:
        width = len(jumps.first)
        index = jump_index(width, len(tally.jump))
        tally.jump += np.bincount(index.ravel(), jumps.moves.ravel(), len(tally.jump))
        tally.first[:width] += jumps.first

    def _learn(self, tally: Tally) -> None:
        """New probabilities from new counts and those of the earlier text."""
        size = max(len(self.given_side.words), 1)
        beyond: Counts = np.zeros(size)
        tally.pairs[0] = 0
        if self.known is not None:
            beyond = self.known.beyond
            tally = add(tally, self.known.tally)
        self.tally = tally
        counts = tally.pairs + self.parameters.same * self.same
        totals = np.bincount(self.given, counts, minlength=size) + beyond
        concentration = self.parameters.concentration
        self.table = translation_chances(counts, self.given, totals, self.kinds, concentration)
        self.table[0] = 0
        everything = np.zeros(self.kinds, dtype=np.int32)
        total = np.array([max(tally.unlinked.sum(), FLOOR)])
        self.unlinked = translation_chances(
            tally.unlinked, everything, total, self.kinds, concentration
        )
        if tally.jump.sum() > 0:
            self.jump, self.first = tally.jump, tally.first + 1e-3 * tally.first.mean()


def add(one: Tally, other: Tally) -> Tally:
    """The sum of two tallies."""
    return Tally(
        one.pairs + other.pairs,
        one.unlinked + other.unlinked,
        one.jump + other.jump,
        one.first + other.first,
    )


def _decide(posterior: Posterior) -> Numbers:
    """The best position of each made word, if it is more likely than no link."""
    best = posterior.links.argmax(axis=2)
    chance = np.take_along_axis(posterior.links, best[:, :, None], axis=2)[:, :, 0]
    return np.where(chance > posterior.none, best, NO_LINK).astype(np.int32)


def _written_alike(text: PairedText, source: Numbers, target: Numbers) -> NDArray[np.bool_]:
    """Which pairs have the same form on both sides."""
    partner = np.full(max(len(text.source.words), 1), NO_WORD, dtype=np.int32)
    for word, number in text.source.words.items():
        partner[number] = text.target.words.get(word, NO_WORD)
    alike: NDArray[np.bool_] = partner[source] == target
    alike[0] = False
    return alike
