"""All scores of a folder of MT output as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.common import (
    SAMPLE,
    App,
    Lenient,
    Prior,
    Pronouns,
    Resamples,
    Seed,
    Tokenised,
    resampling,
    style_of,
    tell,
    write_output,
)

OUTPUT = "report"
"""The folder beside the texts that a report is written to."""

app = App()


@app.command(epilog="Example: crosspro report mt-folder -o report")
def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder of source, reference, outputs, documents."),
    ],
    pair: Annotated[
        str | None,
        typer.Option(metavar="S-T", help="Languages such as en-fr; else the ends of names."),
    ] = None,
    pronouns: Pronouns = None,
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
    prior: Prior = None,
    tokenised: Tokenised = None,
    tokenise: Annotated[
        str, typer.Option(help="sacrebleu's tokeniser for BLEU; none for tokenised text.")
    ] = "13a",
    lenient: Lenient = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            writable=True,
            file_okay=False,
            help="Folder for report.html and report.json; DIR/report.",
        ),
    ] = None,
) -> None:
    """All scores of a folder of MT output as one page.

    BLEU, chrF, F1 of pronouns, APT, AutoPRF and pronouns in doubt as a model of the box judges
    them without the reference, with 95% intervals by document and paired tests, as one HTML page
    and one JSON file; what cannot be computed is listed with its reason. Files are known by their
    names: source.en (or X.src), reference.fr (X.ref), outputs/NAME.fr, doc-ids, word links in
    X.links beside X.fr, pronouns.yaml. All may end in .gz or .xz.
    """
    from crosspro.evaluation.folder_report.compute import ReportSettings
    from crosspro.evaluation.folder_report.contents import ReadingRules
    from crosspro.evaluation.folder_report.files import read_pair
    from crosspro.evaluation.folder_report.folder import check_is_folder, report_on
    from crosspro.evaluation.folder_report.page import FILES, write_report
    from crosspro.evaluation.folder_report.results import report_text
    from crosspro.evaluation.inputs.mt_input import AlignWith
    from crosspro.prediction.proofread.box_judge import judge_of
    from crosspro.scripts.steps import StepDisplay

    if prior is not None and not align:
        raise typer.BadParameter("--prior and --no-align do not go together")
    languages = None if pair is None else read_pair(pair)
    rules = ReadingRules(
        pronouns,
        AlignWith(prior=prior),
        align,
        tokenised,
        lenient,
        tokenise,
        proofread,
    )
    settings = ReportSettings(resampling(resamples, seed))
    target = output or (Path(OUTPUT) if SAMPLE in folder.parents else folder / OUTPUT)
    check_is_folder(folder)
    _check_target(folder, target)
    with StepDisplay() as display:
        result = report_on(
            folder,
            languages,
            rules,
            settings,
            baseline=baseline,
            judge_of=judge_of,
            progress=display.report,
        )
    for warning in result.warnings:
        tell(f"warning: {warning}")
    write_report(result, target)
    write_output(report_text(result, style_of()).encode("utf-8"), None)
    tell(", ".join(str(target / name) for name in FILES))


def _check_target(read: Path, folder: Path) -> None:
    """Raise before anything is computed if a report cannot be written to the folder."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.folder_report.files import check_apart

    check_apart(read, folder)
    if not (folder if folder.exists() else folder.parent).is_dir():
        raise input_error(folder, "output", "a folder in an existing folder", "none")
