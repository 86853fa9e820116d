"""What professional raters marked in outputs of MT systems, in the formats of DATA/verdicts.

- `newsYEAR.en-de.mqm.tsv.xz`: a row for each mark, which stands between `<v>` and `</v>` in the
  target. Several raters read an output.
- `wmt23.en-de/`: `source.en`, `documents.tsv` (domain, document) and `outputs/SYSTEM.de`.
  `mqm.tsv`: system and JSON with `errors`, or `None` where nobody looked, in the order of the
  segments, system by system.

Marks in the source, and marks without a place, such as those of omissions, are left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_text_lines

_TAG = re.compile("</?v>")
_NO_ERROR = re.compile("(no[-_ ]?error)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RaterMark:
    """Characters of an output that a rater marked."""

    start: int
    end: int
    category: str


Marks = tuple[RaterMark, ...]


@dataclass(frozen=True)
class RatedSegment:
    """A segment of a system: both texts, and the marks of each rater who read it."""

    system: str
    document: str
    source: str
    target: str
    raters: tuple[Marks, ...]


def _read_rows(path: Path, columns: str, read: Callable[[list[str]], None], skip: int = 0) -> None:
    """Read the cells of each line of a table; wrong ones raise `InputError`."""
    for line, text in enumerate(read_text_lines(path), start=1):
        if line > skip:
            try:
                read(text.split("\t"))
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise input_error(path, "row", columns, quoted(text), line) from error


def read_newstest(path: Path) -> list[RatedSegment]:
    """The segments of a table with a row for each mark."""
    heading = next(read_text_lines(path), "").split("\t")
    texts: dict[tuple[str, str, int], tuple[str, str]] = {}
    marks: dict[tuple[str, str, int], dict[str, Marks]] = defaultdict(dict)

    def read(cells: list[str]) -> None:
        row = dict(zip(heading, cells, strict=False))
        key = row["system"], row["doc"], int(row["seg_id"])
        texts[key] = _TAG.sub("", row["source"]), _TAG.sub("", row["target"])
        before = marks[key].setdefault(row["rater"], ())
        if not _NO_ERROR.fullmatch(row["category"]):
            places = _tagged_places(row["target"])
            new = (RaterMark(start, end, row["category"]) for start, end in places)
            marks[key][row["rater"]] = (*before, *new)

    _read_rows(path, "system, doc, seg_id, rater, source, target (<v>…</v>), category", read, 1)
    return [
        RatedSegment(*key[:2], *texts[key], tuple(raters.values()))
        for key, raters in sorted(marks.items())
    ]


def _tagged_places(text: str) -> Iterator[tuple[int, int]]:
    """First and last character of each `<v>…</v>`, counted without tags.

    Some published rows never close a `<v>`: nobody knows what it marks, so it marks nothing.
    """
    start: int | None = None
    removed = 0
    for tag in _TAG.finditer(text):
        place = tag.start() - removed
        removed += len(tag[0])
        if (start is None) != (tag[0] == "<v>"):
            raise ValueError(text)
        if start is not None:
            yield start, place
        start = place if start is None else None


def read_wmt23(folder: Path) -> list[RatedSegment]:
    """The segments of WMT 2023, system by system; those that nobody read have no raters."""
    source = list(read_text_lines(folder / "source.en.xz"))
    rows = _lines_of(folder / "documents.tsv.xz", len(source))
    marks: dict[tuple[str, int], list[Marks]] = defaultdict(list)
    segments: Counter[str] = Counter()

    def read(cells: list[str]) -> None:
        system, written = cells
        if written != "None":
            marks[system, segments[system]].append(
                tuple(
                    RaterMark(int(mark["start"]), int(mark["end"]), mark["category"] or "")
                    for mark in json.loads(written)["errors"]
                    if mark["start"] != "missing" and not mark.get("is_source_error")
                )
            )
        segments[system] += 1

    _read_rows(folder / "mqm.tsv.xz", "system, JSON with errors or None", read)
    return [
        RatedSegment(system, row.rpartition("\t")[2], english, german, tuple(marks[system, number]))
        for path in sorted((folder / "outputs").glob("*.de.xz"))
        for system in [path.name.removesuffix(".de.xz")]
        for number, (row, english, german) in enumerate(
            zip(rows, source, _lines_of(path, len(source)), strict=True)
        )
    ]


def _lines_of(path: Path, size: int) -> list[str]:
    lines = list(read_text_lines(path))
    if len(lines) != size:
        line = min(len(lines), size) + 1
        raise input_error(path, "lines", f"{size} lines as in the source", str(len(lines)), line)
    return lines
