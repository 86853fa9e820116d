"""BLEU and chrF of MT output, through sacrebleu."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.common import (
    App,
    Candidates,
    DocIds,
    Html,
    Layout,
    Output,
    Resamples,
    Seed,
    TableLayout,
    resampling,
    write_evaluation,
)

app = App()


@app.command(epilog="Example: crosspro mt-metrics --candidate mt.fr --reference r.fr")
def mt_metrics(
    candidate: Candidates,
    reference: Annotated[list[Path], typer.Option(help="Reference translation (repeatable).")],
    doc_ids: DocIds = None,
    tokenise: Annotated[
        str, typer.Option(help="sacrebleu's tokeniser for BLEU; none for tokenised text.")
    ] = "13a",
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Compare words in lower case.")
    ] = False,
    word_order: Annotated[int, typer.Option(help="Word n-grams of chrF; 2 is chrF++.")] = 0,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    output: Output = None,
) -> None:
    """BLEU and chrF of MT output, through sacrebleu.

    With 95% intervals and, for more than one candidate, paired tests. Resampling is by document if
    document ids are given, else by line. Needs the extra `mt`.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.bleu.metric import Bleu
    from crosspro.evaluation.metrics.bleu.settings import BleuSettings
    from crosspro.scripts.mt_texts import read_plain

    metric = Bleu(BleuSettings(tokenise, ignore_case, word_order))
    text = read_plain(candidate, reference, doc_ids)
    write_evaluation(evaluate(metric, text, resampling(resamples, seed)), layout, output, html)
