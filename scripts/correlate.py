"""Correlate metrics with human scores of MT systems."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.evaluation.report.tables import Table, tables_text
from crosspro.scripts.common import (
    App,
    Resamples,
    TableOrJson,
    check_suffix,
    output_file,
    style_of,
    tell,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.correlation.disagreement import DisagreementStudy
    from crosspro.evaluation.correlation.systems import (
        CorrelationStudy,
        ScoreTable,
        WilliamsComparison,
    )

_NOTHING = "–"

CASES_HELP = "APT's cases of the pronouns: `score -m apt --detail FILE`."

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
    human: Annotated[str, typer.Option(help="The column of human scores.")] = "human",
    other_human: Annotated[
        str | None, typer.Option(help="A second human evaluation; cells may be empty.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="A column to correlate (repeatable); else all.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Leave out this system (repeatable), as an outlier.")
    ] = None,
    negate: Annotated[
        list[str] | None, typer.Option(help="In this column lower is better (repeatable).")
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(metavar="W1,…,W6", help="Also APT with these weights (repeatable); --cases."),
    ] = None,
    cases: Annotated[Path | None, typer.Option(help=CASES_HELP)] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published", help="Recompute the correlations of Guillou and Hardmeier 2018."
        ),
    ] = False,
    plot: Annotated[Path | None, output_file("--plot", help="Also write a figure (SVG).")] = None,
    resamples: Resamples = 1000,
    layout: TableOrJson = "table",
) -> None:
    """Pearson, Spearman, Kendall and Williams's test over systems.

    Spearman is given for average ranks (usual) and for competition ranks, which the printed values
    of Miculicich Werlen and Popescu-Belis (2017) fit. Intervals resample systems. Williams's test
    compares the metrics, and with --other-human the correlations of each metric with two human
    evaluations (Guillou and Hardmeier 2018, section 6).
    """
    from crosspro.evaluation.correlation.disagreement import count_cases, read_cases
    from crosspro.evaluation.correlation.systems import correlate as study_of
    from crosspro.evaluation.correlation.systems import (
        printed_correlations,
        published_table,
        read_score_table,
        with_weights,
    )
    from crosspro.evaluation.report.records import json_text

    if plot is not None:
        from crosspro.evaluation.report.plots import require_matplotlib

        check_suffix("--plot", plot, ".svg")
        require_matplotlib()
    if published == (table is not None):
        raise typer.BadParameter("give a table, or --published and no table")
    if bool(weights) != bool(cases):
        raise typer.BadParameter("--weights and --cases go together")
    scores = read_score_table(
        table or published_table(),
        "protest" if published else human,
        metric or (),
        without or (),
        negate or (),
        other_human,
    )
    if weights and cases:
        counts = count_cases(read_cases(cases))
        scores = with_weights(scores, counts, [_numbers(text) for text in weights])
    study = study_of(scores, resamples)
    tell(
        f"warning: over {len(study.systems)} systems a Pearson correlation below "
        f"{study.smallest_significant:.3f} is not significant at the 5% level"
    )
    printed = printed_correlations() if published and not without else {}
    text = json_text(study) if layout == "json" else _correlation_text(study, printed)
    if plot is not None:
        write_output(_scatter_plots(scores, study), plot)
    print(text, end="")


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--weights {text}: six numbers with commas between") from None


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _value(value: float, low: float | None, high: float | None, digits: int = 3) -> str:
    if isnan(value):
        return _NOTHING
    if low is None or high is None:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _correlation_text(study: CorrelationStudy, printed: dict[tuple[str, str], float]) -> str:
    rows = []
    for result in study.correlations:
        number = printed.get((result.metric, result.coefficient))
        paper = ["" if number is None else f"{number:.3f}"] if printed else []
        value = _value(result.value, result.low, result.high)
        coefficient = result.coefficient.replace("_", ", ")
        rows.append([result.metric, coefficient, value, _p(result.p), *paper])
    heading = ["metric", "coefficient", "value", "p", *(["printed"] if printed else [])]
    tables = [Table(heading, rows, left=2)]
    if study.williams:
        labels = [f"{test.first} > {test.second}" for test in study.williams]
        names = ("pair", "r first", "r second")
        title = "Williams's test between metrics (Pearson)"
        tables.append(_williams_table(title, names, labels, study.williams))
    if study.williams_humans:
        shared = study.williams_humans[0].systems
        both = f"{study.human} and {study.other_human} over the {shared} systems of both"
        labels = [test.shared for test in study.williams_humans]
        names = ("metric", f"r {study.human}", f"r {study.other_human}")
        title = f"Williams's test between {both}"
        tables.append(_williams_table(title, names, labels, study.williams_humans))
    if study.left_out:
        metrics = list(dict.fromkeys(rest.metric for rest in study.left_out))
        by_system: dict[str, list[str]] = {}
        for rest in study.left_out:
            cell = f"{rest.pearson:.3f} / {rest.spearman:.3f}"
            by_system.setdefault(rest.system, [rest.system]).append(cell)
        title = "Without one system (Pearson / Spearman)"
        tables.append(Table(["left out", *metrics], list(by_system.values()), title))
    title = f"Correlation with {study.human} over {len(study.systems)} systems"
    return tables_text(title, tables, [study.signature], style_of())


def _williams_table(
    title: str,
    names: Sequence[str],
    labels: Sequence[str],
    comparisons: Sequence[WilliamsComparison],
) -> Table:
    rows = [
        [
            label,
            *(f"{r:.3f}" for r in (row.r_first, row.r_second, row.r_between, row.test.t)),
            str(row.test.degrees),
            _p(row.test.p_one_sided),
            _p(row.test.p_two_sided),
        ]
        for label, row in zip(labels, comparisons, strict=True)
    ]
    heading = (*names, "r between", "t", "df", "p one-sided", "p two-sided")
    return Table(heading, rows, title)


def _scatter_plots(table: ScoreTable, study: CorrelationStudy) -> str:
    """Human scores over each metric with the line of regression (000 Figure 1), as SVG."""
    import numpy as np

    from crosspro.evaluation.report.plots import ScatterPanel, scatter_panels

    human = table.columns[table.human]
    panels = []
    for result in study.correlations:
        if result.coefficient == "pearson":
            scores = table.columns[result.metric]
            slope, intercept = map(float, np.polyfit(scores, human, 1))
            title = f"r = {result.value:.3f}"
            panels.append(ScatterPanel(title, result.metric, scores.tolist(), slope, intercept))
    return scatter_panels(table.systems, table.human, human.tolist(), panels)


@app.command(
    epilog="Example: crosspro correlate disagreement verdicts.csv --cases cases.json "
    "--target-language fr"
)
def disagreement(
    verdicts: Annotated[
        Path,
        typer.Argument(help="CSV or TSV with system, line, position, category and human."),
    ],
    cases: Annotated[Path, typer.Option(help=CASES_HELP)],
    target_language: Annotated[str, typer.Option(help="Whose pronouns tell the kinds.")],
    unit: Annotated[
        str | None, typer.Option(help="The column to resample by, such as document.")
    ] = None,
    resamples: Resamples = 1000,
    layout: TableOrJson = "table",
) -> None:
    """Where APT and people disagree.

    Verdicts (correct, incorrect, bad translation, or nothing) by the six cases, as in Table 5 of
    Miculicich Werlen and Popescu-Belis 2017; disagreements by category and their kinds (V valid
    alternative, E incorrect equivalence, I impersonal translation, O other), as in Tables 3 and 4
    of Guillou and Hardmeier 2018.
    """
    from crosspro.evaluation.correlation.disagreement import (
        PlacedVerdict,
        join_cases,
        read_cases,
        read_placed_verdicts,
        study_disagreement,
    )
    from crosspro.evaluation.report.records import json_text

    if unit and unit not in PlacedVerdict.__dataclass_fields__:
        raise typer.BadParameter(f"--unit: {', '.join(PlacedVerdict.__dataclass_fields__)}")
    placed = read_placed_verdicts(verdicts)
    pronouns = join_cases(placed, read_cases(cases), target_language, unit or "")
    if not pronouns:
        raise typer.BadParameter(f"{cases}: no judged pronoun has a case")
    if len(pronouns) < len(placed):
        tell(f"{len(placed) - len(pronouns)} verdicts without a case are left out")
    study = study_disagreement(pronouns, resamples)
    print(json_text(study) if layout == "json" else _disagreement_text(study), end="")


def _disagreement_text(study: DisagreementStudy) -> str:
    """Verdicts by case, disagreements by category, and their kinds where some are known."""
    from crosspro.evaluation.correlation.disagreement import COMPARED, KINDS, TOTAL, VERDICTS
    from crosspro.evaluation.metrics.apt.cases import CASE_NAMES

    counts = {
        f"{case} {CASE_NAMES[case - 1]}": by_verdict for case, by_verdict in study.verdicts.items()
    }
    counts[TOTAL] = {name: sum(row[name] for row in counts.values()) for name in VERDICTS}
    rows = []
    for name, by_verdict in counts.items():
        size = sum(by_verdict.values())
        shares = (f"{100 * n / size:.1f}" if size else _NOTHING for n in by_verdict.values())
        rows.append([name, f"{size:,}", *shares])
    note = (
        f"Case 1 or 2 as a detector of correct pronouns: precision {study.precision:.4f}, recall "
        f"{study.recall:.4f}; not judged: {study.not_judged:,}"
    )
    heading = ["case", "total", *(f"{name} %" for name in VERDICTS)]
    tables = [Table(heading, rows, notes=(note,))]
    rows = [
        [
            row.category,
            *(f"{number:,}" for number in (*row.cases.values(), row.correct, row.incorrect)),
            f"{row.disagreements:,}",
            f"{row.examples:,}",
            _value(row.share, row.low, row.high, 1),
        ]
        for row in study.categories
    ]
    heading = ["category", *(f"case {case}" for case in COMPARED), *VERDICTS[:2], "disagree",
               "examples", "disagree %"]  # fmt: skip
    tables.append(Table(heading, rows, "Disagreements by category"))
    if study.categories[-1].kinds:
        key = ", ".join(f"{kind} {name}" for kind, name in KINDS.items())
        rows = [
            [row.category, *(str(row.kinds.get(kind) or _NOTHING) for kind in KINDS)]
            for row in study.categories
        ]
        tables.append(Table(["category", *KINDS], rows, f"Kinds of disagreement: {key}"))
    title = "Verdicts of people by APT's case"
    return tables_text(title, tables, [study.signature], style_of())
