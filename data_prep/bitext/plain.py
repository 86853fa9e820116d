"""Plain parallel files, a segment a line: Moses files, and files with document ids beside them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.bitext.segment import Missing, Segment, or_nothing, segments_of
from crosspro.data_prep.core.documents import read_doc_ids
from crosspro.data_prep.core.errors import Problem
from crosspro.data_prep.core.files.textfile import bad_byte, read_lines


def read_plain(
    source: Path,
    target: Path,
    doc_ids: Path | None = None,
    *,
    blank_line_documents: bool = False,
    missing: Missing = "error",
) -> Iterator[Segment]:
    """The segments of two files with as many lines.

    Documents come from the first column of `doc_ids`, a line each; or, with `blank_line_documents`,
    lines that are blank in both files separate documents, which are numbered from 1. Such lines are
    no segments in any case.
    """
    found = _scan(source, target, doc_ids, blank_line_documents, missing)
    return segments_of(or_nothing(found, source))


def _scan(
    source: Path, target: Path, doc_ids: Path | None, numbered: bool, missing: Missing
) -> Iterator[Segment | Problem]:
    ids: Iterator[str] = iter(()) if doc_ids is None else read_doc_ids(doc_ids)
    counts = [0, 0, 0]
    block, begun = 1, False
    for first, second, document in zip_longest(_texts(source), _texts(target), ids):
        counts[0] += first is not None
        counts[1] += second is not None
        counts[2] += document is not None
        if first is None or second is None:
            continue
        if isinstance(first, Problem) or isinstance(second, Problem):
            yield from (side for side in (first, second) if isinstance(side, Problem))
        elif first and second:
            begun = True
            yield Segment(first, second, str(block) if numbered else document or None, counts[0])
        elif first or second:
            begun = True
            if missing == "error":
                yield _untranslated(source, target, counts[0], second)
        else:
            block += begun
            begun = False
    if counts[0] != counts[1]:
        expected = f"{counts[0]:,} lines as in {source}"
        yield Problem(str(target), None, "lines", expected, f"{counts[1]:,} lines")
    if doc_ids is not None and counts[2] != counts[0]:
        expected = f"{counts[0]:,} lines as in {source}"
        yield Problem(str(doc_ids), None, "doc-ids", expected, f"{counts[2]:,} lines")


def _texts(path: Path) -> Iterator[str | Problem]:
    """The lines of a UTF-8 file without blanks at their ends, or what is wrong with them."""
    for number, raw in enumerate(read_lines(path), start=1):
        try:
            yield raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            yield Problem(str(path), number, "encoding", "UTF-8", bad_byte(error))


def _untranslated(source: Path, target: Path, line: int, second: str) -> Problem:
    blank, other = (source, target) if second else (target, source)
    expected = f"a translation of line {line} of {other}"
    return Problem(str(blank), line, "segment", expected, "a blank line")
