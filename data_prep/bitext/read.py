"""One reader for parallel text of every format, chosen by the file's name.

plain        two files, a segment a line (Moses); documents by doc-ids
iwslt        X.xml: two files with <doc docid> and <seg id> (IWSLT dev and test sets)
train-tags   train.tags.X: two files with tagged metadata lines (IWSLT)
tmx          X.tmx: one translation memory
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.bitext.xml_corpora import read_iwslt, read_tmx, read_train_tags
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import is_file, read_text_lines
from crosspro.data_prep.formats.shared_task import read_doc_ids

_SUFFIXES = {".xml": "iwslt", ".tmx": "tmx"}
_COMPRESSED = ("", ".gz", ".xz")


def read_bitext(
    source: str | Path,
    target: str | Path | None = None,
    *,
    source_language: str,
    target_language: str,
    doc_ids: str | Path | None = None,
) -> Iterator[Segment]:
    """The segments of parallel text, with their documents.

    Without a target, `source` is a file with both languages (tmx), or what two file names have in
    common: `corpus` for corpus.en and corpus.fr, with the documents in corpus.doc-ids if there is
    such a file. Files may be .gz or .xz. The other direction is read from the same files with the
    languages (and, if both are named, the files) exchanged. Names are checked at once, contents
    while reading.
    """
    source, target = Path(source), None if target is None else Path(target)
    ids = None if doc_ids is None else Path(doc_ids)
    if target is None and not is_file(source):
        prefix = source
        source = _located(prefix, source_language)
        target = _located(prefix, target_language)
        ids = ids or beside(prefix, ["doc-ids"])
    kind = format_of(source)
    if ids is not None and kind != "plain":
        raise input_error(ids, "doc-ids", "none: the format has documents", f"the format {kind}")
    if kind == "tmx":
        if target is not None:
            raise input_error(target, "target", "no second file beside a TMX file", "one")
        segments = read_tmx(source, source_language, target_language)
    elif target is None:
        expected = f"a second file, or a name for X.{source_language} and X.{target_language}"
        raise input_error(source, "target", expected, "none")
    elif kind == "plain":
        segments = _read_plain(source, target, ids)
    else:
        segments = {"iwslt": read_iwslt, "train-tags": read_train_tags}[kind](source, target)
    return _at_least_one(segments, source)


def _at_least_one(segments: Iterable[Segment], path: Path) -> Iterator[Segment]:
    segment = None
    for segment in segments:
        yield segment
    if segment is None:
        raise input_error(path, "file", "at least one segment", "none")


def _read_plain(source: Path, target: Path, doc_ids: Path | None) -> Iterator[Segment]:
    """The segments of two files with as many lines; blank lines in both are left out."""
    ids: Iterable[str] = () if doc_ids is None else read_doc_ids(doc_ids)
    counts = [0, 0, 0]
    for row in zip_longest(read_text_lines(source), read_text_lines(target), ids):
        counts = [count + (text is not None) for count, text in zip(counts, row, strict=True)]
        left, right = (row[0] or "").strip(), (row[1] or "").strip()
        if left and right:
            yield Segment(left, right, row[2] or None, counts[0])
        elif (left or right) and None not in row[:2]:
            blank, other = (source, target) if right else (target, source)
            expected = f"a translation of line {counts[0]} of {other}"
            raise input_error(blank, "segment", expected, "a blank line", counts[0])
    for path, field, count in ((target, "lines", counts[1]), (doc_ids, "doc-ids", counts[2])):
        if path is not None and count != counts[0]:
            expected = f"{counts[0]:,} lines as in {source}"
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
        names = " or ".join(f"{prefix.name}.{ending}" for ending in endings)
        raise input_error(prefix, "file", f"a file, or {names} (also .gz, .xz)", "none of them")
    return path


def beside(prefix: Path, endings: list[str]) -> Path | None:
    """The first of some files of a prefix that there is, compressed or not."""
    names = (f"{prefix.name}.{end}{compressed}" for end in endings for compressed in _COMPRESSED)
    return next(filter(is_file, map(prefix.with_name, names)), None)
