"""Correlate metrics with human scores of MT systems."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from crosspro.scripts.app import group_app
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.html_options import Html, Plot, check_html, check_plot
from crosspro.scripts.main import run
from crosspro.scripts.mt_options import Resampled, Shown, check_outputs
from crosspro.scripts.options import (
    LayoutOption,
    Output,
    Seed,
    Signatures,
    TableLayout,
    write_output,
    write_report,
)

if TYPE_CHECKING:
    from crosspro.evaluation.correlation.judged import JudgedPronoun

Study = TypeVar("Study")
_JUDGED = "CSV or TSV: a row for each pronoun, its category, case and verdict."
JudgedTable = Annotated[Path, typer.Argument(help=_JUDGED)]


@dataclass(frozen=True)
class StudyColumns:
    """The columns of a table of judged pronouns."""

    category: Annotated[str, typer.Option(help="The column of categories.")] = "category"
    case: Annotated[str, typer.Option(help="The column of APT cases (1 to 6).")] = "case"
    human: Annotated[
        str,
        typer.Option(
            help="The column of verdicts: correct, incorrect, bad translation, or nothing."
        ),
    ] = "human"
    unit: Annotated[
        str | None, typer.Option(help="The column to resample by, such as the document.")
    ] = None

    @property
    def units(self) -> str:
        """What is resampled."""
        return self.unit or "example"

    def read(
        self, path: Path, kind: str | None = None, system: str | None = None
    ) -> list[JudgedPronoun]:
        """The pronouns of a table."""
        from crosspro.evaluation.correlation.judged import JudgedColumns, read_judgements

        names = JudgedColumns(self.category, self.case, self.human, self.unit, kind, system)
        return read_judgements(path, names)


@dataclass(frozen=True)
class StudyOutputs:
    """How a study is shown."""

    layout: LayoutOption = TableLayout.TABLE
    signatures: Signatures = False
    output: Output = None

    def write(
        self, study: Study, json: Callable[[Study], str], csv: Callable[[Study], str], text: Any
    ) -> None:
        """Write the study in the layout that is asked for."""
        write_report(study, json, csv, text, self.output, self.layout, self.signatures)


app = group_app()


@app.callback()
def correlate() -> None:
    """Correlate metrics with human scores of MT systems.

    `crosspro correlate TABLE.csv --human COLUMN` is short for `crosspro correlate systems …`.
    """


@app.command()
@expanded
def systems(
    resampled: Resampled,
    shown: StudyOutputs,
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
        list[str] | None, typer.Option(help="A column to correlate (repeat); all if not given.")
    ] = None,
    system: Annotated[
        str | None, typer.Option(help="The column of system names; the first if not given.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Leave out this system (repeat), as an outlier.")
    ] = None,
    negate: Annotated[
        list[str] | None, typer.Option(help="In this column lower is better (repeat).")
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Recompute the correlations of Guillou and Hardmeier 2018."
        ),
    ] = False,
    plot: Plot = None,
    html: Html = None,
) -> None:
    """Pearson, Spearman, Kendall and Williams's test over systems.

    Spearman is given for average ranks (usual) and for competition ranks (as Miculicich Werlen and
    Popescu-Belis 2017 seem to have it): ranks count from the lowest value, and equal values share
    the lowest of theirs, so that turning a column round (--negate) changes it where values are
    equal. Intervals resample systems. Then Williams's test between the metrics, and every
    correlation without each one of the systems. --plot draws each metric against the human scores
    with its regression line. --other-human adds Williams's test of each metric between two human
    evaluations, over the systems that both have (Guillou and Hardmeier 2018, section 6).
    """
    from crosspro.evaluation.correlation.report import (
        correlation_csv,
        correlation_json,
        correlation_text,
    )
    from crosspro.evaluation.correlation.score_table import read_score_table
    from crosspro.evaluation.correlation.study import correlate as study_of
    from crosspro.evaluation.correlation.study import printed_correlations, published_table

    check_html(html)
    check_plot(plot)
    check_outputs(shown.output, plot, html)
    if published == (table is not None):
        raise typer.BadParameter("give a table, or --published and no table")
    if published:
        table, human = published_table(), human or "protest"
    if table is None or human is None:
        raise typer.BadParameter("say which column has the human scores: --human COLUMN")
    scores = read_score_table(
        table, human, metric or (), system, without or (), dict.fromkeys(negate or ()), other_human
    )
    study = study_of(scores, resampled.plan)
    for warning in study.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    printed = printed_correlations() if published and not without else {}
    if plot is not None:
        from crosspro.evaluation.correlation.report import correlation_figure

        write_output(correlation_figure(study).encode("utf-8"), plot)
    if html is not None:
        from crosspro.evaluation.correlation.report import correlation_page

        write_output(correlation_page(study, printed).encode("utf-8"), html)
    shown.write(
        study,
        correlation_json,
        correlation_csv,
        lambda one, style: correlation_text(one, printed, style),
    )


@app.command()
@expanded
def disagreement(
    context: typer.Context,
    columns: StudyColumns,
    resampled: Resampled,
    shown: Shown,
    judged: Annotated[Path | None, typer.Argument(help=_JUDGED)] = None,
    kind: Annotated[
        str | None,
        typer.Option(help="The column of kinds, V, E, I or O; `kind` if there is one."),
    ] = None,
    published: Annotated[
        bool,
        typer.Option("--published", help="Those of Guillou and Hardmeier 2018, Tables 3 and 4."),
    ] = False,
) -> None:
    """Where APT and people disagree, by category (Guillou and Hardmeier 2018, Tables 3 and 4).

    `crosspro protest judged` writes such a table with the kinds of disagreement: V valid
    alternative, E incorrect equivalence, I impersonal translation, O other. Where the table has
    the pronouns of both sides, disagreements are counted by them, too: il for cela, il for il.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.correlation.disagreement import (
        Disagreement,
        Judgements,
        printed_kinds,
        published_judgements,
    )

    if published == (judged is not None):
        raise typer.BadParameter("give a table of judged pronouns, or --published and no table")
    shown.check(context)
    if judged is None:
        data = Judgements(published_judgements(), printed_kinds=printed_kinds())
    else:
        data = Judgements(columns.read(judged, kind), columns.units)
    shown.write(evaluate(Disagreement(), data, resampled.plan))


