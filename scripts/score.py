"""Score machine translations by metrics of pronouns, BLEU and chrF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosspro.scripts.common import (
    App,
    DocIds,
    Html,
    Lenient,
    NamedFile,
    Pronouns,
    Resamples,
    check_suffix,
    named_path,
    names_of,
    tell,
    terminal_width,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.metrics.pronoun_doubt import PronounJudge
    from crosspro.evaluation.score_report import ScoreReport

app = App()


def _written(option: str, text: str) -> Any:
    return typer.Option(option, metavar="FILE", writable=True, dir_okay=False, help=text)


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
        list[NamedFile] | None,
        typer.Option(metavar="[NAME=]FILE", parser=named_path, help="MT output (repeatable)."),
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
    pronouns: Pronouns = None,
    links: Annotated[
        Path | None, typer.Option(help="Links source-reference, `s-t s-t …` on each line.")
    ] = None,
    candidate_links: Annotated[
        list[Path] | None, typer.Option(help="Links source-candidate, one file a candidate.")
    ] = None,
    lenient: Lenient = False,
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What `crosspro align --save-prior` learnt, a bundled model, or none; else the "
            "bundled model of the languages.",
        ),
    ] = None,
    doc_ids: DocIds = None,
    source_language: Annotated[
        str, typer.Option(metavar="L", help="Language of the source; else the end of its name.")
    ] = "",
    target_language: Annotated[
        str, typer.Option(metavar="L", help="Language of the translations; else by names.")
    ] = "",
    baseline: Annotated[
        str | None, typer.Option(metavar="NAME", help="Candidate that others are compared with.")
    ] = None,
    resamples: Resamples = 1000,
    html: Html = None,
    json: Annotated[Path | None, _written("--json", "Also write all scores as JSON.")] = None,
    csv: Annotated[
        Path | None, _written("--csv", "Also write a row a candidate, for `correlate`.")
    ] = None,
    detail: Annotated[
        Path | None, _written("--detail", "Also write every occurrence as JSON.")
    ] = None,
    plot: Annotated[
        Path | None, _written("--plot", "Also draw APT's cases, with and without repair (SVG).")
    ] = None,
) -> None:
    """Score machine translations by metrics of pronouns, BLEU and chrF.

    All scores are per cent, with 95% intervals by document, where documents are known, and paired
    tests. apt compares what each source pronoun became in candidate and reference; autoprf gives
    precision and recall of the words linked to it; pronoun-f1 needs no links; doubt asks a bundled
    model and needs no reference. Word links that are not given are made.
    """
    check_suffix("--plot", plot, ".svg")
    settings = _settings(set_ or [])
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.links import read_links
    from crosspro.evaluation.report.tables import Style
    from crosspro.evaluation.resampling import Resampling
    from crosspro.evaluation.score_report import score_texts
    from crosspro.evaluation.texts import TextFiles, find_files, load_texts, system_names

    if folder is not None:
        if source or reference or candidate or links or candidate_links:
            raise typer.BadParameter("a folder, or --source, --reference, --candidate and links")
        files = find_files(folder)
    else:
        if not candidate:
            raise typer.BadParameter("a folder, or at least one --candidate")
        names = names_of(candidate, system_names([file.path for file in candidate]))
        if candidate_links and len(candidate_links) != len(names):
            raise typer.BadParameter("--candidate-links: as many files as candidates")
        paths = [file.path for file in candidate]
        files = TextFiles(
            source,
            reference,
            dict(zip(names, paths, strict=True)),
            links=links,
            candidate_links=dict(zip(names, candidate_links or [], strict=False)),
        )
    texts = load_texts(
        files.source,
        files.reference,
        files.candidates,
        doc_ids or files.doc_ids,
        (source_language, target_language),
    )
    word_links = None
    if files.links is not None:
        word_links = read_links(files.links, texts.source, texts.reference, lenient=lenient)
    report = score_texts(
        texts,
        metric or (),
        settings,
        pronouns=pronouns,
        links=word_links,
        candidate_links={
            name: read_links(path, texts.source, texts.candidates[name], lenient=lenient)
            for name, path in files.candidate_links.items()
        },
        prior=prior,
        resampling=Resampling(resamples) if resamples else None,
        baseline=baseline,
        judge_of=_judge_of,
    )
    for warning in report.warnings:
        tell(f"warning: {warning}")
    if plot is not None:
        _plot(report, plot)
    outputs = (
        (html, report.html),
        (json, report.json),
        (csv, report.csv),
        (detail, report.details),
    )
    for path, write in outputs:
        if path is not None:
            write_text(path, write())
    write_output(report.text(Style(width=terminal_width())).encode("utf-8"), None)


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


def _judge_of(source: str, target: str) -> PronounJudge | None:
    from crosspro.prediction.proofread.judge import judge_of

    return judge_of(source, target)


def _plot(report: ScoreReport, path: Path) -> None:
    from crosspro.evaluation.metrics.apt.metric import plot_distribution

    if "apt" not in report.evaluations:
        raise typer.BadParameter("--plot: only with -m apt")
    items, settings = report["apt"].items, report["apt"].metric.settings
    write_output(plot_distribution(settings, items.data), path)
