"""Precision and recall of MT output for pronouns (AutoPRF)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.evaluation.metrics.autoprf.settings import AutoPrfSettings
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.html_options import ItemsFile, check_html
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    LinkedFiles,
    Outputs,
    Resampled,
    VariadicCommand,
    check_outputs,
    judged_items,
    refuse_others,
    refuse_pairs,
)
from crosspro.scripts.options import given_options, write_output

if TYPE_CHECKING:
    pass

_WITH_LEGACY = frozenset(("legacy", "stems", "languages", "verbosity", "output"))

app = command_app()


@app.command(
    cls=VariadicCommand,
)
@expanded
def autoprf(
    context: typer.Context,
    files: LinkedFiles,
    settings: AutoPrfSettings,
    resampled: Resampled,
    outputs: Outputs,
    stems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REF CAND DOCS]", help="With --legacy: two stems, document starts."
        ),
    ] = None,
    by_document: Annotated[
        bool, typer.Option("--by-document", help="A row for each document.")
    ] = False,
    clipped: Annotated[
        bool,
        typer.Option("--clipped", help="What is matched beside the pronoun, where anything is."),
    ] = False,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Print exactly what the Java tool prints.")
    ] = False,
    verbosity: Annotated[
        int, typer.Option("--verbosity", "-v", min=0, max=2, help="With --legacy: 0, 1 or 2.")
    ] = 0,
    languages: Annotated[
        str, typer.Option(help="With --legacy: the languages in the names of the files.")
    ] = "en-fr",
    items_file: ItemsFile = None,
) -> None:
    """Precision and recall of MT output for pronouns (AutoPRF).

    The words linked to each source pronoun in the candidate are compared with those in the
    reference. Without links, they are made here, and text that does not look tokenised is cut into
    words first. With --legacy: REF.en, REF.fr, REF.en-fr.alig, the same for CAND, and DOCS.
    """
    check_html(outputs.html, legacy)
    if legacy:
        refuse_others(context, _WITH_LEGACY, "--legacy")
        check_outputs(outputs.output)
        _released(stems or [], languages, verbosity, outputs.output)
        return
    if stems:
        raise typer.BadParameter("REF CAND DOCS belong to --legacy; use --source and so on")
    given = given_options(context)
    for option in _WITH_LEGACY & given.keys() - {"output"}:
        raise typer.BadParameter(f"{given[option]}: only with --legacy")
    refuse_pairs(context, [("doc_ids", "doc_starts")])
    if by_document and files.doc_ids is None and files.doc_starts is None:
        raise typer.BadParameter("--by-document: only with --doc-ids or --doc-starts")
    if clipped and settings.one_pronoun:
        raise typer.BadParameter("--clipped: with --one-pronoun nothing is matched beside it")
    outputs.check(context, ("by_document", "clipped"), (items_file,))
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.autoprf.metric import AutoPrf

    evaluation = evaluate(AutoPrf(settings), files.read(), resampled.plan)
    shown = {"by_document": by_document, "clipped": clipped}
    asked = [name for name, wanted in shown.items() if wanted]
    outputs.write(evaluation, asked, {items_file: lambda: judged_items(evaluation)})


def _released(stems: list[str], languages: str, verbosity: int, output: Path | None) -> None:
    from crosspro.evaluation.released.autoprf import run_released

    pair = tuple(languages.split("-"))
    if len(stems) != 3 or len(pair) != 2:
        raise typer.BadParameter("--legacy needs REF CAND DOCS, and languages such as en-fr")
    result = run_released(stems[0], stems[1], stems[2], verbosity, (pair[0], pair[1]))
    if result.status and output is not None:
        print(result.stderr, end="", file=sys.stderr)
        raise typer.Exit(result.status)
    write_output(result.stdout.encode("utf-8"), output)
    print(result.stderr, end="", file=sys.stderr)
    raise typer.Exit(result.status)


if __name__ == "__main__":
    run(app)
