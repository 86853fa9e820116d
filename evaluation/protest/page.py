"""A PROTEST evaluation as an HTML page.

The suite keeps the places of pronouns and heads in its references but no other links, so only these
are drawn there; a system's links are all drawn.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import replace

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.score import Score, interval_note
from crosspro.evaluation.output.examples import (
    MOST_EXAMPLES,
    Examples,
    ExampleVerdict,
    Kind,
    Mark,
    MarkKind,
    Rendering,
    Version,
    spread_over,
)
from crosspro.evaluation.output.matrix import heat_maps, make_matrices, without_rare
from crosspro.evaluation.output.page import (
    Page,
    Section,
    count_button,
    difference_section,
    render,
    score_rows,
)
from crosspro.evaluation.output.template import cell_table, shade
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.links import project, pronoun_in
from crosspro.evaluation.protest.report import HEADINGS, category_cells
from crosspro.evaluation.protest.results import (
    STATUSES,
    UNDECIDED,
    JudgedToken,
    ProtestEvaluation,
    Status,
    SuiteResult,
)
from crosspro.evaluation.protest.score import FoundWords
from crosspro.evaluation.protest.suite import Positions, SuiteToken, Words

_KINDS: dict[Status, Kind] = {
    "automatic": "right",
    "silver": "right",
    "right": "right",
    "wrong": "wrong",
    "unclear": "open",
    "conflict": "open",
    "open": "open",
}


def protest_page(
    evaluation: ProtestEvaluation, lists: TargetWords, max_examples: int = MOST_EXAMPLES
) -> str:
    """The page of an evaluation, with at most so many examples."""
    suite, systems = evaluation.suite, evaluation.systems
    pairs = without_rare([[_cell(one, lists) for one in system.tokens] for system in systems])
    matrices = zip((one.name for one in systems), make_matrices(pairs), strict=True)
    page = Page(
        "Pronoun test suite (PROTEST)",
        f"{counted(len(suite.tokens), 'pronoun')} of suite {suite.digest}, "
        f"{suite.source_language}-{suite.target_language}",
        [
            _scores(systems),
            _categories(evaluation),
            *difference_section(evaluation.comparisons, 1, 100),
            heat_maps(list(matrices)),
        ],
        [score.signature for score in systems[0].scores.values()],
        evaluation.warnings,
        "Of the reference only the links of pronoun and head are known.",
    )
    return render(page, _examples(evaluation, pairs, max_examples))


def _scores(systems: Sequence[SuiteResult]) -> Section:
    rows = [
        (
            one.name,
            [_percent(one.scores["automatic"]), _percent(one.scores["semi-automatic"])],
        )
        for one in systems
    ]
    table = score_rows(("system", "automatic %", "automatic and people %"), rows, 100)
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


def _percent(score: Score) -> Score:
    low, high = (None if value is None else 100 * value for value in (score.low, score.high))
    return replace(score, value=100 * score.value, low=low, high=high)


def _categories(evaluation: ProtestEvaluation) -> Section:
    tables = "".join(
        _category_table(number, system, evaluation)
        for number, system in enumerate(evaluation.systems)
    )
    body = f'<div class="matrices">{tables}</div>'
    found = (
        s for one in evaluation.systems for own in one.categories.values() for s in own.values()
    )
    note = f"The shade is the share of the category. {interval_note(found)}".rstrip()
    return Section("Categories", body, note)


def _category_table(number: int, system: SuiteResult, evaluation: ProtestEvaluation) -> str:
    """What became of the tokens of each category; statuses that nothing has are left out."""
    statuses = [status for status in STATUSES if system.total(status) or status == "automatic"]

    def shaded(count: int, size: int, **filters: int) -> str:
        button = count_button(count, {"candidate": number, **filters})
        return f'<span class="shaded" style="{shade(count / max(size, 1))}">{button}</span>'

    rows = []
    for place, category in enumerate(CATEGORIES):
        size, counts = evaluation.sizes[category.name], system.counts[category.name]
        cells = [
            shaded(counts[status], size, verdict=STATUSES.index(status), group=place)
            for status in statuses
        ]
        undecided = sum(counts[status] for status in UNDECIDED)
        shares = category_cells(system.categories.get(category.name), undecided, size)
        rows.append([html.escape(category.label), str(size), *cells, *shares])
    size = len(evaluation.suite.tokens)
    totals = [
        shaded(system.total(status), size, verdict=STATUSES.index(status)) for status in statuses
    ]
    undecided = sum(system.total(status) for status in UNDECIDED)
    shares = category_cells(system.scores, undecided, size)
    rows.append(["all", str(size), *totals, *shares])
    names = (HEADINGS[status] for status in statuses)
    heading = (system.name, "tokens", *names, "automatic % [95%]", "right % [95%]")
    return cell_table(heading, rows, 1)


def _cell(judged: JudgedToken, lists: TargetWords) -> tuple[str, str]:
    """The pronouns of a reference and of the output; the reference is the one that matched."""
    token = judged.result.token
    matched = judged.result.reference
    if matched is not None:
        ours = token.references[matched].pronoun
    else:
        ours = next((one.pronoun for one in token.references if one.pronoun), ())
    return _label(ours, token, lists), _label(judged.result.pronoun.words, token, lists)


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
    systems = evaluation.systems
    verdicts = [ExampleVerdict(HEADINGS[status], _KINDS[status]) for status in STATUSES]
    total = len(evaluation.suite.tokens)
    labels = [category.label for category in CATEGORIES]
    examples = Examples([one.name for one in systems], verdicts, total, "category", labels)
    lines: dict[int, int] = {}
    for number in spread_over(total, limit):
        own = [system.tokens[number] for system in systems]
        token = own[0].result.token
        for place, context in enumerate(own[0].result.context):
            if context.line not in lines:
                seen = [one.result.context[place] for one in own]
                lines[context.line] = examples.add_line(
                    context.line,
                    " ".join(context.source),
                    [Version(" ".join(words)) for words in context.references],
                    [
                        Version(
                            " ".join(one.output),
                            one.links,
                            None
                            if one.system_source == one.source
                            else " ".join(one.system_source),
                        )
                        for one in seen
                    ],
                    token.document,
                )
        shown = [context.line for context in own[0].result.context]
        examples.add(
            own[0].result.form.lower(),
            [lines[line] for line in shown],
            [_reference_marks(token, place, shown) for place in range(len(token.references))],
            [
                Rendering(
                    STATUSES.index(one.status), pairs[place][number], _marks(one, shown), _note(one)
                )
                for place, one in enumerate(own)
            ],
            token.name,
            BY_NAME[token.category].label,
        )
    return examples


def _reference_marks(token: SuiteToken, reference: int, shown: Sequence[int]) -> list[Mark]:
    words = token.references[reference]
    marks = [Mark(shown.index(token.place.line), token.place.at, words.pronoun_at)]
    if token.antecedent is not None and token.antecedent.line in shown:
        line = shown.index(token.antecedent.line)
        marks.append(Mark(line, token.antecedent.at, words.head_at, "head"))
    return marks


def _marks(judged: JudgedToken, shown: Sequence[int]) -> list[Mark]:
    result = judged.result
    kinds: tuple[tuple[FoundWords | None, MarkKind], ...] = (
        (result.pronoun, "pronoun"),
        (result.head, "head"),
    )
    marks = []
    for translated, kind in kinds:
        if translated is None or translated.line not in shown:
            continue
        line = shown.index(translated.line)
        linked: Positions = project(translated.source_at, result.context[line].links)
        repaired = not set(translated.output_at) <= set(linked)
        marks.append(Mark(line, translated.source_at, translated.output_at, kind, repaired))
    return marks


def _note(judged: JudgedToken) -> str:
    """Why a token did not match, and what people said about it."""
    parts = [] if judged.result.outcome == "match" else [judged.result.why]
    if judged.judgement is not None:
        said = judged.judgement
        parts += [", ".join((*said.annotators, *said.tags)), *said.remarks]
    return "; ".join(part for part in parts if part)
