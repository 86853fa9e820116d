"""What raters marked in outputs of MT systems, and what metrics say of each segment.

Where each form is described:

- `.seg.rating` of mt-metrics-eval (mt_metrics_eval/ratings.py of google-research/mt-metrics-eval):
  system, tab, JSON with `errors` or `None` where nobody looked, perhaps tab and rater; a line a
  segment in order, system by system. `mqm.tsv` of our folders is the same.
- `.seg.score` of mt-metrics-eval (its README): system and score or `None`, in the same order; and
  `metrics.tsv` of our folders: metric, system, segment from 0, score.
- MQM tables (marot/README.md of google-research/google-research, and google/wmt-mqm-human-
  evaluation): a row a mark, which stands between `<v>` and `</v>` in source or target.
- ESA in JSONL (humeval/merge_to_jsonl.py of wmt-conference/wmt24-news-systems): `esa_spans` of an
  annotation, or `errors` of each annotation in `scores` by system; `missing` for what is not there.

Places are counted in characters of the text without marks. A mark that is not on any, as of an
omission or of a segment that is no translation, has no place.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    input_error,
    is_whole_number,
    quoted,
)
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.evaluation.inputs.mt_tests import Pair
from crosspro.evaluation.inputs.plain_text import plain_name
from crosspro.evaluation.inputs.wmt_jsonl import (
    ANNOTATION,
    SEGMENT,
    form_of,
    rows_of_pair,
    segment_of,
)

SOMEBODY = "rater"
"""A rater who is not named."""
NO_ERROR = re.compile("no[-_ ]?error", re.IGNORECASE)
_MARK = re.compile(r"</?v>")


@dataclass(frozen=True, slots=True)
class RaterMark:
    """What a rater marked: characters of an output (or of the source), of what kind, how severe."""

    start: int | None
    end: int | None
    category: str
    severity: str
    in_source: bool = False


@dataclass(frozen=True, slots=True)
class RatedOutput:
    """A segment of a system as one rater read it, with the marks, of which there may be none.

    `segment` is its number in the test, or in the document where that is known. The score and the
    texts are there where the file has them.
    """

    system: str
    document: str
    segment: int
    rater: str
    marks: tuple[RaterMark, ...]
    source: str = ""
    target: str = ""
    score: float | None = None


SegmentScores = Mapping[tuple[str, int], float]
"""The scores of a metric, by system and segment from 0; higher is better."""


def read_ratings(path: Path) -> list[RatedOutput]:
    """The marks of a `.seg.rating` file; segments that nobody read are passed over."""
    problems: list[Problem] = []
    found = []
    for number, system, segment, columns in _by_system(path, problems, (2, 3)):
        if columns[0] == "None":
            continue
        marks = _rating(path, number, columns[0], problems)
        rater = columns[1] if len(columns) > 1 else SOMEBODY
        found.append(RatedOutput(system, "", segment, rater, marks))
    if problems:
        raise InputError(problems)
    return found


def _by_system(
    path: Path, problems: list[Problem], widths: Sequence[int]
) -> Iterator[tuple[int, str, int, list[str]]]:
    """The lines of a file that goes system by system: number, system, segment, further columns."""
    segments: dict[str, int] = defaultdict(int)
    lines: dict[str, int] = {}
    expected = f"{' or '.join(map(str, widths))} columns, a system first"
    number = 0
    for number, line in enumerate(read_text_lines(path), start=1):
        columns = line.rstrip("\r").split("\t") if "\t" in line else line.split()
        if len(columns) not in widths or not columns[0]:
            problems.append(Problem(str(path), number, "columns", expected, quoted(line)))
            continue
        system = columns[0]
        lines.setdefault(system, number)
        segments[system] += 1
        yield number, system, segments[system] - 1, columns[1:]
    if not number:
        problems.append(Problem(str(path), None, "file", "at least one line", "none"))
    size = next(iter(segments.values()), 0)
    for system, found in segments.items():
        if found != size and not problems:
            wanted = f"{size} segments of {system} as of {next(iter(segments))}"
            problems.append(Problem(str(path), lines[system], "system", wanted, str(found)))


def _rating(
    path: Path, number: int, written: str, problems: list[Problem]
) -> tuple[RaterMark, ...]:
    try:
        content = parse_json(written)
    except ValueError as error:
        problems.append(Problem(str(path), number, "rating", "JSON or None", str(error)))
        return ()
    errors = content.get("errors") if isinstance(content, dict) else None
    if not isinstance(errors, list):
        expected = 'an object with "errors", a list'
        problems.append(Problem(str(path), number, "rating", expected, quoted(written)))
        return ()
    return tuple(_span_marks(path, number, "errors", errors, ("start", "end"), problems))


def _span_marks(
    path: Path,
    number: int,
    field: str,
    spans: Iterable[Any],
    ends: tuple[str, str],
    problems: list[Problem],
) -> Iterator[RaterMark]:
    """The marks of a list of objects; `ends` are the names of their first and last character."""
    for place, one in enumerate(spans):
        where = f"{field}[{place}]"
        if not isinstance(one, dict):
            problems.append(Problem(str(path), number, where, "an object", quoted(repr(one))))
            continue
        start, end = (one.get(name) for name in ends)
        has_place = type(start) is int and type(end) is int and 0 <= start <= end
        if not has_place and {start, end} != {"missing"}:
            expected = f"{ends[0]} and {ends[1]}, characters from 0"
            shown = f"{start!r} and {end!r}"
            problems.append(Problem(str(path), number, where, expected, shown))
            continue
        yield RaterMark(
            start if has_place else None,
            end if has_place else None,
            str(one.get("category") or one.get("error_type") or ""),
            str(one.get("severity") or ""),
            one.get("is_source_error") is True,
        )


# Tables with a row for each mark -----------------------------------------------------------------


_MAROT = ("system", "doc", "docSegId", "globalSegId", "rater", "source", "target", "category",
          "severity", "metadata")  # fmt: skip
_SEGMENT_COLUMNS = ("docSegId", "doc_seg_id", "seg_id")
_NEEDED = ("system", "doc", "rater", "source", "target", "category", "severity")


def read_mqm_table(path: Path) -> list[RatedOutput]:
    """The outputs of an MQM table as each rater read them, in the order of the table."""
    problems: list[Problem] = []
    marks: dict[tuple[str, str, int, str], list[RaterMark]] = {}
    texts: dict[tuple[str, str, int], tuple[str, str]] = {}
    for number, row in _table(path, problems):
        if not row["rater"]:  # scores of metrics alone
            continue
        if not is_whole_number(row["segment"]):
            expected, shown = "a whole number", quoted(row["segment"])
            problems.append(Problem(str(path), number, "segment", expected, shown))
            continue
        key = row["system"], row["doc"], int(row["segment"])
        texts[key] = _MARK.sub("", row["source"]), _MARK.sub("", row["target"])
        own = marks.setdefault((*key, row["rater"]), [])
        own += _row_marks(path, number, row, problems)
    if problems:
        raise InputError(problems)
    return [RatedOutput(*key, tuple(own), *texts[key[:3]]) for key, own in marks.items()]


def _table(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table by the names of their columns; `segment` is the number in a document."""
    heading: Sequence[str] = _MAROT
    number = 0
    for number, line in enumerate(read_text_lines(path), start=1):
        cells = line.rstrip("\r").split("\t")
        if number == 1 and cells[:2] == ["system", "doc"]:
            heading = cells
            missing = [name for name in _NEEDED if name not in heading]
            if missing or not any(name in heading for name in _SEGMENT_COLUMNS):
                needed = ", ".join((*_NEEDED, "seg_id or docSegId"))
                raise input_error(path, "columns", needed, ", ".join(cells), number)
            continue
        # The last column, metadata or a note, may be missing.
        if len(cells) not in (len(heading), len(heading) - (heading[-1] not in _NEEDED)):
            expected = f"{len(heading)} columns"
            problems.append(Problem(str(path), number, "row", expected, str(len(cells))))
            continue
        row = dict(zip(heading, cells, strict=False))
        row["segment"] = next(row[name] for name in _SEGMENT_COLUMNS if name in row)
        yield number, row
    if not number:
        problems.append(Problem(str(path), None, "file", "at least one line", "none"))


