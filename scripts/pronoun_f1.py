"""Precision, recall and F1 of pronouns without links."""

from __future__ import annotations

from typing import Annotated

import typer

from crosspro.scripts.common import (
    App,
    Candidates,
    DocIds,
    Html,
    Layout,
    Output,
    Reference,
    Resamples,
    Seed,
    TableLayout,
    resampling,
    write_evaluation,
)

app = App()


@app.command(epilog="Example: crosspro pronoun-f1 --candidate mt.fr --reference r.fr --language fr")
def pronoun_f1(
    candidate: Candidates,
    reference: Reference,
    language: Annotated[
        str,
        typer.Option(
            "--language",
            "-l",
            help="The language of the translations: de, en, es, fr, or a table of your own "
            "(it.tsv); else the one that names end in.",
        ),
    ] = "",
    ambiguous: Annotated[
        bool,
        typer.Option("--ambiguous", help="Also count words that may be articles, verbs and so on."),
    ] = False,
    doc_ids: DocIds = None,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    output: Output = None,
) -> None:
    """Precision, recall and F1 of pronouns without links.

    Pronouns of a line are compared with those of the reference's line. In total and by form, the
    same word must be there; by kind, person, number and gender, a word that agrees in it is
    enough, so these rows may be higher than the total. With 95% intervals by document if document
    ids are given, else by line, and paired tests between candidates.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.inputs.pronoun_forms import language_of
    from crosspro.evaluation.metrics.pronoun_f1.metric import PronounF1
    from crosspro.evaluation.metrics.pronoun_f1.settings import PronounF1Settings
    from crosspro.scripts.mt_texts import read_plain

    text = read_plain(candidate, [reference], doc_ids, language_of(language))
    metric = PronounF1(PronounF1Settings(language or text.language or "", ambiguous))
    write_evaluation(evaluate(metric, text, resampling(resamples, seed)), layout, output, html)