@app.command()
@expanded
def cases(
    context: typer.Context,
    judged: JudgedTable,
    columns: StudyColumns,
    resampled: Resampled,
    shown: Shown,
) -> None:
    """APT's cases against people: correct, incorrect, bad translation.

    The six cases in rows, as in Table 5 of Miculicich Werlen and Popescu-Belis 2017; what nobody
    has judged is left out. `crosspro gap-filling score --judged` and `crosspro protest judged`
    write such tables.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.correlation.disagreement import CaseVerdicts, Judgements

    shown.check(context)
    data = Judgements(columns.read(judged), columns.units)
    shown.write(evaluate(CaseVerdicts(), data, resampled.plan))


@app.command()
@expanded
def weights(
    judged: JudgedTable,
    columns: StudyColumns,
    shown: StudyOutputs,
    system: Annotated[str, typer.Option(help="The column of system names.")] = "system",
    seed: Seed = 12345,
) -> None:
    """Weights of APT's cases, tuned on verdicts of people.

    Once so that APT estimates the human score, and once, in cases 2 and 6, for the highest
    correlation over systems (Miculicich Werlen and Popescu-Belis 2017, section 4.2), each beside
    the usual weights. What is held out was not tuned on; --unit is what stays together in it.
    """
    from crosspro.evaluation.correlation.weights import tune_weights, weights_csv, weights_text
    from crosspro.evaluation.output.records import json_text

    check_outputs(shown.output)
    study = tune_weights(columns.read(judged, system=system), seed, columns.units)
    for warning in study.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    shown.write(study, json_text, weights_csv, weights_text)


if __name__ == "__main__":
    run(app)
