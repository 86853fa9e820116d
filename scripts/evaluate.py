"""Score submissions against a gold file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import has_byte_order_mark, is_run, write_text
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics.submissions.file_checks import order_warning
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.scores import Absent, confusion_counts
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    display_names,
    label_problems,
    read_gold,
    read_submissions,
)
from crosspro.evaluation.output.records import csv_report, json_report
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.output.text import text_report
from crosspro.evaluation.released.submissions import (
    released_empty_layout,
    released_encoding,
    released_layout,
)
from crosspro.scripts.html_options import MOST_EXAMPLES, Html, MaxExamples, check_html
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import (
    DocIdsBeside,
    Names,
    Output,
    Resamples,
    Seed,
    Signatures,
    TableLayout,
    TaskName,
    given_options,
    layers_of,
    named,
    one_run,
    style_of,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.published.results import PublishedResult


class SubmissionLayout(StrEnum):
    """How the scores are shown."""

    TABLE = "table"
    OFFICIAL = "official"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


class AbsentChoice(StrEnum):
    """What a class without gold instances does to a macro average."""

    SKIP = "skip"
    ZERO = "zero"


app = command_app()


@app.command("evaluate")
def evaluate_command(
    context: typer.Context,
    gold: Annotated[
        Path,
        typer.Argument(help="Gold file: five columns (also .gz, .xz, or - for standard input)."),
    ],
    submissions: Annotated[
        list[Path],
        typer.Argument(help="Submissions: classes in the first column; or runs; or -."),
    ],
    task: TaskName,
    doc_ids: DocIdsBeside = None,
    name: Names = None,
    contrastive: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A submission that has no rank (repeatable)."),
    ] = None,
    absent: Annotated[
        AbsentChoice,
        typer.Option(help="Classes absent from gold: skip (papers) or zero (released scorer)."),
    ] = AbsentChoice.SKIP,
    layout: Annotated[
        SubmissionLayout,
        typer.Option(metavar="[table|official|markdown|json|csv]", help="How to show the numbers."),
    ] = SubmissionLayout.TABLE,
    signatures: Signatures = False,
    with_published: Annotated[
        int | None,
        typer.Option(metavar="YEAR", help="Put the submissions into the results of that year."),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option("--lenient", help="Warn of submissions with other text than gold."),
    ] = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    html: Html = None,
    max_examples: MaxExamples = MOST_EXAMPLES,
    output: Output = None,
) -> None:
    """Score submissions against a gold file.

    Macro-averaged recall (the official score; macro F1 for en-fr-2015) and accuracy with 95%
    intervals, recall of each class, paired tests between submissions. Resampling is by document if
    document ids are given or lie beside gold (X.doc-ids beside X.data), else by gap. A run (its
    folder, or an archive of crosspro models) stands for what its system predicts, and is called by
    its system and seed. Where a submission has source and target (columns 3 and 4), they are
    compared with those of gold, and one of another text is refused (warned of with --layout
    official, as the released scorer does not look).
    """
    check_html(html)
    if layout is SubmissionLayout.HTML:
        print("warning: --layout html is now --html FILE", file=sys.stderr)
    elif html is None and "max_examples" in given_options(context):
        raise typer.BadParameter("--max-examples: only with --html")
    if signatures and layout not in (SubmissionLayout.TABLE, SubmissionLayout.MARKDOWN):
        raise typer.BadParameter("--signatures: only with --layout table or markdown")
    if html is not None and layout is SubmissionLayout.OFFICIAL:
        raise typer.BadParameter("--html: there is no page beside the official layout")
    submissions = [one_run(path) for path in submissions]
    shown = _names(submissions, name or [])
    unranked = _contrastive(contrastive or [], shown)
    rules = load_task(task)
    published = _published(rules, with_published)
    if published and layout in (
        SubmissionLayout.JSON,
        SubmissionLayout.CSV,
        SubmissionLayout.OFFICIAL,
    ):
        raise typer.BadParameter(f"the layout {layout} has no place for published results")
    layers = layers_of(gold, doc_ids)
    if layers.documents is not None and doc_ids is None:
        print(f"{gold}: documents from {layers.documents}", file=sys.stderr)
    files = [path for path in submissions if not is_run(path)]
    if layout is SubmissionLayout.OFFICIAL:
        _refuse_marks([gold, *files])
    order = order_warning(gold, files, rules)
    try:
        gold_labels = read_gold(gold, rules, layers.documents)
    except InputError as error:
        raise InputError([*error.problems, *label_problems(files, rules)], order or "") from error
    for warning in (order, other_form(gold, rules)):
        if warning is not None:
            print(f"warning: {warning}", file=sys.stderr)
    with_page = html is not None or layout is SubmissionLayout.HTML
    lenient = lenient or layout is SubmissionLayout.OFFICIAL  # the released scorer does not compare
    examples: Iterable[Example] = ()
    if not any(map(is_run, submissions)):
        found = read_submissions(submissions, rules, gold_labels, lenient=lenient)
        if with_page:
            examples = read_examples(gold, rules, layers.documents, lenient=True)
    else:  # what loads systems is imported for runs alone
        from crosspro.prediction.output import gold_examples, read_or_predict

        examples = gold_examples(gold, rules, layers, gold_labels)
        found = read_or_predict(
            submissions,
            rules,
            gold_labels,
            examples,
            lambda note: print(note, file=sys.stderr),
            pointed=with_page,
            lenient=lenient,
        )
    read = [
        replace(one, name=its, contrastive=its in unranked)
        for one, its in zip(found, shown, strict=True)
    ]
    for warning in published_warnings(rules, gold_labels, with_published, absent):
        print(f"warning: {warning}", file=sys.stderr)
    if layout is SubmissionLayout.OFFICIAL:
        for warning in (*gold_labels.warnings, *read[0].warnings):
            print(f"warning: {warning}", file=sys.stderr)
        nothing = not len(gold_labels.classes)
        write_output(_released(rules, gold_labels, read), None if nothing else output)
        if nothing:
            raise input_error(gold, "classes", "at least one label", "none")
        return
    plan = Resampling(resamples, seed) if resamples else None
    choice: Absent = "zero" if absent is AbsentChoice.ZERO else "skip"
    evaluation = evaluate_submissions(rules, gold_labels, read, choice, plan, examples, published)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    page = ""
    if with_page:
        from crosspro.evaluation.output.page import evaluation_page

        page = evaluation_page(evaluation, max_examples)
    if html is not None:
        write_text(html, page)
    markdown = TableLayout.MARKDOWN if layout is SubmissionLayout.MARKDOWN else TableLayout.TABLE
    style = style_of(output, markdown, signatures)
    text = page if layout is SubmissionLayout.HTML else _text(evaluation, layout, style)
    write_output(text.encode("utf-8"), output)


def _names(paths: list[Path], given: list[str]) -> list[str]:
    """Names as given, in the order of the submissions, and of the rest their own."""
    if len(given) > len(paths):
        raise typer.BadParameter(f"{len(given)} names for {len(paths)} submissions")
    if any(map(is_run, paths[len(given) :])):
        from crosspro.prediction.runs import names_of

        return named(names_of(paths, given), given)
    return named(display_names(paths), given)


def _contrastive(given: list[str], names: list[str]) -> set[str]:
    unknown = [name for name in given if name not in names]
    if unknown:
        found = ", ".join(map(quoted, unknown))
        raise typer.BadParameter(f"--contrastive: expected {choices(names)}, found {found}")
    return set(given)


def _text(evaluation: Evaluation, layout: SubmissionLayout, style: Style) -> str:
    if layout is SubmissionLayout.JSON:
        return json_report(evaluation)
    if layout is SubmissionLayout.CSV:
        return csv_report(evaluation)
    return text_report(evaluation, style)


def _refuse_marks(paths: list[Path]) -> None:
    """Raise where a file begins with a byte-order mark, which the released scorer refuses."""
    problems = [
        Problem(str(path), 1, "labels", "classes, as the released scorer reads them", "a mark")
        for path in paths
        if has_byte_order_mark(path)
    ]
    if problems:
        raise InputError(problems, "without --layout official a byte-order mark is left out")


def _released(task: Task, gold: Gold, submissions: list[Submission]) -> bytes:
    if len(submissions) != 1:
        raise typer.BadParameter("the official layout shows one submission at a time")
    if not len(gold.classes):
        text = released_empty_layout(task)
    else:
        counts = confusion_counts(gold.classes, submissions[0].classes, len(task.classes))
        text = released_layout(task, counts)
    return text.encode(released_encoding(task), errors="xmlcharrefreplace")


def _published(task: Task, year: int | None) -> list[PublishedResult]:
    if year is None:
        return []
    from crosspro.evaluation.published.results import published_results

    pair = f"{task.source_language}-{task.target_language}"
    rows = published_results(year, pair) if year in task.years else []
    if not rows:
        known = sorted({row.year for row in published_results(pair=pair)} & set(task.years))
        years = ", ".join(map(str, known)) or "no year"
        raise typer.BadParameter(f"no published results of {year} for {task.name}; known: {years}")
    return rows


def published_warnings(task: Task, gold: Gold, year: int | None, absent: AbsentChoice) -> list[str]:
    """Why a submission may not be comparable with the published results."""
    if year is None:
        return []
    from crosspro.evaluation.published.results import published_test_set

    warnings = []
    size = published_test_set(year, f"{task.source_language}-{task.target_language}").instances
    if len(gold.classes) != size:
        found = f"gold has {len(gold.classes):,} gaps, the test set of {year} had {size:,}"
        warnings.append(f"{found}: the results are not of one test set")
    if absent is AbsentChoice.ZERO:
        warnings.append("published macro recall leaves out absent classes, --absent zero does not")
    return warnings


if __name__ == "__main__":
    run(app)
