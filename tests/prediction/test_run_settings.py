"""Settings of a run are checked together, and wrong names are answered with the right ones."""

from __future__ import annotations

import os

import pytest

from crosspro.baselines.majority import ClassPrior
from crosspro.data_prep.pipeline.sets.splits import Splits, demo_splits, file_splits
from crosspro.prediction.run_settings import (
    Settings,
    dashed_settings,
    unknown_names,
    unlike_splits,
)


def test_every_problem_is_found():
    check = Settings()
    check.choice("absent", "perhaps", ("skip", "zero"))
    check.number("resamples", -1, 0)
    check.number("resamples", True, 0)
    check.data(demo_splits, {"seed": 1, "documents": {"train": 0, "dev": 1}, "colour": 1})
    check.component("system", ClassPrior, {"sead": 1})
    check.component("system", dict, {})
    keys = [problem.field for problem in check.problems]
    assert keys == [
        "absent", "resamples", "resamples", "data.colour", "data.documents.train",
        "data.documents.test", "system.sead", "system._target_",
    ]  # fmt: skip


def test_data_is_held_against_the_signature_of_its_function(tmp_path):
    check = Settings()
    check.data("cloud", {})
    check.data(file_splits, {"dir": "???", "train": "a", "dev": "b", "test": "c"})
    files = {"train": "a", "dev": "b", "test": "c", "lenient": False}
    check.data(file_splits, {"dir": str(tmp_path / "none"), **files})
    check.data(file_splits, {"dir": str(tmp_path), **files})
    check.data(file_splits, {"dir": str(tmp_path), **files, "lenient": 1, "dev": "/b"})
    check.data(demo_splits, {"seed": -1})
    assert [problem.field for problem in check.problems] == [
        "data._target_", "data.dir", "data.dir", "data.dev", "data.lenient", "data.documents",
        "data.seed",
    ]  # fmt: skip
    assert check.problems[1].found == "nothing (give it as data.dir=…)"
    assert check.problems[2].expected == "a folder"
    assert check.problems[4].expected == "true or false"
    assert check.problems[6].expected == "a whole number from 0 to 4,294,967,295"


def test_data_of_a_users_own_function():
    def mine(task, size: int, path: str | None = None, weights: dict[str, float] | None = None):
        return Splits([], [], {})

    def any_settings(task, **settings):
        return Splits([], [], {})

    check = Settings()
    check.data(any_settings, {"colour": "red"})
    check.data(mine, {"size": 3, "path": None, "weights": {"a": 1, "b": 0.5}})
    assert check.problems == []
    check.data(mine, {"size": "3", "path": 4, "weights": {"a": "x"}, "colour": "red"})
    assert [(problem.field, problem.expected) for problem in check.problems] == [
        ("data.colour", "one of size, path, weights"),
        ("data.size", "a whole number"),
        ("data.path", "text or nothing"),
        ("data.weights.a", "a number"),
    ]


@pytest.mark.parametrize(
    "target", [print, os.getcwd, os.system, Splits, Splits.__init__.__call__, "x", lambda: None,
               lambda *, task: None]
)  # fmt: skip
def test_what_is_no_function_of_a_task_is_not_called(target):
    check = Settings()
    check.data(target, {})
    (problem,) = check.problems
    assert problem.field == "data._target_"
    assert problem.expected == "a function of a task that returns Splits"


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        (None, "one of NoneType"),
        (Splits(3, [], {}), "one whose train is int and not a list of Example"),
        (Splits([], ["x"], {}), "one whose dev is list and not a list of Example"),
        (Splits([], [], []), "one whose test sets are list and not a mapping of names"),
        (Splits([], [], {"a": 3}), "one whose a is int and not a list of Example"),
        (Splits([], (), {"a": []}), None),
    ],
)
def test_what_a_function_of_data_returns_is_looked_at(returned, found):
    assert unlike_splits(returned) == found


