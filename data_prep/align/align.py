"""Word alignment: lists of words in, links out.

`align` gives the links of each pair of segments by one symmetrisation; `learn` gives both
directions and, for new text, a prior.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.hmm import NO_LINK
from crosspro.data_prep.align.model import ITERATIONS, Direction, Progress, Tally
from crosspro.data_prep.align.numbering import (
    NumberedText,
    Numbers,
    WordPairs,
    number_pairs,
    number_sides,
)
from crosspro.data_prep.align.prior import Prior, learnt_prior
from crosspro.data_prep.align.symmetrise import GROW_DIAG_FINAL_AND, SYMMETRISATIONS
from crosspro.data_prep.core.errors import counted, input_error
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.processes import processors

MOST_WORDS = 2000
"""Longer segments are refused: time and memory grow with the square of the length, and such a line
is a text that was not cut into segments."""
FEW_SEGMENTS = 20_000


def align(
    pairs: WordPairs,
    symmetrisation: str = GROW_DIAG_FINAL_AND,
    prior: Prior | None = None,
    jobs: int | None = None,
) -> list[tuple[Link, ...]]:
    """The links (source, target) of each pair of tokenised segments, in order.

    With a prior (`load_prior`), its counts are added to those of the text.
    """
    return list(learn(pairs, prior, jobs).links(symmetrisation))


def link_by_prior(
    pairs: WordPairs, prior: Prior, symmetrisation: str = GROW_DIAG_FINAL_AND
) -> list[tuple[Link, ...]]:
    """The links of single pairs, by a prior alone: a pair does not depend on the others."""
    return list(learn(pairs, prior, jobs=1, iterations=0).links(symmetrisation))


@dataclass(frozen=True)
class Alignment:
    """Both directions of a text: the position that each word is linked to, and expected counts."""

    text: NumberedText
    forward: Numbers
    backward: Numbers
    counts: tuple[Tally, Tally]
    earlier: Prior | None = None

    def prior(self) -> Prior:
        """The counts as a prior for other text, with those of the earlier prior."""
        return learnt_prior(self.text, self.counts, self.earlier)

    def links(self, symmetrisation: str) -> Iterator[tuple[Link, ...]]:
        """The links of each segment by a named symmetrisation."""
        symmetrise = SYMMETRISATIONS[symmetrisation]
        source, target = self.text.source, self.text.target
        for segment in range(len(source.lengths)):
            of_target = self.forward[target.range(segment)].tolist()
            of_source = self.backward[source.range(segment)].tolist()
            forward = [(s, t) for t, s in enumerate(of_target) if s != NO_LINK]
            backward = [(s, t) for s, t in enumerate(of_source) if t != NO_LINK]
            yield tuple(sorted(symmetrise(forward, backward)))

    @property
    def backed_off(self) -> int:
        """How many segments were too long or too unequal to be learnt from."""
        return len(self.text.outside)


def learn(
    pairs: WordPairs,
    prior: Prior | None = None,
    jobs: int | None = None,
    progress: Progress = lambda step, done, total: None,
    iterations: int = ITERATIONS,
    names: tuple[object, object] = ("source", "target"),
) -> Alignment:
    """Both directions of all pairs, and the counts; with 0 iterations by the prior alone.

    `jobs` are threads, one a processor by default; messages call the texts by their `names`.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    sides = number_sides(pairs, (prior.source_words, prior.target_words) if prior else ({}, {}))
    for name, side in zip(names, sides, strict=True):
        for segment in np.flatnonzero(side.lengths > MOST_WORDS).tolist():
            length = f"{side.lengths[segment]:,}"
            raise input_error(str(name), "words", f"at most {MOST_WORDS:,}", length, 1 + segment)
    text = number_pairs(*sides)
    tallies = prior.tallies(text) if prior else (None, None)
    links, counts = [], []
    with threadpool_limits(1):  # the matrices are small: threads would wait for each other
        for backward, tally in enumerate(tallies):
            direction = Direction(text, bool(backward), tally, jobs or processors())
            links.append(direction.fit(iterations, progress))
            counts.append(direction.counts)
    return Alignment(text, links[0], links[1], (counts[0], counts[1]), prior)


def read_token_pairs(source: Path, target: Path) -> list[tuple[list[str], list[str]]]:
    """The words of two tokenised files, line by line, which must have as many lines."""
    sides = [[line.split() for line in read_text_lines(path)] for path in (source, target)]
    if not sides[0]:
        raise input_error(source, "file", "at least one line", "none")
    if len(sides[0]) != len(sides[1]):
        raise input_error(target, "lines", f"{len(sides[0])} as in {source}", str(len(sides[1])))
    return list(zip(*sides, strict=True))


def few_segments(lines: int) -> str:
    """A warning for a text too short to learn links from; empty if it is long enough."""
    if lines >= FEW_SEGMENTS:
        return ""
    return (
        f"{counted(lines, 'line')} are few to learn links from (fewer than {FEW_SEGMENTS:,}): "
        "a prior that was learnt from more text, or that of a bundled model, links them better"
    )
