"""The evaluation of a suite: tables for people, JSON, CSV and TSV for programs, an HTML page.

The first table is that of 002 Table 3: automatic matches by category, systems side by side. Then
comes, for each system, what 001 §7 asks for: how much was decided automatically, how much by people
and how, and what is still to be judged.

On the page, the suite keeps the places of pronouns and heads in its references but no other links,
so only these are drawn there; a system's links are all drawn.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.score import Scale, Score, interval_note
from crosspro.evaluation.core.tables import make_matrices, without_rare
from crosspro.evaluation.human.items import MarkedWords, Words
from crosspro.evaluation.output import MOST_EXAMPLES
from crosspro.evaluation.output.examples import (
    Examples,
    ExampleVerdict,
    Kind,
    Mark,
    MarkKind,
    Rendering,
    Version,
    spread_over,
)
from crosspro.evaluation.output.page import (
    Page,
    Section,
    cell_table,
    count_button,
    difference_section,
    heat_maps,
    render,
    score_rows,
    shade,
)
from crosspro.evaluation.output.tables import PLAIN, Style, score_csv
from crosspro.evaluation.output.text import difference_record, differences_table
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.match import TokenResult, project, pronoun_in
from crosspro.evaluation.protest.results import (
    PARTS,
    STATUSES,
    UNDECIDED,
    JudgedToken,
    Part,
    ProtestEvaluation,
    Status,
    SuiteResult,
)
from crosspro.evaluation.protest.review import reference_words, texts_of
from crosspro.evaluation.protest.suite import SuiteToken

HEADINGS: dict[Status, str] = {
    "automatic": "automatic",
    "silver": "silver",
    "right": "people: right",
    "wrong": "wrong",
    "unclear": "unclear",
    "conflict": "conflict",
    "open": "to judge",
}
_KINDS: dict[Status, Kind] = {
    "automatic": "right",
    "silver": "right",
    "right": "right",
    "wrong": "wrong",
    "unclear": "open",
    "conflict": "open",
    "open": "open",
}
SHARE = Scale(digits=1, factor=100)
DETAIL_COLUMNS = (
    "system",
    "token",
    "category",
    "status",
    "why",
    "reference_pronoun",
    "reference_head",
    "output_pronoun",
    "output_head",
    "source",
    "reference",
    "output",
)


def text_report(evaluation: ProtestEvaluation, style: Style = PLAIN) -> str:
    """Everything as tables for the terminal, or for Markdown."""
    table, systems = style.table, evaluation.systems
    parts = [table(*_matches(evaluation), 1)]
    parts += [table(*_statuses(one, evaluation), 1) for one in systems]
    if len(systems) > 1:
        parts.append(table(*_summary(systems), 1))
    note = interval_note(score for one in systems for score in one.scores.values())
    if note:
        parts.append(f"{note}\n")
    if evaluation.comparisons:
        parts.append(table(*differences_table(evaluation.comparisons, SHARE)))
    return "\n".join([*parts, *style.signed(s.signature for s in systems[0].scores.values())])


Table = tuple[Sequence[str], list[Sequence[str]]]
"""A heading and rows."""


def _matches(evaluation: ProtestEvaluation) -> Table:
    """002 Table 3, turned round."""
    systems = evaluation.systems
    rows: list[Sequence[str]] = []
    for category in CATEGORIES:
        counts = [one.matches(category.name) for one in systems]
        rows.append([category.label, str(evaluation.sizes[category.name]), *map(str, counts)])
    totals = [str(one.matches()) for one in systems]
    rows.append(["all", str(len(evaluation.suite.tokens)), *totals])
    scores = [one.scores["automatic"] for one in systems]
    rows.append(["accuracy %", "", *(f"{100 * score.value:.1f}" for score in scores)])
    if scores and scores[0].low is not None:
        rows.append(["95% interval", "", *(_interval(score) for score in scores)])
    return ["automatic matches", "tokens", *(one.name for one in systems)], rows


def _statuses(
    system: SuiteResult,
    evaluation: ProtestEvaluation,
    label: Callable[[str], str] = str,
    cell: Callable[[int, int, Status, int | None], str] = lambda count, *_: str(count),
) -> Table:
    """Automatic and human parts of one system, and what is left, by category with intervals.

    Statuses that nothing has are left out. `cell` shows a count, the size of its category, its
    status and the number of the category.
    """
    shown = [status for status in STATUSES if system.total(status) or status == "automatic"]
    rows: list[Sequence[str]] = []
    for number, category in [*enumerate(CATEGORIES), (None, None)]:
        name = None if category is None else category.name
        size = len(evaluation.suite.tokens) if name is None else evaluation.sizes[name]
        scores = system.scores if name is None else system.categories.get(name)
        counts = [cell(system.total(s, category=name), size, s, number) for s in shown]
        shares = _shares(scores, system.total(*UNDECIDED, category=name), size)
        title = "all" if category is None else label(category.label)
        rows.append([title, str(size), *counts, *shares])
    columns = ("automatic % [95%]", "right % [95%]")
    return [system.name, "tokens", *(HEADINGS[status] for status in shown), *columns], rows


def _shares(scores: Mapping[Part, Score] | None, undecided: int, size: int) -> tuple[str, str]:
    """Automatic and semi-automatic shares with intervals; what is undecided makes a range."""
    if scores is None:
        return "", ""
    automatic, both = scores["automatic"], scores["semi-automatic"]
    shown = f"{100 * both.value:.1f}"
    if undecided:
        shown += f" to {100 * (both.value + undecided / size):.1f}"
    return (
        f"{100 * automatic.value:.1f} {_interval(automatic)}".rstrip(),
        f"{shown} {_interval(both)}".rstrip(),
    )


def _summary(systems: Sequence[SuiteResult]) -> Table:
    """Systems under each other: the semi-automatic score as far as it is known."""
    rows: list[Sequence[str]] = []
    for one in systems:
        score = one.scores["semi-automatic"]
        shown = f"{100 * score.value:.1f}"
        if one.at_most > score.value:
            shown = f"{shown} to {100 * one.at_most:.1f}"
        totals = [str(one.total(status)) for status in STATUSES]
        rows.append([one.name, *totals, shown, _interval(score)])
    return ["automatic and people", *HEADINGS.values(), "right %", "95% interval"], rows


def _interval(score: Score) -> str:
    if score.low is None or score.high is None:
        return ""
    return f"[{100 * score.low:.1f}, {100 * score.high:.1f}]"


def json_report(evaluation: ProtestEvaluation) -> str:
    """The same for programs, with every token."""
    value = {
        "suite": evaluation.suite.digest,
        "tokens": evaluation.sizes,
        "systems": [_json_system(one) for one in evaluation.systems],
        "comparisons": [difference_record(one, "score") for one in evaluation.comparisons],
        "warnings": list(evaluation.warnings),
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _json_system(system: SuiteResult) -> dict[str, Any]:
    scores = {part: {"part": part} | asdict(score) for part, score in system.scores.items()}
    for record in scores.values():
        del record["name"]
    return {
        "name": system.name,
        "scores": scores,
        "category_scores": {
            name: {
                part: {"value": score.value, "low": score.low, "high": score.high}
                for part, score in own.items()
            }
            for name, own in system.categories.items()
        },
        "at_most": system.at_most,
        "categories": {name: dict(counts) for name, counts in system.counts.items()},
        "tokens": [
            dict(zip(DETAIL_COLUMNS[1:], _detail_row(one)[1:], strict=True))
            for one in system.tokens
        ],
    }


def csv_report(evaluation: ProtestEvaluation) -> str:
    """A row for each system: a table that `crosspro correlate` reads."""
    rows = ((one.name, [one.scores[part].value for part in PARTS]) for one in evaluation.systems)
    return score_csv(PARTS, rows)


def detail_tsv(evaluation: ProtestEvaluation) -> str:
    """Every token of every system as a tab-separated table."""
    rows = [DETAIL_COLUMNS, *(_detail_row(one) for s in evaluation.systems for one in s.tokens)]
    return "".join("\t".join(row) + "\n" for row in rows)


def _detail_row(judged: JudgedToken) -> tuple[str, ...]:
    result = judged.result
    return (
        result.item.system,
        result.token.name,
        result.token.category,
        judged.status,
        result.why,
        *reference_words(result),
        " ".join(result.words),
        " ".join(result.head_words),
        *texts_of(result),
    )


# The page -----------------------------------------------------------------------------------------


def protest_page(
    evaluation: ProtestEvaluation, lists: TargetWords, max_examples: int = MOST_EXAMPLES
) -> str:
    """The page of an evaluation, with at most so many examples."""
    suite, systems = evaluation.suite, evaluation.systems
    pairs = without_rare([[_cell(one.result, lists) for one in own.tokens] for own in systems])
    matrices = zip((one.name for one in systems), make_matrices(pairs), strict=True)
    page = Page(
        "Pronoun test suite (PROTEST)",
        f"{counted(len(suite.tokens), 'pronoun')} of suite {suite.digest}, "
        f"{suite.source_language}-{suite.target_language}",
        [
            _scores(systems),
            _categories(evaluation),
            *difference_section(evaluation.comparisons, SHARE),
            heat_maps(list(matrices)),
        ],
        [score.signature for score in systems[0].scores.values()],
        evaluation.warnings,
        "Of the reference only the links of pronoun and head are known.",
    )
    return render(page, _examples(evaluation, pairs, max_examples))


def _scores(systems: Sequence[SuiteResult]) -> Section:
    rows = [(one.name, [one.scores[part] for part in PARTS]) for one in systems]
    table = score_rows(("system", "automatic %", "automatic and people %"), rows, Scale(factor=100))
    waiting = [
        f"{one.name}: {100 * one.at_most:.2f}"
        for one in systems
        if one.at_most > one.scores["semi-automatic"].value
    ]
    resampled = interval_note(score for one in systems for score in one.scores.values())
    note = "; ".join(filter(None, [resampled, "the bars go from 0 to 100."]))
    if waiting:
        note += f" At most, if all that is to be judged is right: {', '.join(waiting)}."
    return Section("Scores", table, note)


def _categories(evaluation: ProtestEvaluation) -> Section:
    """What became of the tokens of each category, with counts that choose examples."""
    tables = []
    for number, system in enumerate(evaluation.systems):

        def shaded(
            count: int, size: int, status: Status, group: int | None, number: int = number
        ) -> str:
            filters = {"candidate": number, "verdict": STATUSES.index(status)}
            button = count_button(count, filters | ({} if group is None else {"group": group}))
            return f'<span class="shaded" style="{shade(count / max(size, 1))}">{button}</span>'

        tables.append(cell_table(*_statuses(system, evaluation, html.escape, shaded), 1))
    found = (
        s for one in evaluation.systems for own in one.categories.values() for s in own.values()
    )
    note = f"The shade is the share of the category. {interval_note(found)}".rstrip()
    return Section("Categories", f'<div class="matrices">{"".join(tables)}</div>', note)


def _cell(result: TokenResult, lists: TargetWords) -> tuple[str, str]:
    """The pronouns of a reference and of the output; the reference is the one that matched."""
    token = result.token
    if result.reference is not None:
        ours = token.references[result.reference].pronoun
    else:
        ours = next((one.pronoun for one in token.references if one.pronoun), ())
    return _label(ours, token, lists), _label(result.words, token, lists)


def _label(words: Words, token: SuiteToken, lists: TargetWords) -> str:
    """The first pronoun among words, elided forms in full where only one is possible."""
    found = (pronoun_in(word, lists, token.slot) for word in words)
    form = next((form for form in found if form is not None), None)
    if form is None:
        return OTHER if words else NONE
    full = lists.full_forms(form)
    return full[0] if len(full) == 1 else form


def _examples(
    evaluation: ProtestEvaluation, pairs: Sequence[Sequence[tuple[str, str]]], limit: int
) -> Examples:
    suite, systems = evaluation.suite, evaluation.systems
    verdicts = [ExampleVerdict(HEADINGS[status], _KINDS[status]) for status in STATUSES]
    total = len(suite.tokens)
    labels = [category.label for category in CATEGORIES]
    examples = Examples([one.name for one in systems], verdicts, total, "category", labels)
    numbers: dict[int, int] = {}
    for number in spread_over(total, limit):
        own = [system.tokens[number] for system in systems]
        token = suite.tokens[number]
        shown = suite.context(token)
        for line in shown:
            if line not in numbers:
                numbers[line] = examples.add_line(
                    line,
                    " ".join(suite.source[line]),
                    [Version(" ".join(reference[line])) for reference in suite.references],
                    [_version(one.result, line) for one in own],
                    token.document,
                )
        examples.add(
            suite.form(token).lower(),
            [numbers[line] for line in shown],
            [_reference_marks(token, place, shown) for place in range(len(token.references))],
            [
                Rendering(
                    STATUSES.index(one.status),
                    pairs[place][number],
                    _marks(one.result, shown),
                    _note(one),
                )
                for place, one in enumerate(own)
            ],
            token.name,
            BY_NAME[token.category].label,
        )
    return examples


def _version(result: TokenResult, line: int) -> Version:
    """A line of the output, with the source where the system tokenises it otherwise."""
    output, source = result.output, tuple(result.output.source[line])
    own = None if source == result.suite.source[line] else " ".join(source)
    return Version(" ".join(output.output[line]), tuple(output.links[line]), own)


def _reference_marks(token: SuiteToken, reference: int, shown: Sequence[int]) -> list[Mark]:
    words = token.references[reference]
    marks = [Mark(shown.index(token.place.line), token.place.at, words.pronoun_at)]
    if token.antecedent is not None and token.antecedent.line in shown:
        line = shown.index(token.antecedent.line)
        marks.append(Mark(line, token.antecedent.at, words.head_at, "head"))
    return marks


def _marks(result: TokenResult, shown: Sequence[int]) -> list[Mark]:
    found = []
    kinds: tuple[tuple[MarkedWords | None, MarkKind], ...] = (
        (result.pronoun, "pronoun"),
        (result.head, "head"),
    )
    for marks, kind in kinds:
        if marks is not None and marks.line in shown:
            linked = project(marks.source, result.output.links[marks.line])
            repaired = not set(marks.candidate) <= set(linked)
            line = shown.index(marks.line)
            found.append(Mark(line, marks.source, marks.candidate, kind, repaired))
    return found


def _note(judged: JudgedToken) -> str:
    """Why a token did not match, and what people said about it."""
    parts = [] if judged.result.outcome == "match" else [judged.result.why]
    if judged.judgement is not None:
        said = judged.judgement
        parts += [", ".join((*said.annotators, *said.tags)), *said.remarks]
    return "; ".join(part for part in parts if part)
