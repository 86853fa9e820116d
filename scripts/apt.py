"""Score how accurately MT output translates pronouns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.evaluation.metrics.apt.settings import AptSettings
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.html_options import ItemsFile, Plot, check_html, check_plot
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    LinkedFiles,
    Outputs,
    Resampled,
    VariadicCommand,
    check_outputs,
    judged_items,
    lists_of_files,
    refuse_others,
    refuse_pairs,
)
from crosspro.scripts.options import given_options, write_output

if TYPE_CHECKING:
    from crosspro.evaluation.core.evaluation import Evaluation
    from crosspro.evaluation.inputs.mt_input import InputPaths
    from crosspro.evaluation.inputs.pronoun_lists import PronounLists
    from crosspro.evaluation.released.apt.config import ReleasedConfig

_TEXTS = ("source", "reference", "candidate", "links", "candidate_links", "pronouns", "tokens")
_COUNTED = ("weights", "discard", "others", "repair")
_ALIGNED = ("align_with", "align_prior", "symmetrisation", "tokenised", "align_sentences")
_SAID_BY_CONFIG = frozenset((*_TEXTS, *_COUNTED, *_ALIGNED, "probabilities", "legacy"))
_WITH_LEGACY = frozenset((*_TEXTS, *_COUNTED, "legacy", "start", "output"))

app = command_app()


@app.command(
    cls=VariadicCommand,
)
@expanded
def apt(
    context: typer.Context,
    files: LinkedFiles,
    settings: AptSettings,
    resampled: Resampled,
    outputs: Outputs,
    config: Annotated[
        Path | None, typer.Option(help="Instead of these: an INI file of the released tool.")
    ] = None,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Exactly as the released tool; -o gives the stem.")
    ] = False,
    tokens: Annotated[
        Path | None, typer.Option(help="Score only these: `line position`, both from 0.")
    ] = None,
    matrix: Annotated[bool, typer.Option(help="Show the matrix.")] = True,
    plot: Plot = None,
    items_file: ItemsFile = None,
) -> None:
    """Score how accurately MT output translates pronouns.

    APT compares what each source pronoun became in the candidate and in the reference: the same
    (case 1), equivalent (2), different (3), or missing in the candidate (4), in the reference (5)
    or in both (6). Without links, they are made here, and text that does not look tokenised is cut
    into words first, as `crosspro report` does it. --plot draws the distribution of the cases,
    with and without the repair of links.
    """
    check_html(outputs.html, legacy)
    check_plot(plot)
    given = given_options(context)
    lists: PronounLists | None = None
    if config is not None:
        from crosspro.evaluation.released.apt import bridge
        from crosspro.evaluation.released.apt.config import read_config

        if legacy:
            refuse_others(context, ("config", "legacy", "output"), "--config with --legacy")
            _run_released(read_config(config), outputs.output)
            return
        refuse_others(
            context, given.keys() - _SAID_BY_CONFIG, "--config (the INI file says the rest)"
        )
        read = read_config(config)
        paths = bridge.paths_of_config(read, files.lenient, files.doc_ids, files.doc_starts)
        lists = bridge.lists_of_config(read)
        settings = bridge.settings_of_config(read, settings)
        if "rules" in given and not settings.repair:
            raise typer.BadParameter("--repair-rule: this INI file has no dictionary to repair by")
    else:
        if legacy:
            refuse_others(context, _WITH_LEGACY, "--legacy")
        paths = files.paths(tokens)
    settings.check()
    refuse_pairs(context, [("doc_ids", "doc_starts")])
    if settings.start == "reference":
        if paths.tokens is not None:
            raise typer.BadParameter("--from reference: no list of source tokens")
        if "rules" in given or ("repair" in given and settings.repair):
            raise typer.BadParameter("--from reference: links are not repaired")
    if "rules" in given and not settings.repair:
        raise typer.BadParameter("--no-repair: no --repair-rule")
    if legacy:
        _released_from_options(paths, files.pronouns, settings, outputs.output)
        return
    outputs.check(context, ("matrix",), (plot, items_file))
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.apt.metric import Apt

    evaluation = evaluate(Apt(settings), files.read(paths, lists), resampled.plan)
    more = {items_file: lambda: judged_items(evaluation), plot: lambda: _figure(evaluation)}
    outputs.write(evaluation, ("matrix",) if matrix else (), more)


def _figure(evaluation: Evaluation) -> str:
    from crosspro.evaluation.output.page import evaluation_figure

    return evaluation_figure(evaluation)


def _run_released(config: ReleasedConfig, output: Path | None = None) -> None:
    """Write both files of the released tool, under the stem of the INI file or of -o."""
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.released.apt.tool import run_released

    stem = config.output if output is None else str(output)
    detail, score = (Path(f"{stem}.{kind}") for kind in ("detail", "score"))
    check_outputs(detail, score)
    files = run_released(config)
    write_text(detail, files.detail)
    write_text(score, files.score)
    write_output(files.stdout.encode("utf-8"), None)


def _released_from_options(
    paths: InputPaths, pronouns: str | None, settings: AptSettings, output: Path | None
) -> None:
    """The released tool's result for files given as options: the score file, and with -o both.

    There is no detail file of scores that start from the reference.
    """
    from crosspro.evaluation.inputs.linked_text import raise_problems
    from crosspro.evaluation.released.apt.bridge import config_of_settings
    from crosspro.evaluation.released.apt.config import texts_of
    from crosspro.evaluation.released.apt.tool import (
        read_translated,
        run_released,
        score_from_reference,
    )

    links = paths.links_reference, *paths.links_candidates
    if None in links or len(links) != 2 or len(paths.candidates) != 1:
        raise typer.BadParameter("--legacy: one candidate, and both link files")
    if settings.others == "missing":
        raise typer.BadParameter("--legacy: --other different or equal")
    lists, problems = lists_of_files(pronouns, paths)
    if lists is None:
        texts_of((paths.source, *([paths.tokens] if paths.tokens else [])), problems)
        for text, own in zip((paths.reference, *paths.candidates), links, strict=True):
            read_translated(text, own or Path(), problems)
        raise_problems(problems)
    assert lists is not None  # noqa: S101 - else there were problems
    config = config_of_settings(paths, lists, settings, "")
    if settings.start == "reference":
        score = None if output is None else Path(f"{output}.score")
        check_outputs(score)
        write_output(score_from_reference(config).encode("utf-8"), score)
    elif output is not None:
        _run_released(config, output)
    else:
        write_output(run_released(config).score.encode("utf-8"), None)


if __name__ == "__main__":
    run(app)
