"""Aligners by name behind one function: our own, eflomal, or links from a file.

Every aligner gives the links of both directions, so that all symmetrisations can be had from one
run. A file has one set of links only: it stands for both directions, and every symmetrisation of
equal directions returns it unchanged. eflomal (Östling and Tiedemann 2016) is used if its package
is there; words are handed to it as numbers, so that forms are the same as for our own aligner and
no token can be split by a blank inside it.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from operator import eq
from pathlib import Path
from typing import Annotated, overload

import numpy as np

from crosspro.data_prep.align.model import Parameters
from crosspro.data_prep.align.prior import Prior, State, prior_of, working_folder
from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS, symmetrise
from crosspro.data_prep.align.text import (
    Forms,
    Ints,
    NumberedBitext,
    Sentences,
    make_form,
    numbered_text,
    too_unlike,
)
from crosspro.data_prep.align.train import (
    DirectedLinks,
    Pair,
    Passes,
    Progress,
    train,
    useful_jobs,
)
from crosspro.data_prep.core.compiled import library
from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    how_to_install,
    input_error,
)
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import read_text_lines, sha256_of
from crosspro.data_prep.core.limits import ALIGNED_WORDS, limit_factor
from crosspro.data_prep.core.processes import map_forked
from crosspro.data_prep.core.settings import Fault, Must, checked, one_of
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.links import format_links, read_links

ALIGNERS = ("own", "eflomal", "file")
MODELS = ("hmm", "ibm1")
FORMS = ("prefix", "word")
BACK_OFFS = ("same", "ibm1")
AtLeastOne = Annotated[int, Must("at least 1", lambda value: value >= 1)]


@dataclass(frozen=True)
class AlignerSettings:
    """How links are made.

    `form` is what words are compared by: their first characters, lower-cased, which brings the
    forms of a word together, or the whole lower-cased word; texts of lemmas may be given instead.
    `iterations` are the passes over the text. `variational` is the concentration of the prior over
    translations in variational Bayes, and 0 is plain EM. `links` is the file of the aligner `file`.

    Segments with more than `max_length` words on a side, or more than `max_ratio` times the words
    of the other, are not learnt from. The HMM cannot link them: they get their links from the
    diagonal and the translations of the model (`back_off` same), or of an IBM 1 with a diagonal
    prior that is trained by itself (ibm1). The tasks did the latter (003 §3.3.1): what was too long
    or too unequal for GIZA++ was left to fast_align, which is such a model.

    Segments with more than `most_words` on a side are refused: time and memory grow with the square
    of it, and such a line is a text that was not cut into segments.
    """

    aligner: Annotated[str, one_of(ALIGNERS)] = "own"
    model: Annotated[str, one_of(MODELS)] = "hmm"
    symmetrisation: Annotated[str, one_of(SYMMETRISATIONS)] = "grow-diag-final-and"
    form: Annotated[str, one_of(FORMS)] = "prefix"
    prefix_length: AtLeastOne = 5
    iterations: Annotated[int, Must("at least 0", lambda value: value >= 0)] = 5
    variational: Annotated[float, Must("at least 0 and below 1", lambda v: 0 <= v < 1)] = 3e-4
    null: Annotated[float, Must("between 0 and 1", lambda value: 0 < value < 1)] = 0.2
    max_length: AtLeastOne = 100
    max_ratio: Annotated[
        float | None, Must("at least 1, or none", lambda value: value is None or value >= 1)
    ] = None
    back_off: Annotated[str, one_of(BACK_OFFS)] = "same"
    links: str | None = None
    most_words: AtLeastOne = field(default_factory=ALIGNED_WORDS.most)

    def faults(self) -> Iterator[Fault]:
        """The rule between its fields."""
        if self.aligner == "file" and not self.links:
            yield Fault(("links",), "a link file for the aligner file", repr(self.links))

    def check(self) -> None:
        """Raise if a name is not known or a number makes no sense; all faults together."""
        checked(AlignerSettings, asdict(self), "settings")


def default_settings(task: Task) -> AlignerSettings:
    """The task's model and symmetrisation; our HMM stands for GIZA++'s model 4 as well.

    The limits are those of GIZA++ and of the cleaning before it; beyond them the tasks backed off.
    """
    return AlignerSettings(
        symmetrisation=task.symmetrisation, max_length=100, max_ratio=9.0, back_off="ibm1"
    )


def beyond_limits(source: Sentences, target: Sentences, settings: AlignerSettings) -> int:
    """How many segments our own aligner links but does not learn from."""
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


def check_lemmas(
    words: tuple[Sentences, Sentences],
    lemmas: tuple[Sentences, Sentences],
    paths: tuple[Path, Path],
) -> None:
    """Raise everything in which two texts of lemmas differ in size from those of words."""
    problems = []
    for text, other, path in zip(words, lemmas, paths, strict=True):
        if len(text) != len(other):
            problems.append(Problem(str(path), None, "lines", f"{len(text)}", f"{len(other)}"))
        problems += [
            Problem(str(path), number, "lemmas", f"{len(one)}, one a word", f"{len(two)}")
            for number, (one, two) in enumerate(zip(text, other, strict=False), start=1)
            if len(one) != len(two)
        ]
    if problems:
        raise InputError(problems)


def eflomal_links(
    source: Sentences, target: Sentences, settings: AlignerSettings, progress: Progress
) -> list[tuple[tuple[Link, ...], tuple[Link, ...]]]:
    """The links of both directions of every segment."""
    try:
        from eflomal import Aligner
    except ImportError as error:
        raise CrossproError(
            f"aligner: expected the package eflomal, found nothing: {how_to_install('eflomal')}"
        ) from error
    progress("eflomal", 0, 1)
    form = make_form(settings.form, settings.prefix_length)
    words = list(zip(source, target, strict=True))
    filled = [number for number, (s, t) in enumerate(words) if s and t]
    result: list[tuple[tuple[Link, ...], tuple[Link, ...]]] = [((), ())] * len(source)
    if not filled:
        return result
    with tempfile.TemporaryDirectory() as name:
        files = Path(name) / "forward", Path(name) / "backward"
        Aligner(null_prior=settings.null).align(
            list(_numbered((words[number][0] for number in filled), form)),
            list(_numbered((words[number][1] for number in filled), form)),
            links_filename_fwd=str(files[0]),
            links_filename_rev=str(files[1]),
        )
        directions = (read_links(file) for file in files)
        for number, forward, backward in zip(filled, *directions, strict=True):
            result[number] = forward, backward
    progress("eflomal", 1, 1)
    return result


def _numbered(sentences: Iterable[Sequence[str]], form: Forms) -> Iterator[str]:
    numbers: dict[str, int] = {}
    for sentence in sentences:
        yield " ".join(str(numbers.setdefault(form(word), len(numbers))) for word in sentence)


_PART, _PARTS = 10_000, 8
"""Segments that a process symmetrises together, and how often it does so."""


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

    def lines(self, size: int, jobs: int, progress: Progress) -> Iterator[str]:
        """Lines of the first segments, many together; they are shared among so many processes."""

        def lines(part: slice) -> str:
            return "".join(f"{format_links(links)}\n" for links in self[part])

        parts = [slice(at, min(at + _PART, size)) for at in range(0, size, _PART)]
        many = _PARTS * jobs
        for start in range(0, len(parts), many):
            progress("symmetrising", start, len(parts))
            together = parts[start : start + many]
            yield from map_forked(lines, together, jobs, "aligner: expected links of a process")
        progress("symmetrising", len(parts), len(parts))

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


_IBM1_BEFORE_HMM = 2
_STATE_VERSION = 2


def own_links(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None,
    keep: bool,
    jobs: int,
    progress: Progress,
    folder: Path | None = None,
) -> Alignment:
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
        _check_lengths(numbered.source.lengths, numbered.target.lengths, settings.most_words)
        state = State(place, _key(numbered, settings, prior, place))
        text = state.text(numbered, lambda *done: progress("numbering pairs of words", *done), jobs)
        known = prior.known(text, settings.max_length) if prior else None
        parameters = Parameters(null=settings.null, concentration=settings.variational)
        passes = _passes(settings, prior is not None)
        outcome = train(text, parameters, passes, known, keep, jobs, progress, state)
        (forward, forward_tally), (backward, backward_tally) = outcome
        learnt = None
        if forward_tally is not None and backward_tally is not None:
            tallies = forward_tally, backward_tally
            learnt = prior_of(text, tallies, settings.form, settings.prefix_length, prior)
    lengths = text.source.lengths, text.target.lengths
    directed = DirectedLinks(lengths, forward, backward)
    return Alignment(directed, learnt, len(text.outside))


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
    how = f"--max-words or --limit {2 * limit_factor():g} allows more, in Python most_words"
    expected = f"at most {most:,} ({how})"
    return Problem(side, line, "words", expected, f"{words:,}")


def _key(text: NumberedBitext, settings: AlignerSettings, prior: Prior | None, folder: Path) -> str:
    """What a state must have been made from: the text, the settings, the prior."""
    own = {name: value for name, value in asdict(settings).items() if name != "symmetrisation"}
    how = [_STATE_VERSION, np.__version__, library() is not None, own]
    digest = hashlib.sha256(json.dumps(how).encode("ascii"))
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
        expected = f"{len(source)} as in the source"
        raise input_error("target", "segments", expected, str(len(target)))
    _check_prior(settings, prior, keep)
    jobs = useful_jobs() if jobs is None else jobs
    if settings.aligner == "own":
        return own_links(source, target, settings, prior, keep, jobs, progress, folder)
    if settings.aligner == "eflomal":
        _check_lengths(*_lengths(source, target), settings.most_words)
        return Alignment(eflomal_links(source, target, settings, progress))
    found = read_links(str(settings.links), source, target)
    return Alignment([(links, links) for links in found])


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


def _check_prior(settings: AlignerSettings, prior: Prior | None, keep: bool) -> None:
    own = settings.aligner == "own"
    if not own and (prior is not None or keep):
        found = repr(settings.aligner)
        raise input_error("settings", "aligner", "own, which alone has priors", found)
    if prior is not None and (prior.form, prior.prefix_length) != (
        settings.form,
        settings.prefix_length,
    ):
        written = f"form {prior.form}, prefix length {prior.prefix_length}, as in the prior"
        found = f"{settings.form}, {settings.prefix_length}"
        raise input_error("settings", "form", written, found)
    if prior is None and own and settings.iterations == 0:
        raise input_error("settings", "iterations", "at least 1 without a prior", "0")
