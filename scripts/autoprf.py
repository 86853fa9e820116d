"""Precision and recall of MT output for pronouns (AutoPRF)."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.html_options import MOST_EXAMPLES, Html, ItemsFile, MaxExamples, check_html
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    AlignPrior,
    AlignWithOption,
    Candidates,
    Detail,
    DocStarts,
    Lenient,
    LinksCandidates,
    LinksReference,
    PronounsOfFiles,
    Reference,
    Source,
    Symmetrisation,
    Tokenised,
    VariadicCommand,
    check_detail,
    check_layout,
    check_outputs,
    given_options,
    input_paths,
    lists_of_files,
    refuse_others,
    refuse_pairs,
    renamed,
    tell,
    write_reports,
)
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
    style_of,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.inputs.inputs import MtInput
    from crosspro.evaluation.metrics.autoprf.score import AutoPrfEvaluation
    from crosspro.evaluation.output.style import Style


class Clipping(StrEnum):
    """Over what matches are clipped."""

    OCCURRENCE = "occurrence"
    CORPUS = "corpus"


_WITH_LEGACY = frozenset(("legacy", "stems", "languages", "verbosity", "output"))

app = command_app()


@app.command(
    cls=VariadicCommand,
    renamed={"--align-prior": "--prior", "--per-document": "--by-document"},
)
def autoprf(
    context: typer.Context,
    stems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REF CAND DOCS]", help="With --legacy: two stems, document starts."
        ),
    ] = None,
    source: Source = None,
    reference: Reference = None,
    candidate: Candidates = None,
    links_reference: LinksReference = None,
    links_candidate: LinksCandidates = None,
    pronouns: PronounsOfFiles = None,
    name: Names = None,
    clipping: Annotated[
        Clipping, typer.Option(help="Clip matches for each occurrence, or over the text.")
    ] = Clipping.OCCURRENCE,
    one_pronoun: Annotated[
        bool, typer.Option("--one-pronoun", help="Count one pronoun for each occurrence.")
    ] = False,
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", help="Compare words in lower case.")
    ] = False,
    doc_ids: DocIds = None,
    doc_starts: DocStarts = None,
    by_document: Annotated[
        bool, typer.Option("--by-document", help="A row for each document.")
    ] = False,
    clipped: Annotated[
        bool,
        typer.Option("--clipped", help="What is matched beside the pronoun, where anything is."),
    ] = False,
    align_with: AlignWithOption = None,
    align_prior: AlignPrior = None,
    symmetrisation: Symmetrisation = None,
    tokenised: Tokenised = None,
    lenient: Lenient = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: LayoutOption = TableLayout.TABLE,
    signatures: Signatures = False,
    detail: Detail = None,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Print exactly what the Java tool prints.")
    ] = False,
    verbosity: Annotated[
        int, typer.Option("--verbosity", "-v", min=0, max=2, help="With --legacy: 0, 1 or 2.")
    ] = 0,
    languages: Annotated[
        str, typer.Option(help="With --legacy: the languages in the names of the files.")
    ] = "en-fr",
    html: Html = None,
    max_examples: MaxExamples = MOST_EXAMPLES,
    items_file: ItemsFile = None,
    output: Output = None,
) -> None:
    """Precision and recall of MT output for pronouns (AutoPRF).

    The words linked to each source pronoun in the candidate are compared with those in the
    reference. Without links, they are made here, and text that does not look tokenised is cut into
    words first. With --legacy: REF.en, REF.fr, REF.en-fr.alig, the same for CAND, and DOCS.
    """
    check_html(html, legacy)
    if legacy:
        refuse_others(context, _WITH_LEGACY, "--legacy")
        check_outputs(output)
        _released(stems or [], languages, verbosity, output)
        return
    if stems:
        raise typer.BadParameter("REF CAND DOCS belong to --legacy; use --source and so on")
    given = given_options(context)
    for option in _WITH_LEGACY & given.keys() - {"output"}:
        raise typer.BadParameter(f"{given[option]}: only with --legacy")
    refuse_pairs(context, [("doc_ids", "doc_starts")])
    if by_document and doc_ids is None and doc_starts is None:
        raise typer.BadParameter("--by-document: only with --doc-ids or --doc-starts")
    if clipped and one_pronoun:
        raise typer.BadParameter("--clipped: with --one-pronoun nothing is matched beside it")
    check_layout(context, layout, ("by_document", "clipped", "signatures"))
    check_detail(detail)
    check_outputs(html, detail, items_file, output)
    links = (links_reference, links_candidate)
    documents = (doc_ids, doc_starts)
    paths = input_paths(
        source, reference, candidate, *links, *documents, lenient, tokenised=tokenised
    )

    from dataclasses import replace

    from crosspro.evaluation.core.significance import Resampling
    from crosspro.evaluation.inputs.inputs import AlignWith, read_input
    from crosspro.evaluation.metrics.autoprf.score import AutoPrfSettings, evaluate_autoprf

    named([str(path) for path in paths.candidates], name)
    lists, problems = lists_of_files(pronouns, paths)
    align = AlignWith(align_with, align_prior, symmetrisation)
    data = renamed(read_input(paths, lists, align, tell, problems), name)
    assert lists is not None  # noqa: S101 - else there were problems
    evaluation = evaluate_autoprf(
        data.source,
        data.reference,
        data.candidates,
        lists,
        AutoPrfSettings(clipping.value, one_pronoun, ignore_case, data.links),
        Resampling(resamples, seed) if resamples else None,
        data.documents,
    )
    evaluation = replace(evaluation, warnings=(*data.warnings, *evaluation.warnings))
    for warning in evaluation.warnings:
        tell(f"warning: {warning}")
    style = style_of(output, layout, signatures)
    files = (detail, html, items_file)
    shown = (by_document, clipped)
    _write(evaluation, data, layout, style, shown, files, max_examples, output)


def _write(
    evaluation: AutoPrfEvaluation,
    data: MtInput,
    layout: TableLayout,
    style: Style,
    shown: tuple[bool, bool],
    files: tuple[Path | None, Path | None, Path | None],
    max_examples: int,
    output: Path | None,
) -> None:
    """Write everything that was asked for, once all of it is there: details, page, items."""
    detail, html, items_file = files
    by_document, clipped = shown
    from crosspro.evaluation.metrics.autoprf.report import (
        csv_report,
        detail_json,
        detail_tsv,
        json_report,
        text_report,
    )

    def page() -> str:
        from crosspro.evaluation.metrics.autoprf.page import autoprf_page

        return autoprf_page(evaluation, data, max_examples)

    def details() -> str:
        is_json = detail is not None and detail.suffix == ".json"
        return detail_json(evaluation, data) if is_json else detail_tsv(evaluation)

    def items() -> str:
        from crosspro.evaluation.human.items import items_text
        from crosspro.evaluation.human.metric_items import autoprf_items

        return items_text(autoprf_items(evaluation, data))

    texts = {
        TableLayout.TABLE: lambda: text_report(evaluation, by_document, style, clipped),
        TableLayout.MARKDOWN: lambda: text_report(evaluation, by_document, style, clipped),
        TableLayout.JSON: lambda: json_report(evaluation),
        TableLayout.CSV: lambda: csv_report(evaluation),
    }
    signature = evaluation.results[0].total.scores[0].signature
    made = {html: page, detail: details, items_file: items}
    write_reports(layout, texts, made, output, signature)


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
