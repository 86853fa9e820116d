"""Precision and recall of MT output for pronouns (AutoPRF)."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from crosspro.evaluation.metrics.autoprf.settings import AutoPrfSettings
from crosspro.scripts.common import (
    App,
    CandidateLinks,
    Candidates,
    Detail,
    DocIds,
    Html,
    Layout,
    Lenient,
    Links,
    Output,
    Prior,
    Pronouns,
    Reference,
    Resamples,
    Seed,
    Source,
    TableLayout,
    Tokenised,
    check_suffix,
    resampling,
    write_evaluation,
)

app = App()


@app.command(epilog="Example: crosspro autoprf --source s.en --reference r.fr --candidate mt.fr")
def autoprf(
    source: Source,
    reference: Reference,
    candidate: Candidates,
    links: Links = None,
    candidate_links: CandidateLinks = None,
    prior: Prior = None,
    pronouns: Pronouns = None,
    doc_ids: DocIds = None,
    clipping: Annotated[
        Literal["occurrence", "corpus"],
        typer.Option(help="Clip matches for each occurrence, or over the text."),
    ] = "occurrence",
    one_pronoun: Annotated[
        bool, typer.Option("--one-pronoun", help="Count one pronoun for each occurrence.")
    ] = False,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Compare words in lower case.")
    ] = False,
    by_document: Annotated[
        bool, typer.Option("--by-document", help="A row for each document.")
    ] = False,
    clipped: Annotated[
        bool,
        typer.Option("--clipped", help="What is matched beside the pronoun, where anything is."),
    ] = False,
    tokenised: Tokenised = None,
    lenient: Lenient = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    detail: Detail = None,
    output: Output = None,
) -> None:
    """Precision and recall of MT output for pronouns (AutoPRF).

    The words linked to each source pronoun in the candidate are compared with those in the
    reference. Without links, they are made here, and text that does not look tokenised is cut into
    words first.
    """
    check_suffix("--detail", detail, ".tsv", ".json")
    if by_document and doc_ids is None:
        raise typer.BadParameter("--by-document: only with --doc-ids")
    if clipped and one_pronoun:
        raise typer.BadParameter("--clipped: with --one-pronoun nothing is matched beside it")
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.inputs.mt_input import InputPaths
    from crosspro.evaluation.metrics.autoprf.metric import AutoPrf
    from crosspro.scripts.mt_texts import read_linked

    paths = InputPaths(
        source,
        reference,
        tuple(file.path for file in candidate),
        links,
        tuple(candidate_links or ()),
        doc_ids,
        lenient=lenient,
        tokenised=tokenised,
    )
    data = read_linked(paths, candidate, pronouns, prior)
    settings = AutoPrfSettings(clipping, one_pronoun, ignore_case)
    evaluation = evaluate(AutoPrf(settings), data, resampling(resamples, seed))
    tables = {"by_document": by_document, "clipped": clipped}
    shown = [name for name, wanted in tables.items() if wanted]
    write_evaluation(evaluation, layout, output, html, detail, shown)
