"""Score how accurately MT output translates pronouns."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from data_prep.errors import InputError, Problem
from scripts.crosspro import command_app, run
from scripts.html_options import MOST_EXAMPLES, Html, MaxExamples, check_html
from scripts.mt_options import (
    AlignPrior,
    AlignWithOption,
    Candidates,
    DocIdsOption,
    DocStarts,
    Json,
    Lenient,
    LinksCandidates,
    LinksReference,
    Pronouns,
    Reference,
    Resamples,
    Seed,
    Source,
    VariadicCommand,
    required,
    tell,
)
from scripts.options import Output, write_output

if TYPE_CHECKING:
    from evaluation.apt.legacy_config import LegacyConfig
    from evaluation.apt.score import AptEvaluation, AptSettings
    from evaluation.mt_input import AlignWith, InputPaths, MtInput
    from evaluation.pronoun_lists import PronounLists
    from evaluation.significance import Resampling


class Others(StrEnum):
    """What two words that are no pronouns of the list are to each other."""

    DIFFERENT = "different"
    EQUAL = "equal"
    MISSING = "missing"


class Start(StrEnum):
    """Where the pronouns that are scored come from."""

    SOURCE = "source"
    REFERENCE = "reference"


app = command_app()


@app.command(cls=VariadicCommand)
def apt(
    source: Source = None,
    reference: Reference = None,
    candidate: Candidates = None,
    links_reference: LinksReference = None,
    links_candidate: LinksCandidates = None,
    pronouns: Pronouns = "en-fr",
    config: Annotated[
        Path | None, typer.Option(help="Instead of these: an INI file of the released tool.")
    ] = None,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Exactly as the released tool; -o gives the stem.")
    ] = False,
    weights: Annotated[str, typer.Option(help="Weights of the six cases.")] = "1,0.5,0,0,0,0",
    discard: Annotated[str, typer.Option(help="Cases left out, such as 5,6.")] = "",
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Weigh equivalents by their probability.")
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
    doc_ids: DocIdsOption = None,
    doc_starts: DocStarts = None,
    align_with: AlignWithOption = None,
    align_prior: AlignPrior = None,
    lenient: Lenient = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    json: Json = False,
    detail: Annotated[
        Path | None, typer.Option(help="Write every occurrence here: .tsv or .json.")
    ] = None,
    matrix: Annotated[bool, typer.Option(help="Show the matrix.")] = True,
    html: Html = None,
    max_examples: MaxExamples = MOST_EXAMPLES,
    output: Output = None,
) -> None:
    """Score how accurately MT output translates pronouns.

    APT compares what each source pronoun became in the candidate and in the reference: the same
    (case 1), equivalent (2), different (3), or missing in the candidate (4), in the reference (5)
    or in both (6). Without links, they are made here.
    """
    from evaluation.apt.repair import make_rules
    from evaluation.mt_input import AlignWith, InputPaths
    from evaluation.significance import Resampling

    rules = make_rules(repair_rule or ())
    plan = Resampling(resamples, seed) if resamples else None
    if detail is not None and detail.suffix not in (".tsv", ".json"):
        raise typer.BadParameter("--detail: a file whose name ends in .tsv or .json")
    check_html(html, legacy)
    if config is not None:
        from evaluation.apt.legacy_bridge import (
            lists_of_config,
            paths_of_config,
            settings_of_config,
        )
        from evaluation.apt.legacy_config import read_config

        if source or reference or candidate:
            raise typer.BadParameter("--config names the files: give no --source or the like")
        read = read_config(config)
        if legacy:
            _run_legacy(read)
            return
        paths = paths_of_config(read, lenient)
        lists: PronounLists | None = lists_of_config(read)
        settings = settings_of_config(read, rules)
        problems: list[Problem] = []
    else:
        required(source=source, reference=reference, candidate=candidate)
        assert source and reference and candidate  # noqa: S101 - for the type checker
        paths = InputPaths(
            source,
            reference,
            tuple(candidate),
            links_reference,
            tuple(links_candidate or ()),
            doc_ids,
            doc_starts,
            tokens,
            lenient,
        )
        settings = _settings(weights, discard, probabilities, other, rules if repair else None)
        lists, problems = _lists(pronouns)
    settings.check()
    if legacy:
        _legacy_from_options(paths, lists, problems, settings, start, output)
        return
    align = AlignWith(align_with, align_prior)
    evaluation, data = _evaluate(paths, lists, problems, align, settings, plan, start)
    if html is not None:
        from evaluation.mt_report.apt import apt_page

        page = apt_page(evaluation, data.documents, max_examples)
        write_output(page.encode("utf-8"), html)
    _write(evaluation, json, matrix, detail, output)


def _lists(name: str) -> tuple[PronounLists | None, list[Problem]]:
    """The lists, or what is wrong with them, to be shown with the problems of other files."""
    from evaluation.pronoun_lists import load_lists

    try:
        return load_lists(name), []
    except InputError as error:
        return None, error.problems


def _settings(
    weights: str, discard: str, probabilities: bool, other: Others, rules: object
) -> AptSettings:
    from evaluation.apt.repair import RepairRules
    from evaluation.apt.score import AptSettings

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
) -> tuple[AptEvaluation, MtInput]:
    from dataclasses import replace

    from evaluation.apt.score import evaluate_apt
    from evaluation.mt_input import read_input

    data = read_input(paths, lists, align, tell, problems)
    assert lists is not None  # noqa: S101 - else there were problems
    settings = replace(settings, links=data.links, tokens=paths.tokens.name if paths.tokens else "")
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
    for warning in evaluation.warnings:
        tell(f"warning: {warning}")
    return evaluation, data


def _write(
    evaluation: AptEvaluation, json: bool, matrix: bool, detail: Path | None, output: Path | None
) -> None:
    from data_prep.textfile import write_text
    from evaluation.apt.report import detail_json, detail_tsv, json_report, text_report

    if detail is not None:
        write = detail_json if detail.suffix == ".json" else detail_tsv
        write_text(detail, write(evaluation))
    text = json_report(evaluation) if json else text_report(evaluation, matrix)
    write_output(text.encode("utf-8"), output)


def _run_legacy(config: LegacyConfig) -> None:
    from data_prep.textfile import write_text
    from evaluation.apt.legacy import run_legacy

    files = run_legacy(config)
    write_text(Path(f"{config.output}.detail"), files.detail)
    write_text(Path(f"{config.output}.score"), files.score)
    write_output(files.stdout.encode("utf-8"), None)


def _legacy_from_options(
    paths: InputPaths,
    lists: PronounLists | None,
    problems: list[Problem],
    settings: AptSettings,
    start: Start,
    output: Path | None,
) -> None:
    """The released tool's result for files given as options: the score file, and with -o both."""
    from evaluation.apt.legacy import run_legacy
    from evaluation.apt.legacy_bridge import config_of_settings
    from evaluation.apt.legacy_reference import score_from_reference

    if lists is None:
        raise InputError(problems)
    links = paths.links_reference is not None and len(paths.links_candidates) == 1
    if not links or len(paths.candidates) != 1:
        raise typer.BadParameter("--legacy: one candidate, and both link files")
    config = config_of_settings(paths, lists, settings, output or Path())
    if start is Start.REFERENCE:
        write_output(score_from_reference(config).encode("utf-8"), output)
        return
    if output is not None:
        _run_legacy(config)
        return
    write_output(run_legacy(config).score.encode("utf-8"), None)


if __name__ == "__main__":
    run(app)