def _row_marks(
    path: Path, number: int, row: Mapping[str, str], problems: list[Problem]
) -> list[RaterMark]:
    """What a row marks: each pair of `<v>` and `</v>`, or nothing in particular.

    Published tables have rows whose `<v>` is never closed: nobody knows what it marks.
    """
    if NO_ERROR.fullmatch(row["category"]) or not (row["category"] or row["severity"]):
        return []
    found = []
    for side in ("target", "source"):
        text, removed, start = row[side], 0, None
        for tag in _MARK.finditer(text):
            place = tag.start() - removed
            removed += len(tag[0])
            if (start is None) != (tag[0] == "<v>"):
                expected, shown = "<v>…</v>, one after the other", quoted(text)
                problems.append(Problem(str(path), number, side, expected, shown))
                break
            if start is not None:
                found.append(_mark(row, start, place, side))
            start = place if start is None else None
    return found or [_mark(row, None, None, "target")]


def _mark(row: Mapping[str, str], start: int | None, end: int | None, side: str) -> RaterMark:
    return RaterMark(start, end, row["category"], row["severity"], side == "source")


# ESA ---------------------------------------------------------------------------------------------


def read_esa(path: Path, pair: Pair | None = None) -> list[RatedOutput]:
    """The annotations of a JSONL file of either form, in its order."""
    form = form_of(path)
    problems: list[Problem] = []
    found = []
    if form == "annotation":
        rows, _ = rows_of_pair(path, pair, problems, {**ANNOTATION, "esa_spans": list})
        for number, row in rows:
            annotation = {"errors": row["esa_spans"], "score": row.get("esa_score"), **row}
            found.append(_annotated(path, number, row, row["system"], annotation, problems))
    else:
        rows, _ = rows_of_pair(path, pair, problems, {**SEGMENT, "scores": dict})
        for number, row in rows:
            for system, annotations in row["scores"].items():
                several = annotations if isinstance(annotations, list) else [annotations]
                for one in several:
                    found.append(_annotated(path, number, row, system, one, problems))
    if problems:
        raise InputError(problems)
    return found


