"""Systems that learn: trained as `crosspro train` does it, explained, and packed for others."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosspro.arguments import AnyPath, path_or_none
from crosspro.conf import GROUPS
from crosspro.evaluation.report import Displayed
from crosspro.task_examples import given_examples
from crosspro.trained_models import Model, given_system

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.data_prep.pipeline.sets.splits import Splits
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.prediction.explanation import ExplainedGap
    from crosspro.prediction.models import Export
    from crosspro.prediction.runs import Run
    from crosspro.prediction.system import System

_NAME = re.compile(r"[\w.-]+")
_NEEDED = ("train", "dev")
_TIME = "%Y-%m-%d_%H-%M-%S-%f"


@dataclass(frozen=True, repr=False)
class TrainedRun(Displayed):
    """A trained system with its folder, its record (`run.json`) and what it scores on each set.

    It prints as a table of its scores.
    """

    folder: Path
    run: Run
    system: System
    evaluations: Mapping[str, Evaluation]

    def __str__(self) -> str:
        from crosspro.evaluation.report.tables import text_table

        heading, rows = self._table()
        warnings = "".join(f"warning: {text}\n" for text in self.run.warnings)
        place = f"Model, submissions, scores and HTML reports: {self.folder}"
        return (
            f"{self.run.name}, task {self.run.task}\n\n{text_table(heading, rows)}{warnings}{place}"
        )

    def __repr__(self) -> str:
        return f"<TrainedRun {self.run.name}: {self.folder}>"

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        some = next(iter(self.evaluations.values()), None)
        measures = [] if some is None else some.measures
        rows = [
            (name, *map(str, evaluation.candidates[0].scores.values()))
            for name, evaluation in self.evaluations.items()
        ]
        return ("set", *(measure.replace("_", " ") for measure in measures)), rows

    def html(self) -> str:
        """The page of the last set, which is a test set if there is one."""
        return list(self.evaluations.values())[-1].html()

    def to_dict(self) -> dict[str, Any]:
        """What `run.json` says."""
        from crosspro.evaluation.report.records import plain

        return dict(plain(asdict(self.run)))

    def predict(self, examples: Sequence[Example] | AnyPath) -> list[Example]:
        """The examples with the class that the system decides on as the label of each gap."""
        from crosspro.prediction.output import predicted

        return predicted(self.system, given_examples(examples, self.system.task)).labelled()

    def explain(
        self, examples: Iterable[Example] | AnyPath, line: int | None = None, gap: int = 1
    ) -> ExplainedGap:
        """What decided the class of a gap: see `crosspro.explain`."""
        return explain(self.system, examples, line, gap)

    def export(
        self, output: AnyPath, *, weights: str | None = None, prior: AnyPath | None = None
    ) -> Export:
        """Pack the system into one file: see `crosspro.export`."""
        return export(self, output, weights=weights, prior=prior)


def train(
    task: str = "en-fr",
    system: str = "turku_gru_2016",
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
    ...     archive = run.export(f"{place}/majority.zip")
    >>> run.evaluations["test"].names
    ['majority seed 1']
    """
    from crosspro.data_prep.pipeline.sets.splits import leaks
    from crosspro.prediction.configuration import configured, plain_config
    from crosspro.prediction.fit_and_score import fit_and_score
    from crosspro.prediction.runs import Configuration

    config, choices = composed_run(task, system, data, experiment, settings)
    run = configured(config, choices)
    values = plain_config(config)
    if isinstance(data, Mapping):
        splits = _read_splits(data, run.task)
        del choices["data"]
        values["data"] = {}
    else:
        splits = run.splits()
    for warning in leaks(splits):
        _tell(f"warning: {warning}")
    place = path_or_none(folder) or Path(
        "runs", run.task.name, choices["system"], datetime.now().strftime(_TIME)
    )
    run.check_folder(place, "folder")
    overrides = tuple(f"{group}={name}" for group, name in choices.items())
    outcome = fit_and_score(
        run.task,
        run.system,
        splits,
        place,
        scoring=run.scoring,
        configuration=Configuration(choices, overrides, values),
        tell=_tell,
    )
    return TrainedRun(place, outcome.run, run.system, outcome.evaluations)


