"""A finished report, as JSON and as text for the terminal; `page.py` makes a page of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import printable
from crosspro.data_prep.core.files import count_lines, sha256_of
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.folder_report.compute import Headline, ReportPart
from crosspro.evaluation.folder_report.contents import NotComputed, ReportContents
from crosspro.evaluation.folder_report.files import ReportFiles
from crosspro.evaluation.output.records import FORMAT, plain, score_record
from crosspro.evaluation.output.result import Displayed
from crosspro.evaluation.output.tables import PLAIN, Style
from crosspro.evaluation.output.text import NOT_CORRECTED, difference_record
from crosspro.version import __version__

SIGNIFICANT = 0.05
BEST, EQUAL, BASELINE, BETTER, WORSE = "best", "equal", "baseline", "better", "worse"
SAYS = {
    BEST: "the best",
    EQUAL: f"not significantly different from the best (p ≥ {SIGNIFICANT:g})",
    BASELINE: "the baseline",
    BETTER: f"significantly better than the baseline (p < {SIGNIFICANT:g})",
    WORSE: f"significantly worse than the baseline (p < {SIGNIFICANT:g})",
}
BY_TEST = "Signs follow the randomisation test"
_SIGNS = {BEST: "*", EQUAL: "=", BASELINE: "·", BETTER: "+", WORSE: "-"}


@dataclass(frozen=True)
class FileRecord:
    """A file that was read: what it is, where it lies, its lines and its checksum."""

    role: str
    path: str
    lines: int
    sha256: str


@dataclass(frozen=True)
class FolderReport(Displayed):
    """Everything that was computed from a folder, and what was not; it prints as the overview."""

    folder: str
    languages: tuple[str | None, str | None]
    systems: tuple[str, ...]
    lines: int
    documents: int | None
    data: tuple[FileRecord, ...]
    unused: tuple[str, ...]
    parts: tuple[ReportPart, ...]
    not_computed: tuple[NotComputed, ...]
    warnings: tuple[str, ...]
    baseline: str | None = None

    @property
    def headlines(self) -> list[Headline]:
        """The columns of the overview."""
        return [part.headline for part in self.parts]

    def __str__(self) -> str:
        return report_text(self).rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """What report.json has."""
        return dict(plain(_content(self)))

    def html(self) -> str:
        """The page report.html."""
        from crosspro.evaluation.folder_report.page import report_page

        return report_page(self)


def make_report(
    folder: Path,
    files: ReportFiles,
    contents: ReportContents,
    parts: Sequence[ReportPart],
    baseline: str | None = None,
) -> FolderReport:
    """The report of what was read and computed."""
    names = [output.name for output in files.outputs]
    names += [name for part in parts for name in part.headline.scores]
    warnings = [text for part in parts for text in part.warnings]
    return FolderReport(
        printable(folder.resolve().name),
        files.languages,
        tuple(dict.fromkeys(names)),
        0 if contents.text is None else contents.text.lines,
        None if contents.documents is None else len(contents.documents.names),
        tuple(_records(folder, files)),
        tuple(_inside(folder, path) for path in files.unused),
        tuple(parts),
        contents.not_computed,
        tuple(dict.fromkeys(map(printable, warnings))),
        baseline,
    )


def _records(folder: Path, files: ReportFiles) -> Iterator[FileRecord]:
    for role, path in files.roles():
        yield file_record(role, path, folder)


def file_record(role: str, path: Path, folder: Path) -> FileRecord:
    """What a file of a folder is, how long, and its checksum."""
    return FileRecord(role, _inside(folder, path), count_lines(path), sha256_of(path))


def _inside(folder: Path, path: Path) -> str:
    """A path as it is seen from the folder, if it lies there."""
    return printable(str(path.relative_to(folder) if path.is_relative_to(folder) else path))


def standing(headline: Headline, system: str, baseline: str | None = None) -> str:
    """How a system stands: the best or not significantly different from it, or, where there is a
    baseline, significantly better or worse than that. Empty if none of these."""
    better, values = headline.better, headline.scores.items()
    scores = {name: better * one.value for name, one in values if not isnan(one.value)}
    if len(scores) < 2 or system not in scores:
        return ""
    if baseline in scores:
        if system == baseline:
            return BASELINE
        own = next((one for one in headline.comparisons if one.first == system), None)
        if own is None or own.p_randomisation >= SIGNIFICANT:
            return ""
        return BETTER if better * own.difference > 0 else WORSE
    if system == max(scores, key=scores.__getitem__):
        return BEST
    own = next(
        (comparison for comparison in headline.comparisons if comparison.second == system), None
    )
    return EQUAL if own is not None and own.p_randomisation >= SIGNIFICANT else ""


def report_text(report: FolderReport, style: Style = PLAIN) -> str:
    """The overview, with the signs of what differs, and what is missing."""
    headlines = report.headlines
    rows = [
        (name, *(_cell(one, name, report.baseline) for one in headlines)) for name in report.systems
    ]
    parts = [style.table(("system", *(one.title for one in headlines)), rows)] if headlines else []
    note = interval_units(headlines)
    if note:
        parts.append(f"{note}.\n")
    if lower_is_better(headlines):
        parts.append(f"{lower_is_better(headlines)}.\n")
    signs = {
        _SIGNS[found]: SAYS[found]
        for headline in headlines
        for name in report.systems
        if headline.comparisons and (found := standing(headline, name, report.baseline))
    }
    if signs:
        said = "; ".join(f"{sign} {text}" for sign, text in signs.items())
        parts.append(f"{said}. {BY_TEST}. {NOT_CORRECTED}\n")
    missing = reasons(report.not_computed).items()
    parts += ["".join(f"Not computed: {names}: {why}.\n" for why, names in missing)]
    return "\n".join(filter(None, parts))


def lower_is_better(headlines: Sequence[Headline]) -> str:
    """Which scores of the overview are better the lower they are."""
    titles = [one.title for one in headlines if one.better < 0]
    return f"Lower is better: {', '.join(titles)}" if titles else ""


def interval_units(headlines: Sequence[Headline]) -> str:
    """What the brackets of the overview are: which scores are resampled by which unit."""
    titles: dict[str, list[str]] = {}
    for one in headlines:
        for unit in dict.fromkeys(score.unit for score in one.scores.values() if score.unit):
            titles.setdefault(unit, []).append(one.title)
    if len(titles) < 2:
        return interval_note(score for headline in headlines for score in headline.scores.values())
    shown = "; ".join(f"{', '.join(own)} by {unit}" for unit, own in titles.items())
    return f"[95% interval: {shown}]"


def reasons(not_computed: Sequence[NotComputed]) -> dict[str, str]:
    """Why something is missing, and the metrics that are for this reason."""
    found: dict[str, list[str]] = {}
    for one in not_computed:
        found.setdefault(one.reason, []).append(one.metric)
    return {reason: ", ".join(metrics) for reason, metrics in found.items()}


def _cell(headline: Headline, system: str, baseline: str | None) -> str:
    if system not in headline.scores:
        return "–"
    shown = headline.scores[system].shown(headline.scale)
    sign = _SIGNS.get(standing(headline, system, baseline), "")
    return f"{shown} {sign}".rstrip() if headline.comparisons else shown


def report_json(report: FolderReport) -> str:
    """Everything, for other programs."""
    return json.dumps(_content(report), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _content(report: FolderReport) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "crosspro": __version__,
        "folder": report.folder,
        "source_language": report.languages[0],
        "target_language": report.languages[1],
        "systems": report.systems,
        "lines": report.lines,
        "documents": report.documents,
        "data": [asdict(one) for one in report.data],
        "unused": report.unused,
        "baseline": report.baseline,
        "scores": [record for one in report.parts for record in _scores(one)],
        "comparisons": [
            {"metric": part.headline.title, **difference_record(comparison)}
            for part in report.parts
            for comparison in part.headline.comparisons
        ],
        "not_computed": [asdict(one) for one in report.not_computed],
        "warnings": report.warnings,
        "metrics": {part.key: part.record for part in report.parts},
    }


def _scores(part: ReportPart) -> Iterator[dict[str, Any]]:
    better = {} if part.headline.better > 0 else {"better": "lower"}
    for name, score in part.headline.scores.items():
        yield {"metric": part.headline.title, "system": name, **better, **score_record(score)}
