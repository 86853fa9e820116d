"""The aligner in one direction: estimation, and the passes over a text.

Links have chances under IBM 1 with a diagonal prior, or under the HMM (posteriors.py). `Direction`
reads the text, learns from expected counts, and says which links are best. Forward, the
given words are those of the source and the made words those of the target; backward it is the other
way round. Both directions are independent of each other. Blocks are read in several threads and
their counts are added in order, so that the number of threads changes nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.blocks import Block, PairedText, SegmentBatch
from crosspro.data_prep.align.posteriors import (
    NO_LINK,
    BatchChances,
    Chances,
    Counts,
    Jumps,
    Moves,
    best_links,
    diagonal_posterior,
    diagonal_prior,
)
from crosspro.data_prep.align.text import NO_WORD, Ints, Numbers

FLOOR = 1e-9
"""The chance of a translation that was never counted: small, so that every text has some links."""

_NEGLIGIBLE = 0.01
"""exp(digamma(x)) of a smaller x is below the floor."""


def translation_chances(
    counts: Counts, given: Ints | Numbers, totals: Counts, kinds: int, concentration: float
) -> NDArray[np.float32]:
    """The chance of each pair: its made word, if its given word is known.

    `totals` are the counts of the given words. With a concentration above 0 the chances are those
    of variational Bayes under a Dirichlet prior over `kinds` made words: exp(digamma) takes the
    place of the counts and makes rare words less greedy. With 0 they are relative frequencies.
    """
    table = np.full(len(counts), FLOOR, dtype=np.float32)
    if concentration:
        chosen = np.flatnonzero(counts + concentration > _NEGLIGIBLE)
        logs = digamma(counts[chosen] + concentration)
        logs -= digamma(totals + concentration * kinds)[given[chosen]]
        table[chosen] = np.exp(logs)
    else:
        chosen = np.flatnonzero(counts > 0)
        table[chosen] = counts[chosen] / totals[given[chosen]]
    return np.maximum(table, np.float32(FLOOR))


def jump_chances(jump: Counts, power: float) -> NDArray[np.float32]:
    """A weight for each move from one position to another, from the counts of jump widths.

    `jump[reach + d]` counts jumps by d. A power below 1 flattens the distribution: the HMM takes
    words for more independent than they are, and would believe too firmly in its path.
    """
    smooth = jump + 1e-3 * jump.mean()
    weights = (smooth / smooth.max()) ** power
    return np.asarray(weights[jump_index((len(jump) - 1) // 2, len(jump))], dtype=np.float32)


def jump_index(width: int, size: int) -> NDArray[np.int64]:
    """Where the jump from each position to each other is counted, in an array of a given size."""
    places = np.arange(width)
    return np.asarray(places[None, :] - places[:, None] + (size - 1) // 2)


def first_jumps(reach: int) -> tuple[Counts, Counts]:
    """Jumps and first positions before anything is counted: mostly one step forward."""
    jump = np.exp(-0.7 * np.abs(np.arange(-reach, reach + 1) - 1)) + 1e-3
    return jump, np.exp(-0.5 * np.arange(reach)) + 1e-3


def digamma(values: NDArray[np.floating]) -> Counts:
    """The derivative of log gamma for positive values: moved up by 6, then the asymptotic series.

    The sum of the six reciprocals is one fraction, which costs one division.
    """
    x = np.asarray(values, dtype=np.float64)
    # 1/x + … + 1/(x+5) with u = x (x + 5): three pairs of equal sum 2x + 5.
    u = x * (x + 5)
    low, middle = u + 4, u + 6
    shift = (2 * x + 5) * (low * middle + u * middle + u * low) / (u * low * middle)
    y = x + 6
    f = 1 / (y * y)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))))
    return np.asarray(np.log(y) - 0.5 / y - series - shift)


_LONG_CELLS = 2**18
_BLOCKS_OF_THREAD = 8
"""Blocks that a thread reads before their counts are added."""

Report = Callable[[], None]
"""Called after each block that was read."""

Result = TypeVar("Result")


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

    `beyond` are the counts of given words with made words that they do not meet in this text,
    `others` are made words of the earlier text that have no number in this one.
    """

    tally: Tally
    beyond: Counts
    others: int = 0


