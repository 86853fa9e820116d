"""The interface of every predictor, from the majority class to neural networks: four verbs.

`fit` learns from examples, `predict` returns a probability for every class of every gap, `save`
and `load_system` go to and from a folder. A saved system is JSON plus files without code (npz,
safetensors, ARPA); loading one looks its class up in `SYSTEMS` and never runs what the folder says.
This module imports no torch, so that baselines can build on it.
"""

from __future__ import annotations

import importlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro import __version__
from crosspro.data_prep.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.textfile import write_text
from crosspro.data_prep.task import Task, task_from_mapping, task_to_mapping

Probabilities = NDArray[np.float64]
"""One row for each gap, in reading order; one column for each class of the task."""

SYSTEMS = {
    "class_prior": "crosspro.baselines.class_prior:ClassPrior",
    "ensemble": "crosspro.prediction.ensemble:Ensemble",
    "majority": "crosspro.baselines.majority:Majority",
    "ngram": "crosspro.baselines.ngram_system:NGramSystem",
    "source_aware_lm": "crosspro.baselines.source_aware:SourceAwareLM",
    "turku_gru": "crosspro.prediction.neural.system:NeuralSystem",
    "uppsala_bilstm": "crosspro.prediction.neural.system:NeuralSystem",
}
"""Where the class of each saved system is; nothing else is ever loaded."""

_FILE = "system.json"
_FORMAT = 1


class System(ABC):
    """A predictor of pronouns. Constructors take settings only; `fit` gives them a task."""

    name: str
    task: Task

    @property
    def context(self) -> int:
        """How many sentences before a gap's own it looks at; documents are needed for them."""
        return 0

    @abstractmethod
    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Learn from labelled examples; settings may be chosen on dev.

        `folder` is where logs and whatever an interrupted run needs to go on may be kept.
        """

    @abstractmethod
    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """The probability of each class for each gap; labels are not looked at."""

    def variants(self) -> dict[str, System]:
        """Further systems that came out of the same fit and are scored beside this one."""
        return {}

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The constructor's arguments, as JSON values."""

    @abstractmethod
    def save_state(self, folder: Path) -> None:
        """Write what was learnt into an existing folder."""

    @abstractmethod
    def load_state(self, folder: Path) -> None:
        """Read what was learnt; `task` is set before."""

    def save(self, folder: Path) -> None:
        """Write the system to a folder; the description comes last and marks it complete."""
        folder.mkdir(parents=True, exist_ok=True)
        self.save_state(folder)
        description = {
            "format": _FORMAT,
            "crosspro": __version__,
            "system": self.name,
            "settings": self.settings(),
            "task": task_to_mapping(self.task),
        }
        write_text(folder / _FILE, json.dumps(description, ensure_ascii=False, indent=2) + "\n")


def model_folder(run: str | Path) -> Path:
    """Where the system of a run is saved; the folder itself, if it is that of a system."""
    folder = Path(run)
    return folder / "model" if (folder / "model").is_dir() else folder


def load_systems(runs: Sequence[str | Path]) -> list[System]:
    """Load the systems of several runs; raises `InputError` with all faults of all of them."""
    systems: list[System] = []
    problems: list[Problem] = []
    for run in runs:
        try:
            systems.append(load_system(run))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return systems


def load_system(run: str | Path) -> System:
    """Load a saved system, ready to predict, from its folder or from that of its run."""
    folder = model_folder(run)
    path = folder / _FILE
    description = _read_description(path)
    name = description.get("system")
    if not isinstance(name, str) or name not in SYSTEMS:
        raise input_error(path, "system", choices(SYSTEMS), quoted(repr(name)))
    task = task_from_mapping(description.get("task"), f"{path}: task")
    try:
        system = system_class(name)(**_settings(description, path))
    except TypeError as error:
        raise input_error(path, "settings", f"those of {name}", str(error)) from error
    except InputError as error:
        raise InputError(replace(problem, path=str(path)) for problem in error.problems) from error
    system.task = task
    system.load_state(folder)
    return system


def system_class(name: str) -> type[System]:
    """The class of a system by its name."""
    module, _, attribute = SYSTEMS[name].partition(":")
    found: type[System] = getattr(importlib.import_module(module), attribute)
    return found


def read_json_object(path: Path) -> dict[str, Any]:
    """A JSON file that must hold an object."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise input_error(path, "file", "a readable file", str(error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise input_error(path, "file", "JSON in UTF-8", str(error)) from error
    if not isinstance(content, dict):
        raise input_error(path, "file", "a JSON object", type(content).__name__)
    return content


def _read_description(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise input_error(path.parent, "folder", f"a saved system with {_FILE}", "none")
    description = read_json_object(path)
    if description.get("format") != _FORMAT:
        found = quoted(repr(description.get("format")))
        raise input_error(path, "format", f"{_FORMAT} (this is crosspro {__version__})", found)
    return description


def _settings(description: dict[str, Any], path: Path) -> dict[str, Any]:
    settings = description.get("settings")
    if not isinstance(settings, dict):
        raise input_error(path, "settings", "a JSON object", quoted(repr(settings)))
    return settings
