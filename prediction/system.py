"""The interface of every predictor, from the majority class to neural networks.

`fit` learns from examples, `predict` returns a probability for every class of every gap, `decide`
the class of each gap, `save` and `load_system` go to and from a folder. A saved system is JSON plus
files without code (npz, safetensors, ARPA). Loading one looks its class up by its registered name.
This module imports no torch, so that baselines can build on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from crosspro.data_prep.annotate.layers import SUFFIXES
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_json_object
from crosspro.data_prep.core.settings import check_settings, settings, settings_error, to_mapping
from crosspro.data_prep.core.task import Task, task_from_mapping
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.adjustment import (
    ADJUSTMENT,
    Adjustment,
    load_adjustment,
    save_adjustment,
    tune_tau,
)
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.model_archive import (
    DESCRIPTION,
    MODEL,
    Printable,
    check_digests,
    opened_run,
    write_description,
)
from crosspro.prediction.registry import predicting, registered
from crosspro.version import __version__

Examples = Sequence[Example]

Probabilities = NDArray[np.float64]
"""One row for each gap, in reading order; one column for each class of the task."""

Classes = NDArray[np.int64]
"""The number of a class of the task for each gap, in reading order."""

_FORMAT = 3
_BUNDLED_FORMAT = 2
"""The format of the bundled models: networks and estimators are named beside their settings."""
_FORMER_SETTINGS = (
    *("cuda_graphs", "checkpoint_epochs", "compile", "encoded_dir", "together"),
    *("pairs", "pronoun_share", "members", "choose", "fine_tuning"),
)
_ROUNDING = 1e-4
"""By how much the sum of probabilities may differ from 1."""


@settings
class Description:
    """The content of `system.json`."""

    format: Literal[2, 3]
    system: str
    settings: Any
    task: Any
    crosspro: str = "unknown"
    configured: Printable = ""
    layers: tuple[Literal["documents", "source_parse", "target_parse", "chains"], ...] | None = None
    files: dict[str, str] | None = None
    sha256: str = ""


@settings
class NoSettings:
    """The settings of a system that has none."""


class System(ABC):
    """A predictor of pronouns. Constructors take settings only; `fit` sets the task.

    A class has the `name` under which it is registered; an instance may have a more telling one
    (that of its network).
    """

    name: str
    task: Task
    report: FitReport | None = None
    """How the training went; the simplest systems have none."""
    configured = ""
    """The name of the configuration that it was made from (`stymne_svm`), if any."""
    trained_layers: frozenset[str] | None = None
    """The layers of its training data; None if unknown."""
    adjustment: Adjustment | None = None
    """How far rare classes are favoured, if `correct_prior` has chosen that."""
    settings_class: ClassVar[type] = NoSettings
    settings: Any

    def __init__(self, **values: Any) -> None:
        try:
            self.settings = self.settings_class(**values)
        except ValidationError as error:
            raise settings_error(error, "settings") from None

    def __repr__(self) -> str:
        task = getattr(self, "task", None)
        return f"<System {self.shown_name}: {task.name if task else 'not fitted'}>"

    @property
    def context(self) -> int:
        """How many sentences before that of a gap it reads; this needs documents."""
        return 0

    @property
    def reach(self) -> int | None:
        """How many words before a gap it reads at most on either side; None: all of a context."""
        return None

    single_threaded: ClassVar[bool] = False
    """Whether it predicts in one thread, so that a long file is shared out to processes."""

    @property
    def shown_name(self) -> str:
        """Its configuration, else its class."""
        return self.configured or self.name

    @property
    def noun_lexicons(self) -> Mapping[str, Lexicon]:
        """Its lexicons of gender and number, by side."""
        return {}

    @property
    def layers_read(self) -> frozenset[str]:
        """The layers that it uses if the data has them."""
        return frozenset({"documents"} if self.context else ())

    @property
    def reads_source_parse(self) -> bool:
        """Whether it was trained with a parse of the source that it uses."""
        return "source_parse" in self.layers_read & (self.trained_layers or frozenset())

    def layer_warnings(self, data: str, present: frozenset[str]) -> list[str]:
        """Warnings before data is predicted that has other layers than the training data."""
        trained = self.trained_layers
        if trained is None:
            trained = present | {"documents"} if self.context else present
        return [
            f"warning: {data}: {'has' if layer in present else 'has no'} X.{SUFFIXES[layer]}, "
            f"unlike the training data of {self.shown_name}, whose scores do not hold here"
            for layer in sorted(self.layers_read & (trained ^ present))
        ]

    @abstractmethod
    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Learn from labelled examples; settings may be chosen on dev.

        `folder` is for logs and for checkpoints, from which an interrupted run goes on.
        """

    @abstractmethod
    def unadjusted(self, examples: Examples) -> Probabilities:
        """The probabilities before prior correction; labels are not read."""

    def predict(self, examples: Examples) -> Probabilities:
        """The probability of each class for each gap."""
        probabilities = self.unadjusted(examples)
        return self.adjustment.of(probabilities) if self.adjustment else probabilities

    def correct_prior(
        self, dev: Examples, monitor: Monitor, frequencies: NDArray[np.float64]
    ) -> None:
        """Favour classes that are rare in training by as much as is best on dev."""
        score = dev_score(self.task, dev, monitor)
        tau = tune_tau(self.unadjusted(dev), frequencies, score)
        self.adjustment = Adjustment(tau, tuple(frequencies.tolist()))

    def decide(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The class of each gap; `probabilities` are those of `predict`, if known.

        After prior correction it is the most probable one, else the system chooses.
        """
        if self.adjustment is None:
            return self.choose(examples, probabilities)
        return System.choose(self, examples, probabilities)

    def choose(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The most probable class of each gap, of equal ones the first in official order.

        A system whose paper decides otherwise (all gaps of a line at once) overrides this.
        """
        if probabilities is None:
            probabilities = self.predict(examples)
        return np.asarray(probabilities.argmax(axis=1), dtype=np.int64)

    @property
    def points(self) -> bool:
        """Whether it points at antecedents."""
        return False

    def antecedents(self, examples: Examples, classes: Classes) -> list[PointedNouns]:
        """The nouns that each gap may stand for, given its class."""
        raise CrossproError(f"{self.shown_name}: this system does not point at antecedents")

    def variants(self) -> dict[str, System]:
        """Further systems of the same fit, which are scored beside this one."""
        return {}

    def snapshots(self) -> list[System]:
        """The states of this training that an ensemble joins."""
        return [self]

    def reseeded(self, by: int) -> System | None:
        """The same unfitted system with a greater seed; None if it has no seed."""
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
        if self.adjustment is not None:
            save_adjustment(self.adjustment, folder)
        layers = self.trained_layers
        description = {
            "format": _FORMAT,
            "crosspro": __version__,
            "system": type(self).name,
            "settings": to_mapping(self.settings),
            "task": to_mapping(self.task),
            "configured": self.configured,
            "layers": None if layers is None else sorted(layers),
        }
        write_description(description, folder)


def probabilities_of(system: System, examples: Examples) -> Probabilities:
    """The predictions of a system: finite rows from 0 with sum 1, one for each gap.

    Everything that is written or scored comes from here.
    """
    probabilities = system.predict(examples)
    shape = sum(len(example.gaps) for example in examples), len(system.task.classes)
    expected = f"{system.shown_name}: probabilities: expected"
    if probabilities.shape != shape:
        raise CrossproError(f"{expected} an array {shape}, found {probabilities.shape}")
    proper = (probabilities >= 0).all(axis=1)  # false for NaN; an infinite row has no sum of 1
    proper &= np.abs(probabilities.sum(axis=1) - 1) < _ROUNDING
    if not proper.all():
        first = int(np.argmin(proper))
        raise CrossproError(
            f"{expected} finite numbers from 0 that add up to 1, found {probabilities[first]} for "
            f"gap {first + 1:,}"
        )
    return probabilities


def model_folder(run: str | Path) -> Path:
    """Where the system of a run is saved; the folder itself, if it is that of a system."""
    folder = Path(run)
    return folder / MODEL if (folder / MODEL).is_dir() else folder


def load_system(run: str | Path, *, to_train: bool = False) -> System:
    """Load a saved system from its folder, from that of its run, or from an archive.

    One `to_train` further has its network in torch.
    """
    with opened_run(run) as folder:
        return load_saved(model_folder(folder), to_train=to_train)


def load_saved(folder: Path, *, to_train: bool = False) -> System:
    path = folder / DESCRIPTION
    if not path.is_file():
        actual = "a file" if folder.is_file() else "none"
        expected = f"an archive, or a folder with {DESCRIPTION}"
        raise input_error(folder, "saved system", expected, actual)
    content = read_json_object(path)
    description = check_settings(Description, content, path)
    check_digests(content, folder)
    task = task_from_mapping(description.task, f"{path}: task")
    values = description.settings
    if description.format == _BUNDLED_FORMAT:
        values = _of_bundled_format(values)
    name = description.system
    kind: type[System] = registered(name, path) if to_train else predicting(name, values, path)
    system = kind(**vars(check_settings(kind.settings_class, values, f"{path}: settings")))
    system.task = task
    system.configured = description.configured
    system.trained_layers = None if description.layers is None else frozenset(description.layers)
    system.load_state(folder)
    if (folder / ADJUSTMENT).is_file():
        system.adjustment = load_adjustment(folder, len(task.classes))
    return system


def _of_bundled_format(values: Any) -> Any:
    """The settings of format 2: without former ones, and with the name of a network in them."""

    def kept(section: Any) -> Any:
        if not isinstance(section, dict):
            return section
        return {key: kept(value) for key, value in section.items() if key not in _FORMER_SETTINGS}

    values = kept(values)
    if isinstance(values, dict) and isinstance(values.get("network"), str):
        sizes = values.pop("network_settings", None) or {}
        values["network"] = {"name": values["network"], **sizes}
    return values
