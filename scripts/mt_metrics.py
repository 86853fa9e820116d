"""BLEU and chrF of MT output, through sacrebleu."""

from __future__ import annotations

import csv
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import Layout, LayoutOption, check_outputs
from crosspro.scripts.options import DocIds, Output, write_output

if TYPE_CHECKING:
    from crosspro.evaluation.mt_metrics import MTEvaluation

app = command_app()

_TITLES = {"bleu": "BLEU", "chrf": "chrF"}


@app.command()
def mt_metrics(
    candidates: Annotated[list[Path], typer.Argument(help="MT output, a segment a line.")],
    reference: Annotated[list[Path], typer.Option(help="Reference translation (repeat).")],
    doc_ids: DocIds = None,
    tokenise: Annotated[
        str, typer.Option(help="sacrebleu's tokeniser for BLEU; none for tokenised text.")
    ] = "13a",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    word_order: Annotated[int, typer.Option(min=0, help="Word n-grams of chrF; 2 is chrF++.")] = 0,
    layout: LayoutOption = Layout.TABLE,
    resamples: Annotated[
        int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resampling.")] = 12345,
    output: Output = None,
) -> None:
    """BLEU and chrF of MT output, through sacrebleu.

    With 95% intervals and, for more than one candidate, paired tests. Resampling is by document if
    document ids are given, else by line. Needs `pip install 'crosspro[mt]'`.
    """
    from crosspro.evaluation.mt_metrics import MTSettings, evaluate_mt, read_mt_text
    from crosspro.evaluation.statistics.significance import Resampling

    check_outputs(output)
    text = read_mt_text(candidates, reference, doc_ids)
    settings = MTSettings(tokenise=tokenise, lowercase=lowercase, word_order=word_order)
    evaluation = evaluate_mt(text, settings, Resampling(resamples, seed) if resamples else None)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    layouts = {Layout.TABLE: _table, Layout.JSON: _json, Layout.CSV: _csv}
    write_output(layouts[layout](evaluation).encode("utf-8"), output)


def _table(evaluation: MTEvaluation) -> str:
    from crosspro.evaluation.layout.tables import text_table

    size = f"{evaluation.lines:,} lines"
    if evaluation.documents is not None:
        size += f" in {evaluation.documents:,} documents"
    metrics = evaluation.results[0].scores
    rows = [(one.name, *map(str, one.scores.values())) for one in evaluation.results]
    parts = [
        f"{size}\n",
        text_table(("candidate", *(_TITLES[name] for name in metrics)), rows),
    ]
    if evaluation.comparisons:
        rows = [
            (
                f"{one.first} - {one.second}",
                _TITLES[metric],
                f"{one.difference:+.2f} [{one.low:+.2f}, {one.high:+.2f}]",
                f"{one.p_randomisation:.4f}",
                f"{one.p_bootstrap:.4f}",
            )
            for metric, one in evaluation.comparisons
        ]
        heading = ("pair", "metric", "difference", "p (randomisation)", "p (bootstrap)")
        parts += ["Paired differences\n", text_table(heading, rows, 2)]
    signatures = "".join(f"- {score.signature}\n" for score in metrics.values())
    return "\n".join([*parts, "Signatures\n", signatures])


def _json(evaluation: MTEvaluation) -> str:
    content = {
        "lines": evaluation.lines,
        "documents": evaluation.documents,
        "candidates": [
            {"name": one.name, "scores": {k: asdict(score) for k, score in one.scores.items()}}
            for one in evaluation.results
        ],
        "comparisons": [
            {"metric": metric, **asdict(one)} for metric, one in evaluation.comparisons
        ],
        "warnings": evaluation.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _csv(evaluation: MTEvaluation) -> str:
    """A row for each candidate: a table that `crosspro correlate` reads."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("system", *evaluation.results[0].scores))
    for one in evaluation.results:
        writer.writerow((one.name, *(f"{score.value:.6g}" for score in one.scores.values())))
    return text.getvalue()


if __name__ == "__main__":
    run(app)
