"""Word alignment behind one function: settings, texts, symmetrised links.

The aligner gives the links of both directions, so that all symmetrisations can be had from one run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from operator import eq
from pathlib import Path
from typing import Annotated, Literal, overload

import numpy as np
from pydantic import Field

from crosspro.data_prep.align.blocks import paired_text
from crosspro.data_prep.align.model import Parameters
from crosspro.data_prep.align.prior import Prior, prior_of
from crosspro.data_prep.align.symmetrise import symmetrise
from crosspro.data_prep.align.text import (
    Ints,
    Sentences,
    make_form,
    numbered_text,
    too_unlike,
)
from crosspro.data_prep.align.train import (
    Pair,
    Passes,
    Progress,
    train,
    useful_jobs,
)
from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    input_error,
)
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import SYMMETRISATIONS, Task
from crosspro.data_prep.formats.links import ALIGNED_WORDS, format_links

MODELS = ("hmm", "ibm1")
FORMS = ("prefix", "word")
BACK_OFFS = ("same", "ibm1")
AtLeastOne = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class AlignerSettings:
    """How links are made.

    `form` is what words are compared by: their first characters, lower-cased, which brings the
    forms of a word together, or the whole lower-cased word; texts of lemmas may be given instead.
    `iterations` are the passes over the text. `variational` is the concentration of the prior over
    translations in variational Bayes, and 0 is plain EM.

    Segments with more than `max_length` words on a side, or more than `max_ratio` times the words
    of the other, are not learnt from. The HMM cannot link them: they get their links from the
    diagonal and the translations of the model (`back_off` same), or of an IBM 1 with a diagonal
    prior that is trained by itself (ibm1). The tasks did the latter (003 §3.3.1): what was too long
    or too unequal for GIZA++ was left to fast_align, which is such a model.

    Segments with more than `most_words` on a side are refused: time and memory grow with the square
    of it, and such a line is a text that was not cut into segments.
    """

    model: Literal["hmm", "ibm1"] = "hmm"
    symmetrisation: Annotated[str, Field(pattern=f"^({'|'.join(SYMMETRISATIONS)})$")] = (
        "grow-diag-final-and"
    )
    form: Annotated[str, Field(pattern="^(prefix|word)$")] = "prefix"
    prefix_length: AtLeastOne = 5
    iterations: Annotated[int, Field(ge=0)] = 5
    variational: Annotated[float, Field(ge=0, lt=1)] = 3e-4
    null: Annotated[float, Field(gt=0, lt=1)] = 0.2
    max_length: AtLeastOne = 100
    max_ratio: Annotated[float, Field(ge=1)] | None = None
    back_off: Literal["same", "ibm1"] = "same"
    most_words: AtLeastOne = ALIGNED_WORDS

    def check(self) -> None:
        """Raise if a name is not known or a number makes no sense; all faults together."""
        check_settings(AlignerSettings, asdict(self), "settings")


def default_settings(task: Task) -> AlignerSettings:
    """The task's model and symmetrisation; our HMM stands for GIZA++'s model 4 as well.

    The limits are those of GIZA++ and of the cleaning before it; beyond them the tasks backed off.
    """
    return AlignerSettings(
        symmetrisation=task.symmetrisation, max_length=100, max_ratio=9.0, back_off="ibm1"
    )


def beyond_limits(source: Sentences, target: Sentences, settings: AlignerSettings) -> int:
    """How many segments the aligner links but does not learn from."""
    return int(too_unlike(*_lengths(source, target), settings.max_length, settings.max_ratio).sum())


def _lengths(source: Sentences, target: Sentences) -> tuple[Ints, Ints]:
    left, right = (np.fromiter(map(len, side), np.int64, len(side)) for side in (source, target))
    return left, right


class TokenisedFile(Collection[list[str]]):
    """The words of each line of a file, which is read whenever it is gone over, and never kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = sum(1 for _ in read_text_lines(path))

    def __len__(self) -> int:
        return self.lines

    def __iter__(self) -> Iterator[list[str]]:
        return (line.split() for line in read_text_lines(self.path))

    def __contains__(self, words: object) -> bool:
        return any(one == words for one in self)


def parallel_words(source: Path, target: Path) -> tuple[Sentences, Sentences]:
    """The words of two tokenised texts, which must have the same number of lines."""
    texts = []
    for path in (source, target):
        texts.append(TokenisedFile(path))
        if not texts[-1]:
            raise input_error(path, "file", "at least one line", "none")
    if len(texts[0]) != len(texts[1]):
        raise input_error(target, "lines", f"{len(texts[0])} as in {source}", str(len(texts[1])))
    return texts[0], texts[1]


_PART = 10_000
"""Segments that are symmetrised together."""


