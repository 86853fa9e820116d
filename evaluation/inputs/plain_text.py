"""Plain text files that belong together line by line, and the documents of their lines.

Every reader here goes on after a fault: problems are added to a list, and what could not be read is
None. Files of unequal length are reported with the first line that has no counterpart.

Doc-ids have one line a segment with the id in the first tab column; a document is a run of equal
ids. Doc-starts, the AutoPRF tool's format, have one line a document: the number of its first
segment, from 0, and perhaps an id. Scores are resampled by document where documents are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, counted, quoted
from crosspro.data_prep.core.files import bad_byte, read_lines, read_text_lines
from crosspro.data_prep.core.words import looks_otherwise, names_of
from crosspro.data_prep.formats.shared_task import document_runs, read_doc_ids
from crosspro.evaluation.core.statistics import Ints, ResampledUnits, choose_units

LANGUAGE = re.compile(r"[a-z]{2}")
"""A language, as the name of a file may end in it."""


def lines_of(path: Path, problems: list[Problem]) -> list[str] | None:
    """The lines of a UTF-8 file; every line that is not UTF-8 is a problem."""
    before = len(problems)
    lines = []
    try:
        for number, raw in enumerate(read_lines(path), start=1):
            try:
                lines.append(raw.decode("utf-8").removesuffix("\n"))
            except UnicodeDecodeError as error:
                problems.append(Problem(str(path), number, "encoding", "UTF-8", bad_byte(error)))
    except InputError as error:
        problems += error.problems
    return None if len(problems) > before else lines


def plain_name(path: Path) -> str:
    """The name of a file without the suffix of its compression."""
    return path.name.removesuffix(".gz").removesuffix(".xz")


def language_of(path: Path | None) -> str | None:
    """The language that a name ends in, if it does."""
    if path is None:
        return None
    suffix = plain_name(path).rpartition(".")[2]
    return suffix if "." in plain_name(path) and LANGUAGE.fullmatch(suffix) else None


def named_language(paths: Iterable[Path]) -> str | None:
    """The language that the first name that says one ends in."""
    return next(filter(None, map(language_of, paths)), None)


def named_otherwise(path: Path, language: str | None) -> str | None:
    """The language that a name ends in, if that is one we know, and another than it should be."""
    own = language_of(path)
    return own if language and own != language and own in names_of("frequent") else None


def check_names(paths: Iterable[Path], language: str | None, problems: list[Problem]) -> None:
    """Add the files whose names end in another language."""
    for path in paths:
        if own := named_otherwise(path, language):
            found = f"a name that ends in {own}"
            problems.append(Problem(str(path), None, "language", f"text in {language}", found))


def check_language(
    path: Path, lines: Iterable[str], language: str | None, problems: list[Problem]
) -> None:
    """Add a text that is clearly in another language, unless its name has told that already."""
    if language and not named_otherwise(path, language):
        found = looks_otherwise(lines, language)
        if found:
            problems.append(Problem(str(path), None, "language", f"text in {language}", found))


def unequal_lines(path: str | Path, found: int, expected: int, other: str | Path) -> list[Problem]:
    """The problem of a file that should have as many lines as another, at the first odd line."""
    if found == expected:
        return []
    first = min(found, expected) + 1
    return [Problem(str(path), first, "lines", f"{expected} lines as in {other}", str(found))]


def check_lengths(
    paths: Sequence[Path], texts: Sequence[Sequence[object] | None], problems: list[Problem]
) -> None:
    """Compare all files that could be read with the first of them."""
    known = [(path, text) for path, text in zip(paths, texts, strict=True) if text is not None]
    for path, text in known[1:]:
        problems += unequal_lines(path, len(text), len(known[0][1]), known[0][0])


def parallel_lines(
    paths: Sequence[Path], doc_ids: Path | None, problems: list[Problem]
) -> tuple[list[list[str] | None], list[str] | None]:
    """The lines of files that belong together, and the document of each line if ids are given."""
    read = [lines_of(path, problems) for path in paths]
    if doc_ids is None:
        check_lengths(paths, read, problems)
        return read, None
    documents: list[str] | None = None
    try:
        documents = list(read_doc_ids(doc_ids))
    except InputError as error:
        problems += error.problems
    check_lengths([*paths, doc_ids], [*read, documents], problems)
    return read, documents


@dataclass(frozen=True)
class MTText:
    """Candidates and references, line by line; `documents` numbers the document of each line."""

    names: tuple[str, ...]
    candidates: tuple[list[str], ...]
    references: tuple[list[str], ...]
    documents: Ints | None = None
    language: str | None = None
    """That of the translations, where it is said or a name ends in it."""

    @property
    def lines(self) -> int:
        """The number of lines of each file."""
        return len((*self.references, *self.candidates)[0])

    @property
    def size(self) -> str:
        """How much text it is, in words."""
        lines = counted(self.lines, "line")
        if self.documents is None:
            return lines
        return f"{lines} in {counted(int(self.documents[-1]) + 1, 'document')}"

    @property
    def units(self) -> ResampledUnits:
        """What is resampled: documents, else lines."""
        return choose_units(document=self.documents, line=np.arange(self.lines))


def read_mt_text(
    candidates: Sequence[Path],
    references: Sequence[Path],
    doc_ids: Path | None = None,
    language: str | None = None,
) -> MTText:
    """Read plain text; raises `InputError` with the faults of all files.

    That files have different numbers of lines is one of them, or are in another language than the
    one that is said, or than that of the first name that says one.
    """
    problems: list[Problem] = []
    paths = [*references, *candidates]
    read, documents = parallel_lines(paths, doc_ids, problems)
    language = language or named_language(paths)
    check_languages(paths, read, language, problems)
    if read[0] == []:
        problems.append(Problem(str(paths[0]), None, "lines", "at least one", "none"))
    if problems:
        raise InputError(problems)
    texts = [lines for lines in read if lines is not None]
    numbers = None
    if documents is not None:
        # A document is a run of equal ids, as everywhere.
        new = [i > 0 and one != documents[i - 1] for i, one in enumerate(documents)]
        numbers = np.cumsum(new)
    split = len(references)
    names = short_names(candidates)
    return MTText(names, tuple(texts[split:]), tuple(texts[:split]), numbers, language=language)


def check_languages(
    paths: Sequence[Path],
    texts: Iterable[Iterable[str] | None],
    language: str | None,
    problems: list[Problem],
) -> None:
    """Add translations that are in another language by their names, or clearly so."""
    check_names(paths, language, problems)
    for path, lines in zip(paths, texts, strict=True):
        check_language(path, lines or (), language, problems)


def short_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """The names of files, with their folders where two have the same."""
    short = [plain_name(path) for path in paths]
    pairs = zip(short, paths, strict=True)
    return tuple(name if short.count(name) == 1 else str(path) for name, path in pairs)


@dataclass(frozen=True)
class Documents:
    """The document of each line, and the names of the documents in order."""

    of_line: NDArray[np.int64]
    names: tuple[str, ...]


def read_documents(
    doc_ids: Path | None, doc_starts: Path | None, lines: int | None, problems: list[Problem]
) -> Documents | None:
    """The documents of a text from either file, if there is one.

    The number of lines is None where it is not known.
    """
    if doc_ids is not None:
        return documents_by_id(doc_ids, lines, problems)
    return None if doc_starts is None else read_doc_starts(doc_starts, lines, problems)


def documents_by_id(
    path: str | Path, lines: int | None, problems: list[Problem]
) -> Documents | None:
    """Documents from ids, one a line."""
    try:
        ids = list(read_doc_ids(path))
    except InputError as error:
        problems += error.problems
        return None
    if lines is None:
        return None
    if len(ids) != lines:
        first = min(len(ids), lines) + 1
        expected = f"{lines} lines as in the source"
        problems.append(Problem(str(path), first, "doc-ids", expected, str(len(ids))))
        return None
    runs = document_runs(ids)
    of_line = np.repeat(np.arange(len(runs)), [length for _, length in runs])
    return Documents(of_line, tuple(name or "" for name, _ in runs))


def read_doc_starts(
    path: str | Path, lines: int | None, problems: list[Problem]
) -> Documents | None:
    """Documents from the numbers of their first lines."""
    starts: list[int] = []
    names: list[str] = []
    before = len(problems)
    try:
        for number, line in enumerate(read_text_lines(Path(path)), start=1):
            written, _, name = line.strip().partition(" ")
            if not (written.isascii() and written.isdigit() and len(written) < 10):
                expected = "the number of a line, and perhaps an id"
                problems.append(Problem(str(path), number, "start", expected, quoted(line)))
                continue
            start = int(written)
            lowest = starts[-1] + 1 if starts else 0
            highest = start if lines is None else max(lines - 1, 0)
            if not starts and start:
                problems.append(Problem(str(path), number, "start", "0 at first", written))
                starts.append(0)  # said once: the others are checked as if it had been 0
                lowest = 1
            if not lowest <= start <= highest:
                expected = f"a line from {lowest} to {'the last' if lines is None else highest}"
                problems.append(Problem(str(path), number, "start", expected, written))
                continue
            starts.append(start)
            names.append(name.strip() or f"Document {len(starts) - 1}")
    except InputError as error:
        problems += error.problems
    if len(problems) > before or lines is None:
        return None
    if not starts:
        problems.append(Problem(str(path), 1, "start", "at least one document", "none"))
        return None
    of_line = np.searchsorted(np.array(starts), np.arange(lines), side="right") - 1
    return Documents(of_line, tuple(names))


def sentence_units(sentences: Sequence[int], documents: Documents | None) -> ResampledUnits:
    """The units of items that stand in the given sentences: documents, else sentences."""
    lines = np.asarray(sentences, dtype=np.int64)
    return choose_units(
        document=None if documents is None else documents.of_line[lines], sentence=lines
    )
