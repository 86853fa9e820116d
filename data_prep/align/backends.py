"""Aligners by name behind one function: our own, eflomal, or links from a file.

Every aligner gives the links of both directions, so that all symmetrisations can be had from one
run. A file has one set of links only: it stands for both directions, and every symmetrisation of
equal directions returns it unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import eq
from pathlib import Path
from typing import overload

from crosspro.data_prep.align.eflomal import eflomal_links
from crosspro.data_prep.align.own import own_links, too_long
from crosspro.data_prep.align.prior import Prior
from crosspro.data_prep.align.settings import (
    ALIGNERS,
    AlignerSettings,
    beyond_limits,
    default_settings,
)
from crosspro.data_prep.align.symmetrise import symmetrise
from crosspro.data_prep.align.text import Sentences
from crosspro.data_prep.align.train import Pair, Progress, useful_jobs
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.formats.links import read_links

__all__ = [
    "ALIGNERS",
    "AlignerSettings",
    "Alignment",
    "align_both_directions",
    "align_corpus",
    "beyond_limits",
    "default_settings",
]


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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Alignment:
    """The links of both directions, segment by segment, and what was learnt (our own only).

    `beyond` segments were linked but not learnt from.
    """

    directed: Sequence[Pair]
    prior: Prior | None = None
    beyond: int = 0

    def links(self, symmetrisation: str) -> SegmentLinks:
        """The links of every segment by a named symmetrisation."""
        return SegmentLinks(self.directed, symmetrisation)


@dataclass(frozen=True)
class _Run:
    """What an aligner is asked to do."""

    source: Sentences
    target: Sentences
    settings: AlignerSettings
    prior: Prior | None
    keep: bool
    jobs: int
    progress: Progress
    folder: Path | None


def _own(run: _Run) -> Alignment:
    made = own_links(
        run.source,
        run.target,
        run.settings,
        run.prior,
        run.keep,
        run.jobs,
        run.progress,
        run.folder,
    )
    return Alignment(made.directed, made.prior, made.beyond)


def _eflomal(run: _Run) -> Alignment:
    _check_lengths({"source": run.source, "target": run.target}, run.settings.most_words)
    return Alignment(eflomal_links(run.source, run.target, run.settings, run.progress))


def _file(run: _Run) -> Alignment:
    found = list(read_links(str(run.settings.links), run.source, run.target))
    return Alignment([(links, links) for links in found])


_BACKENDS: dict[str, Callable[[_Run], Alignment]] = dict(
    zip(ALIGNERS, (_own, _eflomal, _file), strict=True)
)


def align_both_directions(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None = None,
    keep: bool = False,
    jobs: int | None = None,
    progress: Progress = lambda name, done, total: None,
    folder: Path | None = None,
) -> Alignment:
    """The links of both directions; with `keep`, what was learnt as a prior for other text.

    Neither the number of `jobs` nor the progress shown changes the links. Our own aligner saves its
    state in `folder` after each pass, and goes on from there when it is called again; who gives
    a folder removes it in the end (`remove_folder`).
    """
    settings.check()
    if len(source) != len(target):
        raise InputError([_unequal(source, target)])
    _check_prior(settings, prior, keep)
    jobs = useful_jobs() if jobs is None else jobs
    run = _Run(source, target, settings, prior, keep, jobs, progress, folder)
    return _BACKENDS[settings.aligner](run)


def align_corpus(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None = None,
    jobs: int | None = None,
    progress: Callable[[str], None] = lambda text: None,
    folder: Path | None = None,
) -> SegmentLinks:
    """The links of every segment, in order; progress is told in words, now and then.

    Each side of the text is read once, from beginning to end. Both directions are complete when
    this returns; a segment's links are made one from them when they are asked for.
    """
    told = _in_words(progress)
    alignment = align_both_directions(source, target, settings, prior, False, jobs, told, folder)
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


def _unequal(source: Sentences, target: Sentences) -> Problem:
    return Problem("target", None, "segments", f"{len(source)} as in the source", str(len(target)))


def _check_lengths(sides: dict[str, Sentences], most: int) -> None:
    problems = [
        too_long(side, line, len(words), most)
        for side, sentences in sides.items()
        for line, words in enumerate(sentences, start=1)
        if len(words) > most
    ]
    if problems:
        raise InputError(problems)


def _check_prior(settings: AlignerSettings, prior: Prior | None, keep: bool) -> None:
    faults = []
    if settings.aligner != "own" and (prior is not None or keep):
        faults.append(("aligner", "own, which alone has priors", repr(settings.aligner)))
    elif prior is not None:
        asked = replace(settings, form=prior.form, prefix_length=prior.prefix_length)
        if asked != settings:
            written = f"form {prior.form}, prefix length {prior.prefix_length}, as in the prior"
            faults.append(("form", written, f"{settings.form}, {settings.prefix_length}"))
    elif settings.aligner == "own" and settings.iterations == 0:
        faults.append(("iterations", "at least 1 without a prior", "0"))
    if faults:
        raise InputError(Problem("settings", None, *fault) for fault in faults)
