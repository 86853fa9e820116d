"""All scores of a folder of MT output as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.app import SAMPLE
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    AlignPrior,
    AlignSentences,
    AlignWithOption,
    CandidateLinks,
    Candidates,
    DocStarts,
    Lenient,
    Links,
    PronounsOfFiles,
    Reference,
    Source,
    Symmetrisation,
    Tokenised,
    VariadicCommand,
    check_outputs,
    priors,
    refuse_pairs,
    tell,
)
from crosspro.scripts.options import DocIds, Names, Resamples, Seed, style_of, write_output

OUTPUT = "report"
"""The folder beside the texts that a report is written to, or what its name ends in."""

app = command_app()


@app.command(cls=VariadicCommand)
def report(
    context: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="Folder of source, reference, outputs, documents; or a file of WMT (XML, JSONL).",
        ),
    ],
    pair: Annotated[
        str | None,
        typer.Option(metavar="S-T", help="Languages such as en-fr; else the ends of names."),
    ] = None,
    source: Source = None,
    reference: Reference = None,
    candidate: Candidates = None,
    links: Links = None,
    candidate_links: CandidateLinks = None,
    doc_ids: DocIds = None,
    doc_starts: DocStarts = None,
    pronouns: PronounsOfFiles = None,
    name: Names = None,
    baseline: Annotated[
        str | None, typer.Option(help="System that others are compared with; else the best.")
    ] = None,
    align: Annotated[
        bool, typer.Option(help="Make links where there are none; else no APT and AutoPRF.")
    ] = True,
    proofread: Annotated[
        bool | None,
        typer.Option(
            "--proofread/--no-proofread",
            help="Judge pronouns with a model of the box, without the reference; else if the "
            "outputs have 20,000 lines at most.",
        ),
    ] = None,
    align_with: AlignWithOption = None,
    align_prior: AlignPrior = None,
    symmetrisation: Symmetrisation = None,
    tokenised: Tokenised = None,
    tokenise: Annotated[
        str, typer.Option(help="sacrebleu's tokeniser for BLEU; none for tokenised text.")
    ] = "13a",
    maximise: Annotated[
        bool,
        typer.Option("--maximise", help="In files higher scores are better; lower if not given."),
    ] = False,
    lenient: Lenient = False,
    align_sentences: AlignSentences = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    max_examples: Annotated[
        int,
        typer.Option(min=0, help="Examples in the HTML page, at most; the page says if it cuts."),
    ] = 20,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes.")] = 2,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for report.html and report.json; DIR/report."),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            help="Folder of tokens, links and judged pronouns, which the next run of the same "
            "texts takes; OUTPUT.cache by default, none: keep nothing.",
        ),
    ] = None,
) -> None:
    """All scores of a folder of MT output as one page.

    BLEU, chrF, F1 of pronouns, APT, AutoPRF, pronouns in doubt as a model of the box judges them
    without the reference, and accuracy on contrastive sets, with 95% intervals by document and
    paired tests, as one HTML page and one JSON file; what cannot be computed is
    listed with its reason. Files are known by their names: source.en (or X.src), reference.fr
    (X.ref), outputs/NAME.fr, doc-ids, word links in X.links beside X.fr, contrastive/SET.json with
    contrastive/SET/NAME.scores or NAME.fr, pronouns.yaml. All may end in .gz or .xz. Folders of
    mt-metrics-eval (sources, references, system-outputs, documents) and the XML and JSONL files of
    WMT are taken as they are; --pair says which languages where there are several.
    """
    from crosspro.evaluation.core.statistics import Resampling
    from crosspro.evaluation.folder_report.compute import ReportSettings
    from crosspro.evaluation.folder_report.contents import ReadingRules
    from crosspro.evaluation.folder_report.files import GivenFiles, read_pair
    from crosspro.evaluation.folder_report.folder import report_on
    from crosspro.evaluation.folder_report.page import FILES, write_report
    from crosspro.evaluation.folder_report.results import report_text
    from crosspro.evaluation.inputs.mt_input import AlignWith
    from crosspro.evaluation.inputs.mt_tests import check_is_test
    from crosspro.prediction.proofread.box_judge import judge_of
    from crosspro.scripts.steps import StepDisplay

    refuse_pairs(
        context,
        [("doc_ids", "doc_starts"), *(("align", one) for one in _FOR_ALIGNING if not align)],
    )
    languages = None if pair is None else read_pair(pair)
    given = GivenFiles(
        source,
        reference,
        tuple(candidate or ()),
        links,
        tuple(candidate_links or ()),
        doc_ids,
        doc_starts,
    )
    rules = ReadingRules(
        pronouns,
        AlignWith(align_with, align_prior, symmetrisation),
        align,
        tokenised,
        lenient,
        maximise,
        tokenise,
        proofread,
        priors(align_prior) if align_sentences else None,
    )
    plan = Resampling(resamples, seed) if resamples else None
    beside = folder / OUTPUT if folder.is_dir() else folder.with_suffix(f".{OUTPUT}")
    target = output or (Path(OUTPUT) if SAMPLE in folder.parents else beside)
    check_is_test(folder)
    _check_target(folder, target)
    kept = cache or target.with_name(f"{target.name}.cache")
    with StepDisplay() as display:
        found = report_on(
            folder,
            given,
            languages,
            rules,
            ReportSettings(plan, most_examples=max_examples),
            baseline=baseline,
            names=name or (),
            judge_of=judge_of,
            jobs=jobs,
            progress=display.report,
            cache=None if str(cache) == "none" else kept,
        )
    for warning in found.warnings:
        tell(f"warning: {warning}")
    write_report(found, target)
    write_output(report_text(found, style_of()).encode("utf-8"), None)
    tell(", ".join(str(target / name) for name in FILES))


_FOR_ALIGNING = ("align_with", "align_prior", "symmetrisation")


def _check_target(read: Path, folder: Path) -> None:
    """Raise before anything is computed if a report cannot be written to the folder."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.data_prep.core.guard import check_not_input
    from crosspro.evaluation.folder_report.files import check_apart
    from crosspro.evaluation.folder_report.page import FILES

    check_apart(read, folder)
    if folder.exists() and not folder.is_dir():
        raise input_error(folder, "output", "a folder", "a file")
    if folder.is_dir():
        files = [folder / name for name in FILES]
        check_outputs(*files)
        for path in files:
            check_not_input(path)
    else:
        check_outputs(folder)


if __name__ == "__main__":
    run(app)
