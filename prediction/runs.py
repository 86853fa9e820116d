"""What the folder of a run says about itself: `run.json`, and the name that comes of it.

The file is written when a run begins (status `running`) and again when it has ended (`complete`),
so that a run that was stopped can be told from one that was not.
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

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import is_archive, json_object, read_json_object, write_text
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.pipeline.sets.splits import Contents
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.metrics.submissions.submission import display_names
from crosspro.prediction.model_archive import archived_text
from crosspro.version import __version__

FILE = "run.json"
"""The folder in a run's for data as arrays: it is gone when the run is complete."""
MEMBERS = "members"
"""The folder in an ensemble's for those of its members while they are trained."""
_FORMAT = 1
_CHECKOUT = Path(__file__).resolve().parents[1]
_PATIENCE = 20
"""Seconds in which git must answer."""
_PACKAGES = {
    "numpy": "numpy",
    "torch": "torch",
    "pytorch_lightning": "pytorch-lightning",
    "sklearn": "scikit-learn",
}
"""Modules on whose version a result may depend, and the packages they come from."""


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
    """How a run was asked for.

    `choices` has the name that was chosen in each group (task, system, data, trainer, experiment),
    `overrides` the arguments as they were given, and `settings` every value that came of them.
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


@dataclass(frozen=True, kw_only=True)
class Run:
    """One fit of one system: what it was made from, and what came out.

    `fit` is what the system tells about its training (the chosen epoch, its dev score, why it
    stopped; of an ensemble its members and their weights), and `variants` has the scores of further
    systems that came out of the same fit. `warnings` say which scores to mistrust. `layers` are
    those of the training data. Systems that were only joined have no seed. `cues` are the labels
    that links give away, by the name of the set. `commit` is that of
    the checkout, if the package runs from one (`checkout_commit`).
    """

    status: Literal["running", "complete"]
    task: str
    system: str
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

    @property
    def name(self) -> str:
        """How tables and pages call the run: its system, as configured, and its seed, if any."""
        return self.system if self.seed is None else f"{self.system} seed {self.seed}"


def write_run(folder: Path, run: Run) -> None:
    """Write `run.json` into an existing folder."""
    content = {"format": _FORMAT, **asdict(run)}
    write_text(folder / FILE, json.dumps(content, ensure_ascii=False, indent=2) + "\n")


def read_run(folder: str | Path) -> Run:
    """What a run's folder says about itself; raises `InputError` with all faults of the file."""
    path = Path(folder) / FILE
    return _checked_run(read_json_object(path), path)


def _checked_run(content: dict[str, Any], path: Path) -> Run:
    """The record of a run that a file says."""
    form = content.pop("format", None)
    if type(form) is not int or form != _FORMAT:  # true and 1.0 are equal to 1
        found = quoted(repr(form))
        raise input_error(path, "format", f"{_FORMAT} (this is crosspro {__version__})", found)
    run = check_settings(Run, content, path)
    if not run.system.isprintable():  # tables and terminals show it
        expected = "a name without control characters"
        raise input_error(path, "system", expected, quoted(run.system))
    return run


def find_run(folder: str | Path) -> Run | None:
    """What a run's folder, or an archive of it, says about itself; None where it says nothing."""
    place = Path(folder)
    if not is_archive(place):
        return read_run(place) if (place / FILE).is_file() else None
    text = archived_text(place, FILE)
    return None if text is None else _checked_run(json_object(text, place / FILE), place / FILE)


def names_of(paths: Sequence[Path], given: Sequence[str] = ()) -> list[str]:
    """Names of runs and submissions as shown in tables: of runs, the system and the seed.

    The first have the given names. Systems that were only joined have no seed and are called by
    their folders, by which two runs of one system and seed are told apart, too.
    """
    files = display_names(paths)[len(given) :]
    runs = [find_run(path) for path in paths[len(given) :]]
    names = [
        file if run is None or run.seed is None else run.name
        for run, file in zip(runs, files, strict=True)
    ]
    own = [
        name if names.count(name) == 1 else file if name == file else f"{name} ({file})"
        for name, file in zip(names, files, strict=True)
    ]
    return [*given, *own]


def now() -> str:
    """The time (UTC) as a run writes it down."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def checkout_commit() -> str | None:
    """The commit of the checkout that the package runs from, with `+changed` where files differ.

    None where it runs from no checkout, or git is not there.
    """
    if not (_CHECKOUT / ".git").exists():
        return None
    commit = _git("rev-parse", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return f"{commit}+changed" if commit and changed != "" else commit


def _git(*words: str) -> str | None:
    """What git says of the checkout; None where it does not answer."""
    import subprocess

    command = ("git", "-C", str(_CHECKOUT), *words)
    try:
        done = subprocess.run(  # noqa: S603 - fixed words, no shell
            command, check=True, capture_output=True, text=True, timeout=_PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """The versions of this package, of Python, and of the libraries that are in use."""
    used = {
        name: str(sys.modules[module].__version__)
        for module, name in _PACKAGES.items()
        if module in sys.modules
    }
    return {"crosspro": __version__, "python": platform.python_version(), **used}
