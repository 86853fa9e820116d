"""Correlate metrics with human scores of MT systems."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.common import (
    App,
    Output,
    Plot,
    Resamples,
    Seed,
    check_plot,
    resampling,
    style_of,
    tell,
    write_output,
)


class StudyLayout(StrEnum):
    """How a study is shown: as tables for people, or for programs."""

    TABLE = "table"
    JSON = "json"


Layout = Annotated[StudyLayout, typer.Option("--layout", help="How to show the numbers.")]

app = App(no_args_is_help=True)


@app.callback()
def correlate() -> None:
    """Correlate metrics with human scores of MT systems."""


@app.command(epilog="Example: crosspro correlate systems scores.csv --human ranking")
def systems(
    table: Annotated[
        Path | None,
        typer.Argument(help="CSV or TSV: a row for each system, a column for each metric."),
    ] = None,
    human: Annotated[str | None, typer.Option(help="The column of human scores.")] = None,
    other_human: Annotated[
        str | None,
        typer.Option(help="Another human evaluation, to be tested against; cells may be empty."),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="A column to correlate (repeatable); else all.")
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="The column of system names; the first if not stated.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Leave out this system (repeatable), as an outlier.")
    ] = None,
    negate: Annotated[
        list[str] | None, typer.Option(help="In this column lower is better (repeatable).")
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Recompute the correlations of Guillou and Hardmeier 2018."
        ),
    ] = False,
    plot: Plot = None,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = StudyLayout.TABLE,
    output: Output = None,
) -> None:
    """Pearson, Spearman, Kendall and Williams's test over systems.

    Spearman is given for average ranks (usual) and for competition ranks (as Miculicich Werlen and
    Popescu-Belis 2017 seem to have it): ranks count from the lowest value, and equal values share
    the lowest of theirs, so that turning a column round (--negate) changes it where values are
    equal. Intervals resample systems. Then Williams's test between the metrics, and every
    correlation without each one of the systems. --other-human adds Williams's test of each metric
    between two human evaluations, over the systems that both have (Guillou and Hardmeier 2018,
    section 6). --plot draws the human scores over each metric.
    """
    from crosspro.evaluation.correlation import report
    from crosspro.evaluation.correlation.score_table import read_score_table
    from crosspro.evaluation.correlation.study import correlate as study_of
    from crosspro.evaluation.correlation.study import printed_correlations, published_table

    check_plot(plot)
    if published == (table is not None):
        raise typer.BadParameter("give a table, or --published and no table")
    if published:
        table, human = published_table(), human or "protest"
    if table is None or human is None:
        raise typer.BadParameter("name the column of human scores: --human COLUMN")
    scores = read_score_table(
        table, human, metric or (), system, without or (), dict.fromkeys(negate or ()), other_human
    )
    study = study_of(scores, resampling(resamples, seed))
    for warning in study.warnings:
        tell(f"warning: {warning}")
    printed = printed_correlations() if published and not without else {}
    if layout is StudyLayout.JSON:
        text = report.correlation_json(study)
    else:
        text = report.correlation_text(study, printed, style_of(output, signatures=True))
    if plot is not None:
        write_output(report.correlation_plot(study).encode("utf-8"), plot)
    write_output(text.encode("utf-8"), output)


@app.command(
    epilog="Example: crosspro correlate disagreement verdicts.csv --cases cases.json "
    "--target-language fr"
)
def disagreement(
    judged: Annotated[
        Path,
        typer.Argument(
            help="CSV or TSV: a row for each pronoun, with category, case and human; or, with "
            "--cases, with system, line, position, category and human."
        ),
    ],
    cases: Annotated[
        Path | None, typer.Option(help="APT's cases of the pronouns: `apt --detail FILE.json`.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(help="With --cases: whose pronouns tell the kinds.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="The column to resample by, such as document.")
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = StudyLayout.TABLE,
    output: Output = None,
) -> None:
    """Where APT and people disagree.

    Verdicts (correct, incorrect, bad translation, or nothing) by the six cases, as in Table 5 of
    Miculicich Werlen and Popescu-Belis 2017; disagreements by category and their kinds (V valid
    alternative, E incorrect equivalence, I impersonal translation, O other), as in Tables 3 and 4
    of Guillou and Hardmeier 2018. Kinds are in a column `kind`, or with --cases told by the words.
    """
    from crosspro.evaluation.correlation.disagreement import disagreement_text, study_disagreement
    from crosspro.evaluation.correlation.judged import (
        COLUMNS,
        join_cases,
        read_judgements,
        read_placed_verdicts,
    )
    from crosspro.evaluation.inputs.case_records import read_case_records
    from crosspro.evaluation.output.records import json_text

    if cases is not None and unit is not None and unit not in COLUMNS:
        raise typer.BadParameter(f"--unit: with --cases one of {', '.join(COLUMNS)}")
    if (cases is None) != (target_language is None):
        raise typer.BadParameter("--cases and --target-language go together")
    if cases is None or target_language is None:
        pronouns = read_judgements(judged, unit)
    else:
        verdicts = read_placed_verdicts(judged)
        joined = join_cases(cases, read_case_records(cases), verdicts, target_language)
        if joined.without_case:
            tell(f"{joined.without_case} verdicts without a case are left out")
        pronouns = joined.pronouns(unit)
    study = study_disagreement(pronouns, resampling(resamples, seed), unit or "example")
    if layout is StudyLayout.JSON:
        text = json_text(study)
    else:
        text = disagreement_text(study, style_of(output, signatures=True))
    write_output(text.encode("utf-8"), output)