def _annotated(
    path: Path,
    number: int,
    row: Mapping[str, Any],
    system: str,
    annotation: Any,
    problems: list[Problem],
) -> RatedOutput:
    document, _, segment = segment_of(row)
    where = f"scores.{system}"
    if not isinstance(annotation, dict) or not isinstance(annotation.get("errors", []), list):
        shown = quoted(repr(annotation))
        problems.append(Problem(str(path), number, where, "annotations with errors", shown))
        annotation = {}
    spans = annotation.get("errors", [])
    marks = tuple(_span_marks(path, number, where, spans, ("start_i", "end_i"), problems))
    target = row["tgt"] if "tgt" in row else row["tgt_text"].get(system, "")
    score = annotation.get("score", annotation.get("human"))
    return RatedOutput(
        system,
        document,
        number - 1 if segment is None else segment,
        str(annotation.get("annotator", SOMEBODY)),
        marks,
        str(row.get("src", row.get("src_text", ""))),
        str(target),
        None if score is None else _number(path, number, str(score), problems),
    )


# Metrics -----------------------------------------------------------------------------------------


def read_segment_scores(path: Path) -> dict[str, SegmentScores]:
    """The scores of metrics: of the one that a `.seg.score` file is called by, or of a table.

    A table has metric, system, segment and score on each line. `None` stands for no score.
    """
    problems: list[Problem] = []
    found: dict[str, dict[tuple[str, int], float]] = {}
    if plain_name(path).endswith(".seg.score"):
        own = found.setdefault(plain_name(path).removesuffix(".seg.score"), {})
        for number, system, segment, columns in _by_system(path, problems, (2,)):
            if columns[0] != "None":
                own[system, segment] = _number(path, number, columns[0], problems)
    else:
        _read_score_table(path, found, problems)
    if problems:
        raise InputError(problems)
    return dict(found)


def _read_score_table(
    path: Path, found: dict[str, dict[tuple[str, int], float]], problems: list[Problem]
) -> None:
    for number, line in enumerate(read_text_lines(path), start=1):
        cells = line.split("\t")
        if len(cells) != 4 or not is_whole_number(cells[2]):
            expected = "metric, system, segment from 0, score"
            problems.append(Problem(str(path), number, "row", expected, quoted(line)))
            continue
        metric, system, segment, written = cells
        own, key = found.setdefault(metric, {}), (system, int(segment))
        if key in own:
            expected = "each segment of a system once"
            problems.append(Problem(str(path), number, "segment", expected, f"{segment} again"))
        elif written != "None":
            own[key] = _number(path, number, written, problems)


def _number(path: Path, number: int, written: str, problems: list[Problem]) -> float:
    try:
        value = float(written)
        if math.isfinite(value):
            return value
    except ValueError:
        pass
    problems.append(Problem(str(path), number, "score", "a number", quoted(written)))
    return math.nan
