"""The parts of a report: each metric's scores for the overview, its tables and its JSON.

A part is made of a finished evaluation, by the functions that the metric's own command reports
with; nothing is scored here. Parts are small, so that they can come from other processes.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.significance import Difference
from crosspro.evaluation.folder_report.examples import differing_examples
from crosspro.evaluation.metrics.bleu.pronoun_f1 import PronounF1
from crosspro.evaluation.metrics.bleu.pronoun_f1_report import pronoun_json
from crosspro.evaluation.metrics.bleu.report import json_report as mt_json
from crosspro.evaluation.metrics.bleu.score import TITLES, MTEvaluation
from crosspro.evaluation.metrics.contrastive.accuracy import ContrastiveEvaluation
from crosspro.evaluation.metrics.contrastive.group_accuracy import GroupAccuracy
from crosspro.evaluation.metrics.contrastive.report import (
    contrastive_json,
    group_title,
    note_under,
    set_heading,
)
from crosspro.evaluation.metrics.expected_forms.report import RIGHT as GENERATED_RIGHT
from crosspro.evaluation.metrics.expected_forms.report import generative_json
from crosspro.evaluation.metrics.expected_forms.score import VERDICTS, GenerativeEvaluation
from crosspro.evaluation.output.evaluation_page import table_section
from crosspro.evaluation.output.page import Section, score_bar, shown_score
from crosspro.evaluation.output.records import record
from crosspro.evaluation.output.sections import report_tables
from crosspro.evaluation.output.template import cell_table, html_table

PER_CENT = 100.0
_FORMS = "pronoun"
"""The breakdown of pronoun F1 into single forms, which are many."""


@dataclass(frozen=True)
class Headline:
    """A score of the overview, from 0 to `top`: of each system that has it, and its tests."""

    title: str
    top: float
    scores: Mapping[str, Score]
    comparisons: tuple[Difference, ...]

    @property
    def digits(self) -> int:
        """How many digits of a score are shown."""
        return 4 if self.top == 1 else 2


@dataclass(frozen=True)
class ReportPart:
    """What a report says of one metric; `record` is what its own command writes as JSON."""

    key: str
    title: str
    headline: Headline
    sections: tuple[Section, ...]
    record: Mapping[str, Any]
    warnings: tuple[str, ...]
    examples: tuple[Section, ...] = ()


def mt_part(evaluation: MTEvaluation, metric: str) -> ReportPart:
    """BLEU or chrF."""
    title = TITLES[metric]
    scores = {one.name: one.scores[metric] for one in evaluation.results}
    headline = Headline(title, PER_CENT, scores, evaluation.comparisons)
    return ReportPart(
        metric, title, headline, (), json.loads(mt_json(evaluation)), evaluation.warnings
    )


def metric_part(evaluation: Evaluation, title: str, most_examples: int) -> ReportPart:
    """A metric with its tables, and examples of items that systems translate differently."""
    metric = evaluation.metric
    before, _ = report_tables(evaluation, "page")
    return ReportPart(
        metric.name,
        metric.title,
        Headline(
            title,
            metric.top,
            {one.name: one.scores[metric.headline] for one in evaluation.systems},
            tuple(one for one in evaluation.comparisons if one.metric == metric.headline),
        ),
        tuple(table_section(one, metric.top, metric.title) for one in before),
        record(evaluation),
        evaluation.warnings,
        tuple(differing_examples(evaluation, most_examples)),
    )


def pronoun_part(evaluation: PronounF1) -> ReportPart:
    """F1 of pronouns without links: in total, by person, number and gender, and by form."""
    results = evaluation.results
    groups = results[0].groups
    rows: dict[bool, list[list[str]]] = {False: [], True: []}
    for place, group in enumerate(groups):
        scores = [one.groups[place].scores["f1"] for one in results]
        name = f"{group.breakdown} {group.group}".strip()
        if group.breakdown == _FORMS:
            name = group.group
        cells = [html.escape(name), f"{group.reference:,}", *map(_barred, scores)]
        rows[group.breakdown == _FORMS].append(cells)
    names = [one.name for one in results]
    body = cell_table(("F1 (%)", "in reference", *names), rows[False])
    forms = cell_table(("form", "in reference", *names), rows[True])
    details = f"<details><summary>By form ({len(rows[True])})</summary>{forms}</details>"
    note = "A pronoun is matched by an equal one on the same line; a feature by one that agrees."
    return ReportPart(
        "pronoun_f1",
        "Pronoun F1",
        Headline(
            "pronoun F1",
            PER_CENT,
            {one.name: one.groups[0].scores["f1"] for one in results},
            _f1_only(evaluation.comparisons),
        ),
        (Section("Pronoun F1", f"{body}{details if rows[True] else ''}", note),),
        json.loads(pronoun_json(evaluation)),
        evaluation.warnings,
    )


def _f1_only(comparisons: Sequence[Difference]) -> tuple[Difference, ...]:
    return tuple(one for one in comparisons if one.metric == "f1")


def scored_part(evaluation: ContrastiveEvaluation, name: str) -> ReportPart:
    """Accuracy on a contrastive set by scores."""
    names = [system.name for system in evaluation.systems]
    heading = set_heading(evaluation.test_set, evaluation.unit, evaluation.units)
    note = f"{heading}. Right only if the reference is strictly better than every error."
    return ReportPart(
        f"contrastive:{name}",
        f"Contrastive set {name}, by scores",
        _accuracy(f"{name} (scores)", names, evaluation.groups, evaluation.comparisons),
        (Section(f"{name}: accuracy by scores", _groups(names, evaluation.groups), note),),
        json.loads(contrastive_json(evaluation)),
        evaluation.warnings,
    )


def generated_part(evaluation: GenerativeEvaluation, name: str) -> ReportPart:
    """Accuracy on a contrastive set by translations."""
    names = [one.output.name for one in evaluation.systems]
    heading = set_heading(evaluation.test_set, evaluation.unit, evaluation.units)
    shares = [
        (verdict, *(shown_score(score, PER_CENT) for score in scores))
        for verdict, scores in zip(VERDICTS, zip(*evaluation.shares, strict=True), strict=True)
    ]
    return ReportPart(
        f"generative:{name}",
        f"Contrastive set {name}, by translations",
        _accuracy(f"{name} (generated)", names, evaluation.groups, evaluation.comparisons),
        (
            Section(
                f"{name}: expected forms in translations",
                _groups(names, evaluation.groups),
                f"{heading}. {note_under(evaluation.groups, GENERATED_RIGHT)}",
            ),
            Section(f"{name}: what is there", html_table(("instances (%)", *names), shares)),
        ),
        json.loads(generative_json(evaluation)),
        evaluation.warnings,
    )


def _accuracy(
    title: str,
    names: Sequence[str],
    groups: Sequence[GroupAccuracy],
    comparisons: tuple[Difference, ...],
) -> Headline:
    scores = dict(zip(names, groups[0].scores, strict=True))
    return Headline(title, PER_CENT, scores, comparisons)


def _groups(names: Sequence[str], groups: Sequence[GroupAccuracy]) -> str:
    rows = [
        [html.escape(group_title(one)), f"{one.instances:,}", *map(_barred, one.scores)]
        for one in groups
    ]
    return cell_table(("accuracy (%)", "instances", *names), rows)


def _barred(score: Score) -> str:
    return f"{shown_score(score, PER_CENT)}{score_bar(score, PER_CENT, under=True)}"
