"""Pre-train a network on text whose pronouns are hidden.

`train.py system.init_from=RUN` begins with what it learnt.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import choices, counted, input_error
from crosspro.data_prep.core.files import check_new_folder, make_folder
from crosspro.scripts.common import App, Jobs, TaskName, output_folder, tell
from crosspro.scripts.steps import step_display

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from crosspro.data_prep.core.example import AnnotatedSentence, Example
    from crosspro.prediction.neural.system import NeuralSystem

app = App()

RECIPES = CONF_DIR / "pretraining"
_RECIPE = "recipe"
"""The setting in run.json by which a pre-training is known."""
Recipe = Annotated[
    str,
    typer.Option("--recipe", help="Settings: a name in conf/pretraining."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting (trainer.max_epochs=8)."),
]


@app.callback()
def pretrain() -> None:
    """Pre-train a network on text whose pronouns are hidden.

    `encode` makes what is learnt from, without a GPU; `learn` trains, and goes on where it was
    stopped.
    """


@app.command(epilog="Example: crosspro pretrain learn encoded -o pretrained")
def learn(
    data: Annotated[Path, typer.Argument(help="A folder that `crosspro pretrain encode` made.")],
    output: Annotated[Path, output_folder("Folder of the run, for system.init_from of train.")],
    recipe: Recipe = "small_documents",
    changes: Changes = None,
) -> None:
    """Pre-train; a run that was stopped goes on if it is started again.

    Lexicons and units are those of the folder.
    """
    from crosspro.data_prep.core.settings import to_mapping
    from crosspro.prediction import runs
    from crosspro.prediction.neural.pretraining_set import load_pretraining_set, settings_of_set

    system = _system(recipe, changes or [], settings_of_set(data))
    loaded = load_pretraining_set(data, system)
    earlier = runs.find_run(output)
    if earlier is not None and _RECIPE not in earlier.configuration.settings:
        expected = "a new folder, or that of a pre-training"
        raise input_error(output, "output", expected, f"a run of {earlier.system}")
    tell(f"{data}: {len(loaded.data.train):,} gaps for {loaded.task.name}")
    make_folder(output)
    settings = {_RECIPE: recipe, "held_out": loaded.held_out, **to_mapping(system.settings)}
    record = runs.Run(
        status="running",
        task=loaded.task.name,
        system=system.name,
        seed=system.settings.seed,
        versions=runs.versions(),
        commit=runs.checkout_commit(),
        times=earlier.times if earlier else runs.Times(runs.now()),
        data=loaded.files,
        configuration=runs.Configuration({}, tuple(changes or ()), settings),
    )
    if earlier is None:  # what goes on from other settings is refused, and its record stays
        runs.write_run(output, record)
    start = time.monotonic()
    system.fit_encoded(loaded.task, loaded.encoder, loaded.data, output)
    # The seconds of a run that was stopped in between are unknown.
    seconds = None if earlier else round(time.monotonic() - start, 3)
    times = runs.Times(record.times.started, runs.now(), seconds)
    system.save(output / "model")
    report = system.report
    fit = dict(report.figures) if report else None
    runs.write_run(output, replace(record, status="complete", times=times, fit=fit))
    tell(f"{output}: {report.summary}" if report else str(output))
    for warning in report.warnings if report else ():
        tell(warning)


def _system(
    recipe: str, changes: Sequence[str], settings: Mapping[str, Any] | None = None
) -> NeuralSystem:
    """The system of a recipe with settings by their keys, and with changes."""
    from omegaconf import OmegaConf

    from crosspro.data_prep.core.settings import check_settings
    from crosspro.prediction.neural.system import NeuralSystem
    from crosspro.prediction.neural.training.settings import NeuralSettings

    overrides = [f"{key}={json.dumps(value)}" for key, value in (settings or {}).items()]
    config = OmegaConf.to_object(recipe_config(recipe, [*overrides, *changes]))
    return NeuralSystem(**vars(check_settings(NeuralSettings, config, recipe)))


def recipe_config(recipe: str, overrides: Sequence[str] = ()) -> DictConfig:
    """The settings of a recipe, as Hydra composes them; its defaults are those of the package."""
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException

    try:
        with initialize_config_dir(str(RECIPES), version_base="1.3"):
            return compose(recipe, [f"++{setting}" for setting in overrides])
    except HydraException as error:
        names = choices(sorted(path.stem for path in RECIPES.glob("*.yaml")))
        reason = " ".join(f"{error} {error.__cause__ or ''}".split())
        expected = f"{names}, and NAME=VALUE"
        raise input_error("settings", f"--recipe {recipe}, --set", expected, reason) from error


@app.command(
    epilog="Example: crosspro pretrain encode --task en-fr --data train.data --text novels -o "
    "encoded"
)
def encode(
    task: TaskName,
    output: Annotated[Path, output_folder("Folder to make.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(help="A prepared data file of this task (repeat)."),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option("--text", help="Text of the target language, a sentence a line (repeat)."),
    ] = None,
    doc_ids: Annotated[
        list[Path] | None,
        typer.Option(help="Document ids, one line per line of a text (repeat for each)."),
    ] = None,
    unseen: Annotated[
        list[Path] | None,
        typer.Option(
            help="A development or test set with its gold words, as --data: lines that say the "
            "same on either side are left out, and documents with many of them (repeat).",
        ),
    ] = None,
    annotator: Annotated[
        str, typer.Option(help="Of texts, for lemmatised tasks: auto, spacy:MODEL, hanta …")
    ] = "auto",
    held_out: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Share of the lines to choose an epoch by.")
    ] = 0.005,
    recipe: Recipe = "small_documents",
    changes: Changes = None,
    jobs: Jobs = 1,
) -> None:
    """Make what a pre-training learns from: prepared bitext and text of the target language.

    The gaps of the task itself are left to fine-tuning.
    """
    from crosspro.data_prep.annotate.corpus import AnnotationSettings, annotate_shards
    from crosspro.data_prep.annotate.layers import layers_beside, read_layered
    from crosspro.data_prep.core.task import load_task
    from crosspro.data_prep.formats.shared_task import refuse_other_forms
    from crosspro.data_prep.pipeline.self_labels import (
        SelfLabels,
        TargetText,
        read_target_text,
        self_labelled,
    )
    from crosspro.data_prep.pipeline.sets.overlap import line_digests, refuse_blind
    from crosspro.data_prep.pipeline.sets.splits import Contents, file_contents
    from crosspro.prediction.neural.pretraining_set import write_pretraining_set
    from crosspro.prediction.neural.reading.lexicon_fields import inflected_text

    rules = load_task(task)
    system = _system(recipe, changes or [])
    check_new_folder(output)
    data, texts, unseen = data or [], texts or [], unseen or []
    if not data and not texts:
        raise input_error("settings", "--data", "a data file, or a text (--text)", "none")
    if doc_ids and len(doc_ids) != len(texts):
        expected = f"one for each of {counted(len(texts), 'text')}"
        raise input_error("settings", "--doc-ids", expected, str(len(doc_ids)))
    refuse_other_forms((path, rules) for path in (*data, *unseen))
    beside = {path: (*layers_beside(path).files().values(),) for path in (*data, *unseen)}
    beside |= {path: (ids,) for path, ids in zip(texts, doc_ids or (), strict=False)}
    contents: list[Contents] = []
    left_out: set[bytes] = set()
    for path in unseen:
        lines = list(read_layered(path, rules))
        refuse_blind(path, lines)
        contents.append(file_contents("unseen", path, lines, beside[path]))
        left_out |= line_digests(lines)

    def report(path: Path, kept: Sequence[Example], others: int) -> None:
        labelled = _labelled(kept)
        left = sum(len(example.gaps) for example in kept) - labelled
        notes = [f"{labelled:,} pronouns"]
        notes += [f"{left:,} gaps left to fine-tuning"] if left else []
        notes += [f"{others:,} lines left out"] if left_out else []
        tell(f"{path}: {', '.join(notes)}")
        contents.append(file_contents("train", path, kept, beside.get(path, ())))

    annotation = AnnotationSettings(annotator, rules.target_language, rules.tagset, parse=False)
    cache = output.with_name(f"{output.name}.cache")
    with step_display() as show_step:

        def annotate(text: TargetText) -> Iterator[AnnotatedSentence]:
            return annotate_shards(annotation, text.sentences, cache, show_step, jobs=jobs)

        target_texts = [
            read_target_text(path, ids, rules.target_language)
            for path, ids in zip(texts, doc_ids or repeat(None), strict=False)
        ]
        train, dev = self_labelled(
            SelfLabels(rules), data, target_texts, annotate, left_out, held_out, report
        )
        for option, lines in (("--data or --text", train), ("--held-out", dev)):
            if not _labelled(lines):
                expected = f"pronouns of {rules.name} other than its gaps"
                raise input_error("settings", option, expected, "none")
        inflected = inflected_text(rules, train)
        if rules.tagged:
            sentences = chain.from_iterable(text.sentences for text in target_texts)
            inflected["target"] = rules.target_language, sentences
        sizes = write_pretraining_set(
            output, system, rules, train, dev, inflected, contents, held_out
        )
    tell(f"{output}: " + ", ".join(f"{count:,} {name}" for name, count in sizes.items()))


def _labelled(lines: Sequence[Example]) -> int:
    """How many pronouns of these have a label."""
    return sum(gap.label is not None for line in lines for gap in line.gaps)
