"""A folder that holds runs where a run is asked for: the newest is taken, or all are listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

import crosspro as api
from crosspro.baselines.majority import ClassPrior, Majority
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.configuration import Scoring
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.runs import Times, read_run, write_run
from tests.scripts.run import crosspro

TASK = load_task("en-fr")
TRAIN, DEV = demo_examples(TASK, "train", 8), demo_examples(TASK, "dev", 3)
COMMANDS = (
    ("predict", "RUN", "FILE", "-o", "OUT"),
    ("evaluate", "FILE", "RUN", "-t", "en-fr", "--resamples", "0"),
    ("ensemble", "RUN", "RUN", "-o", "OUT"),
    ("models", "export", "RUN", "-o", "OUT"),
)


def made(folder, ended, system=None, status="complete", seed=1):
    """A small run that ended at a time."""
    fit_and_score(
        TASK, system or Majority(), Splits(TRAIN, DEV, {}), folder, scoring=Scoring(seed=seed)
    )
    times = Times(ended, ended if status == "complete" else None)
    write_run(folder, replace(read_run(folder), status=status, times=times))


@pytest.fixture
def runs(tmp_path):
    """Two complete runs, the newer first by name, and a still newer one that was stopped."""
    folder = tmp_path / "runs" / "en-fr" / "majority"
    made(folder / "a", "2026-02-02T00:00:00+00:00", seed=2)
    made(folder / "b", "2026-01-01T00:00:00+00:00")
    made(folder / "c", "2026-03-03T00:00:00+00:00", status="running")
    write_examples(tmp_path / "dev.data", DEV)
    return folder


def call(tmp_path, command, run):
    places = {"RUN": run, "FILE": tmp_path / "dev.data", "OUT": tmp_path / "out"}
    return crosspro(*(places.get(word, word) for word in command))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_newest_complete_run_is_taken_and_named(command, runs, tmp_path):
    result = call(tmp_path, command, runs)
    assert result.code == 0
    assert str(runs).encode() in result.stderr


def test_the_answer_is_that_of_the_newest(runs, tmp_path):
    scored = call(tmp_path, COMMANDS[1], runs)
    assert b"majority seed 2" in scored.stdout
    assert call(tmp_path, COMMANDS[2], runs).code == 0
    assert read_run(tmp_path / "out").configuration.settings["members"] == [str(runs / "a")] * 2


def test_runs_of_several_systems_are_listed(runs, tmp_path):
    made(runs.parent / "class_prior" / "d", "2026-04-04T00:00:00+00:00", ClassPrior())
    result = call(tmp_path, COMMANDS[0], runs.parent)
    assert result.code == 2
    assert str(runs.parent / "class_prior" / "d").encode() in result.stderr
    assert str(runs / "a").encode() in result.stderr
    assert str(runs / "c").encode() not in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("reason", ["a sweep", "no record"])
def test_runs_of_equal_right_are_listed(reason, runs, tmp_path):
    if reason == "a sweep":
        (runs / "multirun.yaml").write_text("hydra: {}\n")
    else:
        (runs / "b" / "run.json").write_text("{")
    result = call(tmp_path, COMMANDS[0], runs)
    assert result.code == 2


def test_the_api_takes_the_newest_and_logs_it(runs, caplog):
    assert api.load_system(runs).name == "majority"
    assert api.evaluate(runs.parents[2] / "dev.data", {"A": runs}, TASK, resamples=0).names
    assert len(caplog.messages) == 2