class Direction:
    """Translations and jumps of one direction, and the reading of the text with them."""

    def __init__(
        self,
        text: PairedText,
        backward: bool,
        parameters: Parameters,
        longest: int,
        known: Known | None = None,
        jobs: int = 1,
    ) -> None:
        self.text, self.backward, self.parameters, self.jobs = text, backward, parameters, jobs
        sides = (text.target, text.source) if backward else (text.source, text.target)
        self.given_side, self.made_side = sides
        self.kinds = max(len(self.made_side.words), 1)
        self.choices = self.kinds + (known.others if known else 0)
        self.partner = _written_alike(text)
        self.jump, self.first = first_jumps(max(longest, 1))
        self.known = known
        self.unlinked: Chances = np.full(self.kinds, 1 / self.choices, dtype=np.float32)
        self.table: Chances = np.full(text.keys.size, 1 / self.choices, np.float32)
        self.table[0] = 0
        self.tally = self._empty_tally(text.keys.size)
        if self.known is not None:
            self.learn()
            self._open_to_new_words(self.known)

    def copy(self) -> Direction:
        """The same probabilities, to be learnt on from here."""
        other = copy.copy(self)
        other.table = self.table.copy()
        return other

    def read(self, hmm: bool, report: Report) -> None:
        """One pass over the text: new probabilities from what is counted with the present ones."""
        tally = self._empty_tally(self.text.keys.size)
        counted = self._of_blocks(lambda block: self._counted(block, hmm), report)
        for block, counts in zip(self.text.blocks, counted, strict=True):
            tally.pairs[block.pairs] += counts.pairs
            tally.unlinked += counts.unlinked
            tally.jump += counts.jump
            tally.first += counts.first
        self.tally = tally
        self.learn()

    def links(self, hmm: bool, report: Report) -> Numbers:
        """The given position of each made word, or -1, in the order of the text."""
        best = np.full(len(self.made_side.tokens), NO_LINK, np.int32)
        for places, found in self._of_blocks(lambda block: self._best(block, hmm), report):
            best[places] = found
        return best

    def links_outside(self) -> list[tuple[int, Numbers]]:
        """The links of the segments beyond the limits: where they begin in the text, and they."""

        return [
            (int(self.made_side.starts[segment]) + row, best)
            for segment in self.text.outside.tolist()
            for row, best in self._rows(segment)
        ]

    def _of_blocks(self, function: Callable[[Block], Result], report: Report) -> Iterator[Result]:
        """The result for each block, in order; numpy lets threads work at the same time."""
        with ThreadPoolExecutor(self.jobs) as pool:
            for start in range(0, len(self.text.blocks), _BLOCKS_OF_THREAD * self.jobs):
                blocks = self.text.blocks[start : start + _BLOCKS_OF_THREAD * self.jobs]
                for result in pool.map(function, blocks):
                    yield result
                    report()

    def _empty_tally(self, pairs: int) -> Tally:
        sizes = pairs, self.kinds, len(self.jump), len(self.first)
        return Tally(*(np.zeros(size) for size in sizes))

    def _counted(self, block: Block, hmm: bool) -> Tally:
        """What is counted in a block, pairs in its own numbering."""
        tally = self._empty_tally(len(block.pairs))
        for batch, chances in self._chances(block, hmm):
            none, jumps = chances.count(tally.pairs)
            made = self._made(batch).T
            inside = made != NO_WORD
            tally.unlinked += np.bincount(made[inside], none[inside], minlength=self.kinds)
            if jumps is not None:
                self._count_jumps(tally, jumps)
        tally.pairs[0] = 0
        return tally

    def _best(self, block: Block, hmm: bool) -> tuple[Ints, Numbers]:
        """The best links of a block, and where they stand in the text."""
        places, links = [np.empty(0, np.int64)], [np.empty(0, np.int32)]
        for batch, chances in self._chances(block, hmm):
            starts = self.made_side.starts[batch.segments]
            steps = np.arange(len(chances.none))[:, None]
            inside = steps < self.made_side.lengths[batch.segments]
            places.append((starts + steps)[inside])
            links.append(chances.best()[inside])
        return np.concatenate(places), np.concatenate(links)

    def _chances(self, block: Block, hmm: bool) -> Iterator[tuple[SegmentBatch, BatchChances]]:
        p = self.parameters
        table = self.table[block.pairs] * np.float32(1 - p.null)
        moves = None
        if hmm:
            jump = jump_chances(self.jump, p.jump_power)
            moves = Moves(jump, self.first.astype(np.float32), p.loose)
        for batch in block.batches:
            cells = batch.cells.T if self.backward else batch.cells
            none = self._none(self._made(batch).T)
            given, made = (
                side.lengths[batch.segments] for side in (self.given_side, self.made_side)
            )
            # Few pairs of lengths meet in a batch, and the prior knows nothing else of a segment.
            _, one, shapes = np.unique(
                given * (made.max() + 1) + made, return_index=True, return_inverse=True
            )
            near = diagonal_prior(given[one], made[one], p.tension)
            yield batch, BatchChances(cells, table, none, made, near, shapes, moves)

    def _rows(self, segment: int) -> Iterator[tuple[int, Numbers]]:
        """Links of a segment that may be too long for the HMM, by IBM 1, some rows at a time."""
        given, made = self.given_side.segment(segment), self.made_side.segment(segment)
        lengths: tuple[Ints, Ints] = (np.array([len(given)]), np.array([len(made)]))
        rows = max(1, _LONG_CELLS // len(given))
        for row in range(0, len(made), rows):
            part = made[row : row + rows, None]
            words = np.broadcast_arrays(given[None, :], part)
            pairs = self.text.keys.numbers(*(words[::-1] if self.backward else words))
            emit = np.maximum(self.table[pairs], np.float32(FLOOR))
            emit *= np.float32(1 - self.parameters.null)
            places = np.arange(row, row + len(part))
            near = diagonal_prior(*lengths, self.parameters.tension, places)
            posterior = diagonal_posterior(emit[:, None, :], self._none(part), near)
            yield row, best_links(posterior)[:, 0]

    def _made(self, batch: SegmentBatch) -> Numbers:
        return batch.source if self.backward else batch.target

    def _none(self, made: Numbers) -> Chances:
        chances = np.float32(self.parameters.null) * self.unlinked[made]
        return np.where(made == NO_WORD, np.float32(1), chances)

    def _open_to_new_words(self, known: Known) -> None:
        """Pairs of two words of which neither was ever counted begin as likely as any."""
        given_seen = known.beyond > 0
        made_seen = known.tally.unlinked > 0
        for part, given, made in self._words():
            counted = known.tally.pairs[part] > 0
            given_seen[given[counted]] = True
            made_seen[made[counted]] = True
        for part, given, made in self._words():
            table = self.table[part]
            new = ~(given_seen[given] | made_seen[made])
            table[new] = np.maximum(table[new], np.float32(1 / self.choices))
        self.table[0] = 0

    def _words(self) -> Iterator[tuple[slice, Ints, Ints]]:
        """Pairs, some at a time, with their given and made words."""
        for part, source, target in self.text.keys.parts():
            yield (part, target, source) if self.backward else (part, source, target)

    def _counts(self) -> Iterator[tuple[slice, Ints, Counts]]:
        """Pairs, some at a time, with their given words and all counts, names included."""
        for part, source, target in self.text.keys.parts():
            alike = self.partner[source] == target
            if part.start == 0:
                alike[0] = False
            counts = self.tally.pairs[part]
            if self.known is not None:
                counts = counts + self.known.tally.pairs[part]
            given = target if self.backward else source
            yield part, given, counts + self.parameters.same * alike

    def _count_jumps(self, tally: Tally, jumps: Jumps) -> None:
        width = len(jumps.first)
        index = jump_index(width, len(tally.jump))
        tally.jump += np.bincount(index.ravel(), jumps.moves.ravel(), len(tally.jump))
        tally.first[:width] += jumps.first

    def learn(self) -> None:
        """New probabilities from what was counted last and in the earlier text."""
        totals: Counts = np.zeros(max(len(self.given_side.words), 1))
        for _, given, counts in self._counts():
            np.add.at(totals, given, counts)  # as if all were summed at once
        if self.known is not None:
            totals = totals + self.known.beyond
        self._learn_rest()
        concentration = self.parameters.concentration
        for part, given, counts in self._counts():
            self.table[part] = translation_chances(
                counts, given, totals, self.choices, concentration
            )
        self.table[0] = 0

    def _learn_rest(self) -> None:
        """New chances of no link, of jumps and of first positions."""
        tally = replace(self.tally, pairs=np.zeros(0))
        if self.known is not None:
            tally = add(tally, replace(self.known.tally, pairs=np.zeros(0)))
        everything = np.zeros(self.kinds, dtype=np.int32)
        total = np.array([max(tally.unlinked.sum(), FLOOR)])
        self.unlinked = translation_chances(
            tally.unlinked, everything, total, self.choices, self.parameters.concentration
        )
        if tally.jump.sum() > 0:
            self.jump = tally.jump.copy()
            self.first = tally.first + 1e-3 * tally.first.mean()


def add(one: Tally, other: Tally) -> Tally:
    """The sum of two tallies."""
    return Tally(
        one.pairs + other.pairs,
        one.unlinked + other.unlinked,
        one.jump + other.jump,
        one.first + other.first,
    )


def _written_alike(text: PairedText) -> Numbers:
    """The target word with the same form as each source word, or no word."""
    partner = np.full(max(len(text.source.words), 1), NO_WORD, dtype=np.int32)
    for word, number in text.source.words.items():
        partner[number] = text.target.words.get(word, NO_WORD)
    return partner
