"""All metrics of a report, one after the other or in several processes.

Words are aligned first, if links are missing: all metrics that need them share them. Then each
metric is a piece of work of its own; the number of processes changes nothing but the time.
"""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.processes import Report, Step, map_shards
from crosspro.data_prep.core.stored import Cache, content_key
from crosspro.evaluation.core.evaluation import Evaluation, PairChoice, against_best, evaluate
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.statistics import Difference, Resampling
from crosspro.evaluation.core.tables import Cell, Count, Table
from crosspro.evaluation.folder_report.columns import Column
from crosspro.evaluation.folder_report.contents import ReportContents
from crosspro.evaluation.inputs.mt_input import MtInput, linked_input
from crosspro.evaluation.metrics.linked_metric import LinkedMetric, ShownPronoun
from crosspro.evaluation.metrics.pronoun_doubt.metric import (
    JudgedText,
    PronounJudge,
    ProofreadPronoun,
)
from crosspro.evaluation.output.page import Section, differing_numbers, table_section
from crosspro.evaluation.output.records import record
from crosspro.evaluation.output.text import report_tables, score_notes, systems_table
from crosspro.version import __version__

ALIGNING = "aligning words"
JUDGING = "proofreading"
FEW = 500
"""So few lines of outputs are proofread before another process has loaded a model."""
_JUDGED = "judged"
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


SMALL = 20_000
"""So few lines, of all outputs together, are scored before another process has begun."""

_Piece = tuple[Column, Any, ReportSettings, int]
"""A metric, what it is to score, and how; and how many examples are shown of it."""


def compute_parts(
    contents: ReportContents,
    settings: ReportSettings,
    jobs: int = 1,
    report: Report = lambda step: None,
    cache: Cache | None = None,
) -> list[ReportPart]:
    """All parts in the order in which a report shows them; links are kept in a cache."""
    data = column_data(contents, jobs, report, cache)
    pieces: list[_Piece] = []
    examples = settings.most_examples
    for column in contents.columns:
        shows = issubclass(column.kind, LinkedMetric)  # those of the first such metric
        own = data[column.kind.needs, column.of]
        pieces.append((column, own, settings, examples if shows else 0))
        examples = 0 if shows else examples
    text = contents.text
    small = text is None or text.lines * len(text.names) < SMALL
    results = map_shards(_computed, pieces, jobs=1 if small else min(jobs, len(pieces)))
    parts = []
    for column, *_ in pieces:
        report(Step(column.step))
        parts.append(next(results))
    return parts


def column_data(
    contents: ReportContents,
    jobs: int = 1,
    report: Report = lambda step: None,
    cache: Cache | None = None,
) -> dict[tuple[str, str], Any]:
    """What columns score, by what a metric needs and the set it is of; links are made here."""
    linked = _linked(contents, jobs, report, cache)
    data: dict[tuple[str, str], Any] = {("text", ""): contents.text, ("linked", ""): linked}
    data["judged", ""] = contents.judged
    for one in contents.sets:
        data |= {("scored", one.name): one.scored, ("generated", one.name): one.generated}
    return data


def _linked(
    contents: ReportContents, jobs: int, report: Report, cache: Cache | None
) -> MtInput | None:
    if contents.linked is None:
        return None
    if None in contents.linked.links:
        report(Step(ALIGNING))
    return linked_input(contents.linked, lambda text: report(Step(ALIGNING, text)), jobs, cache)


def judged_text(
    contents: ReportContents,
    judge: PronounJudge,
    jobs: int = 1,
    report: Report = lambda step: None,
    cache: Cache | None = None,
) -> JudgedText | None:
    """The pronouns of all outputs with how probably they are wrong; None where that is not asked.

    The number of processes changes nothing but the time, nor does a cache, in which the pronouns
    of each output are kept.
    """
    text = contents.text
    if text is None or not contents.to_judge:
        return None
    total, done = text.lines * len(text.names), 0
    numbers = contents.documents
    documents = None if numbers is None else [str(one) for one in numbers.of_line.tolist()]

    def read(lines: int) -> None:
        nonlocal done
        done += lines
        report(Step(JUDGING, done=done, total=total))

    read(0)
    given = __version__, judge.described, contents.source, documents
    keys = [content_key(given, lines) for lines in text.candidates] if cache else []
    found = {
        number: _read_pronouns(cache.path(_JUDGED, key))
        for number, key in enumerate(keys)
        if cache is not None and cache.has_text(_JUDGED, key)
    }
    missing = [number for number in range(len(text.names)) if number not in found]
    for _ in found:
        read(text.lines)
    pieces = [(judge, contents.source, text.candidates[n], documents) for n in missing]
    made: Iterable[tuple[ProofreadPronoun, ...]]
    alone = jobs == 1 or len(pieces) < 2 or total < FEW
    if alone:
        made = (judge.judged(*piece[1:], progress=read) for piece in pieces)
    else:
        made = map_shards(_judged, pieces, jobs=min(jobs, len(pieces)))
    for number, pronouns in zip(missing, made, strict=True):
        found[number] = pronouns
        if cache is not None:
            cache.text(_JUDGED, keys[number], partial(_pronoun_lines, pronouns))
        if not alone:
            read(text.lines)
    judged = tuple(found[number] for number in range(len(text.names)))
    return JudgedText(
        text.names, judged, text.lines, text.documents, judge.described, text.prepared
    )


