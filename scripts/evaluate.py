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
from crosspro.evaluation.metrics.submissions.file_checks import order_warning
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.official_layout import official_printout
from crosspro.evaluation.metrics.submissions.scores import Absent, confusion_counts
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    display_names,
    label_problems,
    read_gold,
    read_submissions,
)
from crosspro.evaluation.output.records import csv_report, json_report
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.output.text import text_report
from crosspro.scripts.common import (
    App,
    DocIdsBeside,
    Html,
    NamedFile,
    Output,
    Resamples,
    Seed,
    Submissions,
    TaskName,
    bundled_model,
    layers_of,
    names_of,
    one_run,
    resampling,
    style_of,
    tell,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.published.results import PublishedResult


class SubmissionLayout(StrEnum):
    """How the scores are shown."""

    TABLE = "table"
    OFFICIAL = "official"
    JSON = "json"
    CSV = "csv"


class AbsentChoice(StrEnum):
    """What a class without gold instances does to a macro average."""

    SKIP = "skip"
    ZERO = "zero"


app = App()


@app.command(
    "evaluate",
    epilog="Example: crosspro evaluate gold.data submission.data --task en-fr --html page.html",
)
def evaluate_command(
    gold: Annotated[
        Path,
        typer.Argument(help="Gold file: five columns (also .gz, .xz, or - for standard input)."),
    ],
    submissions: Submissions,
    task: TaskName,
    doc_ids: DocIdsBeside = None,
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
        typer.Option(help="How to show the numbers."),
    ] = SubmissionLayout.TABLE,
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
    if html is not None and layout is SubmissionLayout.OFFICIAL:
        raise typer.BadParameter("--html: there is no page beside the official layout")
    paths = [
        one_run(path) if path.is_dir() or bundled_model(path) else path for _, path in submissions
    ]
    names = names_of(submissions, _default_names(submissions, paths))
    unranked = _contrastive(contrastive or [], names)
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
    files = [path for path in paths if not is_run(path)]
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
    with_page = html is not None
    lenient = lenient or layout is SubmissionLayout.OFFICIAL  # the released scorer does not compare
    examples: Iterable[Example] = ()
    if not any(map(is_run, paths)):
        predictions = read_submissions(paths, rules, gold_labels, lenient=lenient)
        if with_page:
            examples = read_examples(gold, rules, layers.documents, lenient=True)
    else:  # what loads systems is imported for runs alone
        from crosspro.prediction.output import gold_examples, read_or_predict

        examples = gold_examples(gold, rules, layers, gold_labels)
        predictions = read_or_predict(
            paths,
            rules,
            gold_labels,
            examples,
            tell,
            pointed=with_page,
            lenient=lenient,
        )
    read = [
        replace(submission, name=name, contrastive=name in unranked)
        for submission, name in zip(predictions, names, strict=True)
    ]
    for warning in published_warnings(rules, gold_labels, with_published, absent):
        print(f"warning: {warning}", file=sys.stderr)
    if layout is SubmissionLayout.OFFICIAL:
        for warning in (*gold_labels.warnings, *read[0].warnings):
            print(f"warning: {warning}", file=sys.stderr)
        if len(read) != 1:
            raise typer.BadParameter("the official layout shows one submission at a time")
        counts = confusion_counts(gold_labels.classes, read[0].classes, len(rules.classes))
        printout = official_printout(rules, counts, str(paths[0]))
        write_output(printout, output if counts.any() else None)
        if not counts.any():
            raise input_error(gold, "classes", "at least one label", "none")
        return
    plan = resampling(resamples, seed)
    choice: Absent = "zero" if absent is AbsentChoice.ZERO else "skip"
    evaluation = evaluate_submissions(rules, gold_labels, read, choice, plan, examples, published)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if html is not None:
        from crosspro.evaluation.output.page import evaluation_page

        write_text(html, evaluation_page(evaluation))
    style = style_of(output, signatures=True)
    write_output(_text(evaluation, layout, style).encode("utf-8"), output)


def _default_names(submissions: list[NamedFile], paths: list[Path]) -> list[str]:
    """The names of submissions that the command line does not name: of their runs or files."""
    unnamed = [path for file, path in zip(submissions, paths, strict=True) if file.name is None]
    if any(map(is_run, unnamed)):
        from crosspro.prediction.runs import names_of as names_of_runs

        defaults = iter(names_of_runs(unnamed, []))
    else:
        defaults = iter(display_names(unnamed))
    return [file.name or next(defaults) for file in submissions]


def _contrastive(wanted: list[str], names: list[str]) -> set[str]:
    unknown = [name for name in wanted if name not in names]
    if unknown:
        listed = ", ".join(map(quoted, unknown))
        raise typer.BadParameter(f"--contrastive: expected {choices(names)}, found {listed}")
    return set(wanted)


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
