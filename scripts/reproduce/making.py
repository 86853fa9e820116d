"""The commands that make a recorded run: its data, what it begins from, itself, and its scores.

Folders of a machine are `{corpora}`, where corpora lie, and `{work}`, for all that is made:
`{work}/data/TASK` (`{work}/layered/TASK` with parses of the source), `{work}/sets/TASK`,
`{work}/runs/TASK/NAME`; models of the box and what belongs to them are in `{work}/box`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.files import is_archive
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.leaderboard.record import MakingStep
from crosspro.prediction.recorded_runs import FOLDERS, MADE_FROM, RECIPE, RecordedRun
from crosspro.scripts.reproduce.models import BOX, box_runs
from crosspro.scripts.reproduce.real_data import TASKS

EXTRA = "extra train"
TAGGERS = "extra annotate"
GPU = "gpu"
_FOR_USE = "-text"
_WITHOUT = ("trainer.encoded_dir", "trainer.progress_bar", "trainer.checkpoint_epochs")


def making_steps(
    runs: Sequence[RecordedRun], name: str, commit: str, apart: Iterable[str] = (), task: str = ""
) -> tuple[MakingStep, ...]:
    """The steps of a record, each once, in their order; the last one records what came out.

    `task` is that of gold, if it is another than that of the runs.
    """
    own = runs[0].run.task
    task = task or own
    add = ("crosspro", "results", "add", *map(recorded_place, runs))
    add = (*add, "--data", data_folder(task, _layered(runs)))
    if task != own:
        add = (*add, "--task", task)
    sets = (part for one in sorted(apart) for part in ("--apart", one))
    kept = (*sets, "--name", name, "--commit", commit, "--results", "{work}/results")
    return (*made_steps(runs, task), MakingStep("scores", (*add, *kept)))


def made_steps(runs: Sequence[RecordedRun], *tasks: str) -> tuple[MakingStep, ...]:
    """What makes runs, each step once: data, also of other tasks, their beginnings, and they."""
    layered = _layered(runs)
    own = runs[0].run.task
    steps = [step for task in (own, *tasks) for step in _data(task, layered)]
    for run in runs:
        for part in run.every():
            steps += _made(part, data_folder(own, layered))
        if run.is_ensemble and not _of_box(run):
            steps += _predicted(run, data_folder(own, layered))
    return tuple(dict.fromkeys(steps))


def _layered(runs: Sequence[RecordedRun]) -> bool:
    return any("source_parse" in part.run.layers for run in runs for part in run.every())


def recorded_place(run: RecordedRun) -> str:
    """Where a run is that is recorded; archives are those of the box."""
    if is_archive(run.path):
        return f"models/{run.path.name}"
    return _place(run) + (f":{run.variant}" if run.variant else "")


def data_folder(task: str, layered: bool) -> str:
    """Where the data of a task lies."""
    if _box(task):
        return f"{{work}}/box/data/{_box(task)}"
    return f"{{work}}/{'layered' if layered else 'data'}/{task}"


def _box(task: str) -> str:
    """The model of the box that a task is for; empty if there is none."""
    name = task.removesuffix(_FOR_USE)
    return name if task.endswith(_FOR_USE) and name in BOX else ""


def _data(task: str, layered: bool) -> Iterator[MakingStep]:
    needs: tuple[str, ...]
    if name := _box(task):
        needs = (f"folder {{corpora}}/bitext/{BOX[name].pair}", "folder {corpora}/monolingual")
        yield MakingStep("data", (*_box_command(name), "--until", "sets"), needs)
    elif task in TASKS:
        folders = {"--bitext": "{corpora}/bitext"}
        if load_task(task).target_language == "fr":
            folders["--official"] = "{corpora}/official_discomt2015"
        given = (part for option in folders.items() for part in option)
        also = ("--source-layer",) if layered else ()
        make = ("python", "-m", "crosspro.scripts.reproduce.real_data", *given, *also)
        folder = str(Path(data_folder(task, layered)).parent)
        needs = (TAGGERS, *(f"folder {one}" for one in folders.values()))
        yield MakingStep("data", (*make, "--task", task, folder), needs)


def _box_command(name: str) -> tuple[str, ...]:
    """The command that makes a model of the box and all that belongs to it."""
    make = ("python", "-m", "crosspro.scripts.reproduce.models", "make", "{work}/box")
    return (*make, "--corpora", "{corpora}", "--model", name)


def _of_box(run: RecordedRun) -> bool:
    """Whether the program that makes the models of the box makes this run, too: by its name."""
    name = _box(run.run.task)
    return bool(name) and (is_archive(run.path) or run.path.name in box_runs(name))


def _place(run: RecordedRun) -> str:
    """The folder of a run."""
    if _of_box(run):
        return f"{{work}}/box/run/{run.path.name}"
    return f"{{work}}/runs/{run.run.task}/{run.path.name}"


def _made(run: RecordedRun, data: str) -> Iterator[MakingStep]:
    """The steps of one run, without those of what it is made from."""
    if _of_box(run):
        yield MakingStep("networks", _box_command(_box(run.run.task)), (GPU, EXTRA))
    elif run.is_ensemble:
        yield _joined(run, data)
    elif run.is_pretraining:
        yield from _pretrained(run, data)
    else:
        yield _trained(run, data)


def _trained(run: RecordedRun, data: str) -> MakingStep:
    """The training of a run by the arguments that it was asked for with."""
    asked = []
    for change in run.run.configuration.overrides:
        name, _, value = change.lstrip("+").partition("=")
        if name in _WITHOUT:
            continue
        if name == "data.dir":
            change = f"{name}={data}"
        elif name in MADE_FROM and value in run.others:
            change = f"{name}={_place(run.others[value])}"
        asked.append(FOLDERS.sub("{corpora}/", change) if "{" not in change else change)
    needs = (GPU, EXTRA) if "torch" in run.run.versions else (EXTRA,)
    if not _box(run.run.task) and run.run.task not in TASKS:
        needs = (*needs, f"folder {data}")
    place = f"hydra.run.dir={_place(run)}"
    return MakingStep(run.path.name, ("crosspro", "train", *asked, place), needs)


def _pretrained(run: RecordedRun, data: str) -> Iterator[MakingStep]:
    """A set of documents, and the pre-training on it."""
    encoded = f"{{work}}/sets/{run.run.task}"
    given: list[str] = []
    needs = []
    for one in run.run.data:
        if one.name.startswith(("train.", "dev.", "test.", "unseen.")):
            given += ["--unseen" if one.split == "unseen" else "--data", f"{data}/{one.name}"]
        else:
            text = f"{{corpora}}/monolingual/{one.name}"
            given += ["--text", text]
            given += ["--doc-ids", text.replace(".txt", ".doc-ids")]
            needs.append(f"folder {Path(text).parent}")
    settings = run.run.configuration.settings
    network = settings.get("network_settings", {})
    lexicons = [
        part
        for name in ("source_lexicon", "target_lexicon")
        if network.get(name, "induced") != "induced"
        for part in ("--set", f"network_settings.{name}={network[name]}")
    ]
    encode = ("crosspro", "pretrain", "encode", "--task", run.run.task, *given, *lexicons)
    yield MakingStep("documents", (*encode, "-o", encoded), tuple(needs))
    changes = [part for one in run.run.configuration.overrides for part in ("--set", one)]
    learn = ("crosspro", "pretrain", "learn", encoded, "--recipe", str(settings[RECIPE]))
    yield MakingStep(run.path.name, (*learn, *changes, "-o", _place(run)), (GPU, EXTRA))


def _joined(run: RecordedRun, data: str) -> MakingStep:
    """An ensemble."""
    settings = run.run.configuration.settings
    command = ["crosspro", "ensemble", *map(_place, run.members)]
    for one in run.run.data:
        command += ["--tune", f"{data}/{one.name}"]
    for option, key in (("--monitor", "tune"), ("--choose", "choose"), ("--average", "average")):
        if settings.get(key) is not None:
            command += [option, str(settings[key])]
    return MakingStep(run.path.name, (*command, "-o", _place(run)))


def _predicted(run: RecordedRun, data: str) -> Iterator[MakingStep]:
    """What an ensemble predicts."""
    place = _place(run)
    for test in _tests(run):
        stem = re.sub(r"\.data(\.[gx]z)?$", "", test)
        out = ("-o", f"{place}/{stem}.submission.data")
        yield MakingStep(
            f"{run.path.name} on {stem}", ("crosspro", "predict", place, f"{data}/{test}", *out)
        )


def _tests(run: RecordedRun) -> list[str]:
    """The test files that a run, or a member of it, was tested on."""
    own = [one.name for one in run.run.data if one.split == "test"]
    return own or [name for member in run.members[:1] for name in _tests(member)]