def _pronoun_lines(pronouns: Iterable[ProofreadPronoun]) -> str:
    return "".join(json.dumps(astuple(one)) + "\n" for one in pronouns)


def _read_pronouns(path: Path) -> tuple[ProofreadPronoun, ...]:
    return tuple(ProofreadPronoun(*json.loads(line)) for line in read_text_lines(path))


_Translation = tuple[PronounJudge, Sequence[str], Sequence[str], Sequence[str] | None]


def _judged(piece: _Translation) -> tuple[ProofreadPronoun, ...]:
    judge, source, target, documents = piece
    return judge.judged(source, target, documents)


def _computed(piece: _Piece) -> ReportPart:
    column, data, settings, most_examples = piece
    metric = column.make()
    found = evaluate(metric, data, settings.plan, settings.pairs)
    scores = {system.name: system.scores[metric.headline] for system in found.systems}
    tests = tuple(
        comparison for comparison in found.comparisons if comparison.metric == metric.headline
    )
    return ReportPart(
        column.key,
        Headline(column.title, metric.scale, scores, tests, -1 if metric.lower_is_better else 1),
        tuple(_sections(found, column.title)),
        record(found),
        found.warnings,
        tuple(_differing_examples(found, most_examples)),
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


def _differing_examples(evaluation: Evaluation, most: int) -> Iterator[Section]:
    """A section with some of the items whose verdict is not the same in all systems, if any."""
    numbers, total = differing_numbers(evaluation, most) if most else ((), 0)
    metric, scored = evaluation.metric, evaluation.scored
    if not numbers or not isinstance(metric, LinkedMetric):
        return
    shown = metric.shown(scored, numbers)
    note = (
        f"{len(numbers):,} of {total:,} pronouns that {metric.measures[metric.headline]} judges "
        "differently in different systems, evenly spread over the text; "
        f"`crosspro {metric.name} --html` shows all."
    )
    body = "".join(_example(scored.data, metric.verdict_kinds, one) for one in shown)
    yield Section("Where systems differ", body, note)


def _example(data: MtInput, verdicts: Any, shown: ShownPronoun) -> str:
    anchor, mark, renderings = shown
    line = anchor.sentence
    document = data.document_of(line)
    where = f"line {line + 1}{f' · {document}' if document else ''}"
    rows = [
        _row("source", _marked(data.source.words(line), mark.source, "source")),
        _row("reference", _marked(data.reference.text.words(line), mark.target, "")),
    ]
    for candidate, rendering in zip(data.candidates, renderings, strict=True):
        verdict, kind = verdicts[rendering.verdict]
        places = [place for one in rendering.marks for place in one.target]
        said = f'<span class="case kind-{kind}">{html.escape(verdict)}</span>'
        text = _marked(candidate.text.words(line), places, f"kind-{kind}")
        rows.append(_row(candidate.name, text, said))
    word = html.escape(anchor.pronoun)
    heading = f"<header><span>{html.escape(where)}</span><b>{word}</b></header>"
    return f'<article class="example">{heading}<dl>{"".join(rows)}</dl></article>'


def _row(name: str, text: str, verdict: str = "") -> str:
    return f"<dt>{html.escape(name)}{verdict}</dt><dd dir=auto>{text}</dd>"


def _marked(words: list[str], places: Collection[int], kind: str) -> str:
    """The words of a line, those that matter marked."""
    return " ".join(
        f'<mark class="{kind}">{html.escape(word)}</mark>' if place in places else html.escape(word)
        for place, word in enumerate(words)
    )