class SegmentLinks(Sequence[tuple[Link, ...]]):
    """The links of every segment by one symmetrisation, made when they are asked for."""

    def __init__(self, directed: Sequence[Pair], symmetrisation: str) -> None:
        self.directed, self.symmetrisation = directed, symmetrisation

    def __len__(self) -> int:
        return len(self.directed)

    @overload
    def __getitem__(self, number: int) -> tuple[Link, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[Link, ...]]: ...
    def __getitem__(self, number: int | slice) -> tuple[Link, ...] | list[tuple[Link, ...]]:
        if isinstance(number, slice):
            return [self[one] for one in range(len(self))[number]]
        return symmetrise(*self.directed[number], self.symmetrisation)

    def lines(self, size: int, progress: Progress) -> Iterator[str]:
        """Lines of the first segments, many together."""
        for start in range(0, size, _PART):
            progress("symmetrising", start, size)
            part = self[start : min(start + _PART, size)]
            yield "".join(f"{format_links(links)}\n" for links in part)
        progress("symmetrising", size, size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Alignment:
    """The links of both directions, segment by segment, and what was learnt.

    `beyond` segments were linked but not learnt from.
    """

    directed: Sequence[Pair]
    prior: Prior | None = None
    beyond: int = 0

    def links(self, symmetrisation: str) -> SegmentLinks:
        """The links of every segment by a named symmetrisation."""
        return SegmentLinks(self.directed, symmetrisation)


_IBM1_BEFORE_HMM = 2


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


def _check_lengths(source: Ints, target: Ints, most: int) -> None:
    problems = [
        too_long(side, 1 + number, int(lengths[number]), most)
        for side, lengths in (("source", source), ("target", target))
        for number in np.flatnonzero(lengths > most).tolist()
    ]
    if problems:
        raise InputError(problems)


def too_long(side: str, line: int, words: int, most: int) -> Problem:
    """A segment with more words than the setting allows."""
    expected = f"at most {most:,} (most_words in Python)"
    return Problem(side, line, "words", expected, f"{words:,}")


def align_both_directions(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None = None,
    keep: bool = False,
    jobs: int | None = None,
    progress: Progress = lambda name, done, total: None,
) -> Alignment:
    """The links of both directions; with `keep`, what was learnt as a prior for other text.

    Each side is read once. Neither the number of `jobs` nor the progress shown changes the links.
    """
    settings.check()
    if len(source) != len(target):
        expected = f"{len(source)} as in the source"
        raise input_error("target", "segments", expected, str(len(target)))
    _check_prior(settings, prior)
    form = make_form(settings.form, settings.prefix_length)
    words = (prior.source_words, prior.target_words) if prior else ({}, {})
    progress("numbering pairs of words", 0, 1)
    limits = settings.max_length, settings.max_ratio
    numbered = numbered_text(source, target, form, *limits, words)
    _check_lengths(numbered.source.lengths, numbered.target.lengths, settings.most_words)
    text = paired_text(numbered, lambda *done: progress("numbering pairs of words", *done))
    known = prior.known(text, settings.max_length) if prior else None
    parameters = Parameters(null=settings.null, concentration=settings.variational)
    passes = _passes(settings, prior is not None)
    jobs = useful_jobs() if jobs is None else jobs
    directed, tallies = train(text, parameters, passes, known, jobs, progress)
    learnt = None
    if keep:
        learnt = prior_of(text, tallies, settings.form, settings.prefix_length, prior)
    return Alignment(directed, learnt, len(text.outside))


def align_corpus(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None = None,
    jobs: int | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> SegmentLinks:
    """The links of every segment, in order; progress is told in words, now and then.

    Each side of the text is read once, from beginning to end. Both directions are complete when
    this returns; a segment's links are made one from them when they are asked for.
    """
    told = _in_words(progress)
    alignment = align_both_directions(source, target, settings, prior, False, jobs, told)
    return alignment.links(settings.symmetrisation)


def _in_words(tell: Callable[[str], None]) -> Progress:
    last = ""

    def progress(name: str, done: int, total: int) -> None:
        nonlocal last
        tenths = 10 * done // max(total, 1)
        text = f"{name}: {10 * tenths}%" if tenths else name
        if text != last:
            last = text
            tell(text)

    return progress


def _check_prior(settings: AlignerSettings, prior: Prior | None) -> None:
    if prior is not None and (prior.form, prior.prefix_length) != (
        settings.form,
        settings.prefix_length,
    ):
        expected = f"form {prior.form}, prefix length {prior.prefix_length}, as in the prior"
        found = f"{settings.form}, {settings.prefix_length}"
        raise input_error("settings", "form", expected, found)
    if prior is None and settings.iterations == 0:
        raise input_error("settings", "iterations", "at least 1 without a prior", "0")
