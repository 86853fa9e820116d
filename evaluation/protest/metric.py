"""PROTEST as a metric: what matches, what annotators say, and what is still to be judged.

The semi-automatic score is what 001 §7 recommends: a match counts as right unless annotators say
otherwise (001 found 8% of the matches wrong), everything else is right or wrong only if annotators
say so, and what nobody has judged is neither. While something is to be judged, the score is a
range. The automatic score is that of 002 and knows no verdicts.

The first table is 002 Table 3. Then comes, for each system, what 001 §7 asks for: how much was
decided automatically, how much by annotators, and what is still to be judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.evaluation import CandidateScores, Evaluation, GroupScores
from crosspro.evaluation.metric import Display, Group, Items, Kind, Metric
from crosspro.evaluation.people.questions import bracketed
from crosspro.evaluation.people.verdicts import ItemKey, Judgement
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.match import Outcome, TokenResult
from crosspro.evaluation.protest.review import question_of
from crosspro.evaluation.protest.silver import Alternative, silver_signature
from crosspro.evaluation.protest.suite import Spots, Suite, Token
from crosspro.evaluation.report.examples import Examples, Mark, Rendering
from crosspro.evaluation.report.tables import Cell, Table, interval_note, score_cell
from crosspro.evaluation.resampling import Columns, Scores, Sums, Units, ratio

Status = Literal["automatic", "silver", "right", "wrong", "unclear", "conflict", "open"]
STATUSES: dict[Status, tuple[str, Kind]] = {
    "automatic": ("automatic", "right"),
    "silver": ("silver", "right"),
    "right": ("people: right", "right"),
    "wrong": ("wrong", "wrong"),
    "unclear": ("unclear", "open"),
    "conflict": ("conflict", "open"),
    "open": ("to judge", "open"),
}
"""The heading of each status of a token, and its meaning."""
STATUS_NAMES = list(STATUSES)
RIGHT = {status for status, (_, kind) in STATUSES.items() if kind == "right"}
UNDECIDED: tuple[Status, ...] = ("conflict", "open")
AUTOMATIC, SEMI_AUTOMATIC = "automatic", "semi-automatic"


@dataclass(frozen=True)
class ScoredSystems:
    """The results of systems on a suite; judgements are those of the translations' keys."""

    suite: Suite
    lists: TargetWords
    results: Mapping[str, Sequence[TokenResult]]
    silver: Mapping[str, Sequence[Alternative]] = field(default_factory=dict)
    judgements: Mapping[ItemKey, Judgement] = field(default_factory=dict)

    @property
    def tokens(self) -> list[TokenResult]:
        return [result for results in self.results.values() for result in results]


@dataclass(frozen=True)
class JudgedToken:
    """A result, the judgement of annotators if there is one, and what follows."""

    result: TokenResult
    judgement: Judgement | None
    status: Status


@dataclass(frozen=True, slots=True)
class ProtestSettings:
    """What annotators must find right."""

    needs: Literal["pronoun", "both"] = "pronoun"


Judged = Items[ScoredSystems, JudgedToken]