def explain(
    model: Model, examples: Iterable[Example] | AnyPath, line: int | None = None, gap: int = 1
) -> ExplainedGap:
    """What decided the class of a gap, as `crosspro explain`.

    Features with their contributions, the path through a chain, or the fillings of a language
    model; networks have no explanation. Lines, and gaps of a line, count from 1; without a line it
    is the first gap.

    >>> import crosspro
    >>> from crosspro.baselines.ngram_system import NGramSystem
    >>> train, dev = (crosspro.demo("en-fr", name, 30) for name in ("train", "dev"))
    >>> system = NGramSystem(order=3)
    >>> system.fit(crosspro.load_task("en-fr"), train, dev)
    >>> explained = crosspro.explain(system, crosspro.demo("en-fr", "test", 1))
    >>> sorted(explained.to_dict()["explanation"]["probabilities"])[:3]
    ['OTHER', 'ce', 'cela']
    """
    from crosspro.data_prep.core.errors import InputError, Problem
    from crosspro.prediction.explanation import explained_gap

    numbers = {"line": 1 if line is None else line, "gap": gap}
    wrong = {name: one for name, one in numbers.items() if type(one) is not int or one < 1}
    if wrong:
        expected = "a whole number from 1"
        raise InputError(
            Problem("arguments", None, name, expected, repr(one)) for name, one in wrong.items()
        )
    system = given_system(model)
    where = str(examples) if isinstance(examples, AnyPath) else "examples"
    return explained_gap(system, given_examples(examples, system.task), where, line, gap)


def export(
    model: Model, output: AnyPath, *, weights: str | None = None, prior: AnyPath | None = None
) -> Export:
    """Pack a trained system into one file for others, as `crosspro models export`.

    `model` is a run, an archive, the name of a bundled model, or what `train` gave. `weights` says
    how matrices are stored (float32, float16, int8; None: as they are); `prior` is what
    `crosspro align --save-prior` learnt of the training text, by which words are linked.
    """
    from crosspro.data_prep.core.errors import choices, input_error
    from crosspro.prediction.models import chosen_run, export_run
    from crosspro.prediction.stored_tensors import WEIGHTS

    if weights not in (None, *WEIGHTS):
        raise input_error("arguments", "weights", choices(WEIGHTS), repr(weights))
    place = getattr(model, "folder", model)
    if not isinstance(place, AnyPath):
        expected = "a run, an archive or what train gave"
        raise input_error("arguments", "model", expected, type(model).__name__)
    run = chosen_run(Path(place), logging.getLogger("crosspro").warning)
    return export_run(run, Path(output), weights, path_or_none(prior))


def composed_run(
    task: str,
    system: str,
    data: str | Path | Mapping[str, Any] = "demo",
    experiment: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> tuple[DictConfig, dict[str, str]]:
    """The configuration and its choices; `InputError` says what there is where one is unknown."""
    from crosspro.data_prep.core.errors import (
        CrossproError,
        how_to_install,
        input_error,
        training_package,
    )

    choices: dict[str, str] = {"task": task, "system": system}
    values: dict[str, Any] = {}
    if experiment is not None:
        choices["experiment"] = experiment
    if isinstance(data, AnyPath) and str(data) != "demo":
        choices["data"], values["data.dir"] = "shared_task", str(data)
    for key, value in (settings or {}).items():
        (choices if key in GROUPS and isinstance(value, str) else values)[key] = value
    for group, name in choices.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise input_error("arguments", group, "the name of one", repr(name))
    try:
        from hydra.errors import HydraException
        from omegaconf.errors import OmegaConfBaseException

        from crosspro.conf.compose import composed
    except ImportError as error:
        package = training_package(error)
        if package is None:
            raise
        needed = f"training needs the package {package}, which is not installed"
        raise CrossproError(f"{needed}: {how_to_install('train')}") from error
    try:
        return composed(choices, values)
    except (HydraException, OmegaConfBaseException, TypeError, ValueError) as error:
        message = " ".join(str(error).split())
        raise input_error("settings", "settings", "values that go together", message) from error


def _read_splits(data: Mapping[str, Any], task: Task) -> Splits:
    """Training, development and test examples that were given by their names."""
    from crosspro.data_prep.core.errors import InputError, Problem
    from crosspro.data_prep.pipeline.sets.splits import Splits

    expected = "examples, or the path of a file"
    problems = [
        Problem("arguments", None, f"data[{name!r}]", expected, "none")
        for name in _NEEDED
        if name not in data
    ]
    sets: dict[str, list[Example]] = {}
    for name, own in data.items():
        try:
            sets[name] = list(given_examples(own, task, f"data[{name!r}]"))
        except InputError as error:
            problems += error.problems
    problems += [
        Problem("arguments", None, f"data[{name!r}]", "at least one gap", "none")
        for name in _NEEDED
        if name in sets and not any(one.gaps for one in sets[name])
    ]
    problems += [
        Problem("arguments", None, "data", "names that a file can have", repr(name))
        for name in data
        if not isinstance(name, str) or not _NAME.fullmatch(name)
    ]
    if problems:
        raise InputError(problems)
    tests = {name: own for name, own in sets.items() if name not in _NEEDED}
    return Splits(sets["train"], sets["dev"], tests)


def _tell(note: str) -> None:
    """What a user should know meanwhile."""
    log = logging.getLogger("crosspro")
    (log.warning if note.startswith("warning: ") else log.info)(note.removeprefix("warning: "))
