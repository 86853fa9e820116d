"""Word alignment: lists of words in, links out.

`align` gives the links of each pair of segments by one symmetrisation; `learn` gives both
directions and, for new text, a prior.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from crosspro.data_prep.align.hmm import NO_LINK
from crosspro.data_prep.align.model import Direction, Smoothing, Tally
from crosspro.data_prep.align.numbering import (
    NumberedText,
    Numbers,
    WordPairs,
    beyond_limits,
    number_pairs,
    number_sides,
    word_form,
)
from crosspro.data_prep.align.prior import Prior, learnt_prior
from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS
from crosspro.data_prep.core.errors import counted, input_error
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.processes import processors
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import Task

Symmetrisation = Literal[
    "grow-diag-final-and", "grow-diag", "grow-diag-final", "union", "intersection"
]
Progress = Callable[[str, int, int], None]
"""Called with a step's name, how much of it is done, and out of how much."""

MOST_WORDS = 2000
"""Longer segments are refused: time and memory grow with the square of the length, and such a line
is a text that was not cut into segments."""
FEW_SEGMENTS = 20_000
_IBM1_BEFORE_HMM = 2


@settings
class AlignerSettings:
    """How links are made.

    Words are compared by `form`: their first characters, lower-cased, which brings the forms of a
    word together, or the whole lower-cased word. `iterations` are the passes over the text.
    `variational` is the concentration of the Dirichlet prior over translations; 0 is plain EM.
    `null` is the prior probability of no link.

    Segments with more than `max_length` words on a side, or more than `max_ratio` times the words
    of the other, are not learnt from. They get their links from IBM 1 with a diagonal prior: with
    the translations of the model (`back_off` same), or trained separately (ibm1). The tasks left
    what was too long or too unequal for GIZA++ to fast_align, which is such a model (003 §3.3.1,
    004 §3.3).
    """

    model: Literal["hmm", "ibm1"] = "hmm"
    symmetrisation: Annotated[str, Field(pattern=f"^({'|'.join(SYMMETRISATIONS)})$")] = (
        "grow-diag-final-and"
    )
    form: Literal["prefix", "word"] = "prefix"
    prefix_length: Annotated[int, Field(ge=1)] = 5
    iterations: Annotated[int, Field(ge=0)] = 5
    variational: Annotated[float, Field(ge=0, lt=1)] = 3e-4
    null: Annotated[float, Field(gt=0, lt=1)] = 0.2
    max_length: Annotated[int, Field(ge=1)] = 100
    max_ratio: Annotated[float, Field(ge=1)] | None = None
    back_off: Literal["same", "ibm1"] = "same"


DEFAULTS = AlignerSettings()


def default_settings(task: Task) -> AlignerSettings:
    """The task's symmetrisation and GIZA++'s limits; our HMM stands for its model 4 as well."""
    return AlignerSettings(
        symmetrisation=task.symmetrisation, max_length=100, max_ratio=9.0, back_off="ibm1"
    )


def align(
    pairs: WordPairs,
    prior: Prior | None = None,
    settings: AlignerSettings = DEFAULTS,
    jobs: int | None = None,
    progress: Progress = lambda step, done, total: None,
) -> list[tuple[Link, ...]]:
    """The links (source, target) of each pair of tokenised segments, in order.

    With a prior (`load_prior`), its counts are added to those of the text, and words are compared
    as the prior compares them; with 0 iterations the text is linked by the prior alone.
    """
    return list(learn(pairs, prior, settings, jobs, progress).links(settings.symmetrisation))


def link_by_prior(
    pairs: WordPairs, prior: Prior, settings: AlignerSettings = DEFAULTS
) -> list[tuple[Link, ...]]:
    """The links of single pairs, by a prior alone: a pair does not depend on the others."""
    return align(pairs, prior, replace(settings, iterations=0, back_off="same"), jobs=1)


@dataclass(frozen=True)
class Alignment:
    """Both directions of a text: the position that each word is linked to, and expected counts."""

    settings: AlignerSettings
    text: NumberedText
    forward: Numbers
    backward: Numbers
    tallies: tuple[Tally, Tally]
    earlier: Prior | None = None

    def prior(self) -> Prior:
        """The counts as a prior for other text, with those of the earlier prior."""
        form, prefix_length = self.settings.form, self.settings.prefix_length
        return learnt_prior(self.text, self.tallies, form, prefix_length, self.earlier)

    def links(self, symmetrisation: str) -> Iterator[tuple[Link, ...]]:
        """The links of each segment by a named symmetrisation."""
        symmetrise = SYMMETRISATIONS[symmetrisation]
        for forward, backward in self.directed():
            yield tuple(sorted(symmetrise(forward, backward)))

    def directed(self) -> Iterator[tuple[list[Link], list[Link]]]:
        """The links of each segment, forward and backward."""
        source, target = self.text.source, self.text.target
        for segment in range(len(source.lengths)):
            start, stop = target.starts[segment], target.starts[segment] + target.lengths[segment]
            positions = self.forward[start:stop].tolist()
            forward = [(s, t) for t, s in enumerate(positions) if s != NO_LINK]
            start, stop = source.starts[segment], source.starts[segment] + source.lengths[segment]
            positions = self.backward[start:stop].tolist()
            yield forward, [(s, t) for s, t in enumerate(positions) if t != NO_LINK]

    @property
    def backed_off(self) -> int:
        """How many segments were too long or too unequal to be learnt from."""
        return len(self.text.outside)


