"""All metrics of a report, one after the other or in several processes.

Words are aligned first, if links are missing: all metrics that need them share them. Then each
metric is a piece of work of its own; the number of processes changes nothing but the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosspro.data_prep.core.processes import Report, Step, map_shards
from crosspro.evaluation.core.evaluation import Evaluation, PairChoice, against_best, evaluate
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.statistics import Difference, Resampling
from crosspro.evaluation.folder_report.contents import ReportContents
from crosspro.evaluation.folder_report.examples import differing_examples
from crosspro.evaluation.inputs.inputs import MtInput, linked_input
from crosspro.evaluation.metrics import METRICS, make_metric, metric_class
from crosspro.evaluation.metrics.bleu.settings import TITLES
from crosspro.evaluation.output.page import Section, table_section
from crosspro.evaluation.output.records import record
from crosspro.evaluation.output.text import report_tables, score_notes, systems_table

ALIGNING = "aligning words"
LONG = 30
"""More rows than these are folded on the page."""


@dataclass(frozen=True)
class ReportSettings:
    """How a report is computed: resampling, which systems are compared, sacrebleu's tokeniser."""

    plan: Resampling | None = None
    pairs: PairChoice = against_best
    tokenise: str = "13a"
    most_examples: int = 20


@dataclass(frozen=True)
class Headline:
    """A score of the overview: how it is shown, that of each system that has it, and its tests."""

    title: str
    scale: Scale
    scores: Mapping[str, Score]
    comparisons: tuple[Difference, ...]


@dataclass(frozen=True)
class ReportPart:
    """What a report says of one metric; `record` is what its own command writes as JSON.

    It is small, so that it can come from another process.
    """

    key: str
    headline: Headline
    sections: tuple[Section, ...]
    record: Mapping[str, Any]
    warnings: tuple[str, ...]
    examples: tuple[Section, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A metric with its settings, what it is to score, and what that is called."""

    metric: str
    data: Any
    settings: ReportSettings
    own: Mapping[str, Any] = field(default_factory=dict)
    of: str = ""
    """The set that is scored, or the one measure that is wanted."""

    @property
    def step(self) -> str:
        """What is told while it is computed."""
        if metric_class(self.metric).needs in ("scored", "generated"):
            return f"set {self.of}"
        return self.title.removesuffix(" F1") if self.metric == "autoprf" else self.title

    @property
    def title(self) -> str:
        """The column of the overview."""
        return metric_class(self.metric).called.format(TITLES.get(self.of, self.of))


def compute_parts(
    contents: ReportContents,
    language: str,
    settings: ReportSettings,
    jobs: int = 1,
    report: Report = lambda step: None,
) -> list[ReportPart]:
    """All parts in the order in which a report shows them."""
    linked = _linked(contents, jobs, report)
    pieces = list(_pieces(contents, linked, language, settings))
    results = map_shards(_computed, pieces, jobs=min(jobs, len(pieces)))
    parts = []
    for piece in pieces:
        report(Step(piece.step))
        parts.append(next(results))
    return parts


def _linked(contents: ReportContents, jobs: int, report: Report) -> MtInput | None:
    if contents.linked is None:
        return None
    if None in contents.linked.links:
        report(Step(ALIGNING))
    return linked_input(
        contents.linked, lambda text: report(Step(ALIGNING, text)), 1 if jobs == 1 else None
    )


def _pieces(
    contents: ReportContents, linked: MtInput | None, language: str, settings: ReportSettings
) -> Iterator[_Piece]:
    """What is to be computed: every metric for which there are data."""
    without = {one.metric for one in contents.not_computed}
    in_language = {"language": language}
    for name in METRICS:
        needs = metric_class(name).needs
        if name == "bleu" and contents.text is not None:
            for measure in TITLES:
                own = {"tokenise": settings.tokenise, "silent": True, "metrics": (measure,)}
                if TITLES[measure] not in without:
                    yield _Piece(name, contents.text, settings, own, measure)
        elif needs == "text" and contents.text is not None:
            if metric_class(name).called not in without:
                yield _Piece(name, contents.text, settings, in_language)
        elif needs == "linked" and linked is not None:
            yield _Piece(name, linked, settings)
    for one in contents.sets:
        if one.scored is not None:
            yield _Piece("contrastive", one.scored, settings, of=one.name)
        if one.generated is not None:
            yield _Piece("expected_forms", one.generated, settings, in_language, one.name)


def _computed(piece: _Piece) -> ReportPart:
    metric = make_metric(piece.metric, **piece.own)
    found = evaluate(metric, piece.data, piece.settings.plan, piece.settings.pairs)
    key = ":".join(filter(None, (piece.metric, piece.of)))
    if piece.of in TITLES:
        key = piece.of
    scores = {one.name: one.scores[metric.headline] for one in found.systems}
    tests = tuple(one for one in found.comparisons if one.metric == metric.headline)
    most = piece.settings.most_examples if metric.name == "apt" else 0
    return ReportPart(
        key,
        Headline(piece.title, metric.scale, scores, tests),
        tuple(_sections(found, piece.title)),
        record(found),
        found.warnings,
        tuple(differing_examples(found, most)),
    )


def _sections(evaluation: Evaluation, title: str) -> Iterator[Section]:
    """The groups of a metric, systems beside each other, and its own tables."""
    metric = evaluation.metric
    if len(evaluation.systems[0].groups) > 1:
        notes = (f"{metric.heading(evaluation.scored)}.", *score_notes(evaluation))
        table = systems_table(evaluation, notes)
        section = table_section(table, metric.scale, title)
        if len(table.rows) > LONG:
            folded = f"<details><summary>{len(table.rows)} groups</summary>{section.body}</details>"
            section = Section(title, folded, section.note)
        yield section
    before, _ = report_tables(evaluation, "page")
    for table in before:
        if table.title and table.title not in evaluation.names:
            yield table_section(table, metric.scale, f"{title}: {table.title}")
