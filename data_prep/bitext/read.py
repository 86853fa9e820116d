"""One reader for parallel text of every format: chosen by the file's name, or by the user."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.bitext.segment import Missing, Segment, or_nothing
from crosspro.data_prep.bitext.xml_corpora import read_iwslt, read_tmx, read_train_tags
from crosspro.data_prep.core.errors import Problem, choices, input_error, without_problems
from crosspro.data_prep.core.files import bad_byte, is_file, read_lines
from crosspro.data_prep.formats.shared_task import read_doc_ids


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
    return without_problems(or_nothing(found, source))


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


FORMATS = {
    "plain": "two files, a segment a line (Moses); documents by doc-ids or blank lines",
    "iwslt": "two XML files with <doc docid> and <seg id> (IWSLT dev and test sets)",
    "train-tags": "two files with tagged metadata lines (IWSLT train.tags.*)",
    "tmx": "one translation memory",
}
_SUFFIXES = {".xml": "iwslt", ".tmx": "tmx"}
_COMPRESSED = ("", ".gz", ".xz")


def read_bitext(
    source: str | Path,
    target: str | Path | None = None,
    *,
    source_language: str,
    target_language: str,
    doc_ids: str | Path | None = None,
    format: str | None = None,
    blank_line_documents: bool = False,
    missing: Missing = "error",
) -> Iterator[Segment]:
    """The segments of parallel text, with their documents.

    Without a target, `source` is a file with both languages (tmx), or what two file names
    have in common: `corpus` for corpus.en and corpus.fr, with the documents in corpus.doc-ids if
    there is such a file. Files may be .gz or .xz. The other direction is read from the same files
    with the languages (and, if both are named, the files) exchanged. `missing` says what becomes of
    segments without text on one side. Names and options are checked at once, contents while
    reading.
    """
    source, target = Path(source), None if target is None else Path(target)
    ids = None if doc_ids is None else Path(doc_ids)
    if target is None and not is_file(source):
        prefix = source
        source = _located(prefix, source_language)
        target = _located(prefix, target_language)
        if ids is None and not blank_line_documents:
            ids = beside(prefix, ["doc-ids"])
    kind = format_of(source) if format is None else format
    if kind not in FORMATS:
        raise input_error(source, "format", choices(FORMATS), kind)
    if ids is not None and kind != "plain":
        raise input_error(ids, "doc-ids", "none: the format has documents", f"the format {kind}")
    if kind == "tmx":
        if target is not None:
            raise input_error(target, "target", "no second file beside a TMX file", "one")
        return read_tmx(source, source_language, target_language, missing=missing)
    if target is None:
        expected = f"a second file, in {target_language}, or a name for X.{source_language} and "
        raise input_error(source, "target", f"{expected}X.{target_language}", "none")
    if kind == "iwslt":
        return read_iwslt(source, target, missing=missing)
    if kind == "train-tags":
        return read_train_tags(source, target, missing=missing)
    return read_plain(
        source, target, ids, blank_line_documents=blank_line_documents, missing=missing
    )


def format_of(path: Path) -> str:
    """The format that a file's name says, compressed or not: plain if it says nothing."""
    if path.name.startswith("train.tags."):
        return "train-tags"
    suffixes = [suffix for suffix in path.suffixes if suffix not in _COMPRESSED]
    return _SUFFIXES.get(suffixes[-1], "plain") if suffixes else "plain"


def _located(prefix: Path, language: str) -> Path:
    endings = [language, f"{language}.xml"]
    found = beside(prefix, endings)
    if found is None:
        expected = f"a file, or {' or '.join(f'{prefix.name}.{ending}' for ending in endings)}"
        raise input_error(prefix, "file", f"{expected} (also .gz, .xz)", "none of them")
    return found


def beside(prefix: Path, endings: list[str]) -> Path | None:
    """The first of some files of a prefix that there is, compressed or not."""
    for ending in endings:
        for compressed in _COMPRESSED:
            path = prefix.with_name(f"{prefix.name}.{ending}{compressed}")
            if is_file(path):
                return path
    return None
