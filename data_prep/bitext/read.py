"""One reader for parallel text of every format: chosen by the file's name, or by the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.bitext.segment import Missing, Segment
from crosspro.data_prep.bitext.xml_corpora import read_iwslt, read_tmx, read_train_tags
from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.files import is_file, read_text_lines
from crosspro.data_prep.formats.shared_task import read_doc_ids

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
    with the languages (and, if both are named, the files) exchanged. Segments without text on one
    side are an error or skipped (`missing`). Names and options are checked at once, contents while
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
        segments = read_tmx(source, source_language, target_language, missing)
    elif target is None:
        expected = f"a second file, or a name for X.{source_language} and X.{target_language}"
        raise input_error(source, "target", expected, "none")
    elif kind == "iwslt":
        segments = read_iwslt(source, target, missing)
    elif kind == "train-tags":
        segments = read_train_tags(source, target, missing)
    else:
        segments = _read_plain(source, target, ids, blank_line_documents, missing)
    return _some(segments, source)


def _some(segments: Iterable[Segment], path: Path) -> Iterator[Segment]:
    """The same, with an error if there is none."""
    empty = True
    for segment in segments:
        empty = False
        yield segment
    if empty:
        raise input_error(path, "file", "at least one segment", "none")


def _read_plain(
    source: Path, target: Path, doc_ids: Path | None, blank_line_documents: bool, missing: Missing
) -> Iterator[Segment]:
    """The segments of two files with as many lines.

    Documents come from the first column of `doc_ids`; or, with `blank_line_documents`, lines that
    are blank in both files separate documents, numbered from 1. Such lines are never segments.
    """
    ids: Iterable[str] = () if doc_ids is None else read_doc_ids(doc_ids)
    lines = [0, 0, 0]
    block, begun = 1, False
    for row in zip_longest(read_text_lines(source), read_text_lines(target), ids):
        lines = [count + (text is not None) for count, text in zip(lines, row, strict=True)]
        if row[0] is None or row[1] is None:
            continue
        left, right, document = row[0].strip(), row[1].strip(), row[2]
        if blank_line_documents:
            document = str(block)
        if left and right:
            yield Segment(left, right, document or None, lines[0])
        elif (left or right) and missing == "error":
            blank, other = (source, target) if right else (target, source)
            expected = f"a translation of line {lines[0]} of {other}"
            raise input_error(blank, "segment", expected, "a blank line", lines[0])
        elif not left and not right:
            block += begun
        begun = bool(left or right)
    counted = [(target, "lines", lines[1])]
    if doc_ids is not None:
        counted.append((doc_ids, "doc-ids", lines[2]))
    for path, field, count in counted:
        if count != lines[0]:
            expected = f"{lines[0]:,} lines as in {source}"
            raise input_error(path, field, expected, f"{count:,} lines")


def format_of(path: Path) -> str:
    """The format that a file's name says, compressed or not: plain if it says nothing."""
    if path.name.startswith("train.tags."):
        return "train-tags"
    suffixes = [suffix for suffix in path.suffixes if suffix not in _COMPRESSED]
    return _SUFFIXES.get(suffixes[-1], "plain") if suffixes else "plain"


def _located(prefix: Path, language: str) -> Path:
    endings = [language, f"{language}.xml"]
    path = beside(prefix, endings)
    if path is None:
        expected = f"a file, or {' or '.join(f'{prefix.name}.{ending}' for ending in endings)}"
        raise input_error(prefix, "file", f"{expected} (also .gz, .xz)", "none of them")
    return path


def beside(prefix: Path, endings: list[str]) -> Path | None:
    """The first of some files of a prefix that there is, compressed or not."""
    for ending in endings:
        for compressed in _COMPRESSED:
            path = prefix.with_name(f"{prefix.name}.{ending}{compressed}")
            if is_file(path):
                return path
    return None
