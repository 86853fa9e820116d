"""Pre-train a network on text whose pronouns are hidden.

`train.py system.init_from=RUN` begins with what it learnt.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.errors import choices, input_error, quoted
from crosspro.data_prep.files.guard import guarded
from crosspro.data_prep.files.textfile import check_new_folder, make_folder
from crosspro.scripts.default_command import group_app
from crosspro.scripts.main import run
from crosspro.scripts.options import Jobs
from crosspro.scripts.steps import StepDisplay

if TYPE_CHECKING:
    from crosspro.data_prep.example import Example
    from crosspro.data_prep.sets.contents import Contents
    from crosspro.prediction.neural.system import NeuralSystem

app = group_app()

SETTINGS = CONF_DIR / "pretraining"
_RECIPE = "recipe"
"""The setting in run.json by which a pre-training is known."""
Recipe = Annotated[
    str,
    typer.Option("--recipe", help="Settings: a name in conf/pretraining, or a YAML file."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting (trainer.max_epochs=8)."),
]


@app.callback()
def pretrain() -> None:
    """Pre-train a network on text whose pronouns are hidden.

    `encode` makes what is learnt from, without a GPU; `learn` trains, and goes on where it was
    stopped. `crosspro pretrain FOLDER -o RUN` is short for `crosspro pretrain learn FOLDER -o RUN`.
    """


@app.command()
def learn(
    data: Annotated[Path, typer.Argument(help="A folder that `crosspro pretrain encode` made.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder of the run, for system.init_from of train."),
    ],
    recipe: Recipe = "small_documents",
    changes: Changes = None,
) -> None:
    """Pre-train; a run that was stopped goes on if it is started again.

    Lexicons and units are those of the folder.
    """
    from crosspro.prediction.fit_report import FEW_STEPS, FitReport
    from crosspro.prediction.neural.pretraining_set import load_pretraining_set
    from crosspro.prediction.runs import (
        Configuration,
        Run,
        Times,
        find_run,
        now,
        versions,
        write_run,
    )

    system = system_for_set(data, recipe, changes or [])
    loaded = load_pretraining_set(data, system)
    with guarded():  # its own record is no input: it is replaced
        earlier = find_run(output)
    if earlier is not None and _RECIPE not in earlier.configuration.settings:
        expected = "a new folder, or that of a pre-training"
        raise input_error(output, "output", expected, f"a run of {earlier.system}")
    _tell(f"{data}: {len(loaded.data.train.label):,} gaps for {loaded.task.name}")
    make_folder(output)
    origin = loaded.origin
    made = {"own_gaps": origin.own_gaps, "held_out": origin.held_out}
    asked = {_RECIPE: recipe, **made, **system.settings()}
    record = Run(
        status="running",
        task=loaded.task.name,
        system=system.name,
        seed=system.seed,
        versions=versions(),
        times=earlier.times if earlier else Times(now()),
        data=origin.files,
        configuration=Configuration({}, tuple(changes or ()), asked),
    )
    if earlier is None:  # what goes on from other settings is refused, and its record stays
        write_run(output, record)
    start = time.monotonic()
    system.fit_encoded(loaded.task, loaded.encoder, loaded.data, output)
    seconds = round(time.monotonic() - start, 3)
    system.save(output / "model")
    report = system.report
    # Nobody knows how long a run took that was stopped and gone on with.
    ended = Times(record.times.started, now(), None if earlier else seconds)
    fit = asdict(report) if report else None
    done = replace(record, status="complete", times=ended, versions=versions(), fit=fit)
    write_run(output, done)
    _tell(f"{output}: {report.told()}" if report else str(output))
    if isinstance(report, FitReport) and report.steps < FEW_STEPS:
        _tell(
            f"warning: training had {report.steps:,} steps in all, too few to learn much; more "
            "text, --set trainer.max_epochs=… or --set training.batch_size=… may help"
        )


@app.command()
def encode(
    tasks: Annotated[
        list[str],
        typer.Option(
            "--task",
            "-t",
            help="A task such as en-fr, or the path of a task file; repeat for a network for "
            "several tasks, and say of each file which task it is of: TASK:FILE.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to make.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            help="A prepared data file of this task (repeat), or of another with the same target "
            "language: TASK:FILE.",
        ),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option("--text", help="Text of the target language, a sentence a line (repeat)."),
    ] = None,
    doc_ids: Annotated[
        list[Path] | None,
        typer.Option(
            "--doc-ids", help="Document ids, one line per line of a text (repeat for each)."
        ),
    ] = None,
    unseen: Annotated[
        list[Path] | None,
        typer.Option(
            "--unseen",
            help="A development or test set, as --data: what it says is left out (repeat).",
        ),
    ] = None,
    own_gaps: Annotated[
        bool,
        typer.Option(
            "--own-gaps",
            help="Ask for the gaps of --data as well. Fine-tuning on them then learns less.",
        ),
    ] = False,
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
    """Make what a pre-training learns from: prepared bitext and text of the target language."""
    from crosspro.data_prep.cache import Cache
    from crosspro.data_prep.collector import collector_off
    from crosspro.data_prep.formats.target_form import refuse_other_forms
    from crosspro.data_prep.joint_task import joint_task, tasks_of
    from crosspro.data_prep.pretraining_files import (
        LEARNT_FROM,
        TaskFile,
        TextAnnotation,
        files_of_tasks,
        labelled_bitext,
        read_target_text,
        self_labelled,
    )
    from crosspro.data_prep.self_labels import SelfLabels
    from crosspro.data_prep.sets.contents import file_contents
    from crosspro.data_prep.sets.unseen import target_digests
    from crosspro.data_prep.task import load_task
    from crosspro.prediction.neural.lexicon_input import inflected_text, text_of_all
    from crosspro.prediction.neural.pretraining_set import SetOrigin, write_pretraining_set

    def tell(file: TaskFile, kept: Sequence[Example], others: int) -> None:
        gone = f", {others:,} lines left out" if unseen else ""
        asked = _asked(kept)
        left = sum(len(one.gaps) for one in kept) - asked
        own = f", {left:,} gaps left to fine-tuning" if left else ""
        _tell(f"{file.given}: {asked:,} pronouns{own}{gone}")
        contents.append(file_contents("train", file.path, kept, file.beside))

    loaded = [load_task(name) for name in tasks]
    rules = joint_task(loaded)
    system = system_of(recipe, changes or [])
    check_new_folder(output)
    if not data and not texts:
        raise input_error("settings", "--data", "a data file, or a text (--text)", "none")
    if doc_ids and len(doc_ids) != len(texts or ()):
        expected = f"one for each of {len(texts or ())} texts"
        raise input_error("settings", "--doc-ids", expected, str(len(doc_ids)))
    given = {"--data": data or (), "--text": texts or (), "--unseen": unseen or ()}
    files = files_of_tasks(dict(zip(tasks, loaded, strict=True)), given)
    refuse_other_forms((one.path, one.task) for one in (*files["--data"], *files["--unseen"]))
    contents: list[Contents] = []
    left_out: set[bytes] = set()
    for file in files["--unseen"]:
        lines = list(labelled_bitext(file))
        contents.append(file_contents("unseen", file.path, lines, file.beside))
        left_out |= target_digests(lines)
    steps = Cache(output.with_name(f"{output.name}.cache"))
    train: list[Example] = []
    dev: list[Example] = []
    inflected = []
    with collector_off(), StepDisplay() as display:
        annotation = TextAnnotation(annotator, jobs, steps, display.report)
        read = list(map(read_target_text, files["--text"], doc_ids or repeat(None)))
        for task in tasks_of(rules):
            own = [file for file in files["--data"] if file.labels is task]
            own_texts = [text for text in read if text.file.labels is task]
            labels = SelfLabels(task, own_gaps=own_gaps)
            parts = self_labelled(labels, own, own_texts, annotation, left_out, held_out, tell)
            if not _asked(parts[0]):
                expected = f"pronouns of {task.name} other than its gaps (or --own-gaps)"
                raise input_error("settings", " or ".join(LEARNT_FROM), expected, "none")
            train += parts[0]
            dev += parts[1]
            inflected.append(inflected_text(task, parts[0]))
            if task.tagged:
                sentences = chain.from_iterable(text.sentences for text in own_texts)
                inflected[-1]["target"] = {task.target_language: sentences}
        if not _asked(dev):
            expected = "a share of the lines that has pronouns to ask for"
            raise input_error("settings", "--held-out", expected, f"{held_out} without any")
        origin = SetOrigin(tuple(contents), own_gaps, held_out)
        text = text_of_all(inflected)
        sizes = write_pretraining_set(output, system, rules, train, dev, text, origin)
    steps.leave()
    _tell(f"{output}: " + ", ".join(f"{count:,} {name}" for name, count in sizes.items()))


def system_for_set(data: Path, recipe: str, changes: Sequence[str]) -> NeuralSystem:
    """The system that the settings describe, which reads as the text of a folder was read."""
    from crosspro.prediction.neural.pretraining_set import settings_of_set

    read = [f"{name}={json.dumps(value)}" for name, value in settings_of_set(data).items()]
    return system_of(recipe, [*read, *changes])


def system_of(recipe: str, changes: Sequence[str]) -> NeuralSystem:
    """The system that the settings describe, with what is changed of them."""
    from crosspro.data_prep.files.yaml_file import parse_yaml
    from crosspro.prediction.neural.system import NeuralSystem

    path = Path(recipe)
    if path.suffix not in (".yaml", ".yml"):
        path = SETTINGS / f"{recipe}.yaml"
        names = recipe_names()
        if recipe not in names:
            expected = f"{choices(names)}, or the path of a .yaml file"
            raise input_error("settings", "--recipe", expected, quoted(recipe))
    content = recipe_settings(path)
    for change in changes:
        name, equals, value = change.partition("=")
        *sections, key = name.split(".")
        place: Any = content
        for section in sections:
            place = place.setdefault(section, {}) if isinstance(place, dict) else None
        if not equals or not key or not isinstance(place, dict):
            raise input_error("settings", "--set", "NAME=VALUE", quoted(change))
        place[key] = parse_yaml(value)
    known = ("network", "network_settings", "training", "optimisation", "trainer", "seed")
    unknown = [key for key in content if key not in known]
    if unknown or "network" not in content:
        found = quoted(str(unknown[0])) if unknown else "no network"
        raise input_error(path, "settings", choices(known), found)
    return NeuralSystem(**content)


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(one.stem for one in SETTINGS.glob("*.yaml"))


def recipe_settings(path: Path) -> dict[str, Any]:
    """The settings of a recipe; one that is `like` another of the package says what differs."""
    from crosspro.data_prep.files.yaml_file import read_yaml

    own, _ = read_yaml(path, "recipe")
    if not isinstance(own, dict):
        raise input_error(path, "file", "a mapping of settings", type(own).__name__)
    if "like" not in own:
        return own
    other, names = own.pop("like"), recipe_names()
    if other not in names:
        raise input_error(path, "like", choices(names), quoted(str(other)))
    content = recipe_settings(SETTINGS / f"{other}.yaml")
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(content.get(key), dict)
        content[key] = {**content[key], **value} if both else value
    return content


def _asked(lines: Sequence[Example]) -> int:
    """How many pronouns of these have a label."""
    return sum(gap.label is not None for one in lines for gap in one.gaps)


def _tell(note: str) -> None:
    print(note, file=sys.stderr)


if __name__ == "__main__":
    run(app)
