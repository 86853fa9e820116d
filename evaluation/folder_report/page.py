"""A report of a folder as one HTML page that needs nothing else and runs no script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.files import make_folder, write_text
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.folder_report.compute import Headline
from crosspro.evaluation.folder_report.results import (
    BY_TEST,
    SAYS,
    FolderReport,
    interval_units,
    lower_is_better,
    reasons,
    report_json,
    standing,
)
from crosspro.evaluation.output.page import (
    Bar,
    PageCell,
    PageTable,
    Section,
    plain_table,
    score_bar,
)
from crosspro.evaluation.output.templates import TEMPLATES, render_page
from crosspro.evaluation.output.text import NOT_CORRECTED, differences_table

FILES = ("report.html", "report.json")
_SIGNS = {"best": "★", "equal": "≈", "baseline": "•", "better": "▲", "worse": "▼"}


def report_page(report: FolderReport) -> str:
    """The page of a report."""
    scores = [score for headline in report.headlines for score in headline.scores.values()]
    return render_page(
        TEMPLATES / "report.html",
        title=f"Report on {report.folder}",
        subtitle=_subtitle(report),
        warnings=report.warnings,
        overview=[
            *([_overview(report)] if report.headlines else []),
            *_differences(report.headlines),
        ],
        not_computed=reasons(report.not_computed),
        sections=[section for part in report.parts for section in part.sections],
        differing=[part.differing for part in report.parts if part.differing is not None],
        data=_data(report),
        signatures=list(dict.fromkeys(score.signature for score in scores)),
    )


def write_report(report: FolderReport, folder: Path) -> None:
    """Page and JSON, once both are made, in a folder that may be new."""
    texts = report_page(report), report_json(report)
    make_folder(folder)
    for name, text in zip(FILES, texts, strict=True):
        write_text(folder / name, text)


def _subtitle(report: FolderReport) -> str:
    source, target = report.languages
    parts = [f"{source} to {target}" if source else f"into {target}"] if target else []
    parts.append(counted(len(report.systems), "system"))
    if report.lines:
        parts.append(counted(report.lines, "line"))
    if report.documents is not None:
        parts.append(counted(report.documents, "document"))
    return " · ".join(parts)


def _overview(report: FolderReport) -> Section:
    """Systems in rows, scores in columns, and the signs of what differs."""
    signs_used: dict[str, None] = {}
    rows = []
    for name in report.systems:
        cells = [PageCell(name)]
        for headline in report.headlines:
            stands = standing(headline, name, report.baseline)
            signs_used |= {stands: None} if stands else {}
            cells.append(_cell(headline, headline.scores.get(name), stands))
        rows.append(cells)
    table = PageTable(("system", *(headline.title for headline in report.headlines)), rows)
    signs = "; ".join(f"{_SIGNS[stands]} {SAYS[stands]}" for stands in SAYS if stands in signs_used)
    signs += f". {BY_TEST}" if signs else ""
    units = interval_units(report.headlines)
    note = f"{units}; bars span the intervals of a column. " if units else ""
    lower = lower_is_better(report.headlines)
    note = f"{note}{f'{lower}. ' if lower else ''}{signs}{'.' if signs else ''}"
    return Section("Overview", table, note, kind="overview")


def _cell(headline: Headline, score: Score | None, stands: str) -> PageCell:
    if score is None or isnan(score.value):
        return PageCell("–")
    number = headline.scale.number
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f"[{number(score.low)}, {number(score.high)}]"
    return PageCell(
        number(score.value),
        bar=_bar(headline, score),
        note=interval,
        sign=_SIGNS.get(stands, ""),
        kind=stands,
    )


def _bar(headline: Headline, score: Score) -> Bar | None:
    """The score among those of other systems: a bar over the intervals of all of them."""
    scores = [other for other in headline.scores.values() if not isnan(other.value)]
    left = min(other.value if other.low is None else other.low for other in scores)
    right = max(other.value if other.high is None else other.high for other in scores)
    if score.low is None or score.high is None or left == right:
        return None
    factor = headline.scale.factor
    span = Scale(top=factor * right, bottom=factor * left, factor=factor)
    return score_bar(score, span)


def _differences(headlines: Sequence[Headline]) -> Iterator[Section]:
    rows: list[Sequence[str]] = []
    heading: Sequence[str] = ()
    for headline in headlines:
        if headline.comparisons:
            heading, pairs, _ = differences_table(headline.comparisons, headline.scale)
            rows += [(row[0], headline.title, *row[1:]) for row in pairs]
    if rows:
        table = plain_table((heading[0], "metric", *heading[1:]), rows, 2)
        yield Section("Paired differences", table, NOT_CORRECTED)


def _data(report: FolderReport) -> Section:
    rows = [(file.role, file.path, f"{file.lines:,}", file.sha256[:16]) for file in report.data]
    table = plain_table(("file", "path", "lines", "SHA-256 (beginning)"), rows, 2)
    note = "Whole checksums are in the JSON report."
    if report.unused:
        note += f" Files of the folder that were not used: {', '.join(report.unused)}."
    return Section("Data", table, note, kind="data")
