"""Our own aligner on a whole text: what is learnt from, what is only linked, and priors."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.model import Parameters
from crosspro.data_prep.align.prior import Prior, prior_of
from crosspro.data_prep.align.settings import AlignerSettings
from crosspro.data_prep.align.state import State, working_folder
from crosspro.data_prep.align.text import NumberedBitext, Sentences, make_form, numbered_text
from crosspro.data_prep.align.train import DirectedLinks, Passes, Progress, train
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files.digest import sha256_of
from crosspro.data_prep.core.files.limits import ALIGNED_WORDS

_IBM1_BEFORE_HMM = 2
_STATE_VERSION = 1


@dataclass(frozen=True)
class OwnLinks:
    """Links of both directions, the number of segments beyond the limits, and what was learnt."""

    directed: DirectedLinks
    beyond: int
    prior: Prior | None


def own_links(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None,
    keep: bool,
    jobs: int,
    progress: Progress,
    folder: Path | None = None,
) -> OwnLinks:
    """Learn from a text and link it; with `keep`, what was learnt is given too.

    Each side is read once. What is learnt is written to `folder` after each pass: the same call
    goes on from there if it was interrupted. Without a folder it lies in a passing one.
    """
    form = make_form(settings.form, settings.prefix_length)
    words = (prior.source_words, prior.target_words) if prior else ({}, {})
    progress("numbering pairs of words", 0, 1)
    with working_folder(folder) as place:
        limits = settings.max_length, settings.max_ratio
        numbered = numbered_text(source, target, form, *limits, place, words)
        _check_lengths(numbered, settings.most_words)
        state = State(place, _key(numbered, settings, prior, place))
        text = state.text(numbered, lambda *done: progress("numbering pairs of words", *done))
        known = prior.known(text, settings.max_length) if prior else None
        parameters = Parameters(null=settings.null, concentration=settings.variational)
        passes = _passes(settings, prior is not None)
        forward, backward = train(text, parameters, passes, known, keep, jobs, progress, state)
        learnt = None
        if forward.tally is not None and backward.tally is not None:
            tallies = forward.tally, backward.tally
            learnt = prior_of(text, tallies, settings.form, settings.prefix_length, prior)
    lengths = text.source.lengths, text.target.lengths
    directed = DirectedLinks(lengths, forward.best, backward.best)
    return OwnLinks(directed, len(text.outside), learnt)


def _passes(settings: AlignerSettings, prior: bool) -> Passes:
    """The HMM needs translations to begin with, from IBM 1 or from a prior."""
    iterations = settings.iterations
    if settings.model == "ibm1":
        return Passes(iterations, 0, False, settings.max_length)
    first = 0 if prior else min(_IBM1_BEFORE_HMM, iterations)
    passes = Passes(first, iterations - first, True, settings.max_length)
    if settings.back_off == "ibm1" and iterations:
        return replace(passes, back_off=iterations)
    return passes


def _check_lengths(text: NumberedBitext, most: int) -> None:
    problems = [
        too_long(side, 1 + number, int(lengths[number]), most)
        for side, lengths in (("source", text.source.lengths), ("target", text.target.lengths))
        for number in np.flatnonzero(lengths > most).tolist()
    ]
    if problems:
        raise InputError(problems)


def too_long(side: str, line: int, words: int, most: int) -> Problem:
    """A segment with more words than the setting allows."""
    how = f"--max-words or --limit {ALIGNED_WORDS.name}=N allows more, in Python most_words"
    expected = f"at most {most:,} ({how})"
    return Problem(side, line, "words", expected, f"{words:,}")


def _key(text: NumberedBitext, settings: AlignerSettings, prior: Prior | None, folder: Path) -> str:
    """What a state must have been made from: the text, the settings, the prior."""
    own = {name: value for name, value in asdict(settings).items() if name != "symmetrisation"}
    digest = hashlib.sha256(json.dumps([_STATE_VERSION, np.__version__, own]).encode("ascii"))
    for name, side in (("source", text.source), ("target", text.target)):
        digest.update(sha256_of(folder / f"{name}.tokens").encode("ascii"))
        digest.update(side.lengths.data)
        digest.update(json.dumps(list(side.words)).encode("ascii"))
    if prior is not None:
        digest.update(prior.pair_source.tobytes())
        digest.update(prior.pair_target.tobytes())
        for tally in (prior.forward, prior.backward):
            for counts in (tally.pairs, tally.unlinked, tally.jump, tally.first):
                digest.update(counts.tobytes())
    return digest.hexdigest()
