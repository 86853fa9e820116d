"""All metrics of a report, one after the other; those that need word links share them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crosspro.data_prep.core.processes import Report, Step
from crosspro.evaluation.core.evaluation import Evaluation, PairChoice, against_best, evaluate
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.statistics import Difference, Resampling
from crosspro.evaluation.core.tables import Cell, Count, Table
from crosspro.evaluation.folder_report.columns import Column
from crosspro.evaluation.folder_report.contents import ReportContents
from crosspro.evaluation.inputs.mt_input import MtInput, linked_input
from crosspro.evaluation.metrics.linked_metric import LinkedMetric, ShownPronoun
from crosspro.evaluation.metrics.pronoun_doubt.metric import JudgedText, PronounJudge
from crosspro.evaluation.output.page import Section, differing_numbers, table_section
from crosspro.evaluation.output.records import record
from crosspro.evaluation.output.text import report_tables, score_notes, systems_table

ALIGNING = "aligning words"
JUDGING = "proofreading"
LONG = 30
"""More rows than these are folded on the page."""


@dataclass(frozen=True)
class ReportSettings:
    """How a report is computed: resampling, which systems are compared, examples on its page."""

    plan: Resampling | None = None
    pairs: PairChoice = against_best
    most_examples: int = 20


@dataclass(frozen=True)
class Headline:
    """A score of the overview: how it is shown, that of each system that has it, and its tests.

    `better` is 1 where higher scores are, -1 where lower ones are.
    """

    title: str
    scale: Scale
    scores: Mapping[str, Score]
    comparisons: tuple[Difference, ...]
    better: int = 1


@dataclass(frozen=True)
class ExampleRow:
    """A sentence of an example as words, each marked or not; a candidate's has a verdict."""

    name: str
    words: Sequence[tuple[str, bool]]
    kind: str
    verdict: str = ""


@dataclass(frozen=True)
class DifferingExample:
    """A pronoun that systems translate differently, in all texts."""

    place: str
    pronoun: str
    rows: Sequence[ExampleRow]


@dataclass(frozen=True)
class DifferingExamples:
    """Some of the pronouns that a metric judges differently in different systems."""

    note: str
    examples: Sequence[DifferingExample]


@dataclass(frozen=True)
class ReportPart:
    """What a report says of one metric; `record` is what its own command writes as JSON."""

    key: str
    headline: Headline
    sections: tuple[Section, ...]
    record: Mapping[str, Any]
    warnings: tuple[str, ...]
    differing: DifferingExamples | None = None


def compute_parts(
    contents: ReportContents,
    settings: ReportSettings,
    report: Report = lambda step: None,
) -> list[ReportPart]:
    """All parts in the order in which a report shows them."""
    data: dict[str, Any] = {
        "text": contents.text,
        "linked": _linked(contents, report),
        "judged": contents.judged,
    }
    parts = []
    examples = settings.most_examples
    for column in contents.columns:
        report(Step(column.called))
        shows = issubclass(column.kind, LinkedMetric)  # those of the first such metric
        scored = data[column.kind.needs]
        parts.append(_computed(column, scored, settings, examples if shows else 0))
        examples = 0 if shows else examples
    return parts


def _linked(contents: ReportContents, report: Report) -> MtInput | None:
    if contents.linked is None:
        return None
    if None in contents.linked.links:
        report(Step(ALIGNING))
    return linked_input(contents.linked, lambda text: report(Step(ALIGNING, text)))


def judged_text(
    contents: ReportContents, judge: PronounJudge, report: Report = lambda step: None
) -> JudgedText | None:
    """The pronouns of all outputs with how probably they are wrong; None if that is not asked."""
    text = contents.text
    if text is None or not contents.to_judge:
        return None
    total, done = text.lines * len(text.names), 0
    numbers = contents.documents
    documents = None if numbers is None else [str(number) for number in numbers.of_line.tolist()]

    def read(lines: int) -> None:
        nonlocal done
        done += lines
        report(Step(JUDGING, done=done, total=total))

    read(0)
    judged = tuple(
        judge.judged(contents.source, lines, documents, progress=read) for lines in text.candidates
    )
    return JudgedText(text.names, judged, text.lines, text.documents, judge.described)


