"""Precision, recall and F1 of pronouns without links."""

from __future__ import annotations

from dataclasses import replace

import typer

from crosspro.evaluation.metrics.pronoun_f1.settings import PronounF1Settings
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import PlainFiles, Resampled, Shown, VariadicCommand

app = command_app()


@app.command(cls=VariadicCommand)
@expanded
def pronoun_f1(
    context: typer.Context,
    files: PlainFiles,
    settings: PronounF1Settings,
    resampled: Resampled,
    shown: Shown,
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

    shown.check(context)
    if len(files.reference) > 1:
        raise typer.BadParameter("--reference: one reference")
    text = files.read(language_of(settings.language))
    metric = PronounF1(replace(settings, language=settings.language or text.language or ""))
    shown.write(evaluate(metric, text, resampled.plan))


if __name__ == "__main__":
    run(app)
