"""Train a system and score it.

    crosspro train task=en-fr system=turku_gru_2016 data=demo

Hydra composes the configuration from `conf/`. It is checked as a whole before anything runs; then
`crosspro.prediction.fit_and_score` does the work, and the tables of the test sets are printed.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sys
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from crosspro.baselines.majority import Majority
from crosspro.conf import CONF_DIR, GROUPS
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.evaluation.published.results import published_results
from crosspro.evaluation.report.tables import text_report
from crosspro.prediction.configuration import training_setup
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.fit_and_score import ScoredRun, fit_and_score
from crosspro.prediction.fit_report import LOG_FILE
from crosspro.prediction.model_archive import RECORD
from crosspro.prediction.runs import INTERRUPTED, TERMINATED, Configuration, Run
from crosspro.scripts.cli import end_after, escape_output
from crosspro.scripts.common import show_table, style_of
from crosspro.scripts.train_sweep import METRICS

_GENERATED = (
    "note: the demo corpus is generated text: these scores show that everything works, and say "
    "nothing of real text."
)


@hydra.main(config_path=str(CONF_DIR), config_name="train", version_base="1.3")
def train(config: DictConfig) -> float | None:
    """Called by Hydra with the composed configuration; sweeps may optimise what is returned."""
    about = HydraConfig.get()
    folder = Path(about.runtime.output_dir)
    names = {group: about.runtime.choices.get(group) for group in GROUPS}
    choices = {group: name for group, name in names.items() if name}
    try:
        setup = training_setup(config, choices)
        task, system = setup.task, setup.system
        if _rank() != 0:  # it does its part; the first process saves and scores
            splits = setup.splits()
            system.fit(task, splits.train, splits.dev, folder)
            return None
        _tell(f"task {task.name}: loading data ({choices.get('data', '')})")
        splits = setup.splits()
        configuration = Configuration(choices, tuple(about.overrides.task), setup.values)
        outcome = fit_and_score(
            task,
            system,
            splits,
            folder,
            scoring=setup.scoring,
            configuration=configuration,
            tell=_tell,
        )
        _show_outcome(task, splits, outcome)
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
    except (KeyboardInterrupt, SystemExit) as stop:
        code = INTERRUPTED if isinstance(stop, KeyboardInterrupt) else stop.code
        if code in (INTERRUPTED, TERMINATED):
            _tell_how_to_go_on(folder)
        raise SystemExit(code) from None
    _remove_if_empty(folder)
    raise SystemExit(2)


def _show_outcome(task: Task, splits: Splits, outcome: ScoredRun) -> None:
    """Print the tables of the test sets, a comparison with the majority class, and warnings."""
    run = outcome.run
    for name in splits.test:
        if name in outcome.evaluations:
            _show(text_report(outcome.evaluations[name], style_of()))
    _show(comparison(task, splits, run))
    metrics = list(dict.fromkeys((task.official_score, "accuracy")))
    figures = ", ".join(
        f"{title} {' / '.join(f'{scores[metric].value:.2f}' for metric in metrics)}"
        for title, scores in run.scores.items()
    )
    line = (
        f"{run.name}: {' / '.join(METRICS[metric] for metric in metrics)}: {figures or 'no labels'}"
    )
    fit = run.fit or {}
    if "chosen_epoch" in fit:
        line += f"; epoch {fit['chosen_epoch']}, chosen by dev {fit['monitor']} {fit['score']:.2f}"
    _show(line)
    for warning in run.warnings:
        _show(f"warning: {warning}")


def comparison(task: Task, splits: Splits, run: Run) -> str:
    """A table for dev and each test set: the run and its variants beside the simplest baselines.

    A uniformly random class is right once in C times (003 §7). The baseline of the shared tasks
    stands beside its published rows, which are of the official test sets.
    """
    majority = Majority()
    majority.fit(task, splits.train, splits.dev)
    sets = {"dev": splits.dev, **splits.test}
    penalty = (run.fit or {}).get("penalty")
    name = run.name if penalty is None else f"{run.name}, penalty {penalty:g}"
    uniform = f"{100 / len(task.classes):.2f}"
    rows = []
    for title in run.scores:
        for row, scores in {name: run.scores, **run.variants}.items():
            shown = (f"{scores[title][metric].value:.2f}" for metric in METRICS)
            rows.append((title if row == name else "", row, *shown))
        probabilities = majority.predict(sets[title])
        of_majority = (dev_score(task, sets[title], metric)(probabilities) for metric in METRICS)
        rows.append(("", "majority", *(f"{score:.2f}" for score in of_majority)))
        rows.append(("", "uniform", uniform, "", uniform))
    if run.configuration.choices.get("experiment") == "baseline":
        pair = f"{task.source_language}-{task.target_language}"
        for result in published_results(pair=pair):
            if result.kind == "baseline" and result.year in task.years:
                published = (f"{result.macro_recall:.2f}", "", f"{result.accuracy:.2f}")
                rows.append((f"{result.year}, published", result.submission, *published))
    return show_table(("set", "system", *METRICS.values()), rows, left=2)


def _tell_how_to_go_on(folder: Path) -> None:
    """Print the command that goes on with a run that was stopped."""
    overrides = HydraConfig.get().overrides.task
    script = Path(sys.argv[0])
    is_own = script.name == "train.py" and script.resolve() != Path(__file__).resolve()
    program = ["python", str(script)] if is_own else ["crosspro", "train"]
    command = shlex.join([*program, *overrides, f"hydra.run.dir={folder}"])
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
    if {path.name for path in folder.iterdir()} <= {".hydra", "train.log", RECORD}:
        shutil.rmtree(folder)


def main() -> None:
    """Let Hydra compose and run; it says itself what it refuses, with the choices there are."""
    escape_output()
    os.environ["HYDRA_FULL_ERROR"] = "1"  # else it exits with status 1
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
        place = str(error.filename)
        print(input_error("settings", "hydra", "a folder to write to", place), file=sys.stderr)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
