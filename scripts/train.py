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
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from crosspro.conf import CONF_DIR, GROUPS
from crosspro.conf.members import member_names
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.sets.splits import Splits, leaks
from crosspro.evaluation.report.tables import text_report
from crosspro.prediction.fit_and_score import ScoredRun, fit_and_score, scoring
from crosspro.prediction.fit_report import LOG_FILE, chosen_by
from crosspro.prediction.run_settings import (
    check_folder,
    checked,
    load_data,
)
from crosspro.prediction.runs import FILE, Configuration
from crosspro.prediction.system import System
from crosspro.scripts.cli import end_after, escape_output
from crosspro.scripts.common import style_of
from crosspro.scripts.train_comparison import comparison, last_line
from crosspro.scripts.train_sweep import folder_name, naming_arguments

INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C and after SIGTERM, as shells give them."""
_GENERATED = (
    "note: the demo corpus is generated text: these scores show that everything works, and say "
    "nothing of real text."
)
_MOST_DIGITS = 4000

OmegaConf.register_new_resolver("folder_name", folder_name, replace=True)


@hydra.main(config_path=str(CONF_DIR), config_name="train", version_base="1.3")
def train(config: DictConfig) -> float | None:
    """Called by Hydra with the composed configuration; sweeps may optimise what is returned."""
    folder = Path(HydraConfig.get().runtime.output_dir)
    try:
        configuration = _configuration(config)
        settings, choices = configuration.settings, configuration.choices
        task, system, function = checked(dict(settings), choices)
        check_folder(settings, folder, "hydra.run.dir")
        if _rank() == 0:
            _tell(f"task {task.name}: loading data ({choices.get('data', '')})")
        splits = load_data(task, function, settings["data"])
        if _rank() != 0:  # it does its part; the first process saves and scores
            system.fit(task, splits.train, splits.dev, folder)
            if splits.in_domain:
                system.fine_tune(splits.in_domain, splits.dev, folder)
            return None
        for warning in leaks(splits):
            _tell(f"warning: {warning}")
        how = scoring(configuration)
        outcome = fit_and_score(task, system, splits, folder, **how, tell=_tell)
        _show_outcome(task, system, splits, outcome)
        _show(f"Model, submissions, scores and HTML reports: {folder}")
        if choices.get("data") == "demo":
            _show(_GENERATED)
        dev = outcome.run.scores.get("dev")
        return dev[task.official_score].value if dev else None
    except OmegaConfBaseException as error:
        print(f"settings: {error.full_key}: {str(error).splitlines()[0]}", file=sys.stderr)
    except CrossproError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        end_after(error)
    except KeyboardInterrupt:
        _tell_how_to_go_on(folder)
        raise SystemExit(INTERRUPTED) from None
    except SystemExit as stop:
        if stop.code in (INTERRUPTED, TERMINATED):
            _tell_how_to_go_on(folder)
        raise
    _remove_if_empty(folder)
    raise SystemExit(2)


def _configuration(config: DictConfig) -> Configuration:
    """The composed settings, the names they come from and the arguments that chose them."""
    about = HydraConfig.get()
    choices = about.runtime.choices
    names = {group: choices[group] for group in GROUPS if choices.get(group)}
    if "members" in config.get("system", {}):
        overrides = [*about.overrides.hydra, *about.overrides.task]
        names |= member_names(str(about.job.config_name), overrides)
    settings: Any = OmegaConf.to_container(config, resolve=True)
    return Configuration(names, tuple(about.overrides.task), settings)


def _show_outcome(task: Task, system: System, splits: Splits, outcome: ScoredRun) -> None:
    """Print the tables of the test sets, a comparison with the majority class, and warnings."""
    for name in splits.test:
        if name in outcome.evaluations:
            _show(text_report(outcome.evaluations[name], style_of()))
    _show(comparison(task, splits, outcome.run.name, outcome.run.scores))
    _show(last_line(task, outcome.run, chosen_by(system.report)))
    for warning in outcome.run.warnings:
        _show(f"warning: {warning}")


def _tell_how_to_go_on(folder: Path) -> None:
    """Print the command that goes on with a run that was stopped."""
    about = HydraConfig.get()
    if about.mode is RunMode.MULTIRUN:
        arguments = list(about.overrides.task)
    else:
        arguments = [word for word in sys.argv[1:] if not word.startswith("hydra.run.dir=")]
    script = Path(sys.argv[0])
    program = ["python", sys.argv[0]] if script.suffix == ".py" else [script.name]
    if script.resolve() == Path(__file__).resolve():
        program = ["crosspro", "train"]
    command = shlex.join([*program, *arguments, f"hydra.run.dir={folder}"])
    print(f"\nStopped. To go on:\n{command}", file=sys.stderr)


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
    """Let Hydra compose and run; what it refuses it says, with the choices that there are."""
    escape_output()
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
    os.environ["HYDRA_FULL_ERROR"] = "1"  # else it prints its own words and exits
    if sweep:
        sys.argv += naming_arguments(arguments)
    try:
        train()
        sys.stdout.flush()
    except (HydraException, OmegaConfBaseException, ValueError) as error:
        if isinstance(error, ValueError) and not str(error).startswith("Config group override"):
            raise  # only this one is Hydra's: task=null
        cause = str(error.__cause__ or "").partition("\n")[0]
        print("\n".join(filter(None, (str(error), cause))), file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:  # those of a run are caught there
        if error.filename is None:
            end_after(error)
        key, found = "hydra.sweep.dir" if sweep else "hydra.run.dir", str(error.filename)
        print(input_error("settings", key, "a folder to write to", found), file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
