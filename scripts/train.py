"""Train a system and score it.

    crosspro train task=en-fr system=turku_gru_2016 data=demo

Hydra composes the configuration from `conf/`. It is checked as a whole before anything runs; then
`crosspro.prediction.fit_and_score` does the work, and the tables of the test sets are printed. This
is the only module that sees a configuration object.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from crosspro.conf import CONF_DIR
from crosspro.conf.members import member_names
from crosspro.conf.names import GROUPS, names_of_choices
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, input_error
from crosspro.data_prep.core.limits import changed_limits
from crosspro.data_prep.core.settings import shown
from crosspro.data_prep.core.task import Task, task_from_mapping
from crosspro.data_prep.pipeline.sets.splits import Splits, demo_splits, leaks
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.output.text import text_report
from crosspro.prediction.arguments import faults, settings_problems
from crosspro.prediction.fit_and_score import fit_and_score, fit_in_stages
from crosspro.prediction.fit_report import LOG_FILE, chosen_by
from crosspro.prediction.run_settings import (
    RunSettings,
    dashed_settings,
    data_faults,
    imported,
    made_system,
    unknown_name,
    unknown_names,
    unlike_splits,
)
from crosspro.prediction.runs import FILE, Configuration, StageClock
from crosspro.prediction.system import System
from crosspro.scripts.options import style_of
from crosspro.scripts.standard_streams import end_after, open_standard_streams
from crosspro.scripts.train_comparison import comparison, demo_ceilings, last_line
from crosspro.scripts.train_sweep import folder_name, naming_arguments

KEYS = [field.name for field in fields(RunSettings)]
DATA_TARGET = (
    "a function that can be imported, as crosspro.data_prep.pipeline.sets.splits.file_splits"
)
_MOST_DIGITS = 4000
_REFUSALS = (HydraException, OmegaConfBaseException)

DataFunction = Callable[..., Splits]

OmegaConf.register_new_resolver("folder_name", folder_name, replace=True)


def checked(
    settings: dict[str, Any], names: Mapping[str, str]
) -> tuple[Task, System, DataFunction]:
    """The task, the system and the function of the data, or one error with every problem.

    `names` are those of the configurations that the parts of the settings come from.
    """
    found = faults((), settings, RunSettings)
    problems = settings_problems(found)
    if any(one.expected == "a section of settings" for one in found):
        raise InputError(problems)
    data = dict(settings["data"])
    function = imported("data", data.pop("_target_", None), DATA_TARGET, problems)
    if function is not None:
        problems += settings_problems(data_faults(function, data))
    made = made_system("system", settings["system"], names, problems)
    if made is not None and data.get("in_domain") is not None and not made.fine_tunes:
        expected = f"null, since {made.shown_name} does not learn in stages"
        problems += input_error(
            "settings", "data.in_domain", expected, shown(data["in_domain"])
        ).problems
    try:
        task = task_from_mapping(settings["task"], f"task {names.get('task', '')}")
    except InputError as error:
        problems = [*error.problems, *problems]
    if problems or made is None:
        raise InputError(problems)
    return task, made, function


def load_data(task: Task, function: DataFunction, settings: Mapping[str, Any]) -> Splits:
    """The examples of a run, from the function that was chosen."""
    splits = function(task, **{key: settings[key] for key in settings if key != "_target_"})
    found = unlike_splits(splits)
    if found:
        expected = "a function that returns crosspro.data_prep.pipeline.sets.splits.Splits"
        raise input_error("settings", "data._target_", expected, found)
    return splits


def run(configuration: Configuration, folder: Path) -> float | None:
    """A whole run; returns the official score on dev, which sweeps may optimise."""
    settings: dict[str, Any] = dict(configuration.settings)
    chosen = configuration.choices
    task, system, function = checked(settings, chosen)
    data = settings["data"].get("dir")
    if data and Path(data).resolve() == folder.resolve():  # a submission might replace a data file
        raise input_error("settings", "hydra.run.dir", "another folder than data.dir", str(folder))
    first = _rank() == 0
    if first:
        _tell(f"task {task.name}: loading data ({chosen.get('data', '')})")
    clock = StageClock()
    splits = load_data(task, function, settings["data"])
    clock.end("load data")
    if not first:  # it does its part; the first process saves and scores
        fit_in_stages(task, system, splits, folder)
        return None
    for warning in leaks(splits):
        _tell(f"warning: {warning}")
    resamples = settings["resamples"]
    own_seed = settings["system"].get("seed")
    outcome = fit_and_score(
        task,
        system,
        splits,
        folder,
        name=chosen.get("system"),
        seed=own_seed if isinstance(own_seed, int) else settings["seed"],
        configuration=configuration,
        absent=settings["absent"],
        resampling=Resampling(resamples, settings["resampling_seed"]) if resamples else None,
        tell=_tell,
        clock=clock,
    )
    for name in splits.test:
        if name in outcome.evaluations:
            _show(text_report(outcome.evaluations[name], style_of()))
    best = {}
    if function is demo_splits:
        best = demo_ceilings(task, settings["data"], system.context)
    _show(comparison(task, splits, outcome.run.name, outcome.run.scores, best))
    _show(last_line(task, outcome.run, chosen_by(system.report)))
    for warning in outcome.run.warnings:
        _show(f"warning: {warning}")
    _show(f"Model, submissions, scores and HTML reports: {folder}")
    dev = outcome.run.scores.get("dev")
    return dev[task.official_score].value if dev else None


@hydra.main(config_path=str(CONF_DIR), config_name="train", version_base="1.3")
def train(config: DictConfig) -> float | None:
    """Called by Hydra with the composed configuration."""
    about = HydraConfig.get()
    folder = Path(about.runtime.output_dir)
    choices = about.runtime.choices
    named = {group: choices[group] for group in GROUPS if choices.get(group)}
    if "members" in config.get("system", {}):
        overrides = [*about.overrides.hydra, *about.overrides.task]
        named |= member_names(str(about.job.config_name), overrides)
    try:
        settings: Any = OmegaConf.to_container(config, resolve=True)
        with changed_limits(settings.get("limit", 1)):
            return run(Configuration(named, tuple(about.overrides.task), settings), folder)
    except OmegaConfBaseException as error:
        print(f"settings: {error.full_key}: {str(error).splitlines()[0]}", file=sys.stderr)
    except CrossproError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        end_after(error)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None
    _remove_if_empty(folder)
    raise SystemExit(2)


def _tell(note: str) -> None:
    """Say something while a run goes on: on standard error and in `train.log`, as Hydra is told."""
    logging.getLogger("crosspro").info(note)


def _show(text: str) -> None:
    """Print a result, and keep it in `train.log` too."""
    print(text)
    logging.getLogger(LOG_FILE).info(text)


def _rank() -> int:
    """Which of several processes this is (trainer=ddp); 0 is the first, or the only one."""
    names = ("RANK", "SLURM_PROCID", "LOCAL_RANK")
    return next((int(os.environ[name]) for name in names if os.environ.get(name)), 0)


def _remove_if_empty(folder: Path) -> None:
    """A run that was refused leaves no folder behind."""
    if {path.name for path in folder.iterdir()} <= {".hydra", "train.log", FILE}:
        shutil.rmtree(folder)


def refused_names(arguments: list[str]) -> list[Problem]:
    """Names among the arguments that there are not, each with those that there are."""
    try:
        names = names_of_choices(arguments)
    except _REFUSALS:
        return []
    wrong = [unknown_name(one.group, one.name, one.options, one.name) for one in names.wrong]
    return [*wrong, *unknown_names(arguments, names.known)]


def main() -> None:
    """Let Hydra compose and run; what it refuses is said with the choices that there are."""
    open_standard_streams()
    arguments = sys.argv[1:]
    sweep = bool({"-m", "--multirun"} & set(arguments))
    endless = [
        argument for argument in arguments if re.search(rf"\d{{{_MOST_DIGITS + 1},}}", argument)
    ]
    if endless:  # Python reads no longer number, and Hydra has no words for that
        print(
            f"settings: {endless[0].partition('=')[0][:60]}: a number without end", file=sys.stderr
        )
        raise SystemExit(2)
    dashed = dashed_settings(arguments, {*KEYS, *GROUPS})
    if dashed:  # Hydra would list its own options
        print(InputError(dashed), file=sys.stderr)
        raise SystemExit(2)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # else it prints its own words and exits
    if sweep:
        problems = refused_names(arguments)
        if problems:  # before Hydra makes the folder of the sweep
            print(InputError(problems), file=sys.stderr)
            raise SystemExit(2)
        sys.argv += naming_arguments(arguments)
    try:
        train()
        sys.stdout.flush()
    except (*_REFUSALS, ValueError) as error:
        problems = refused_names(arguments)
        if not problems and not isinstance(error, _REFUSALS):
            raise
        cause = str(error.__cause__ or "").partition("\n")[0]
        words = "\n".join(filter(None, (str(error), cause)))
        print(InputError(problems) if problems else words, file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:  # those of a run are caught there
        if error.filename is None:
            end_after(error)
        key, found = "hydra.sweep.dir" if sweep else "hydra.run.dir", str(error.filename)
        print(input_error("settings", key, "a folder to write to", found), file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
