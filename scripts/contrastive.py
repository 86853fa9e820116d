"""Score systems on contrastive sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from crosspro.scripts.common import (
    App,
    JsonFile,
    NamedFile,
    Resamples,
    named_files,
    named_path,
    names_of,
    one_run,
    resampling_of,
    show_evaluation,
    tell,
)

app = App()


@app.command(epilog="Example: crosspro contrastive contrapro.json --model en-de")
def contrastive(
    test_set: Annotated[
        Path, typer.Argument(metavar="SET", help="JSON: ContraPro, the large en-fr set, ctxpro.")
    ],
    scores: Annotated[
        list[NamedFile] | None,
        typer.Argument(
            metavar="[NAME=]FILE...",
            parser=named_path,
            help="Scores: one a line, of the reference, then of each error.",
        ),
    ] = None,
    maximise: Annotated[
        bool, typer.Option("--maximise", help="In files higher scores are better; else lower.")
    ] = False,
    model: Annotated[
        list[NamedFile] | None,
        named_files(
            "--model", "A run or archive that scores by probabilities (repeatable).", "[NAME=]RUN"
        ),
    ] = None,
    candidate: Annotated[
        list[NamedFile] | None,
        named_files("--candidate", "Translations of the instances, a line each (repeatable)."),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", "-l", help="Of translations; else the end of their name.")
    ] = "",
    match: Annotated[
        Literal["words", "released"],
        typer.Option(help="How translations are searched: as words, or as ctxpro's tool does."),
    ] = "words",
    resamples: Resamples = 1000,
    json: JsonFile = None,
) -> None:
    """Score systems on a contrastive set: files of scores, models, or translations.

    A system that scores the reference and its errors is right where the reference is strictly
    better than every error. Translations (--candidate) are right where the expected form is a word
    of them. Accuracy in total, by pronoun, antecedent, distance, rule and gender, with 95%
    intervals by document; paired tests between systems.
    """
    from crosspro.evaluation.evaluation import evaluate

    if bool(candidate) == bool(scores or model):
        raise typer.BadParameter("give files of scores and --model, or translations: --candidate")
    if candidate:
        metric, data = _translations(test_set, candidate, language, match)
    else:
        metric, data = _scores(test_set, scores or [], model or [], maximise)
    show_evaluation(evaluate(metric, data, resampling_of(resamples)), None, json, "instances")


def _scores(
    test_set: Path, files: Sequence[NamedFile], models: Sequence[NamedFile], maximise: bool
) -> tuple[Any, Any]:
    from crosspro.evaluation.metrics.contrastive import (
        Contrastive,
        ScoredSet,
        SystemScores,
        read_scores,
    )
    from crosspro.evaluation.metrics.contrastive_sets import read_contrastive

    instances = read_contrastive(test_set)
    names = names_of([*files, *models], [file.path.stem for file in (*files, *models)])
    systems = [
        SystemScores(name, read_scores(file.path, instances), maximise)
        for name, file in zip(names, files, strict=False)
    ]
    if models:
        from crosspro.prediction.contrastive import scores_of_runs

        runs = [one_run(system.path) for system in models]
        systems += scores_of_runs(runs, names[len(files) :], instances, tell)
    return Contrastive(None), ScoredSet(instances, tuple(systems))


def _translations(
    test_set: Path, files: Sequence[NamedFile], language: str, match: Literal["words", "released"]
) -> tuple[Any, Any]:
    from crosspro.evaluation.metrics.expected_forms import (
        ExpectedForms,
        ExpectedFormsSettings,
        GeneratedSet,
        read_expected,
        read_translations,
    )
    from crosspro.evaluation.texts import language_of

    endings = {language_of(file.path) for file in files}
    language = language or (endings.pop() if len(endings) == 1 else "")
    if not language:
        raise typer.BadParameter("--language: whose words the translations have, such as fr")
    instances = read_expected(test_set, language)
    names = names_of(files, [file.path.stem for file in files])
    translations = {
        name: read_translations(file.path, instances)
        for name, file in zip(names, files, strict=True)
    }
    metric = ExpectedForms(ExpectedFormsSettings(language, match))
    return metric, GeneratedSet(instances, translations)