class Protest(Metric[ProtestSettings, ScoredSystems, JudgedToken]):
    """The share of tokens that match a reference, and of those that are right."""

    name = "protest"
    settings_class = ProtestSettings
    display = Display(
        "Pronoun test suite (PROTEST)",
        digits=1,
        candidate="system",
        group="category",
        verdicts=tuple(STATUSES.values()),
    )

    def items(self, data: ScoredSystems) -> Judged:
        suite, judgements = data.suite, data.judgements
        values, warnings = [], []
        for name, results in data.results.items():
            tokens = []
            for result in results:
                judgement = judgements.get(result.key)
                tokens.append(JudgedToken(result, judgement, self.status(result, judgement)))
            values.append(tokens)
            other = {key for key, judgement in judgements.items() if seen_with(name, judgement)}
            if other := other - {result.key for result in results}:
                about = f"{len(other)} verdicts are about another output and do not count"
                warnings.append(f"{name}: {about}")
            if judgements and any(token.status in UNDECIDED for token in tokens):
                warnings.append(f"{name}: not all is judged; the rest counts as not right")
        units = Units.choose(
            document=[token.document for token in suite.tokens], token=range(len(suite.tokens))
        )
        languages = f"{suite.source_language}-{suite.target_language}"
        description = f"{counted(len(suite.tokens), 'pronoun')} of {languages}"
        return Items(
            data, tuple(data.results), tuple(values), units, description, warnings=tuple(warnings)
        )

    def status(self, result: TokenResult, judgement: Judgement | None) -> Status:
        """The decision of annotators, else whether the result matches."""
        if judgement is None:
            unjudged: dict[Outcome, Status] = {"match": "automatic", "silver": "silver"}
            return unjudged.get(result.outcome, "open")
        values = [judgement.pronoun]
        if self.settings.needs == "both" and judgement.antecedent is not None:
            values.append(judgement.antecedent)
        statuses: tuple[Status, ...] = ("conflict", "wrong", "unclear")
        for status in statuses:
            if status in values:
                return status
        return "unclear" if "bad" in values else "right"

    def statistics(self, items: Judged, candidate: int) -> Columns:
        tokens = items.values[candidate]
        return {
            "matches": [token.result.outcome == "match" for token in tokens],
            "right": [token.status in RIGHT for token in tokens],
            "tokens": np.ones(len(tokens)),
        }

    def score(self, sums: Sums) -> Scores:
        return {
            AUTOMATIC: 100 * ratio(sums["matches"], sums["tokens"]),
            SEMI_AUTOMATIC: 100 * ratio(sums["right"], sums["tokens"]),
        }

    def groups(self, items: Judged) -> Iterable[Group]:
        names = np.array([token.category for token in items.data.suite.tokens])
        for category in CATEGORIES:
            if (chosen := names == category.name).any():
                yield Group("category", category.name, chosen)

    def counts(self, items: Judged, candidate: int) -> Columns:
        statistics = self.statistics(items, candidate)
        statuses = np.array([token.status for token in items.values[candidate]])
        return {
            "tokens": statistics["tokens"],
            "matches": statistics["matches"],
            **{name: statuses == name for name in STATUS_NAMES},
        }

    def verdicts(self, items: Judged, candidate: int) -> Sequence[int]:
        return [STATUS_NAMES.index(token.status) for token in items.values[candidate]]

    def signature(self, items: Judged) -> Sequence[str]:
        data = items.data
        outputs = [results[0].output for results in data.results.values() if results]
        return [
            f"suite:{data.suite.digest}",
            f"tokens:{items.size}",
            f"references:{len(data.suite.references)}",
            f"lists:{data.lists.signature}",
            "match:overlap,no-case,elision",
            f"links:{','.join(dict.fromkeys(output.link_signature for output in outputs))}",
            f"source:{'own' if any(output.moved for output in outputs) else 'suite'}",
            f"silver:{silver_signature(data.silver)}",
            f"verdicts:{_verdict_signature(data.judgements)}",
            f"needs:{self.settings.needs}",
        ]

    def details(self, items: Judged, candidate: int) -> Iterator[Mapping[str, Any]]:
        for token in items.values[candidate]:
            question = question_of(token.result, [])
            yield {
                "token": token.result.token.name,
                "category": question.category,
                "status": token.status,
                "why": question.why,
                "reference_pronoun": question.reference_pronoun,
                "reference_head": question.reference_head,
                "output_pronoun": " ".join(token.result.words),
                "output_head": " ".join(token.result.head_words),
                "source": bracketed(question.source),
                "reference": bracketed(question.reference),
                "output": bracketed(question.output),
            }

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        systems = evaluation.candidates
        shown = [
            status
            for status in STATUSES
            if status == "automatic" or any(system.total.counts[status] for system in systems)
        ]
        headings = ["tokens", *(STATUSES[status][0] for status in shown), "right %"]
        rows = [[system.name, *_status_cells(system.total, shown, {})] for system in systems]
        tables = [_match_table(evaluation), Table(["automatic and people", *headings], rows)]
        labels = [category.label for category in CATEGORIES]
        for number, system in enumerate(systems):
            rows = []
            for label, group in _labelled(system):
                filters = {"candidate": number}
                if label in labels:
                    filters["group"] = labels.index(label)
                rows.append([label, *_status_cells(group, shown, filters)])
            tables.append(Table([system.name, *headings], rows))
        return tables

    def examples(self, items: Judged, numbers: Sequence[int]) -> Examples:
        suite = items.data.suite
        labels = [category.label for category in CATEGORIES]
        verdicts = list(STATUSES.values())
        examples = Examples(items.candidates, verdicts, items.size, "category", labels)
        lines: dict[int, int] = {}
        for number in numbers:
            token, tokens = suite.tokens[number], [values[number] for values in items.values]
            context = suite.context(token)
            for line in context:
                if line not in lines:
                    lines[line] = examples.add_line(
                        line,
                        " ".join(suite.source[line]),
                        [" ".join(reference[line]) for reference in suite.references],
                        [" ".join(judged.result.output.output[line]) for judged in tokens],
                        token.document,
                    )
            examples.add(
                suite.form(token).lower(),
                [lines[line] for line in context],
                [
                    _marks(token, context, token.spots, reference.spots)
                    for reference in token.references
                ],
                [_rendering(judged, context) for judged in tokens],
                token.name,
                BY_NAME[token.category].label,
            )
        return examples