def learn(
    pairs: WordPairs,
    prior: Prior | None = None,
    settings: AlignerSettings = DEFAULTS,
    jobs: int | None = None,
    progress: Progress = lambda step, done, total: None,
) -> Alignment:
    """Both directions of all pairs, and the counts; `align` says more.

    Neither the number of `jobs` (threads; one a processor by default) nor the progress shown
    changes the links.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if prior is not None:
        form: Literal["prefix", "word"] = "word" if prior.form == "word" else "prefix"
        settings = replace(settings, form=form, prefix_length=prior.prefix_length)
    elif settings.iterations == 0:
        raise input_error("settings", "iterations", "at least 1 without a prior", "0")
    form_of = word_form(settings.form, settings.prefix_length)
    words = (prior.source_words, prior.target_words) if prior else ({}, {})
    progress("numbering words", 0, 1)
    sides = number_sides(pairs, form_of, words)
    for name, side in zip(("source", "target"), sides, strict=True):
        for segment in np.flatnonzero(side.lengths > MOST_WORDS).tolist():
            length = int(side.lengths[segment])
            raise input_error(name, "words", f"at most {MOST_WORDS:,}", f"{length:,}", 1 + segment)
    text = number_pairs(*sides, settings.max_length, settings.max_ratio)
    smoothing = Smoothing(settings.null, settings.variational, settings.max_length)
    earlier = prior.tallies(text, settings.max_length) if prior else (None, None)
    links, tallies = [], []
    with threadpool_limits(1):  # the matrices are small: threads would wait for each other
        for backward, known in zip((False, True), earlier, strict=True):
            direction = Direction(text, backward, smoothing, known, jobs or processors())
            step = "backward" if backward else "forward"
            links.append(_trained(direction, settings, prior is not None, step, progress))
            tallies.append(direction.tally if known is None else direction.tally + known.tally)
    return Alignment(settings, text, links[0], links[1], (tallies[0], tallies[1]), prior)


def _trained(
    direction: Direction, settings: AlignerSettings, has_prior: bool, step: str, progress: Progress
) -> Numbers:
    """The links of a direction after all passes.

    The HMM needs translations to begin with, from IBM 1 or from a prior.
    """
    hmm, iterations = settings.model == "hmm", settings.iterations
    ibm1 = 0 if has_prior and hmm else min(_IBM1_BEFORE_HMM, iterations) if hmm else iterations
    backs_off = hmm and settings.back_off == "ibm1" and bool(direction.text.outside)
    passes = [False] * ibm1 + [True] * (iterations - ibm1)
    total = (len(passes) + 1 + backs_off * (iterations - ibm1)) * len(direction.text.blocks)
    done = 0

    def report() -> None:
        nonlocal done
        done += 1
        progress(step, done, total)

    progress(step, 0, total)
    outside = direction
    for number, use_hmm in enumerate(passes):
        if number == ibm1 and backs_off:
            outside = direction.copy()
        direction.train(use_hmm, report)
    if outside is not direction:
        for _ in range(ibm1, iterations):
            outside.train(False, report)
    best = direction.links(hmm, report)
    outside.links_outside(best)
    return best


def read_token_pairs(source: Path, target: Path) -> list[tuple[list[str], list[str]]]:
    """The words of two tokenised files, line by line, which must have as many lines."""
    sides = [[line.split() for line in read_text_lines(path)] for path in (source, target)]
    for path, side in zip((source, target), sides, strict=True):
        if not side:
            raise input_error(path, "file", "at least one line", "none")
        for number, words in enumerate(side, start=1):
            if len(words) > MOST_WORDS:
                expected = f"at most {MOST_WORDS:,}"
                raise input_error(path, "words", expected, f"{len(words):,}", number)
    if len(sides[0]) != len(sides[1]):
        raise input_error(target, "lines", f"{len(sides[0])} as in {source}", str(len(sides[1])))
    return list(zip(*sides, strict=True))


def segments_beyond_limits(lengths: Iterable[tuple[int, int]], settings: AlignerSettings) -> int:
    """How many segments, by their lengths on both sides, are linked but not learnt from."""
    source, target = np.array([*lengths], np.int64).reshape(-1, 2).T
    return int(beyond_limits(source, target, settings.max_length, settings.max_ratio).sum())


def few_segments(lines: int) -> str:
    """A warning for a text too short to learn links from; empty if it is long enough."""
    if lines >= FEW_SEGMENTS:
        return ""
    return (
        f"{counted(lines, 'line')} are few to learn links from (fewer than {FEW_SEGMENTS:,}): "
        "give with --prior the counts that crosspro align --save-prior has learnt from more text, "
        "or a bundled model (en-fr)"
    )
