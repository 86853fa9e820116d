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
from crosspro.conf.names import GROUPS
from crosspro.data_prep.core.errors import CrossproError, InputError, input_error
from crosspro.data_prep.core.limits import changed_limits
from crosspro.data_prep.pipeline.sets.splits import demo_splits, leaks
from crosspro.evaluation.output.text import text_report
from crosspro.prediction.fit_and_score import fit_configured, fit_in_stages
from crosspro.prediction.fit_report import LOG_FILE, chosen_by
from crosspro.prediction.run_settings import (
    RunSettings,
    check_folder,
    checked,
    dashed_settings,
    load_data,
    refused_names,
)
from crosspro.prediction.runs import FILE, Configuration
from crosspro.scripts.options import style_of
from crosspro.scripts.standard_streams import end_after, open_standard_streams
from crosspro.scripts.train_comparison import comparison, demo_ceilings, last_line
from crosspro.scripts.train_sweep import folder_name, naming_arguments

KEYS = [field.name for field in fields(RunSettings)]
_MOST_DIGITS = 4000
_REFUSALS = (HydraException, OmegaConfBaseException)

OmegaConf.register_new_resolver("folder_name", folder_name, replace=True)


def run(configuration: Configuration, folder: Path) -> float | None:
    """A whole run; returns the official score on dev, which sweeps may optimise."""
    settings: dict[str, Any] = dict(configuration.settings)
    chosen = configuration.choices
    task, system, function = checked(settings, chosen)
    check_folder(settings, folder, "hydra.run.dir")
    first = _rank() == 0
    if first:
        _tell(f"task {task.name}: loading data ({chosen.get('data', '')})")
    splits = load_data(task, function, settings["data"])
    if not first:  # it does its part; the first process saves and scores
        fit_in_stages(task, system, splits, folder)
        return None
    for warning in leaks(splits):
        _tell(f"warning: {warning}")
    outcome = fit_configured(task, system, splits, folder, configuration, _tell)
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