def seen_with(system: str, judgement: Judgement) -> bool:
    """Whether a judgement is about a translation that a system of this name had."""
    return system in judgement.item.system.split(", ")


def _verdict_signature(judgements: Mapping[ItemKey, Judgement]) -> str:
    if not judgements:
        return "none"
    rows = sorted(
        (*key, judgement.pronoun, judgement.antecedent or "")
        for key, judgement in judgements.items()
    )
    return f"{len(rows)}.{hashlib.sha256(repr(rows).encode()).hexdigest()[:8]}"


# Tables -------------------------------------------------------------------------------------------


def _labelled(system: CandidateScores) -> list[tuple[str, GroupScores]]:
    groups = [(BY_NAME[group.group].label, group) for group in system.groups]
    return [*groups, ("all", system.total)]


def _match_table(evaluation: Evaluation) -> Table:
    """002 Table 3 with systems in columns."""
    rows: list[list[Cell | str]] = []
    for row in zip(*map(_labelled, evaluation.candidates), strict=True):
        label, first = row[0]
        matches = [str(group.counts["matches"]) for _, group in row]
        rows.append([label, str(first.counts["tokens"]), *matches])
    scores = [score_cell(system.scores[AUTOMATIC], 1) for system in evaluation.candidates]
    rows.append(["accuracy %", "", *scores])
    heading = ("automatic matches", "tokens", *evaluation.names)
    return Table(heading, rows, notes=interval_note(evaluation))


def _status_cells(
    group: GroupScores, shown: Sequence[Status], filters: Mapping[str, int]
) -> list[Cell | str]:
    """Tokens, tokens of each status, and the semi-automatic score, perhaps as a range."""
    counts = [
        Cell(str(group.counts[status]), filters={**filters, "verdict": STATUS_NAMES.index(status)})
        for status in shown
    ]
    right, tokens = group.scores[SEMI_AUTOMATIC], group.counts["tokens"]
    undecided = sum(group.counts[status] for status in UNDECIDED)
    most = f"to {right.value + 100 * undecided / tokens:.1f}" if undecided else ""
    return [str(tokens), *counts, score_cell(right, 1, most)]


# The page -----------------------------------------------------------------------------------------


def _rendering(judged: JudgedToken, context: Sequence[int]) -> Rendering:
    result = judged.result
    notes = [] if result.outcome == "match" else [result.why]
    if judged.judgement is not None:
        notes += [", ".join(judged.judgement.annotators), *judged.judgement.remarks]
    return Rendering(
        STATUS_NAMES.index(judged.status),
        " ".join(result.token.references[result.reference or 0].pronoun),
        " ".join(result.words),
        _marks(result.token, context, result.source, result.target),
        "; ".join(filter(None, notes)),
    )


def _marks(token: Token, context: Sequence[int], source: Spots, target: Spots) -> list[Mark]:
    marks = [Mark(context.index(token.place.line), source.pronoun, target.pronoun)]
    if token.antecedent is not None and token.antecedent.line in context:
        line = context.index(token.antecedent.line)
        marks.append(Mark(line, source.head, target.head, "head"))
    return marks
