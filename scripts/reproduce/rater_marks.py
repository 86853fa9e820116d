"""What professional raters marked in outputs of MT systems, in the formats of DATA/verdicts.

- `newsYEAR.en-de.mqm.tsv.xz`: a row for each mark, which stands between `<v>` and `</v>` in the
  target. Several raters read an output.
- `wmt23.en-de/`: `source.en`, `documents.tsv` (domain, document) and `outputs/SYSTEM.de`.
  `mqm.tsv`: system and JSON with `errors`, or `None` where nobody looked, in the order of the
  segments, system by system.
  `metrics.tsv`: metric, system, segment from 0, score.

Marks in the source, and marks without a place, such as those of omissions, are left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_text_lines

SegmentScores = Mapping[tuple[str, int], float]
"""The scores of a metric, by system and segment from 0; higher is better."""
_TAG = re.compile("</?v>")
_NO_ERROR = re.compile("no[-_ ]?error", re.IGNORECASE)
_COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")


@dataclass(frozen=True, slots=True)
class RaterMark:
    """Characters of an output that a rater marked."""

    start: int
    end: int
    category: str


@dataclass(frozen=True)
class RatedSegment:
    """A segment of a system: both texts, and the marks of each rater who read it."""

    system: str
    document: str
    number: int
    source: str
    target: str
    raters: tuple[tuple[RaterMark, ...], ...]


def _columns(path: Path, line: int, text: str, columns: int) -> list[str]:
    """The columns of a line; a last one, of comments, may be missing or may follow."""
    cells = text.split("\t")
    if not columns <= len(cells) <= columns + 1:
        raise input_error(path, "row", f"{columns} columns", str(len(cells)), line)
    return cells


def _number(path: Path, line: int, text: str) -> int:
    if not text.isdecimal():
        raise input_error(path, "segment", "a whole number", quoted(text), line)
    return int(text)


def read_newstest(path: Path) -> list[RatedSegment]:
    """The segments of a table with a row for each mark."""
    marks: dict[tuple[str, str, int], dict[str, list[RaterMark]]] = defaultdict(dict)
    texts: dict[tuple[str, str, int], tuple[str, str]] = {}
    lines = enumerate(read_text_lines(path), start=1)
    heading = next(lines, (1, ""))[1].split("\t")
    if not set(_COLUMNS) <= set(heading):
        raise input_error(path, "columns", ", ".join(_COLUMNS), ", ".join(heading), 1)
    for line, text in lines:
        cells = _columns(path, line, text, len(heading) - (heading[-1] not in _COLUMNS))
        row = dict(zip(heading, cells, strict=False))
        key = row["system"], row["doc"], _number(path, line, row["seg_id"])
        texts[key] = _TAG.sub("", row["source"]), _TAG.sub("", row["target"])
        of_rater = marks[key].setdefault(row["rater"], [])
        category, severity = row["category"], row["severity"]
        if (category or severity) and not _NO_ERROR.fullmatch(category):
            places = _tagged_places(path, line, row["target"])
            of_rater += [RaterMark(start, end, category) for start, end in places]
    return [
        RatedSegment(*key, *texts[key], tuple(map(tuple, raters.values())))
        for key, raters in sorted(marks.items())
    ]


def _tagged_places(path: Path, line: int, text: str) -> Iterator[tuple[int, int]]:
    """First and last character of each `<v>…</v>`, counted without tags.

    Some published rows never close a `<v>`: nobody knows what it marks, so it marks nothing.
    """
    start: int | None = None
    removed = 0
    for tag in _TAG.finditer(text):
        place = tag.start() - removed
        removed += len(tag[0])
        if (start is None) != (tag[0] == "<v>"):
            raise input_error(path, "target", "<v>…</v>, not nested", quoted(text), line)
        if start is not None:
            yield start, place
        start = place if start is None else None


def read_wmt23(folder: Path) -> list[RatedSegment]:
    """The segments of WMT 2023, system by system; those that nobody read have no raters."""
    source = list(read_text_lines(folder / "source.en.xz"))
    rows = _lines_of(folder / "documents.tsv.xz", len(source))
    documents = [row.rpartition("\t")[2] for row in rows]
    marks = _wmt_marks(folder)
    return [
        RatedSegment(system, document, number, english, german, tuple(marks[system, number]))
        for path in sorted((folder / "outputs").glob("*.de.xz"))
        for system in [path.name.removesuffix(".de.xz")]
        for number, (document, english, german) in enumerate(
            zip(documents, source, _lines_of(path, len(source)), strict=True)
        )
    ]


def _lines_of(path: Path, size: int) -> list[str]:
    lines = list(read_text_lines(path))
    if len(lines) != size:
        line = min(len(lines), size) + 1
        raise input_error(path, "lines", f"{size} lines as in the source", str(len(lines)), line)
    return lines


def _wmt_marks(folder: Path) -> dict[tuple[str, int], list[tuple[RaterMark, ...]]]:
    """The marks of each rater, by system and segment."""
    marks: dict[tuple[str, int], list[tuple[RaterMark, ...]]] = defaultdict(list)
    segments: Counter[str] = Counter()
    path = folder / "mqm.tsv.xz"
    for line, text in enumerate(read_text_lines(path), start=1):
        system, written = _columns(path, line, text, 2)
        if written != "None":
            marks[system, segments[system]].append(_marks(path, line, written))
        segments[system] += 1
    return marks


def _marks(path: Path, line: int, written: str) -> tuple[RaterMark, ...]:
    try:
        content: Any = json.loads(written)
        return tuple(
            RaterMark(int(mark["start"]), int(mark["end"]), mark["category"] or "")
            for mark in content["errors"]
            if mark["start"] != "missing" and not mark.get("is_source_error")
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        expected = "JSON with errors that have start, end and category"
        raise input_error(path, "marks", expected, quoted(written), line) from error


def read_metric_scores(path: Path) -> dict[str, SegmentScores]:
    """The scores of each metric; `None` stands for no score."""
    scores: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for line, text in enumerate(read_text_lines(path), start=1):
        metric, system, number, score = _columns(path, line, text, 4)
        try:
            if score != "None":
                scores[metric][system, _number(path, line, number)] = float(score)
        except ValueError as error:
            raise input_error(path, "score", "a number or None", quoted(score), line) from error
    return dict(scores)
