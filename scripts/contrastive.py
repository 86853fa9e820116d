"""Score systems on contrastive sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from crosspro.scripts.common import (
    App,
    Html,
    JsonFile,
    NamedFile,
    Resamples,
    named_path,
    names_of,
    one_run,
    resampling_of,
    show_evaluation,
    tell,
)

app = App()


@app.command(epilog="Example: crosspro contrastive contrapro.json --model en-de --html page.html")
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
        typer.Option(
            metavar="[NAME=]RUN",
            parser=named_path,
            help="A run or archive that scores by probabilities (repeatable).",
        ),
    ] = None,
    candidate: Annotated[
        list[NamedFile] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            parser=named_path,
            help="Translations of the instances, a line each (repeatable).",
        ),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", "-l", help="Of translations; else the end of their name.")
    ] = "",
    match: Annotated[
        Literal["words", "released"],
        typer.Option(help="How translations are searched: as words, or as ctxpro's tool does."),
    ] = "words",
    resamples: Resamples = 1000,
    html: Html = None,
    json: JsonFile = None,
) -> None:
    """Score systems on a contrastive set: files of scores, models, or translations.

    A system that scores the reference and its errors is right where the reference is strictly
    better than every error. Translations (--candidate) are right where the expected form is a word
    of them. Accuracy in total, by pronoun, antecedent, distance, rule and gender, with 95%
    intervals by document; paired tests between systems.
    """
    from crosspro.evaluation.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive import Contrastive
    from crosspro.evaluation.metrics.expected_forms import ExpectedForms, ExpectedFormsSettings

    metric: Any
    if candidate and not (scores or model):
        language = language or _language_of(candidate)
        metric = ExpectedForms(ExpectedFormsSettings(language, match))
        data: Any = _translations(test_set, candidate, language)
    elif (scores or model) and not candidate:
        metric, data = Contrastive(None), _scores(test_set, scores or [], model or [], maximise)
    else:
        raise typer.BadParameter("give files of scores and --model, or translations: --candidate")
    show_evaluation(evaluate(metric, data, resampling_of(resamples)), html, json, "instances")


def _language_of(files: Sequence[NamedFile]) -> str:
    """The language of translations: the end of their names, .fr or .fr.xz."""
    names = [file.path.name.removesuffix(".xz").removesuffix(".gz") for file in files]
    endings = {name.rpartition(".")[2] for name in names}
    language = endings.pop()
    if endings or not (language.isalpha() and len(language) in (2, 3)):
        raise typer.BadParameter("--language: whose words the translations have, such as fr")
    return language


def _scores(
    test_set: Path, files: Sequence[NamedFile], models: Sequence[NamedFile], maximise: bool
) -> Any:
    from crosspro.evaluation.metrics.contrastive import ScoredSet, SystemScores, read_scores
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
    return ScoredSet(instances, tuple(systems))


def _translations(test_set: Path, files: Sequence[NamedFile], language: str) -> Any:
    from crosspro.evaluation.metrics.expected_forms import (
        GeneratedSet,
        read_expected,
        read_translations,
    )

    instances = read_expected(test_set, language)
    names = names_of(files, [file.path.stem for file in files])
    translations = {
        name: read_translations(file.path, instances)
        for name, file in zip(names, files, strict=True)
    }
    return GeneratedSet(instances, translations)