def _computed(
    column: Column, data: Any, settings: ReportSettings, most_examples: int
) -> ReportPart:
    metric = column.make()
    evaluation = evaluate(metric, data, settings.plan, settings.pairs)
    scores = {system.name: system.scores[metric.headline] for system in evaluation.systems}
    tests = tuple(
        comparison for comparison in evaluation.comparisons if comparison.metric == metric.headline
    )
    return ReportPart(
        column.key,
        Headline(column.title, metric.scale, scores, tests, -1 if metric.lower_is_better else 1),
        tuple(_sections(evaluation, column.title)),
        record(evaluation),
        evaluation.warnings,
        _differing_examples(evaluation, most_examples),
    )


def _sections(evaluation: Evaluation, title: str) -> Iterator[Section]:
    """The groups of a metric, systems beside each other, and its own tables."""
    metric = evaluation.metric
    if len(evaluation.systems[0].groups) > 1:
        notes = (f"{metric.heading(evaluation.scored)}.", *score_notes(evaluation))
        table = systems_table(evaluation, notes)
        section = table_section(table, metric.scale, title)
        if len(table.rows) > LONG:
            section = replace(section, folded=True)
        yield section
    before, _ = report_tables(evaluation, "page")
    for table in before:
        if table.title and table.title not in evaluation.names:
            yield table_section(_counts_as_text(table), metric.scale, _inside(title, table.title))


def _inside(title: str, name: str) -> str:
    """The title of a table of a metric: APT: cases."""
    return f"{title}: {name[:1].lower()}{name[1:]}"


def _counts_as_text(table: Table) -> Table:
    """A table without a title, for a page without a script: it has no examples to show."""

    def text(cell: Cell) -> Cell:
        if not isinstance(cell, Count):
            return cell
        return f"{cell.number:,}{'' if cell.share is None else f' ({100 * cell.share:.1f}%)'}"

    return table._replace(rows=[[text(cell) for cell in row] for row in table.rows], title="")


# Pronouns that systems translate differently ------------------------------------------------------


def _differing_examples(evaluation: Evaluation, most: int) -> DifferingExamples | None:
    """Some of the items whose verdict is not the same in all systems, if there are any."""
    numbers, total = differing_numbers(evaluation, most) if most else ((), 0)
    metric, scored = evaluation.metric, evaluation.scored
    if not numbers or not isinstance(metric, LinkedMetric):
        return None
    note = (
        f"{len(numbers):,} of {total:,} pronouns that {metric.measures[metric.headline]} judges "
        "differently in different systems, evenly spread over the text; "
        f"`crosspro {metric.name} --html` shows all."
    )
    shown = metric.shown(scored, numbers)
    examples = [_example(scored.data, metric.verdict_kinds, pronoun) for pronoun in shown]
    return DifferingExamples(note, examples)


def _example(data: MtInput, verdicts: Any, shown: ShownPronoun) -> DifferingExample:
    anchor, mark, renderings = shown
    line = anchor.sentence
    document = data.document_of(line)
    rows = [
        ExampleRow("source", _marked(data.source.words(line), mark.source), "source"),
        ExampleRow("reference", _marked(data.reference.text.words(line), mark.target), ""),
    ]
    for candidate, rendering in zip(data.candidates, renderings, strict=True):
        verdict, kind = verdicts[rendering.verdict]
        places = [place for mark in rendering.marks for place in mark.target]
        words = _marked(candidate.text.words(line), places)
        rows.append(ExampleRow(candidate.name, words, f"kind-{kind}", verdict))
    place = f"line {line + 1}{f' · {document}' if document else ''}"
    return DifferingExample(place, anchor.pronoun, rows)


def _marked(words: Sequence[str], places: Collection[int]) -> list[tuple[str, bool]]:
    """The words of a line, and which of them matter."""
    return [(word, place in places) for place, word in enumerate(words)]
