"""Score how accurately MT output translates pronouns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from crosspro.evaluation.metrics.apt.settings import AptSettings, Heuristics, Others
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
    Plot,
    Prior,
    Pronouns,
    Reference,
    Resamples,
    Seed,
    Source,
    TableLayout,
    Tokenised,
    check_plot,
    check_suffix,
    resampling,
    write_evaluation,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.core.evaluation import Evaluation

Number = TypeVar("Number", int, float)

app = App()


@app.command(
    epilog="Example: crosspro apt --source s.en --reference r.fr --candidate mt.fr --html page.html"
)
def apt(
    source: Source,
    reference: Reference,
    candidate: Candidates,
    links: Links = None,
    candidate_links: CandidateLinks = None,
    prior: Prior = None,
    pronouns: Pronouns = None,
    doc_ids: DocIds = None,
    tokens: Annotated[
        Path | None, typer.Option(help="Score only these: `line position`, both from 0.")
    ] = None,
    weights: Annotated[
        str, typer.Option(help="Weights of the six cases, with commas.")
    ] = "1,0.5,0,0,0,0",
    discard: Annotated[str, typer.Option(help="Cases left out, such as 5,6.")] = "",
    weigh_equivalents: Annotated[
        bool, typer.Option("--weigh-equivalents", help="Weigh equivalents by their probability.")
    ] = False,
    other: Annotated[
        Others, typer.Option(help="Words that are no pronouns: different, equal or missing.")
    ] = "different",
    repair: Annotated[bool, typer.Option(help="Repair the links of pronouns.")] = True,
    heuristics: Annotated[
        Heuristics,
        typer.Option(help="How: as the paper describes it, or as its released tool does it."),
    ] = "paper",
    tokenised: Tokenised = None,
    lenient: Lenient = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    detail: Detail = None,
    plot: Plot = None,
    output: Output = None,
) -> None:
    """Score how accurately MT output translates pronouns.

    APT compares what each source pronoun became in the candidate and in the reference: the same
    (case 1), equivalent (2), different (3), or missing in the candidate (4), in the reference (5)
    or in both (6). Without links, they are made here, and text that does not look tokenised is cut
    into words first, as `crosspro report` does it. --plot draws the distribution of the cases,
    with and without the repair of links.
    """
    check_plot(plot)
    check_suffix("--detail", detail, ".tsv", ".json")
    settings = AptSettings(
        tuple(_numbers("--weights", weights, float)),
        frozenset(_numbers("--discard", discard, int)),
        weigh_equivalents,
        other,
        repair,
        heuristics,
    )
    settings.check()
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.inputs.mt_input import InputPaths
    from crosspro.evaluation.metrics.apt.metric import Apt
    from crosspro.scripts.mt_texts import read_linked

    paths = InputPaths(
        source,
        reference,
        tuple(file.path for file in candidate),
        links,
        tuple(candidate_links or ()),
        doc_ids,
        tokens=tokens,
        lenient=lenient,
        tokenised=tokenised,
    )
    data = read_linked(paths, candidate, pronouns, prior)
    evaluation = evaluate(Apt(settings), data, resampling(resamples, seed))
    if plot is not None:
        write_output(_figure(evaluation).encode("utf-8"), plot)
    write_evaluation(evaluation, layout, output, html, detail, ("matrix",))


def _figure(evaluation: Evaluation) -> str:
    from crosspro.evaluation.core.tables import Figure
    from crosspro.evaluation.output.plots import bar_charts

    figure = evaluation.metric.figure(evaluation.scored) or Figure("", ())
    return bar_charts(figure, evaluation.metric.heading(evaluation.scored))


def _numbers(option: str, text: str, number: Callable[[str], Number]) -> list[Number]:
    try:
        return [number(item) for item in text.split(",") if item.strip()]
    except ValueError:
        raise typer.BadParameter(f"{option}: numbers with commas") from None
