"""Score submissions against a gold file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from crosspro.data_prep.annotate.layers import layers_beside
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import has_byte_order_mark, is_run, write_text
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.official_layout import official_printout
from crosspro.evaluation.metrics.submissions.reading import read_gold, read_submissions
from crosspro.evaluation.metrics.submissions.scores import confusion_counts
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.report.records import json_report
from crosspro.evaluation.report.tables import text_report
from crosspro.scripts.common import (
    App,
    Html,
    NamedFile,
    Output,
    Resamples,
    TaskName,
    named_path,
    names_of,
    resampling_of,
    style_of,
    tell,
    warn,
    write_output,
)

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
    submissions: Annotated[
        list[NamedFile],
        typer.Argument(
            metavar="[NAME=]FILE...",
            parser=named_path,
            help="Submissions, with classes in the first column; or runs; or -.",
        ),
    ],
    task: TaskName,
    doc_ids: Annotated[
        Path | None,
        typer.Option(
            help="Document ids, one line per line of gold; X.doc-ids beside X.data is read without "
            "it.",
        ),
    ] = None,
    layout: Annotated[
        Literal["table", "official", "json"], typer.Option(help="How to show the numbers.")
    ] = "table",
    lenient: Annotated[
        bool,
        typer.Option("--lenient", help="Warn of submissions with other text than gold."),
    ] = False,
    resamples: Resamples = 1000,
    html: Html = None,
    output: Output = None,
) -> None:
    """Score submissions against a gold file.

    Macro-averaged recall (the official score; macro F1 for en-fr-2015) and accuracy with 95%
    intervals, recall of each class, confusion matrices, paired tests. Resampling is by document if
    document ids are given or lie beside gold (X.doc-ids beside X.data), else by gap. A bundled
    model or a run stands for what its system predicts. Labels of another task of the language pair
    are mapped to the classes of this one. Submissions of other text than gold are refused, unless
    --lenient; the official layout, as the released scorer, does not look.
    """
    official = layout == "official"
    if official and (html or len(submissions) > 1):
        raise typer.BadParameter("the official layout shows one submission, and has no page")
    rules = load_task(task)
    from crosspro.prediction.registry import bundled_model
    from crosspro.prediction.runs import names_of as names_of_runs

    paths = [bundled_model(path) or path for _, path in submissions]
    unnamed = [path for (name, _), path in zip(submissions, paths, strict=True) if name is None]
    defaults = iter(names_of_runs(unnamed))
    names = names_of(submissions, [name or next(defaults) for name, _ in submissions])
    layers = layers_beside(gold)
    if doc_ids is not None:
        layers = replace(layers, documents=doc_ids)
    elif layers.documents is not None:
        tell(f"{gold}: documents from {layers.documents}")
    for path in [gold, *paths] if official else ():
        if not is_run(path) and has_byte_order_mark(path):  # the released scorer refuses it
            expected = "labels, as the released scorer reads them"
            raise input_error(path, "classes", expected, "a byte-order mark", 1)
    labels = read_gold(gold, rules, layers.documents)
    if form := other_form(gold, rules):
        warn([form])
    examples: Iterable[Example] = ()
    if any(map(is_run, paths)):  # modules that load systems are imported for runs alone
        from crosspro.prediction.output import gold_examples, read_or_predict

        examples = gold_examples(gold, rules, layers, labels)
        read = read_or_predict(paths, rules, labels, examples, tell, lenient=lenient)
    else:
        lenient = lenient or official
        read = read_submissions(paths, rules, labels, lenient=lenient, other_tasks=not official)
        if html is not None:
            examples = read_examples(gold, rules, layers.documents, lenient=True)
    if official:
        _write_official(rules, labels, read[0], paths[0], output)
        return
    scored = [replace(submission, name=name) for submission, name in zip(read, names, strict=True)]
    result = evaluate_submissions(rules, labels, scored, resampling_of(resamples), examples)
    warn(result.warnings)
    if html is not None:
        write_text(html, result.html())
    shown = json_report(result) if layout == "json" else text_report(result, style_of(output))
    write_output(shown, output)


def _write_official(
    task: Task, gold: Gold, submission: Submission, path: Path, output: Path | None
) -> None:
    warn([*gold.warnings, *submission.warnings])
    counts = confusion_counts(gold.classes, submission.classes, len(task.classes))
    write_output(official_printout(task, counts, str(path)), output if counts.any() else None)
    if not counts.any():
        raise input_error(gold.name, "classes", "at least one label", "none")
