"""A report of a folder as one HTML page that needs nothing else and runs no script."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
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
    SHARED,
    Section,
    cell_table,
    fill_page,
    html_table,
    score_bar,
    signature_list,
    warning_list,
)
from crosspro.evaluation.output.text import NOT_CORRECTED, differences_table

FILES = ("report.html", "report.json")
_SIGNS = {"best": "★", "equal": "≈", "baseline": "•", "better": "▲", "worse": "▼"}


def report_page(report: FolderReport) -> str:
    """The page of a report."""
    sections = list(_sections(report))
    anchors = [f"s{number}" for number in range(1, len(sections) + 1)]
    links = [
        f'<a href="#{anchor}">{html.escape(section.title)}</a>'
        for anchor, section in zip(anchors, sections, strict=True)
    ]
    shown = (_shown(anchor, one) for anchor, one in zip(anchors, sections, strict=True))
    parts = {
        "title": html.escape(f"Report on {report.folder}"),
        "subtitle": html.escape(_subtitle(report)),
        "contents": "".join((*links, '<a href="#signatures">Signatures</a>')),
        "warnings": warning_list(report.warnings),
        "sections": "".join(shown),
        "signatures": signature_list(
            [score.signature for headline in report.headlines for score in headline.scores.values()]
        ),
    }
    return fill_page(SHARED / "overview.html", parts)


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


def _shown(anchor: str, section: Section) -> str:
    note = f'<p class="note">{html.escape(section.note)}</p>' if section.note else ""
    title = f'<h2 id="{anchor}">{html.escape(section.title)}</h2>'
    return f'{title}<div class="scroll">{section.body}</div>{note}\n'


def _sections(report: FolderReport) -> Iterator[Section]:
    if report.headlines:
        yield _overview(report)
    if any(headline.comparisons for headline in report.headlines):
        yield _differences(report.headlines)
    if report.not_computed:
        rows = (
            f"<dt>{html.escape(metrics)}</dt><dd>{html.escape(reason)}</dd>"
            for reason, metrics in reasons(report.not_computed).items()
        )
        yield Section("Not computed", f'<dl class="missing">{"".join(rows)}</dl>')
    for part in report.parts:
        yield from part.sections
    for part in report.parts:
        yield from part.examples
    yield _data(report)


def _overview(report: FolderReport) -> Section:
    """Systems in rows, scores in columns, and the signs of what differs."""
    found: dict[str, None] = {}
    body = []
    for name in report.systems:
        cells = [html.escape(name)]
        for one in report.headlines:
            stands = standing(one, name, report.baseline)
            found |= {stands: None} if stands else {}
            cells.append(_cell(one, one.scores.get(name), stands))
        body.append(cells)
    table = cell_table(("system", *(headline.title for headline in report.headlines)), body)
    signs = "; ".join(f"{_SIGNS[one]} {SAYS[one]}" for one in SAYS if one in found)
    signs += f". {BY_TEST}" if signs else ""
    units = interval_units(report.headlines)
    note = f"{units}; bars span the intervals of a column. " if units else ""
    lower = lower_is_better(report.headlines)
    note = f"{note}{f'{lower}. ' if lower else ''}{signs}{'.' if signs else ''}"
    return Section("Overview", f'<div class="overview">{table}</div>', note)


def _cell(headline: Headline, score: Score | None, stands: str) -> str:
    if score is None or score.value != score.value:
        return "–"
    number = headline.scale.number
    sign = f"<sup>{_SIGNS[stands]}</sup>" if stands else ""
    value = f"<strong>{number(score.value)}</strong>{sign}"
    bounds = ""
    if score.low is not None and score.high is not None:
        bounds = f"<small>[{number(score.low)}, {number(score.high)}]</small>"
    return f'<div class="{stands}">{value}{bounds}{_bar(headline, score)}</div>'


def _bar(headline: Headline, score: Score) -> str:
    """The score among those of other systems: a bar over the intervals of all of them."""
    scores = [one for one in headline.scores.values() if one.value == one.value]
    left = min(one.value if one.low is None else one.low for one in scores)
    right = max(one.value if one.high is None else one.high for one in scores)
    if score.low is None or score.high is None or left == right:
        return ""
    factor = headline.scale.factor
    span = Scale(top=factor * right, bottom=factor * left, factor=factor)
    return score_bar(score, span)


def _differences(headlines: Sequence[Headline]) -> Section:
    rows: list[Sequence[str]] = []
    heading: Sequence[str] = ()
    for headline in headlines:
        if headline.comparisons:
            heading, own, _ = differences_table(headline.comparisons, headline.scale)
            rows += [(row[0], headline.title, *row[1:]) for row in own]
    table = html_table((heading[0], "metric", *heading[1:]), rows, 2)
    return Section("Paired differences", table, NOT_CORRECTED)


def _data(report: FolderReport) -> Section:
    rows = [(one.role, one.path, f"{one.lines:,}", one.sha256[:16]) for one in report.data]
    table = html_table(("file", "path", "lines", "SHA-256 (beginning)"), rows, 2)
    note = "Whole checksums are in the JSON report."
    if report.unused:
        note += f" Files of the folder that were not used: {', '.join(report.unused)}."
    return Section("Data", f'<div class="hash">{table}</div>', note)
