"""What professional raters marked in outputs of MT systems, in the formats of DATA/verdicts.

- `newsYEAR.en-de.mqm.tsv.xz`: a row for each mark, which stands between `<v>` and `</v>` in the
  target. Several raters read an output.
- `wmt23.en-de/`: `source.en`, `documents.tsv` (domain, document) and `outputs/SYSTEM.de`.
  `mqm.tsv`: system and JSON with `errors`, or `None` where nobody looked, in the order of the
  segments, system by system. `raters.tsv`: rater, system, segment from 1, JSON list of marks.
  `metrics.tsv`: metric, system, segment from 0, score.

Marks in the source, and marks without a place, such as those of omissions, are left out.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_text_lines

Key = tuple[str, str, int]
SegmentScores = Mapping[tuple[str, int], float]
"""The scores of a metric, by system and segment from 0; higher is better."""
_TAG = re.compile("</?v>")
_NO_ERROR = re.compile("no[-_ ]?error", re.IGNORECASE)
_COLUMNS = ("system", "doc", "seg_id", "rater", "source", "target", "category", "severity")


@dataclass(frozen=True, slots=True)
class RaterMark:
    """Characters of an output that a rater marked; the category is empty where none was asked."""

    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True)
class RatedSegment:
    """A segment of a system: both texts, and the marks of each rater who read it."""

    system: str
    document: str
    number: int
    source: str
    target: str
    raters: tuple[tuple[RaterMark, ...], ...]


def read_newstest(path: Path) -> list[RatedSegment]:
    """The segments of a table with a row for each mark."""
    marks: dict[Key, dict[str, list[RaterMark]]] = defaultdict(dict)
    texts: dict[Key, tuple[str, str]] = {}
    for line, row in _table_rows(path):
        if not row["seg_id"].isdecimal():
            raise input_error(path, "seg_id", "a whole number", quoted(row["seg_id"]), line)
        key = row["system"], row["doc"], int(row["seg_id"])
        texts[key] = _TAG.sub("", row["source"]), _TAG.sub("", row["target"])
        rater = marks[key].setdefault(row["rater"], [])
        category, severity = row["category"], row["severity"]
        if (category or severity) and not _NO_ERROR.fullmatch(category):
            places = _tagged_places(path, line, row["target"])
            rater += [RaterMark(start, end, category, severity) for start, end in places]
    return [
        RatedSegment(*key, *texts[key], tuple(map(tuple, raters.values())))
        for key, raters in sorted(marks.items())
    ]


def _table_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by the names of their columns; a last column of comments may be missing."""
    lines = enumerate(read_text_lines(path), start=1)
    heading = next(lines, (1, ""))[1].split("\t")
    if not set(_COLUMNS) <= set(heading):
        raise input_error(path, "columns", ", ".join(_COLUMNS), ", ".join(heading), 1)
    fewest = len(heading) - (heading[-1] not in _COLUMNS)
    for line, text in lines:
        cells = text.split("\t")
        if not fewest <= len(cells) <= len(heading):
            raise input_error(path, "row", f"{len(heading)} columns", str(len(cells)), line)
        yield line, dict(zip(heading, cells, strict=False))


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


def read_wmt23(folder: Path, more_raters: bool = False) -> list[RatedSegment]:
    """The segments of WMT 2023, system by system; those that nobody read have no raters.

    With `more_raters` also the judgements of raters.tsv, of which some have no categories.
    """
    source = list(read_text_lines(folder / "source.en.xz"))
    rows = _parallel(folder / "documents.tsv.xz", len(source))
    documents = [row.rpartition("\t")[2] for row in rows]
    raters = _mqm_marks(folder / "mqm.tsv.xz")
    if more_raters:
        for key, marks in _more_marks(folder / "raters.tsv.xz"):
            raters[key].append(marks)
    return [
        RatedSegment(system, document, number, english, german, tuple(raters[system, number]))
        for path in sorted((folder / "outputs").glob("*.de.xz"))
        for system in [path.name.removesuffix(".de.xz")]
        for number, (document, english, german) in enumerate(
            zip(documents, source, _parallel(path, len(source)), strict=True)
        )
    ]


def _parallel(path: Path, size: int) -> list[str]:
    lines = list(read_text_lines(path))
    if len(lines) != size:
        line = min(len(lines), size) + 1
        raise input_error(path, "lines", f"{size} lines as in the source", str(len(lines)), line)
    return lines


def _mqm_marks(path: Path) -> dict[tuple[str, int], list[tuple[RaterMark, ...]]]:
    found: dict[tuple[str, int], list[tuple[RaterMark, ...]]] = defaultdict(list)
    segments: dict[str, int] = defaultdict(int)
    for line, text in enumerate(read_text_lines(path), start=1):
        system, _, written = text.partition("\t")
        if written != "None":
            content = _parsed(path, line, written)
            errors = content.get("errors") if isinstance(content, dict) else None
            found[system, segments[system]].append(_span_marks(path, line, errors))
        segments[system] += 1
    return found


def _more_marks(path: Path) -> Iterator[tuple[tuple[str, int], tuple[RaterMark, ...]]]:
    for line, text in enumerate(read_text_lines(path), start=1):
        cells = text.split("\t")
        if len(cells) != 4 or not cells[2].isdecimal():
            expected = "rater, system, segment from 1, marks"
            raise input_error(path, "row", expected, quoted(text), line)
        marks = _span_marks(path, line, _parsed(path, line, cells[3]))
        yield (cells[1], int(cells[2]) - 1), marks


def _parsed(path: Path, line: int, written: str) -> Any:
    try:
        return json.loads(written)
    except ValueError as error:
        raise input_error(path, "marks", "JSON", str(error), line) from error


def _span_marks(path: Path, line: int, spans: Any) -> tuple[RaterMark, ...]:
    try:
        return tuple(
            RaterMark(
                int(span["start"]), int(span["end"]), span["category"] or "", span["severity"] or ""
            )
            for span in spans
            if span["start"] != "missing" and not span.get("is_source_error")
        )
    except (TypeError, KeyError, ValueError) as error:
        expected = "a list of marks with start, end, category and severity"
        raise input_error(path, "marks", expected, quoted(str(spans)), line) from error


def read_metric_scores(path: Path) -> dict[str, SegmentScores]:
    """The scores of each metric; `None` stands for no score."""
    scores: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for line, text in enumerate(read_text_lines(path), start=1):
        try:
            metric, system, segment, score = text.split("\t")
            if score != "None":
                scores[metric][system, int(segment)] = float(score)
        except ValueError as error:
            expected = "metric, system, segment from 0, score"
            raise input_error(path, "row", expected, quoted(text), line) from error
    return dict(scores)