def test_unknown_names_list_the_choices():
    known = {
        "": ["task", "data", "seed"],
        "data": ["_target_", "dir", "documents"],
        "data.documents": ["train"],
    }
    good = ["task=en-fr", "data.dir=x", "+data.new=1", "hydra.run.dir=x", "-m", "--cfg=job"]
    assert unknown_names([*good, "data.documents.train=3", "data.dir.any=4"], known) == []
    first, second, third = unknown_names(["taks=x", "data.dri=y", "data.documents.trian=2"], known)
    assert "did you mean data.documents.train?" in str(third)
    assert "one of task, data, seed" in str(first)
    assert "did you mean task?" in str(first)
    assert "one of data._target_, data.dir, data.documents" in str(second)
    (gone,) = unknown_names(["data.kind=demo"], known)
    assert "expected data=NAME for a file of conf/data" in str(gone)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("--task en-fr", ["task=en-fr"]),
        ("--task=en-fr -o runs/x", ["task=en-fr", "hydra.run.dir=runs/x"]),
        ("-t en-fr --data.in-domain IWSLT", ["task=en-fr", "data.in_domain=IWSLT"]),
        ("--task -m data=demo", ["task=…"]),
        ("--cfg job -m task=en-fr --config-dir data", []),
    ],
)
def test_settings_written_as_options_are_answered_in_their_own_style(arguments, meant):
    problems = dashed_settings(arguments.split(), ["task", "data"])
    assert [problem.expected for problem in problems] == meant


MAJORITY = {"_target_": "crosspro.baselines.majority.Majority"}
LM = {"_target_": "crosspro.baselines.source_aware.SourceAwareLM"}
NETWORK = {"_target_": "crosspro.prediction.neural.system.NeuralSystem", "network": "turku_gru"}
ENSEMBLE = {"_target_": "crosspro.prediction.ensemble.Ensemble"}


def test_a_system_is_made_with_the_systems_in_it():
    check = Settings()
    inner = {**ENSEMBLE, "members": [MAJORITY, {**LM, "order": 3}]}
    made = check.system("system", {**ENSEMBLE, "members": {"a": LM, "b": inner}, "tune": "mean"})
    assert check.problems == []
    assert made.tune == "mean"
    assert made.members["b"].members["1"].order == 3


def test_all_problems_of_all_members_come_at_once():
    check = Settings()
    network = {**NETWORK, "training": {"monitor": "luck"}, "trainer": {"precision": 8}, "sead": 1}
    members = {
        "network": network,
        "lm": {**LM, "ordre": 6, "variant": "after"},
        "inner": {**ENSEMBLE, "members": [{"_target_": "subprocess.run"}, {**MAJORITY, "x": 1}]},
        "nothing": {**ENSEMBLE},
        "a/b": MAJORITY,
        "number": 3,
    }
    assert check.system("system", {**ENSEMBLE, "members": members, "tune": "luck"}) is None
    assert sorted(problem.field for problem in check.problems) == [
        "system.members",
        "system.members.inner.members.0._target_",
        "system.members.inner.members.1.x",
        "system.members.lm.ordre",
        "system.members.lm.variant",
        "system.members.network.sead",
        "system.members.network.training.monitor",
        "system.members.nothing.members",
        "system.members.number",
        "system.tune",
        "trainer.precision",
    ]


def test_a_value_of_another_type_is_told_once():
    network = {**NETWORK, "network": 5, "seed": "x", "trainer": 5, "training": 5}
    members = {"net": network, "lm": {**LM, "order": "x", "variant": 5}}
    check = Settings()
    check.system("system", {**ENSEMBLE, "members": members, "tune": 5})
    assert sorted(problem.field for problem in check.problems) == [
        *("system.members.lm.order", "system.members.lm.variant", "system.members.net.network"),
        *("system.members.net.seed", "system.members.net.trainer", "system.members.net.training"),
        "system.tune",
    ]
    check = Settings()
    check.system("system", {**NETWORK, "trainer": 5, "training": 5})
    assert [problem.field for problem in check.problems] == ["system.training", "system.trainer"]
    check = Settings()
    check.system("system", {**ENSEMBLE, "members": {1: MAJORITY}})
    (problem,) = check.problems
    assert (problem.field, problem.expected) == ("system.members", "names that are text")


def test_a_class_that_cannot_be_imported_is_a_problem():
    for target in ("no_such_module.Mine", "crosspro.baselines.majority.Minority", "", 3):
        check = Settings()
        assert check.system("system", {"_target_": target}) is None
        assert [problem.field for problem in check.problems] == ["system._target_"]
