"""Documents of a text: which line belongs to which, from one of two kinds of file.

Doc-ids have one line a segment with the id in the first tab column; a document is a run of equal
ids. Doc-starts, the AutoPRF tool's format, have one line a document: the number of its first
segment, from 0, and perhaps an id. Scores are resampled by document where documents are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.shared_task import document_runs, read_doc_ids
from crosspro.evaluation.core.statistics import ResampledUnits, choose_units


@dataclass(frozen=True)
class Documents:
    """The document of each line, and the names of the documents in order."""

    of_line: NDArray[np.int64]
    names: tuple[str, ...]


def documents_by_id(
    path: str | Path, lines: int | None, problems: list[Problem]
) -> Documents | None:
    """Documents from ids, one a line; the number of lines is None where it is not known."""
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
