"""Score systems on contrastive sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crosspro.scripts.common import (
    App,
    Candidates,
    Detail,
    Html,
    Layout,
    NamedFile,
    Output,
    Resamples,
    ScoredRuns,
    ScoreFiles,
    Seed,
    TableLayout,
    check_suffix,
    names_of,
    one_run,
    resampling,
    tell,
    write_evaluation,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
    from crosspro.evaluation.metrics.contrastive.metric import SystemScores

app = App(no_args_is_help=True)

AllowUnknown = Annotated[
    bool, typer.Option("--allow-unknown", help="Accept unknown distances and segments.")
]


@app.callback()
def contrastive() -> None:
    """Score systems on contrastive sets."""


@app.command(epilog="Example: crosspro contrastive score set.json scores.txt --html page.html")
def score(
    test_set: Annotated[
        Path, typer.Argument(metavar="SET", help="JSON: ContraPro or the large en-fr set.")
    ],
    scores: ScoreFiles = None,
    model: ScoredRuns = None,
    annotator: Annotated[
        str, typer.Option(help="For --model: lemmas and tags, as in `crosspro prepare`.")
    ] = "auto",
    maximise: Annotated[
        bool, typer.Option("--maximise", help="In files higher scores are better; else lower.")
    ] = False,
    allow_unknown: AllowUnknown = False,
    write_scores: Annotated[
        Path | None,
        typer.Option(
            writable=True, dir_okay=False, help="Write the scores of a single --model here."
        ),
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    detail: Detail = None,
    output: Output = None,
) -> None:
    """Score systems on a contrastive set.

    Accuracy in total, by pronoun, by antecedent in the same or an earlier segment and by distance,
    with 95% intervals by document; paired tests between systems. A system is right where it scores
    the reference strictly better than every error.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive.formats import read_contrastive
    from crosspro.evaluation.metrics.contrastive.metric import (
        Contrastive,
        ContrastiveSettings,
        ScoredSet,
    )

    check_suffix("--detail", detail, ".tsv", ".json")
    files, models = scores or [], model or []
    runs = [one_run(system.path) for system in models]
    if not files and not runs:
        raise typer.BadParameter("give a file of scores, or a system with --model")
    if write_scores is not None and len(runs) != 1:
        raise typer.BadParameter("--write-scores needs exactly one --model")
    if not runs and annotator != "auto":
        raise typer.BadParameter("--annotator belongs to --model")
    if maximise and not files:
        raise typer.BadParameter("--maximise is about files of scores; a --model gives -log p")
    instances = read_contrastive(test_set, allow_unknown=allow_unknown)
    systems = _systems(instances, files, runs, annotator, maximise)
    names = names_of([*files, *models], [system.name for system in systems])
    systems = [replace(system, name=name) for system, name in zip(systems, names, strict=True)]
    if write_scores is not None:
        lines = "".join(f"{value!r}\n" for value in systems[-1].values.tolist())
        write_output(lines.encode("ascii"), write_scores)
    metric = Contrastive(ContrastiveSettings())
    data = ScoredSet(instances, tuple(systems))
    evaluation = evaluate(metric, data, resampling(resamples, seed))
    write_evaluation(evaluation, layout, output, html, detail)


def _systems(
    test_set: ContrastiveSet,
    scores: Sequence[NamedFile],
    runs: list[Path],
    annotator: str,
    maximise: bool,
) -> list[SystemScores]:
    from crosspro.evaluation.metrics.contrastive.metric import read_scores

    systems = read_scores([file.path for file in scores], test_set, maximise)
    if runs:
        from crosspro.prediction.contrastive import scores_of_runs

        taken = [system.name for system in systems]
        systems += scores_of_runs(runs, test_set, annotator, taken, tell)
    return systems


@app.command(
    epilog="Example: crosspro contrastive generate set.json --candidate output.txt --language fr"
)
def generate(
    test_set: Annotated[
        Path, typer.Argument(metavar="SET", help="JSON: ctxpro, ContraPro, large en-fr set.")
    ],
    candidate: Candidates,
    language: Annotated[
        str, typer.Option("--language", "-l", help="The language of the translations.")
    ],
    separator: Annotated[
        list[str] | None,
        typer.Option(help="What joins the sentences of an output (repeat); <eos> and <sep>."),
    ] = None,
    part: Annotated[
        int, typer.Option(help="Which of these is scored: 1 the first, -1 the last.")
    ] = -1,
    match: Annotated[
        Literal["words", "released"],
        typer.Option(help="How forms are found: as words, or as ctxpro's released tool does."),
    ] = "words",
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Count an output without that part as wrong.")
    ] = False,
    allow_unknown: AllowUnknown = False,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    detail: Detail = None,
    output: Output = None,
) -> None:
    """Score translations, a line an instance, on a context set.

    An instance is right where the expected form is a word of the translated sentence. Accuracy in
    total, by pronoun, gender, rule, antecedent and distance, with 95% intervals by document; how
    often a rival form is there instead, or neither; paired tests between systems.
    """
    check_suffix("--detail", detail, ".tsv", ".json")
    if part == 0:
        raise typer.BadParameter("--part: 1 is the first part and -1 the last")
    if any(not text.strip() for text in separator or ()):
        raise typer.BadParameter("--separator: at least one character")
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
    from crosspro.evaluation.metrics.expected_forms.metric import (
        ExpectedForms,
        ExpectedFormsSettings,
        GeneratedSet,
    )
    from crosspro.evaluation.metrics.expected_forms.outputs import SEPARATORS, read_outputs

    settings = ExpectedFormsSettings(language, tuple(separator or SEPARATORS), part, match)
    instances = read_expected(test_set, language, allow_unknown=allow_unknown)
    paths = [file.path for file in candidate]
    systems = read_outputs(paths, instances, settings.separators, part, lenient=lenient)
    names = names_of(candidate, [system.name for system in systems])
    systems = [replace(system, name=name) for system, name in zip(systems, names, strict=True)]
    data = GeneratedSet(instances, tuple(systems))
    evaluation = evaluate(ExpectedForms(settings), data, resampling(resamples, seed))
    write_evaluation(evaluation, layout, output, html, detail)
