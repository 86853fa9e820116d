"""Our own aligner on a whole text: what is learnt from, what is only linked, and priors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

from crosspro.data_prep.align.model import Parameters
from crosspro.data_prep.align.prior import Prior, prior_of
from crosspro.data_prep.align.settings import AlignerSettings
from crosspro.data_prep.align.text import Sentences, count_cells, make_form, paired_text
from crosspro.data_prep.align.train import DirectedLinks, Passes, Progress, train
from crosspro.data_prep.example import Link

Directed = Iterable[tuple[Collection[Link], Collection[Link]]]

_IBM1_BEFORE_HMM = 2
_MOST_CELLS = 300_000_000
"""Token pairs held in memory at once, with about 15 bytes each in all."""

_PART_CELLS = 50_000_000


def own_links(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None,
    keep: bool,
    jobs: int,
    progress: Progress,
    most_cells: int = _MOST_CELLS,
) -> tuple[Directed, Prior | None]:
    """The links of both directions, and with `keep` what was learnt.

    A text that is too large for the memory is learnt from in part: of segments spread evenly over
    it. Then all of it is linked, part by part.
    """
    trainer = _Trainer(settings, jobs, progress)
    cells = count_cells(source, target)
    iterations = settings.iterations
    if cells <= most_cells:
        return trainer.run(source, target, iterations, prior, keep)
    backed = None
    if iterations:
        step = -(-cells // most_cells)
        sample = source[::step], target[::step]
        learner = replace(trainer, settings=replace(settings, back_off="same"))
        if settings.back_off == "ibm1" and settings.model != "ibm1":
            alone = replace(trainer, settings=replace(settings, model="ibm1"))
            _, backed = alone.run(*sample, iterations, prior, True)
        _, prior = learner.run(*sample, iterations, prior, True)
    parts = _parts(source, target, min(_PART_CELLS, most_cells))
    directed = [trainer.run(*part, 0, prior, False, backed)[0] for part in parts]
    return _Chained(directed), prior if keep else None


@dataclass(frozen=True)
class _Trainer:
    settings: AlignerSettings
    jobs: int
    progress: Progress

    def run(
        self,
        source: Sentences,
        target: Sentences,
        iterations: int,
        prior: Prior | None,
        keep: bool,
        backed: Prior | None = None,
    ) -> tuple[Directed, Prior | None]:
        """Learn and link; `backed` is what the back-off has learnt, in the words of the prior."""
        settings = self.settings
        form = make_form(settings.form, settings.prefix_length)
        words = (prior.source_words, prior.target_words) if prior else ({}, {})
        self.progress("numbering pairs of words", 0, 1)
        limits = settings.max_length, settings.max_ratio
        text = paired_text(source, target, form, *limits, words)
        known = prior.known(text, settings.max_length) if prior else None
        back = backed.known(text, settings.max_length) if backed else None
        parameters = Parameters(null=settings.null, concentration=settings.variational)
        passes = _passes(settings, iterations, prior is not None)
        if settings.back_off == "ibm1" and passes.use_hmm and (iterations or backed):
            passes = replace(passes, back_off=iterations)
        outcomes = train(text, parameters, passes, known, keep, self.jobs, self.progress, back)
        forward, backward = outcomes
        learnt = None
        if forward.tally is not None and backward.tally is not None:
            tallies = forward.tally, backward.tally
            learnt = prior_of(text, tallies, settings.form, settings.prefix_length, prior)
        return DirectedLinks(text.source, text.target, forward.best, backward.best), learnt


def _passes(settings: AlignerSettings, iterations: int, prior: bool) -> Passes:
    """The HMM needs translations to begin with, from IBM 1 or from a prior."""
    if settings.model == "ibm1":
        return Passes(iterations, 0, False, settings.max_length)
    first = 0 if prior else min(_IBM1_BEFORE_HMM, iterations)
    return Passes(first, iterations - first, True, settings.max_length)


def _parts(
    source: Sentences, target: Sentences, most: int
) -> Iterator[tuple[Sentences, Sentences]]:
    start = cells = 0
    for number, (one, other) in enumerate(zip(source, target, strict=True)):
        cells += len(one) * len(other)
        if cells >= most or number == len(source) - 1:
            yield source[start : number + 1], target[start : number + 1]
            start, cells = number + 1, 0


@dataclass(frozen=True)
class _Chained:
    parts: list[Directed]

    def __iter__(self) -> Iterator[tuple[Collection[Link], Collection[Link]]]:
        for part in self.parts:
            yield from part
