"""Score how accurately MT output translates pronouns."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.errors import Problem
from crosspro.scripts.html_options import (
    MOST_EXAMPLES,
    Html,
    ItemsFile,
    MaxExamples,
    Plot,
    check_html,
    check_plot,
)
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
    from crosspro.evaluation.core.significance import Resampling
    from crosspro.evaluation.inputs.inputs import AlignWith, InputPaths, MtInput
    from crosspro.evaluation.inputs.pronoun_lists import PronounLists
    from crosspro.evaluation.metrics.apt.score import AptEvaluation, AptSettings
    from crosspro.evaluation.output.style import Style
    from crosspro.evaluation.released.apt.config import ReleasedConfig


class Others(StrEnum):
    """What two words that are no pronouns of the list are to each other."""

    DIFFERENT = "different"
    EQUAL = "equal"
    MISSING = "missing"


class Start(StrEnum):
    """Where the pronouns that are scored come from."""

    SOURCE = "source"
    REFERENCE = "reference"


_WITH_CONFIG = frozenset(
    [
        "config",
        "name",
        "start",
        "repair_rule",
        "doc_ids",
        "doc_starts",
        "lenient",
        "resamples",
        "seed",
        "layout",
        "signatures",
        "detail",
        "matrix",
        "plot",
        "html",
        "max_examples",
        "items_file",
        "output",
    ]
)
_WITH_LEGACY = frozenset(
    [
        "legacy",
        "source",
        "reference",
        "candidate",
        "links_reference",
        "links_candidate",
        "pronouns",
        "weights",
        "discard",
        "other",
        "repair",
        "start",
        "tokens",
        "output",
    ]
)

app = command_app()


@app.command(
    cls=VariadicCommand,
    renamed={"--align-prior": "--prior", "--probabilities": "--weigh-equivalents"},
)
def apt(
    context: typer.Context,
    source: Source = None,
    reference: Reference = None,
    candidate: Candidates = None,
    links_reference: LinksReference = None,
    links_candidate: LinksCandidates = None,
    pronouns: PronounsOfFiles = None,
    name: Names = None,
    config: Annotated[
        Path | None, typer.Option(help="Instead of these: an INI file of the released tool.")
    ] = None,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Exactly as the released tool; -o gives the stem.")
    ] = False,
    weights: Annotated[str, typer.Option(help="Weights of the six cases.")] = "1,0.5,0,0,0,0",
    discard: Annotated[str, typer.Option(help="Cases left out, such as 5,6.")] = "",
    probabilities: Annotated[
        bool, typer.Option("--weigh-equivalents", help="Weigh equivalents by their probability.")
    ] = False,
    other: Annotated[
        Others, typer.Option(help="Words that are no pronouns: different, equal or missing.")
    ] = Others.DIFFERENT,
    repair: Annotated[
        bool, typer.Option(help="Repair the links of pronouns as the paper does.")
    ] = True,
    repair_rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A point that the paper leaves open; see docs."),
    ] = None,
    start: Annotated[
        Start, typer.Option("--from", help="Score pronouns of the source or of the reference.")
    ] = Start.SOURCE,
    tokens: Annotated[
        Path | None, typer.Option(help="Score only these: `line position`, both from 0.")
    ] = None,
    doc_ids: DocIds = None,
    doc_starts: DocStarts = None,
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
    matrix: Annotated[bool, typer.Option(help="Show the matrix.")] = True,
    plot: Plot = None,
    html: Html = None,
    max_examples: MaxExamples = MOST_EXAMPLES,
    items_file: ItemsFile = None,
    output: Output = None,
) -> None:
    """Score how accurately MT output translates pronouns.

    APT compares what each source pronoun became in the candidate and in the reference: the same
    (case 1), equivalent (2), different (3), or missing in the candidate (4), in the reference (5)
    or in both (6). Without links, they are made here, and text that does not look tokenised is cut
    into words first, as `crosspro report` does it. --plot draws the distribution of the cases,
    with and without the repair of links.
    """
    from crosspro.evaluation.core.significance import Resampling
    from crosspro.evaluation.inputs.inputs import AlignWith
    from crosspro.evaluation.metrics.apt.repair import make_rules

    rules = make_rules(repair_rule or ())
    plan = Resampling(resamples, seed) if resamples else None
    check_html(html, legacy)
    check_plot(plot)
    check_detail(detail)
    if config is not None:
        from crosspro.evaluation.released.apt.bridge import (
            lists_of_config,
            paths_of_config,
            settings_of_config,
        )
        from crosspro.evaluation.released.apt.config import read_config

        if legacy:
            refuse_others(context, ("config", "legacy", "output"), "--config with --legacy")
            _run_released(read_config(config), output)
            return
        refuse_others(context, _WITH_CONFIG, "--config (the INI file says the rest)")
        read = read_config(config)
        paths = paths_of_config(read, lenient, doc_ids, doc_starts)
        lists: PronounLists | None = lists_of_config(read)
        settings = settings_of_config(read, rules)
        problems: list[Problem] = []
        if repair_rule and settings.repair is None:
            raise typer.BadParameter("--repair-rule: this INI file has no dictionary to repair by")
    else:
        if legacy:
            refuse_others(context, _WITH_LEGACY, "--legacy")
        links = (links_reference, links_candidate)
        paths = input_paths(
            source,
            reference,
            candidate,
            *links,
            doc_ids,
            doc_starts,
            lenient,
            tokens,
            tokenised,
        )
        settings = _settings(weights, discard, probabilities, other, rules if repair else None)
        lists, problems = lists_of_files(pronouns, paths)
    settings.check()
    _check_together(context, start, repair, paths.tokens is not None)
    if legacy:
        _released_from_options(paths, lists, problems, settings, start, output)
        return
    check_layout(context, layout, ("matrix", "signatures"))
    check_outputs(html, plot, detail, items_file, output)
    named([str(path) for path in paths.candidates], name)
    align = AlignWith(align_with, align_prior, symmetrisation)
    evaluation, data = _evaluate(paths, lists, problems, align, settings, plan, start, name)
    style = style_of(output, layout, signatures)
    files = (detail, html, items_file, plot)
    _write(evaluation, data, layout, style, matrix, files, max_examples, output)


def _check_together(context: typer.Context, start: Start, repair: bool, tokens: bool) -> None:
    """Raise if options were given of which one would have no effect."""
    refuse_pairs(context, [("doc_ids", "doc_starts")])
    given = given_options(context)
    if start is Start.REFERENCE:
        if tokens:
            raise typer.BadParameter("--from reference: no list of source tokens")
        if "repair_rule" in given or ("repair" in given and repair):
            raise typer.BadParameter("--from reference: links are not repaired")
    if "repair_rule" in given and not repair:
        raise typer.BadParameter("--no-repair: no --repair-rule")


def _settings(
    weights: str, discard: str, probabilities: bool, other: Others, rules: object
) -> AptSettings:
    from crosspro.evaluation.metrics.apt.repair import RepairRules
    from crosspro.evaluation.metrics.apt.score import AptSettings

    try:
        numbers = tuple(float(item) for item in weights.split(","))
        cases = frozenset(int(item) for item in discard.split(",") if item.strip())
    except ValueError:
        raise typer.BadParameter("--weights and --discard: numbers with commas") from None
    assert rules is None or isinstance(rules, RepairRules)  # noqa: S101 - for the type checker
    return AptSettings(numbers, cases, probabilities, other.value, rules)


def _evaluate(
    paths: InputPaths,
    lists: PronounLists | None,
    problems: list[Problem],
    align: AlignWith,
    settings: AptSettings,
    plan: Resampling | None,
    start: Start,
    names: list[str] | None,
) -> tuple[AptEvaluation, MtInput]:
    from dataclasses import replace

    from crosspro.evaluation.inputs.inputs import read_input
    from crosspro.evaluation.metrics.apt.score import evaluate_apt

    data = renamed(read_input(paths, lists, align, tell, problems), names)
    assert lists is not None  # noqa: S101 - else there were problems
    settings = replace(settings, links=data.links, tokens=paths.tokens is not None)
    evaluation = evaluate_apt(
        data.source,
        data.reference,
        data.candidates,
        lists,
        settings,
        plan,
        data.documents,
        data.anchors,
        start.value,
    )
    evaluation = replace(evaluation, warnings=(*data.warnings, *evaluation.warnings))
    for warning in evaluation.warnings:
        tell(f"warning: {warning}")
    return evaluation, data


def _write(
    evaluation: AptEvaluation,
    data: MtInput,
    layout: TableLayout,
    style: Style,
    matrix: bool,
    files: tuple[Path | None, Path | None, Path | None, Path | None],
    max_examples: int,
    output: Path | None,
) -> None:
    """Write everything that was asked for, once all is there: details, page, items, figure."""
    detail, html, items_file, plot = files
    from crosspro.evaluation.metrics.apt.report import (
        csv_report,
        detail_json,
        detail_tsv,
        json_report,
        text_report,
    )

    def page() -> str:
        from crosspro.evaluation.metrics.apt.page import apt_page

        return apt_page(evaluation, data.documents, max_examples)

    def details() -> str:
        is_json = detail is not None and detail.suffix == ".json"
        return detail_json(evaluation) if is_json else detail_tsv(evaluation)

    def items() -> str:
        from crosspro.evaluation.human.items import items_text
        from crosspro.evaluation.human.metric_items import apt_items

        return items_text(apt_items(evaluation, data.documents))

    def figure() -> str:
        from crosspro.evaluation.metrics.apt.distribution import case_figure

        return case_figure(evaluation)

    texts = {
        TableLayout.TABLE: lambda: text_report(evaluation, matrix, style),
        TableLayout.MARKDOWN: lambda: text_report(evaluation, matrix, style),
        TableLayout.JSON: lambda: json_report(evaluation),
        TableLayout.CSV: lambda: csv_report(evaluation),
    }
    signature = evaluation.results[0].score.signature
    made = {html: page, detail: details, items_file: items, plot: figure}
    write_reports(layout, texts, made, output, signature)


def _run_released(config: ReleasedConfig, output: Path | None = None) -> None:
    """Write both files of the released tool, under the stem of the INI file or of -o."""
    from crosspro.data_prep.core.files.textfile import write_text
    from crosspro.evaluation.released.apt.tool import run_released

    stem = config.output if output is None else str(output)
    detail, score = (Path(f"{stem}.{kind}") for kind in ("detail", "score"))
    check_outputs(detail, score)
    files = run_released(config)
    write_text(detail, files.detail)
    write_text(score, files.score)
    write_output(files.stdout.encode("utf-8"), None)


def _released_from_options(
    paths: InputPaths,
    lists: PronounLists | None,
    problems: list[Problem],
    settings: AptSettings,
    start: Start,
    output: Path | None,
) -> None:
    """The released tool's result for files given as options: the score file, and with -o both.

    There is no detail file of scores that start from the reference.
    """
    from crosspro.evaluation.inputs.linked_text import raise_problems
    from crosspro.evaluation.released.apt.bridge import config_of_settings
    from crosspro.evaluation.released.apt.config import texts_of
    from crosspro.evaluation.released.apt.reference import score_from_reference
    from crosspro.evaluation.released.apt.tool import read_translated, run_released

    links = paths.links_reference, *paths.links_candidates
    if None in links or len(links) != 2 or len(paths.candidates) != 1:
        raise typer.BadParameter("--legacy: one candidate, and both link files")
    if settings.others == "missing":
        raise typer.BadParameter("--legacy: --other different or equal")
    if lists is None:
        texts_of((paths.source, *([paths.tokens] if paths.tokens else [])), problems)
        for text, own in zip((paths.reference, *paths.candidates), links, strict=True):
            read_translated(text, own or Path(), problems)
        raise_problems(problems)
    assert lists is not None  # noqa: S101 - else there were problems
    config = config_of_settings(paths, lists, settings, "")
    if start is Start.REFERENCE:
        score = None if output is None else Path(f"{output}.score")
        check_outputs(score)
        write_output(score_from_reference(config).encode("utf-8"), score)
    elif output is not None:
        _run_released(config, output)
    else:
        write_output(run_released(config).score.encode("utf-8"), None)


if __name__ == "__main__":
    run(app)
