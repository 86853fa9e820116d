"""The interface of every predictor, from the majority class to neural networks: four verbs.

`fit` learns from examples, `predict` returns a probability for every class of every gap, `save`
and `load_system` go to and from a folder. A gap gets its most probable class, unless a system has a
rule of its own to `decide`. A saved system is JSON plus files without code (npz, safetensors,
ARPA); loading one looks its class up by its registered name and never runs what the folder says.
This module imports no torch, so that baselines can build on it.

Some systems do their best without a layer: the nearest noun that agrees stands in for a chain, a
lexicon for a parse. What they have learnt then fits the data less, and nobody would see it from the
output; so a saved system says which layers its training data had, and commands warn where data
differs.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from crosspro.data_prep.annotate.layers import SUFFIXES
from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import (
    check_settings,
    settings,
    settings_error,
    to_mapping,
)
from crosspro.data_prep.core.task import Task, task_from_mapping, task_to_mapping
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.fit_report import EnsembleReport, Report
from crosspro.prediction.model_archive import (
    MODEL,
    check_digests,
    opened_run,
    unpacked_digests,
    with_digests,
)
from crosspro.prediction.registry import predicting
from crosspro.version import __version__

_WORDS = {
    "documents": "document ids",
    "source_parse": "parse of the source",
    "target_parse": "parse of the target",
    "chains": "coreference chains",
}


@dataclass(frozen=True)
class LayerDifference:
    """A layer that either the training of a system had or the data has."""

    system: str
    layer: str
    in_training: bool

    def told(self, data: str) -> str:
        """A warning for those who predict some data."""
        words = f"{_WORDS[self.layer]} (X.{SUFFIXES[self.layer]})"
        if self.in_training:
            return (
                f"warning: {data}: no {words}, which {self.system} was trained with: it makes do "
                "without, which it has not learnt, and the scores of its training do not hold here"
            )
        return (
            f"warning: {data}: {words}, which {self.system} was trained without: it uses what it "
            "has not learnt to use, and the scores of its training do not hold here"
        )


def checked_layers(layers: Any, path: object) -> frozenset[str] | None:
    """The layers that a saved system names; None where its training did not note them."""
    if layers is None:
        return None
    if not isinstance(layers, list) or not all(name in SUFFIXES for name in map(str, layers)):
        raise input_error(str(path), "layers", choices(SUFFIXES), quoted(repr(layers)))
    return frozenset(map(str, layers))


Examples = Sequence[Example]

Probabilities = NDArray[np.float64]
"""One row for each gap, in reading order; one column for each class of the task."""

Classes = NDArray[np.int64]
"""The number of a class of the task for each gap, in reading order."""

DESCRIPTION = "system.json"
"""The file of a saved system that describes it."""
_FORMAT = 3
_NETWORKS_APART = 2
"""The format of the bundled models: networks and estimators are named beside their settings."""
_NO_SETTINGS = ("cuda_graphs", "checkpoint_epochs", "compile", "encoded_dir")
"""Settings of that format that are no settings any more."""
_ROUNDING = 1e-4
"""By how much the sum of probabilities may differ from 1."""


@settings
class NoSettings:
    """The settings of a system that has none."""


class System(ABC):
    """A predictor of pronouns. Constructors take settings only; `fit` gives them a task.

    A class has the `name` under which it is registered; one of its systems may show a name that
    says more (that of its network).
    """

    name: str
    task: Task
    report: Report | EnsembleReport | None = None
    """How the training went, of a system with epochs or features, or of several systems."""
    configured = ""
    """The name of the configuration that it was made from (`stymne_svm`), where there is one."""
    trained_layers: frozenset[str] | None = None
    """The layers of the data that it was trained on; None where that was not noted."""
    settings_class: ClassVar[type] = NoSettings
    settings: Any
    """What it was made with, an instance of `settings_class`."""

    def __init__(self, **values: Any) -> None:
        try:
            self.settings = self.settings_class(**values)
        except ValidationError as error:
            raise settings_error(error, "settings") from None

    @property
    def context(self) -> int:
        """How many sentences before a gap's own it looks at; documents are needed for them."""
        return 0

    @property
    def reach(self) -> int | None:
        """How many words before a gap it reads at most, on either side; None is all of a context.

        What is further away need not be given to it."""
        return None

    single_threaded: ClassVar[bool] = False
    """Whether it predicts in one thread, so that a long file is shared out to processes."""

    @property
    def shown_name(self) -> str:
        """What people know it by: its configuration, else its class."""
        return self.configured or self.name

    @property
    def noun_lexicons(self) -> Mapping[str, Lexicon]:
        """What it knows of the gender and number of words, by side; none where it reads none."""
        return {}

    @property
    def layers_read(self) -> frozenset[str]:
        """The layers that it makes use of where data has them, and does without where not."""
        return frozenset({"documents"} if self.context else ())

    @property
    def reads_source_parse(self) -> bool:
        """Whether it was trained with a parse of the source that it makes use of."""
        return "source_parse" in self.layers_read & (self.trained_layers or frozenset())

    def unlike_training(self, present: frozenset[str]) -> list[LayerDifference]:
        """How data with these layers differs from the training's, in what the system reads."""
        if self.trained_layers is None:
            return []
        differing = self.layers_read & (self.trained_layers ^ present)
        return [
            LayerDifference(self.shown_name, layer, layer in self.trained_layers)
            for layer in sorted(differing)
        ]

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

    def trainable(self) -> System:
        """The same system as one that can learn more, where another was loaded to predict."""
        return self

    @property
    def fine_tunes(self) -> bool:
        """Whether it can go on learning from in-domain data after `fit`."""
        return False

    def fine_tune(
        self, in_domain: Sequence[Example], dev: Sequence[Example], folder: Path | None = None
    ) -> None:
        """Go on learning from a part of the data that is like what will be predicted."""
        raise TypeError(f"{type(self).__name__} does not learn in stages")

    @abstractmethod
    def predict(self, examples: Sequence[Example]) -> Probabilities:
        """The probability of each class for each gap; labels are not looked at."""

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        """The same before rare classes are favoured, of a system that does so after all else."""
        return self.predict(examples)

    def decide(
        self, examples: Sequence[Example], probabilities: Probabilities | None = None
    ) -> Classes:
        """The class of each gap; `probabilities` are those of `predict`, where they are known.

        It is the most probable one, of equal ones the first in official order. A system whose paper
        decides otherwise (all gaps of a line at once) has its own way.
        """
        chances = self.predict(examples) if probabilities is None else probabilities
        return np.asarray(chances.argmax(axis=1), dtype=np.int64)

    @property
    def points(self) -> bool:
        """Whether it points at the nouns that gaps stand for."""
        return False

    def antecedents(self, examples: Sequence[Example], classes: Classes) -> list[PointedNouns]:
        """The nouns that each gap may stand for, if it has the class given for it."""
        raise CrossproError(f"{self.shown_name}: this system does not point at antecedents")

    def evidence(self, question: GapQuestion) -> Evidence | None:
        """Why a gap got its class (`crosspro.prediction.explanation`); None if it cannot say."""
        return None

    def variants(self) -> dict[str, System]:
        """Further systems that came out of the same fit and are scored beside this one."""
        return {}

    def snapshots(self) -> list[System]:
        """The states of this training that an ensemble joins."""
        return [self]

    def reseeded(self, by: int) -> System | None:
        """The same system before `fit` with a seed that is greater; None if it draws nothing."""
        values = vars(self.settings)
        if "seed" not in values:
            return None
        return type(self)(**{**values, "seed": values["seed"] + by})

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
            "system": type(self).name,
            "settings": to_mapping(self.settings),
            "task": task_to_mapping(self.task),
        }
        if self.configured:
            description["configured"] = self.configured
        if self.trained_layers is not None:
            description["layers"] = sorted(self.trained_layers)
        whole = with_digests(description, folder, DESCRIPTION)
        write_text(folder / DESCRIPTION, json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


def probabilities_of(system: System, examples: Sequence[Example]) -> Probabilities:
    """What a system predicts, if it is what it should be: a row for each gap, a column for each
    class, and probabilities that add up to 1. Whatever is written or scored comes from here."""
    found = system.predict(examples)
    gaps = sum(len(example.gaps) for example in examples)
    expected = f"{system.shown_name}: probabilities: expected"
    if found.shape != (gaps, len(system.task.classes)):
        shape = " x ".join(map(str, found.shape))
        raise CrossproError(f"{expected} {gaps} rows of {len(system.task.classes)}, found {shape}")
    right = np.isfinite(found).all(axis=1) & (found >= 0).all(axis=1)
    right &= np.abs(found.sum(axis=1) - 1) < _ROUNDING
    if not right.all():
        first = int(np.argmin(right))
        shown = ", ".join(f"{chance:.4g}" for chance in found[first])
        raise CrossproError(
            f"{expected} finite numbers from 0 that add up to 1, found others for "
            f"{np.count_nonzero(~right):,} of {gaps:,} gaps, the first of them gap {first + 1:,}: "
            f"{shown}"
        )
    return found


def model_folder(run: str | Path) -> Path:
    """Where the system of a run is saved; the folder itself, if it is that of a system."""
    folder = Path(run)
    return folder / MODEL if (folder / MODEL).is_dir() else folder


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
    """Load a saved system, ready to predict, from its folder, from that of its run or an archive.

    This is where commands and everything else that predicts with a run get its system from.
    """
    with opened_run(run) as folder:
        return load_saved(model_folder(folder), unpacked_digests(run))


def load_saved(folder: Path, unpacked: Mapping[str, str] | None = None) -> System:
    """Load a system from the very folder that it was saved to.

    `unpacked` has the checksums that files were found to have when they were unpacked.
    """
    path = folder / DESCRIPTION
    description = _read_description(path)
    task = task_from_mapping(description.get("task"), f"{path}: task")
    name, settings = description.get("system"), description.get("settings")
    if description["format"] == _NETWORKS_APART:
        settings = _of_format_2(settings)
    kind: type[System] = predicting(name, settings, path)
    system = kind(**vars(check_settings(kind.settings_class, settings, f"{path}: settings")))
    system.task = task
    system.configured = _configured(description, path)
    system.trained_layers = checked_layers(description.get("layers"), path)
    system.load_state(folder)  # first: what it finds wrong with a file says more than a checksum
    check_digests(description, folder, DESCRIPTION, unpacked)
    return system


def _configured(description: Mapping[str, Any], path: Path) -> str:
    name = description.get("configured", "")
    if not isinstance(name, str) or not name.isprintable():  # tables and terminals show it
        expected = "a name without control characters"
        raise input_error(path, "configured", expected, quoted(str(name)))
    return name


def _of_format_2(settings: Any) -> Any:
    """The settings of a system that was saved before networks and estimators had classes."""
    if not isinstance(settings, dict):
        return settings
    values = {key: value for key, value in settings.items() if key != "members"}
    for part in ("network", "estimator"):
        if isinstance(values.get(part), str):
            values[part] = {"name": values[part], **(values.pop(f"{part}_settings", None) or {})}
    for part in ("network", "trainer"):
        if isinstance(values.get(part), dict):
            values[part] = {k: v for k, v in values[part].items() if k not in _NO_SETTINGS}
    return {key: value for key, value in values.items() if value not in ({}, None)}


def _read_description(path: Path) -> dict[str, Any]:
    if not path.is_file():
        found = "none" if path.parent.exists() else "no such file or folder"
        if path.parent.is_file():
            found = "a file that is no archive of crosspro models"
        raise input_error(path.parent, "folder", f"a saved system with {DESCRIPTION}", found)
    description = read_json_object(path)
    number = description.get("format")
    if type(number) is not int or number not in (_NETWORKS_APART, _FORMAT):
        expected = f"{_FORMAT} (this is crosspro {__version__})"
        writer = quoted(str(description.get("crosspro", "unknown")))
        found = f"{quoted(repr(number))}, written by crosspro {writer}"
        raise input_error(path, "format", expected, found)
    return description
