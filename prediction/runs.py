"""The record of a run: settings, versions, scores, times, seed and commit in `run.json`.

It is written when a run begins (status `running`) and again when it has ended (`complete`).
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from crosspro.data_prep.core.files import is_archive, json_object, read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.pipeline.sets.splits import Contents
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.metrics.submissions.submission import display_names
from crosspro.prediction.model_archive import RECORD, Printable, archived_bytes
from crosspro.version import __version__

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes of a training after Ctrl-C and after SIGTERM, as shells give them."""

MEMBERS = "members"
"""The folder of an ensemble's run with those of its members."""
_CHECKOUT = Path(__file__).resolve().parents[1]
_PACKAGES = {
    "numpy": "numpy",
    "torch": "torch",
    "pytorch_lightning": "pytorch-lightning",
    "sklearn": "scikit-learn",
}
"""Modules whose version a result may depend on, and their packages."""


@dataclass(frozen=True)
class RunScore:
    """A score of a run with its 95% interval, and how it was computed."""

    name: str
    value: float
    signature: str
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        return str(Score(self.value, self.low, self.high))


Scores = Mapping[str, Mapping[str, RunScore]]
"""The scores of each set, by the name of the set and of the metric."""


@dataclass(frozen=True)
class Configuration:
    """How a run was configured.

    `choices` has the name for each group (task, system, data, trainer, experiment), `overrides` the
    arguments of the command line, and `settings` all resulting values.
    """

    choices: Mapping[str, str] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Times:
    """When a run began and ended (UTC), and the seconds it took to fit and to score."""

    started: str
    ended: str | None = None
    fit_seconds: float | None = None
    score_seconds: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Run:
    """One fit of one system.

    `fit` has the figures of its `FitReport`, `variants` the scores of further systems of the same
    fit, `layers` those of the training data, `cues` the labels that links give away, by set.
    `warnings` name scores not to be trusted. Systems that were only joined have no seed.
    """

    format: Literal[1] = 1
    status: Literal["running", "complete"]
    task: str
    system: Printable
    seed: int | None
    versions: Mapping[str, str]
    commit: str | None = None
    times: Times
    fit: Mapping[str, Any] | None = None
    scores: Scores = field(default_factory=dict)
    variants: Mapping[str, Scores] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    data: tuple[Contents, ...]
    layers: tuple[str, ...] = ()
    cues: Mapping[str, Any] | None = None
    configuration: Configuration

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.task}, {self.status}>"

    @property
    def name(self) -> str:
        return self.system if self.seed is None else f"{self.system} seed {self.seed}"


def write_run(folder: Path, run: Run) -> None:
    write_text(folder / RECORD, json.dumps(asdict(run), ensure_ascii=False, indent=2) + "\n")


def read_run(folder: str | Path) -> Run:
    path = Path(folder) / RECORD
    return check_settings(Run, read_json_object(path), path)


def find_run(folder: str | Path) -> Run | None:
    """The record of a run, in its folder or archive; None if there is none."""
    place = Path(folder)
    if not is_archive(place):
        return read_run(place) if (place / RECORD).is_file() else None
    text, path = archived_bytes(place, RECORD), place / RECORD
    return None if text is None else check_settings(Run, json_object(text, path), path)


def names_of(paths: Sequence[Path]) -> list[str]:
    """Names of runs and submissions in tables: of runs, the system and the seed.

    Systems without a seed are called by their folders, by which two runs of one system and seed are
    told apart, too.
    """
    files = display_names(paths)
    runs = [find_run(path) for path in paths]
    names = [
        file if run is None or run.seed is None else run.name
        for run, file in zip(runs, files, strict=True)
    ]
    return [
        name if names.count(name) == 1 else file if name == file else f"{name} ({file})"
        for name, file in zip(names, files, strict=True)
    ]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def checkout_commit() -> str | None:
    """The commit of the checkout that the package runs from, with `+changed` if files differ.

    None without a checkout or without git.
    """
    if not (_CHECKOUT / ".git").exists():
        return None
    import subprocess

    words = ["describe", "--always", "--exclude=*", "--abbrev=40", "--dirty=+changed"]
    command = ["git", "-C", str(_CHECKOUT), *words]
    try:
        described = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    return described.stdout.strip() or None


def versions() -> dict[str, str]:
    used = {
        name: str(sys.modules[module].__version__)
        for module, name in _PACKAGES.items()
        if module in sys.modules
    }
    return {"crosspro": __version__, "python": platform.python_version(), **used}
