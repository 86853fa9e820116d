"""Score machine translations by metrics of pronouns, BLEU and chrF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crosspro.scores import judge_of
from crosspro.scripts.common import (
    AnyLanguage,
    App,
    CandidateLinks,
    DocIds,
    Html,
    LinkPrior,
    NamedFile,
    Resamples,
    named_files,
    names_of,
    output_file,
    resampling_of,
    style_of,
    warn,
    write_output,
)

app = App()


@app.command(
    epilog="Example: crosspro score --source s.en --reference r.fr --candidate A.fr "
    "--candidate B.fr --html page.html"
)
def score(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="A folder: source.en, reference.fr, outputs/NAME.fr."),
    ] = None,
    source: Annotated[Path | None, typer.Option(help="Source text, a segment a line.")] = None,
    reference: Annotated[Path | None, typer.Option(help="Reference translation.")] = None,
    candidate: Annotated[
        list[NamedFile] | None, named_files("--candidate", "MT output (repeatable).")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="apt, autoprf, pronoun-f1, bleu, chrf or doubt (repeatable); else all but doubt.",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="METRIC.KEY=VALUE",
            help="A setting of a metric, such as apt.repair=off (repeatable).",
        ),
    ] = None,
    pronouns: Annotated[
        str | None,
        typer.Option(
            metavar="LISTS",
            help="Pronoun lists such as en-fr, or a .yaml file; else by names (X.en, X.fr).",
        ),
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="Links source-reference, `s-t s-t …` on each line.")
    ] = None,
    candidate_links: CandidateLinks = None,
    prior: LinkPrior = None,
    doc_ids: DocIds = None,
    source_language: Annotated[
        str, typer.Option(metavar="L", help="Language of the source; else the end of its name.")
    ] = "",
    target_language: Annotated[
        str, typer.Option(metavar="L", help="Language of the translations; else by names.")
    ] = "",
    any_language: AnyLanguage = False,
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="Candidate that others are compared with.")
    ] = None,
    resamples: Resamples = 1000,
    html: Html = None,
    json: Annotated[
        Path | None, output_file("--json", help="Also write all scores as JSON.")
    ] = None,
    csv: Annotated[
        Path | None, output_file("--csv", help="Also write a row a candidate, for `correlate`.")
    ] = None,
    detail: Annotated[
        Path | None, output_file("--detail", help="Also write every occurrence as JSON.")
    ] = None,
) -> None:
    """Score machine translations by metrics of pronouns, BLEU and chrF.

    All scores are per cent, with 95% intervals by document, where documents are known, and paired
    tests. apt compares what each source pronoun became in candidate and reference; autoprf gives
    precision and recall of the words linked to it; pronoun-f1 needs no links; doubt asks a bundled
    model and needs no reference. Word links that are not given are made.
    """
    settings = _settings(set_ or [])
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.links import read_links
    from crosspro.evaluation.score_report import check_metrics, score_texts
    from crosspro.evaluation.texts import TextFiles, find_files, load_texts, system_names

    check_metrics(metric or ())
    if folder is not None:
        if source or reference or candidate or links or candidate_links:
            raise typer.BadParameter("a folder, or --source, --reference, --candidate and links")
        files = find_files(folder)
    elif not candidate:
        raise typer.BadParameter("give a folder, or --source, --reference and --candidate")
    elif candidate_links and len(candidate_links) != len(candidate):
        raise typer.BadParameter("--candidate-links: as many files as candidates")
    else:
        paths = [file.path for file in candidate]
        names = names_of(candidate, system_names(paths))
        candidates = dict(zip(names, paths, strict=True))
        linked = dict(zip(names, candidate_links or (), strict=False))
        files = TextFiles(source, reference, candidates, None, links, linked)
    files = replace(files, doc_ids=doc_ids or files.doc_ids)
    texts = load_texts(files, (source_language, target_language), any_language=any_language)
    report = score_texts(
        texts,
        metric or (),
        settings,
        pronouns=pronouns,
        links=(read_links(files.links, texts.source, texts.reference) if files.links else None),
        candidate_links={
            name: read_links(path, texts.source, texts.candidates[name])
            for name, path in files.candidate_links.items()
        },
        prior=prior,
        resampling=resampling_of(resamples),
        baseline=baseline,
        judge_of=judge_of,
    )
    warn(report.warnings)
    writers = (report.html, report.json, report.csv, report.details)
    for path, content in zip((html, json, csv, detail), writers, strict=True):
        if path is not None:
            write_text(path, content())
    write_output(report.text(style_of()))


def _settings(options: list[str]) -> dict[str, dict[str, str]]:
    """Settings of each metric, of METRIC.KEY=VALUE."""
    settings: dict[str, dict[str, str]] = {}
    for option in options:
        name, equals, value = option.partition("=")
        metric, point, key = name.partition(".")
        if not (equals and point):
            raise typer.BadParameter(f"--set: METRIC.KEY=VALUE such as apt.repair=off: {option}")
        settings.setdefault(metric, {})[key] = value
    return settings
