"""BLEU and chrF of MT output, through sacrebleu."""

from __future__ import annotations

import typer

from crosspro.evaluation.metrics.bleu.settings import BleuSettings
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import Resampled, SeveralReferences, Shown, VariadicCommand

app = command_app()


@app.command(cls=VariadicCommand)
@expanded
def mt_metrics(
    context: typer.Context,
    files: SeveralReferences,
    settings: BleuSettings,
    resampled: Resampled,
    shown: Shown,
) -> None:
    """BLEU and chrF of MT output, through sacrebleu.

    With 95% intervals and, for more than one candidate, paired tests. Resampling is by document if
    document ids are given, else by line. Needs the extra `mt`.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.bleu.metric import Bleu

    shown.check(context)
    shown.write(evaluate(Bleu(settings), files.read(), resampled.plan))


if __name__ == "__main__":
    run(app)
