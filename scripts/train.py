"""Train a system and score it.

    crosspro train task=en-fr system=turku_gru_2016 data=demo

Hydra composes the configuration from `conf/`. It is checked as a whole before anything runs; then
the system is fitted, saved, and applied to dev and test. The run folder gets the model, and for
each set a submission, scores (JSON) and an HTML report; the tables of the test sets are printed.
This is the only module that sees a configuration object.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from crosspro.conf import CONF_DIR
from crosspro.conf.names import known_names
from crosspro.data_prep.errors import CrossproError, InputError, Problem
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.formats.textfile import write_text
from crosspro.data_prep.sets.splits import Splits, demo_splits, file_splits
from crosspro.data_prep.task import Task, task_from_mapping
from crosspro.evaluation.statistics.significance import Resampling
from crosspro.evaluation.submissions.page import html_report
from crosspro.evaluation.submissions.report import json_report, text_report
from crosspro.evaluation.submissions.results import Evaluation, evaluate
from crosspro.evaluation.submissions.submission import gold_of, submission_of, unlabelled_line
from crosspro.prediction.output import lacks_context, with_predictions, without_context
from crosspro.prediction.run_settings import MOST_SEED, Settings, unknown_names
from crosspro.prediction.system import System

KEYS = ("task", "data", "system", "trainer", "seed", "absent", "resamples", "resampling_seed")


def checked(settings: dict[str, Any], task_name: str) -> tuple[Task, System]:
    """The task and the system, if all settings are sound; else one error with every problem."""
    check = Settings()
    check.choice("absent", settings.get("absent"), ("skip", "zero"))
    check.number("seed", settings.get("seed"), 0, MOST_SEED)
    check.number("resamples", settings.get("resamples"), 0)
    check.number("resampling_seed", settings.get("resampling_seed"), 0, MOST_SEED)
    if not check.top(settings, KEYS):
        raise InputError(check.problems)
    check.data(settings["data"])
    made = check.system("system", settings["system"])
    try:
        task = task_from_mapping(settings["task"], f"task {task_name}")
    except InputError as error:
        check.problems = [*error.problems, *check.problems]
    if check.problems or made is None:
        raise InputError(check.problems)
    return task, made


def load_data(task: Task, data: dict[str, Any]) -> Splits:
    """The examples of a run, by the kind of data."""
    settings = {key: value for key, value in data.items() if key != "kind"}
    if data["kind"] == "demo":
        return demo_splits(task, **settings)
    return file_splits(task, settings.pop("dir"), **settings)


def score(
    system: System, title: str, splits: Splits, folder: Path, settings: dict[str, Any]
) -> dict[str, Evaluation]:
    """Predict dev and every test set, write submissions, and score the sets that have labels."""
    resamples = settings["resamples"]
    plan = Resampling(resamples, settings["resampling_seed"]) if resamples else None
    evaluations = {}
    for name, examples in {"dev": splits.dev, **splits.test}.items():
        if lacks_context(system, examples):
            print(without_context(name, system), file=sys.stderr)
        submissions = []
        for label, one in {title: system, **system.variants()}.items():
            predicted = with_predictions(one, examples, one.predict(examples))
            suffix = "" if one is system else f".{label}"
            write_examples(folder / f"{name}{suffix}.submission.data", predicted)
            submissions.append(submission_of(predicted, system.task, label))
        blind = unlabelled_line(examples)
        if blind is not None or not any(example.gaps for example in examples):
            reason = "it has no gap"
            if blind is not None:
                reason = f"line {blind} has a gap without a gold label"
            print(f"{name}: a submission and no score, since {reason}", file=sys.stderr)
            continue
        gold = gold_of(examples, system.task, name)
        evaluation = evaluate(system.task, gold, submissions, settings["absent"], plan)
        write_text(folder / f"{name}.scores.json", json_report(evaluation))
        write_text(folder / f"{name}.report.html", html_report(evaluation, submissions, examples))
        evaluations[name] = evaluation
    return evaluations


def run(settings: dict[str, Any], task_name: str, title: str, folder: Path) -> float | None:
    """A whole run; returns the official score on dev, which sweeps may optimise.

    `title` is the name of the system's configuration, by which reports call it.
    """
    task, system = checked(settings, task_name)
    helper = _rank() > 0
    if not helper:
        print(f"task {task.name}: loading data ({settings['data']['kind']})", file=sys.stderr)
    splits = load_data(task, settings["data"])
    if not helper:
        print(f"fitting {title} on {len(splits.train):,} lines", file=sys.stderr)
        blind = sum(gap.label is None for example in splits.train for gap in example.gaps)
        if blind:
            print(f"train: {blind:,} gaps without a label are not learnt from", file=sys.stderr)
    system.fit(task, splits.train, splits.dev, folder)
    if helper:  # it has done its part; the first process saves and scores
        return None
    system.save(folder / "model")
    evaluations = score(system, title, splits, folder, settings)
    for name in splits.test:
        if name in evaluations:
            print(text_report(evaluations[name]))
    print(f"Model, submissions, scores and HTML reports: {folder}")
    if "dev" not in evaluations:
        return None
    return evaluations["dev"].results[0].scores[task.official_score].value


@hydra.main(config_path=str(CONF_DIR), config_name="train", version_base="1.3")
def train(config: DictConfig) -> float | None:
    """Called by Hydra with the composed configuration."""
    runtime = HydraConfig.get().runtime
    settings: Any = OmegaConf.to_container(config, resolve=True)
    try:
        task, system = runtime.choices["task"], runtime.choices.get("system", "")
        return run(settings, task, system, Path(runtime.output_dir))
    except CrossproError as error:
        print(error, file=sys.stderr)
        _remove_if_empty(Path(runtime.output_dir))
        raise SystemExit(2) from None
    except OSError as error:
        print(f"{error.filename or runtime.output_dir}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        raise SystemExit(130) from None


def _rank() -> int:
    """Which of several processes this is (trainer=ddp); 0 is the first, or the only one."""
    names = ("RANK", "SLURM_PROCID", "LOCAL_RANK")
    return next((int(os.environ[name]) for name in names if os.environ.get(name)), 0)


def _remove_if_empty(folder: Path) -> None:
    """A run that was refused leaves no folder behind."""
    if {path.name for path in folder.iterdir()} <= {".hydra", "train.log"}:
        shutil.rmtree(folder)


def main() -> None:
    """Check what Hydra would refuse without a clear word: names, and the folder of the run."""
    problems = unknown_names(sys.argv[1:], known_names(sys.argv[1:]))
    for argument in sys.argv[1:]:
        name, _, value = argument.partition("=")
        if name in ("hydra.run.dir", "hydra.sweep.dir") and value and "$" not in value:
            path = Path(value).absolute()
            nearest = next(place for place in (path, *path.parents) if place.exists())
            if not nearest.is_dir() or not os.access(nearest, os.W_OK):
                problems.append(Problem("settings", None, name, "a folder to write to", value))
    if problems:
        print(InputError(problems), file=sys.stderr)
        raise SystemExit(2)
    train()


if __name__ == "__main__":
    main()
