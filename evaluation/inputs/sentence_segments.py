"""Texts that are not line by line, cut into segments that correspond: sentences are aligned first.

The lines of the source are cut into sentences, and each translation is aligned with them by itself
(`data_prep.align.sentences`), within the pieces of text that are known to correspond:

- lines, if a translation has as many as the source;
- else documents: those of the file TRANSLATION.doc-ids beside it; or blocks between blank lines, or
  lines, if there are as many as the source has documents; or the whole text, if it is one document.

Segments are the same for all texts: sentences of the source which any translation has put together
are one segment. No sentence is dropped. One of a translation that has no counterpart stays with
the sentence before it (at the beginning of a piece, behind it); one of the source has an empty
translation. How often that was so is told for each text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.prior import Prior
from crosspro.data_prep.align.sentence_costs import SentenceLexicon, length_ratio, lexicon_of
from crosspro.data_prep.align.sentences import Bead, align_sentences, learnt_lexicon
from crosspro.data_prep.annotate.sentences import sentences_of_lines
from crosspro.data_prep.core.errors import InputError, Problem, counted
from crosspro.data_prep.formats.shared_task import document_runs, read_doc_ids
from crosspro.evaluation.inputs.plain_text import (
    Documents,
    MTText,
    check_language,
    check_names,
    language_of,
    lines_of,
    plain_name,
    read_documents,
    short_names,
)

PriorOf = Callable[[str, str], Prior | None]
"""What finds the word counts of two languages, if there are any."""
Tell = Callable[[str], None]

_COMPRESSED = ("", ".gz", ".xz")


@dataclass(frozen=True)
class SentenceCounts:
    """What became of the sentences of a translation.

    `merged` beads have more than one sentence on a side; `lost` sentences of the source have no
    translation, `added` ones of the translation no source.
    """

    name: str
    source: int
    target: int
    single: int
    merged: int
    lost: int
    added: int

    def __str__(self) -> str:
        merged = "one merged" if self.merged == 1 else f"{self.merged:,} merged"
        return (
            f"{self.name}: sentences aligned, {self.target:,} with {self.source:,} of the source: "
            f"{self.single:,} one to one, {merged}, {self.lost:,} of the source without a "
            f"translation, {self.added:,} without a source (kept with the sentence before)"
        )


@dataclass(frozen=True)
class SentenceSegments:
    """Texts in segments that correspond, by the files that they were read from.

    `words` says where the words come from by which sentences were aligned, for signatures.
    """

    lines: Mapping[Path, list[str]]
    documents: Documents | None
    counts: tuple[SentenceCounts, ...]
    words: str

    @property
    def told(self) -> tuple[str, ...]:
        """What was done with each text, and with all."""
        segments = counted(len(next(iter(self.lines.values()))), "segment")
        return *map(str, self.counts), f"{segments} of aligned sentences, the same for all texts"

    @property
    def signature(self) -> tuple[str, ...]:
        """That sentences were aligned, and by what."""
        return (f"sentences:aligned({self.words})",)

    def text(self, candidates: Sequence[Path], references: Sequence[Path]) -> MTText:
        """The segments of some of the files, for metrics that need no links."""
        numbers = None if self.documents is None else self.documents.of_line
        return MTText(
            short_names(candidates),
            tuple(self.lines[path] for path in candidates),
            tuple(self.lines[path] for path in references),
            numbers,
            self.told,
            self.signature,
        )


@dataclass(frozen=True)
class SegmentedFiles:
    """The files whose sentences are to be aligned; without a source with the first translation."""

    source: Path | None
    translations: tuple[Path, ...]
    doc_ids: Path | None = None
    doc_starts: Path | None = None
    languages: tuple[str | None, str | None] = (None, None)

    @property
    def pivot(self) -> Path:
        """The text that segments follow."""
        return self.source or self.translations[0]


@dataclass(frozen=True)
class _Piece:
    """Sentences that correspond: those of the source by their numbers, and their translation."""

    source: range
    target: tuple[str, ...]


def align_files(
    files: SegmentedFiles,
    prior_of: PriorOf = lambda source, target: None,
    tell: Tell = lambda name: None,
) -> SentenceSegments:
    """Read texts and align their sentences; raises `InputError` with all that is wrong with them.

    Words are those of `prior_of`; where it has none, they are learnt from the texts. The name of
    each text is told before it is aligned.
    """
    problems: list[Problem] = []
    others = [path for path in files.translations if path != files.pivot]
    texts = {path: lines_of(path, problems) for path in (files.pivot, *others)}
    pivot = texts[files.pivot]
    documents = None
    if pivot is not None:
        documents = read_documents(files.doc_ids, files.doc_starts, len(pivot), problems)
        if not any(map(str.strip, pivot)):
            expected = "at least one sentence"
            problems.append(Problem(str(files.pivot), None, "file", expected, "none"))
    if problems or pivot is None:
        raise InputError(problems)
    target = files.languages[1] or next(filter(None, map(language_of, files.translations)), "")
    source = target
    if files.source is not None:
        source = files.languages[0] or language_of(files.source) or ""
    for path, lines in texts.items():
        language = source if path == files.source else target
        check_names([path], language, problems)
        check_language(path, lines or (), language, problems)
    if problems:
        raise InputError(problems)
    units = _units(sentences_of_lines(pivot, source))
    pieces = {
        path: list(_pieces(path, texts[path] or [], units, documents, files, target, problems))
        for path in others
    }
    if problems:
        raise InputError(problems)
    lexicon, words = None, "same-words"
    if files.source is not None:
        prior = prior_of(source, target)
        if prior is not None:
            lexicon, words = lexicon_of(prior), f"prior-{_digest(prior)}"
        else:
            lexicon, words = _learnt(units, pieces), "learnt"
    beads = {}
    for path, own in pieces.items():
        tell(plain_name(path))
        beads[path] = _aligned(units.texts, own, lexicon)
    return _segments(files.pivot, units, pieces, beads, documents, words)


@dataclass(frozen=True)
class _Units:
    """The sentences of the source, and the line of each; a blank line has one without words."""

    texts: tuple[str, ...]
    lines: tuple[int, ...]

    def of_lines(self, first: int, last: int) -> range:
        """The sentences of some lines, which follow each other."""
        start, stop = np.searchsorted(self.lines, (first, last)).tolist()
        return range(start, stop)


def _units(sentences: Sequence[Sequence[str]]) -> _Units:
    found = [(text, line) for line, own in enumerate(sentences) for text in own or ("",)]
    return _Units(tuple(text for text, _ in found), tuple(line for _, line in found))


def _pieces(
    path: Path,
    lines: Sequence[str],
    units: _Units,
    documents: Documents | None,
    files: SegmentedFiles,
    language: str,
    problems: list[Problem],
) -> Iterator[_Piece]:
    """The pieces of a translation that are known to correspond to some of the source."""
    number = units.lines[-1] + 1
    own_ids = next(filter(Path.is_file, _beside(path)), None)
    if own_ids is None and len(lines) == number:
        for line, sentences in enumerate(sentences_of_lines(lines, language)):
            yield _Piece(units.of_lines(line, line + 1), tuple(sentences))
        return
    names = ("",) if documents is None else documents.names
    of_line = np.zeros(number, np.int64) if documents is None else documents.of_line
    blocks = _documents(path, lines, own_ids, names, number, files, problems)
    starts = np.searchsorted(of_line, np.arange(len(names) + 1)).tolist()
    for (first, last), block in zip(pairwise(starts), blocks, strict=False):
        cut = sentences_of_lines(_unwrapped(block), language)
        target = tuple(sentence for own in cut for sentence in own)
        yield _Piece(units.of_lines(first, last), target)


def _beside(path: Path) -> list[Path]:
    """The files that may have the documents of a translation."""
    return [path.parent / f"{plain_name(path)}.doc-ids{ending}" for ending in _COMPRESSED]


def _documents(
    path: Path,
    lines: Sequence[str],
    own_ids: Path | None,
    names: Sequence[str],
    source_lines: int,
    files: SegmentedFiles,
    problems: list[Problem],
) -> list[list[str]]:
    """The lines of each document of a translation; it has those of the source, in this order."""
    if own_ids is not None:
        return _by_ids(own_ids, path, lines, names, files, problems)
    filled = [line for line in lines if line.strip()]
    if len(names) == 1:
        return [filled]
    blank = groupby(lines, key=lambda line: bool(line.strip()))
    blocks = [list(block) for is_text, block in blank if is_text]
    if len(blocks) == len(names):
        return blocks
    if len(filled) == len(names):
        return [[line] for line in filled]
    expected = (
        f"{source_lines:,} lines as in {files.pivot}, or its {len(names):,} documents: a file "
        f"{plain_name(path)}.doc-ids beside it, a document a line, or blank lines between them"
    )
    found = f"{counted(len(lines), 'line')}, {counted(len(blocks), 'block')} between blank lines"
    problems.append(Problem(str(path), None, "documents", expected, found))
    return []


def _by_ids(
    own_ids: Path,
    path: Path,
    lines: Sequence[str],
    names: Sequence[str],
    files: SegmentedFiles,
    problems: list[Problem],
) -> list[list[str]]:
    """The documents of a translation by its own ids."""
    try:
        ids = list(read_doc_ids(own_ids))
    except InputError as error:
        problems += error.problems
        return []
    if len(ids) != len(lines):
        expected = f"{len(lines):,} lines as in {path}"
        problems.append(Problem(str(own_ids), None, "doc-ids", expected, f"{len(ids):,}"))
        return []
    runs = document_runs(ids)
    own = [name or "" for name, _ in runs]
    if files.doc_ids is None and files.doc_starts is None:
        expected = f"no such file without documents of {files.pivot} (--doc-ids)"
        problems.append(Problem(str(own_ids), None, "doc-ids", expected, "one"))
        return []
    if own != list(names):
        pairs = enumerate(zip(own, names, strict=False))
        place = next((n for n, (one, other) in pairs if one != other), min(len(own), len(names)))
        line = 1 + sum(length for _, length in runs[:place])
        expected = f"the documents of {files.pivot}, here {_shown(names, place)}"
        found = _shown(own, place)
        problems.append(Problem(str(own_ids), line, "document", expected, found))
        return []
    ends = np.cumsum([length for _, length in runs]).tolist()
    return [list(lines[first:last]) for first, last in pairwise([0, *ends])]


def _shown(names: Sequence[str], place: int) -> str:
    return names[place] if place < len(names) else "the end"


def _unwrapped(lines: Iterable[str]) -> list[str]:
    """Lines of a document, joined where a sentence plainly goes on: behind no mark, in lower case.

    Blank lines always end a sentence.
    """
    found: list[str] = []
    goes_on = False
    for line in map(str.strip, lines):
        if line and goes_on and line[0].islower():
            found[-1] = f"{found[-1]} {line}"
        elif line:
            found.append(line)
        goes_on = bool(line) and line[-1] not in '.!?…:。！？"”»)'
    return found


def _aligned(
    source: Sequence[str], pieces: Sequence[_Piece], lexicon: SentenceLexicon | None
) -> list[list[Bead]]:
    """The beads of each piece; sentences of the source have the numbers of the whole text."""
    ratio = length_ratio(source, [sentence for piece in pieces for sentence in piece.target])
    return [list(_beads(source, piece, lexicon, ratio)) for piece in pieces]


def _beads(
    source: Sequence[str], piece: _Piece, lexicon: SentenceLexicon | None, ratio: float
) -> Iterator[Bead]:
    """The beads of a piece; blank lines of the source take no part if there are others."""
    filled = [number for number in piece.source if source[number]] or list(piece.source)[:1]
    if len(filled) == 1:
        yield Bead(range(filled[0], filled[0] + 1), range(len(piece.target)))
        return
    made = align_sentences([source[number] for number in filled], piece.target, lexicon, ratio)
    for bead in made:
        if bead.source:
            bead = Bead(range(filled[bead.source[0]], filled[bead.source[-1]] + 1), bead.target)
        yield bead


def _learnt(units: _Units, pieces: Mapping[Path, Sequence[_Piece]]) -> SentenceLexicon | None:
    """The words of pairs of single sentences that lengths have found."""
    pairs = (
        (units.texts[bead.source[0]], piece.target[bead.target[0]])
        for own in pieces.values()
        for piece, beads in zip(own, _aligned(units.texts, own, None), strict=True)
        for bead in beads
        if bead.kind == (1, 1)
    )
    return learnt_lexicon(pairs)


def _segments(
    pivot: Path,
    units: _Units,
    pieces: Mapping[Path, Sequence[_Piece]],
    beads: Mapping[Path, Sequence[Sequence[Bead]]],
    documents: Documents | None,
    words: str,
) -> SentenceSegments:
    """The segments that all texts have in common."""
    begins = np.ones(len(units.texts), np.bool_)
    attached: dict[Path, list[list[str]]] = {}
    counts = []
    for path, own in pieces.items():
        attached[path] = [[] for _ in units.texts]
        for piece, found in zip(own, beads[path], strict=True):
            place = piece.source.start
            for bead in found:
                if bead.source:
                    place = bead.source.start
                    begins[place + 1 : bead.source.stop] = False
                attached[path][place] += [piece.target[number] for number in bead.target]
        counts.append(_counts(plain_name(path), units.texts, own, beads[path]))
    starts = np.flatnonzero(begins).tolist()
    spans = list(pairwise([*starts, len(begins)]))
    texts = {pivot: [[text] if text else [] for text in units.texts], **attached}
    lines = {
        path: [" ".join(text for one in own[first:last] for text in one) for first, last in spans]
        for path, own in texts.items()
    }
    if documents is not None:
        of_line = documents.of_line[[units.lines[start] for start in starts]]
        documents = Documents(of_line, documents.names)
    return SentenceSegments(lines, documents, tuple(counts), words)


def _counts(
    name: str, source: Sequence[str], pieces: Sequence[_Piece], beads: Sequence[Sequence[Bead]]
) -> SentenceCounts:
    kinds = [
        (sum(bool(source[number]) for number in bead.source), len(bead.target))
        for own in beads
        for bead in own
    ]
    full = [kind for kind in kinds if all(kind)]
    filled = sum(map(bool, source))
    return SentenceCounts(
        name,
        filled,
        sum(len(piece.target) for piece in pieces),
        full.count((1, 1)),
        len(full) - full.count((1, 1)),
        filled - sum(a for a, _ in full),
        sum(b for a, b in kinds if not a),
    )


def _digest(prior: Prior) -> str:
    """A short name for the content of a prior."""
    content = hashlib.sha256(prior.pair_source.tobytes() + prior.pair_target.tobytes())
    for tally in (prior.forward, prior.backward):
        content.update(tally.pairs.tobytes())
    return content.hexdigest()[:8]
