"""Correlate metrics with human scores of MT systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.evaluation.evaluation import UNDEFINED, Score
from crosspro.evaluation.report.tables import Table, tables_text
from crosspro.scripts.common import (
    App,
    Resamples,
    TableOrJson,
    style_of,
    tell,
)

if TYPE_CHECKING:
    from crosspro.evaluation.correlation.disagreement import DisagreementStudy
    from crosspro.evaluation.correlation.systems import CorrelationStudy, WilliamsComparison

CASES_HELP = "APT's cases of the pronouns: `score -m apt --detail FILE`."

app = App(no_args_is_help=True)


@app.callback()
def correlate() -> None:
    """Correlate metrics with human scores of MT systems."""


@app.command(epilog="Example: crosspro correlate systems scores.csv --human ranking")
def systems(
    table: Annotated[
        Path, typer.Argument(help="CSV or TSV: a row for each system, a column for each metric.")
    ],
    human: Annotated[str, typer.Option(help="The column of human scores.")] = "human",
    other_human: Annotated[
        str | None, typer.Option(help="A second human evaluation; cells may be empty.")
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(metavar="W1,…,W6", help="Also APT with these weights (repeatable); --cases."),
    ] = None,
    cases: Annotated[Path | None, typer.Option(help=CASES_HELP)] = None,
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
    from crosspro.evaluation.correlation.systems import read_score_table, with_weights
    from crosspro.evaluation.report.records import json_text

    if bool(weights) != bool(cases):
        raise typer.BadParameter("--weights and --cases go together")
    scores = read_score_table(table, human, other_human)
    if weights and cases:
        counts = count_cases(read_cases(cases))
        scores = with_weights(scores, counts, [_numbers(text) for text in weights])
    study = study_of(scores, resamples)
    tell(
        f"warning: over {len(study.systems)} systems a Pearson correlation below "
        f"{study.smallest_significant:.3f} is not significant at the 5% level"
    )
    print(json_text(study) if layout == "json" else _correlation_text(study), end="")


def _numbers(text: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--weights {text}: six numbers with commas between") from None


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _correlation_text(study: CorrelationStudy) -> str:
    rows = []
    for result in study.correlations:
        value = Score(result.value, result.low, result.high).shown(3)
        rows.append([result.metric, result.coefficient.replace("_", ", "), value, _p(result.p)])
    tables = [Table(["metric", "coefficient", "value", "p"], rows, left=2)]
    pairs = {f"{test.first} > {test.second}": test for test in study.williams}
    title = "Williams's test between metrics (Pearson)"
    tables += _williams_table(title, ("pair", "r first", "r second"), pairs)
    metrics = {test.shared: test for test in study.williams_humans}
    title = f"Williams's test between {study.human} and {study.other_human}, over systems of both"
    names = ("metric", f"r {study.human}", f"r {study.other_human}")
    tables += _williams_table(title, names, metrics)
    title = f"Correlation with {study.human} over {len(study.systems)} systems"
    return tables_text(title, tables, [study.signature], style_of())


def _williams_table(
    title: str, names: Sequence[str], comparisons: Mapping[str, WilliamsComparison]
) -> list[Table]:
    rows = [
        [
            label,
            *(f"{r:.3f}" for r in (row.r_first, row.r_second, row.r_between, row.test.t)),
            str(row.test.degrees),
            _p(row.test.p_one_sided),
            _p(row.test.p_two_sided),
        ]
        for label, row in comparisons.items()
    ]
    heading = (*names, "r between", "t", "df", "p one-sided", "p two-sided")
    return [Table(heading, rows, title)] if rows else []


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
        join_cases,
        read_cases,
        read_placed_verdicts,
        study_disagreement,
    )
    from crosspro.evaluation.report.records import json_text

    placed = read_placed_verdicts(verdicts)
    pronouns = join_cases(placed, read_cases(cases), target_language)
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
        shares = (f"{100 * n / size:.1f}" if size else UNDEFINED for n in by_verdict.values())
        rows.append([name, f"{size:,}", *shares])
    note = (
        f"Case 1 or 2 as a detector of correct pronouns: precision {study.precision:.2f}%, "
        f"recall {study.recall:.2f}%; not judged: {study.not_judged:,}"
    )
    heading = ["case", "total", *(f"{name} %" for name in VERDICTS)]
    tables = [Table(heading, rows, notes=(note,))]
    rows = [
        [
            row.category,
            *(f"{number:,}" for number in (*row.cases.values(), row.correct, row.incorrect)),
            f"{row.disagreements:,}",
            f"{row.examples:,}",
            Score(row.share, row.low, row.high).shown(1),
        ]
        for row in study.categories
    ]
    heading = ["category", *(f"case {case}" for case in COMPARED), *VERDICTS[:2], "disagree",
               "examples", "disagree %"]  # fmt: skip
    tables.append(Table(heading, rows, "Disagreements by category"))
    if study.categories[-1].kinds:
        key = ", ".join(f"{kind} {name}" for kind, name in KINDS.items())
        rows = [
            [row.category, *(str(row.kinds.get(kind) or UNDEFINED) for kind in KINDS)]
            for row in study.categories
        ]
        tables.append(Table(["category", *KINDS], rows, f"Kinds of disagreement: {key}"))
    title = "Verdicts of people by APT's case"
    return tables_text(title, tables, [study.signature], style_of())
