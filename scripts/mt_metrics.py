"""BLEU and chrF of MT output, through sacrebleu."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import check_outputs
from crosspro.scripts.options import (
    DocIds,
    LayoutOption,
    Names,
    Output,
    Resamples,
    Seed,
    Signatures,
    TableLayout,
    named,
    write_report,
)

app = command_app()


@app.command()
def mt_metrics(
    candidates: Annotated[list[Path], typer.Argument(help="MT output, a segment a line.")],
    reference: Annotated[list[Path], typer.Option(help="Reference translation (repeat).")],
    name: Names = None,
    doc_ids: DocIds = None,
    tokenise: Annotated[
        str, typer.Option(help="sacrebleu's tokeniser for BLEU; none for tokenised text.")
    ] = "13a",
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Compare words in lower case.")
    ] = False,
    word_order: Annotated[int, typer.Option(min=0, help="Word n-grams of chrF; 2 is chrF++.")] = 0,
    layout: LayoutOption = TableLayout.TABLE,
    signatures: Signatures = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    output: Output = None,
) -> None:
    """BLEU and chrF of MT output, through sacrebleu.

    With 95% intervals and, for more than one candidate, paired tests. Resampling is by document if
    document ids are given, else by line. Needs `make extras EXTRAS=mt`.
    """
    from crosspro.evaluation.core.significance import Resampling
    from crosspro.evaluation.metrics.bleu.report import csv_report, json_report, text_report
    from crosspro.evaluation.metrics.bleu.score import MTSettings, evaluate_mt, read_mt_text

    check_outputs(output)
    text = read_mt_text(candidates, reference, doc_ids)
    text = replace(text, names=tuple(named(text.names, name)))
    settings = MTSettings(tokenise=tokenise, lowercase=ignore_case, word_order=word_order)
    evaluation = evaluate_mt(text, settings, Resampling(resamples, seed) if resamples else None)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    write_report(evaluation, json_report, csv_report, text_report, output, layout, signatures)


if __name__ == "__main__":
    run(app)
