"""Systems that learn: trained as `crosspro train` does it, and packed for others."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosspro.conf import CONF_DIR, GROUPS
from crosspro.task_examples import AnyPath, examples_of, path_of, path_or_none
from crosspro.trained_models import Model, predict

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.data_prep.pipeline.sets.splits import Splits
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.prediction.models import Export
    from crosspro.prediction.pair_prediction import Prediction
    from crosspro.prediction.runs import Run
    from crosspro.prediction.stored_tensors import Weights
    from crosspro.prediction.system import System

_LOG = logging.getLogger("crosspro")
_NAME = re.compile(r"[\w.-]+")
_TIME = "%Y-%m-%d_%H-%M-%S-%f"


@dataclass(frozen=True, repr=False)
class TrainedRun:
    """A trained system with its folder, its record (`run.json`) and what it scores on each set.

    It prints as a table of its scores.
    """

    folder: Path
    run: Run
    system: System
    evaluations: Mapping[str, Evaluation]

    def __str__(self) -> str:
        from crosspro.evaluation.report.tables import text_table

        first = next(iter(self.evaluations.values()), None)
        measures = [] if first is None else first.measures
        heading = ("set", *(measure.replace("_", " ") for measure in measures))
        rows = [
            (name, *map(str, evaluation.candidates[0].scores.values()))
            for name, evaluation in self.evaluations.items()
        ]
        return "\n".join(
            [
                f"{self.run.name}, task {self.run.task}\n",
                f"{text_table(heading, rows).rstrip()}",
                *(f"warning: {text}" for text in self.run.warnings),
                f"Model, submissions, scores and HTML reports: {self.folder}",
            ]
        )

    def __repr__(self) -> str:
        return f"<TrainedRun {self.run.name}: {self.folder}>"

    def predict(self, examples: Iterable[Example] | AnyPath) -> list[Prediction]:
        """Predict the gaps of examples: see `crosspro.predict`."""
        return predict(self.system, examples)


def train(
    task: str = "en-fr",
    system: str = "turku_gru_words_inward",
    *,
    data: str | Path | Mapping[str, Sequence[Example] | AnyPath] = "demo",
    experiment: str | None = None,
    settings: Mapping[str, Any] | None = None,
    folder: AnyPath | None = None,
) -> TrainedRun:
    """Train a system and score it, as `crosspro train task=… system=…`: extra `train`.

    `data` is `demo`, the folder of train*.data, dev*.data and test*.data, or examples (or paths) by
    the names train and dev; every other name is a test set. `settings` are values by their keys
    (`seed`, `system.min_count`), `experiment` the name of published ones. The run gets a `folder`
    of its own, runs/TASK/SYSTEM/TIME unless it is named.

    >>> import crosspro, tempfile
    >>> sets = {name: crosspro.demo("en-fr", name, 20) for name in ("train", "dev", "test")}
    >>> with tempfile.TemporaryDirectory() as place:
    ...     run = crosspro.train("en-fr", "majority", data=sets, folder=f"{place}/run")
    ...     archive = crosspro.export(run, f"{place}/majority.zip")
    >>> run.evaluations["test"].names
    ['majority seed 1']
    """
    from crosspro.prediction.configuration import training_setup
    from crosspro.prediction.fit_and_score import fit_and_score
    from crosspro.prediction.runs import Configuration

    config, choices = _composed(task, system, data, experiment, settings)
    setup = training_setup(config, choices)
    values = dict(setup.values)
    if isinstance(data, Mapping):
        splits = _read_splits(data, setup.task)
        del choices["data"], values["data"]
    else:
        splits = setup.splits()
    time = datetime.now().strftime(_TIME)
    place = path_or_none(folder) or Path("runs", setup.task.name, choices["system"], time)
    setup.check_folder(place, "folder")
    overrides = tuple(f"{group}={name}" for group, name in choices.items())
    outcome = fit_and_score(
        setup.task,
        setup.system,
        splits,
        place,
        scoring=setup.scoring,
        configuration=Configuration(choices, overrides, values),
        tell=_tell,
    )
    return TrainedRun(place, outcome.run, setup.system, outcome.evaluations)


def export(
    model: Model,
    output: AnyPath,
    *,
    weights: Weights | None = None,
    prior: AnyPath | None = None,
) -> Export:
    """Pack a trained system into one file for others, as `crosspro models export`.

    `model` is a run, an archive, the name of a bundled model, or what `train` returned. `weights`
    says how matrices are stored (None: as they are); `prior` is the file of `crosspro align
    --save-prior` for the training text, by which words are linked.
    """
    from crosspro.data_prep.core.errors import choices, input_error
    from crosspro.prediction.models import chosen_run, export_run
    from crosspro.prediction.stored_tensors import WEIGHTS

    if weights is not None and weights not in WEIGHTS:
        raise input_error("arguments", "weights", choices(WEIGHTS), repr(weights))
    place = path_of("model", getattr(model, "folder", model))
    run = chosen_run(place, _LOG.warning)
    return export_run(run, Path(output), weights, path_or_none(prior))


def _composed(
    task: str,
    system: str,
    data: str | Path | Mapping[str, Any],
    experiment: str | None,
    settings: Mapping[str, Any] | None,
) -> tuple[DictConfig, dict[str, str]]:
    """The configuration as Hydra composes it, and the name chosen in each group."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.prediction.registry import training_packages

    choices: dict[str, str] = {"task": task, "system": system}
    choices |= {} if experiment is None else {"experiment": experiment}
    values: dict[str, Any] = {}
    if isinstance(data, AnyPath) and str(data) != "demo":
        choices["data"], values["data.dir"] = "shared_task", str(data)
    for key, value in (settings or {}).items():
        (choices if key in GROUPS and isinstance(value, str) else values)[key] = value
    for group, name in choices.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise input_error("arguments", group, "the name of one", repr(name))
    with training_packages("training"):
        from hydra import compose, initialize_config_dir
        from hydra.core.global_hydra import GlobalHydra
        from hydra.errors import HydraException
        from omegaconf import OmegaConf, open_dict
        from omegaconf.errors import OmegaConfBaseException
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()  # of a program that is itself one of Hydra
    try:
        with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
            overrides = [f"{group}={name}" for group, name in choices.items()]
            config = compose("train", overrides, return_hydra_config=True)
        chosen = dict(config.hydra.runtime.choices)
        with open_dict(config):
            del config["hydra"]
        for key, value in values.items():
            OmegaConf.update(config, key, value, force_add=False)
    except (HydraException, OmegaConfBaseException, TypeError, ValueError) as error:
        message = " ".join(str(error).split())
        raise input_error("settings", "settings", "values that go together", message) from error
    finally:
        GlobalHydra.instance().hydra = outer
    return config, {group: chosen[group] for group in GROUPS if chosen.get(group)}


def _read_splits(data: Mapping[str, Any], task: Task) -> Splits:
    """Training, development and test examples by their names."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.data_prep.pipeline.sets.splits import Splits

    sets: dict[str, list[Example]] = {"train": [], "dev": []}
    for name, examples in data.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise input_error("arguments", "data", "names that a file can have", repr(name))
        sets[name] = list(examples_of(examples, task, f"data[{name!r}]"))
    for name in ("train", "dev"):
        if not any(example.gaps for example in sets[name]):
            raise input_error("arguments", f"data[{name!r}]", "examples with gaps", "none")
    return Splits(sets.pop("train"), sets.pop("dev"), sets)


def _tell(note: str) -> None:
    """What a user should know meanwhile."""
    level = logging.WARNING if note.startswith("warning: ") else logging.INFO
    _LOG.log(level, note.removeprefix("warning: "))
