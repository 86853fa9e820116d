"""What a composed configuration describes: a task, a system and its data, made by Hydra."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, ValidationError

from crosspro.conf import GROUPS
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, input_error
from crosspro.data_prep.core.settings import Seed, check_settings, settings, settings_error
from crosspro.data_prep.core.task import Task, task_from_mapping
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.dev_score import Monitor
from crosspro.prediction.system import System

if TYPE_CHECKING:
    from omegaconf import DictConfig

_KEY = re.compile(r"^full_key: (.+)$", re.MULTILINE)


@settings
class Scoring:
    """The seed of a run, its prior correction, and how it is scored; see `conf/train.yaml`."""

    seed: Seed = 1
    prior_correction: Monitor | None = None
    absent: Literal["skip", "zero"] = "skip"
    resamples: Annotated[int, Field(ge=0)] = 0
    resampling_seed: Seed = 12345


DEFAULT_SCORING = Scoring()


@dataclass(frozen=True)
class TrainingSetup:
    """The objects of a configuration, and its plain `values`; data is read by `splits`."""

    config: DictConfig
    values: dict[str, Any]
    task: Task
    system: System
    scoring: Scoring

    def splits(self) -> Splits:
        """The examples of the run, from the function that the configuration names."""
        splits = instantiated(self.config, "data", self.task)
        if not isinstance(splits, Splits):
            actual = type(splits).__name__
            raise input_error("settings", "data._target_", "a function that returns Splits", actual)
        return splits

    def check_folder(self, folder: Path, key: str) -> None:
        """Refuse the folder of the data for the run: a submission might replace a data file."""
        data = self.values["data"].get("dir")
        if data and Path(data).resolve() == folder.resolve():
            raise input_error("settings", key, "another folder than data.dir", str(folder))


def training_setup(config: DictConfig, choices: Mapping[str, str]) -> TrainingSetup:
    """The objects of a configuration; `choices` maps each group to its chosen file.

    Task and system are named after their files.
    """
    from omegaconf import OmegaConf

    values: Any = OmegaConf.to_container(config, resolve=True)
    rest = {key: value for key, value in values.items() if key not in GROUPS}
    scoring = check_settings(Scoring, rest, "settings")
    task = task_from_mapping(values.get("task"), f"task {choices.get('task', '')}")
    system = instantiated(config, "system")
    if not isinstance(system, System):
        raise input_error("settings", "system._target_", "a system", type(system).__name__)
    system.configured = choices.get("system", "")
    in_domain = values["data"].get("in_domain")
    if in_domain is not None and not system.fine_tunes:
        expected = f"null, since {system.shown_name} does not learn in stages"
        raise input_error("settings", "data.in_domain", expected, str(in_domain))
    return TrainingSetup(config, values, task, system, scoring)


def instantiated(config: DictConfig, section: str, *arguments: object) -> Any:
    """What `_target_` of a section makes; errors name the whole key of what is refused."""
    from hydra.errors import InstantiationException
    from hydra.utils import instantiate

    try:
        return instantiate(config[section], *arguments, _convert_="all")
    except InstantiationException as error:
        cause, match = error.__cause__, _KEY.search(str(error))
        key = match[1] if match else section
        if isinstance(cause, ValidationError):
            raise settings_error(cause, "settings", key) from None
        if isinstance(cause, InputError):
            raise InputError(
                replace(problem, field=f"{key}.{problem.field}")
                if problem.path == "settings"
                else problem
                for problem in cause.problems
            ) from None
        if isinstance(cause, CrossproError):
            raise cause from None
        if cause is not None and not isinstance(cause, ImportError | TypeError):
            raise cause from None  # a mistake in code of one's own
        message = str(cause or error).partition("\n")[0]
        raise InputError([Problem("settings", None, key, message)]) from None
