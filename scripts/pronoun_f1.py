"""Precision, recall and F1 of pronouns without links."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import check_layout, check_outputs
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
def pronoun_f1(
    context: typer.Context,
    candidates: Annotated[list[Path], typer.Argument(help="MT output, a segment a line.")],
    reference: Annotated[Path, typer.Option(help="Reference translation.")],
    language: Annotated[
        str,
        typer.Option("--language", "-l", help="The language of the translations: de, en, es, fr."),
    ],
    name: Names = None,
    doc_ids: DocIds = None,
    ambiguous: Annotated[
        bool,
        typer.Option("--ambiguous", help="Also count words that may be articles, verbs and so on."),
    ] = False,
    layout: LayoutOption = TableLayout.TABLE,
    signatures: Signatures = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    output: Output = None,
) -> None:
    """Precision, recall and F1 of pronouns without links.

    Pronouns of a line are compared with those of the reference's line. In total and by form, the
    same word must be there; by kind, person, number and gender, a word that agrees in it is
    enough, so these rows may be higher than the total. With 95% intervals by document if document
    ids are given, else by line, and paired tests between candidates.
    """
    from crosspro.evaluation.core.significance import Resampling
    from crosspro.evaluation.metrics.bleu.pronoun_f1 import evaluate_pronouns
    from crosspro.evaluation.metrics.bleu.pronoun_f1_report import (
        pronoun_csv,
        pronoun_json,
        pronoun_text,
    )
    from crosspro.evaluation.metrics.bleu.score import read_mt_text

    check_layout(context, layout, ("signatures",))
    check_outputs(output)
    text = read_mt_text(candidates, [reference], doc_ids)
    text = replace(text, names=tuple(named(text.names, name)))
    plan = Resampling(resamples, seed) if resamples else None
    evaluation = evaluate_pronouns(text, language, plan, ambiguous)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    write_report(evaluation, pronoun_json, pronoun_csv, pronoun_text, output, layout, signatures)


if __name__ == "__main__":
    run(app)
