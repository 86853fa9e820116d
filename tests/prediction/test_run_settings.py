"""Settings of a run are checked together, and wrong names are answered with the right ones."""

from __future__ import annotations

import os

import pytest

from crosspro.data_prep.pipeline.sets.splits import Splits, demo_splits, file_splits
from crosspro.prediction.arguments import faults
from crosspro.prediction.run_settings import (
    RunSettings,
    data_faults,
    made_system,
    unlike_splits,
)

SECTIONS = {key: {} for key in ("task", "data", "system", "trainer")}
VALUES = {"seed": 1, "absent": "skip", "resamples": 0, "resampling_seed": 2}


def told(found):
    return [(".".join(one.place), one.expected) for one in found]


def refused(settings):
    """The keys of all problems of a section of a system, which is not made."""
    problems = []
    assert made_system("system", settings, {}, problems) is None
    return sorted(problem.field for problem in problems)


def test_every_fault_of_the_values_is_found():
    assert faults((), {**SECTIONS, **VALUES}, RunSettings) == []
    wrong = {"absent": "perhaps", "resamples": -1, "seed": True, "data": 3, "sead": 1}
    assert told(faults((), {**SECTIONS, **VALUES, **wrong}, RunSettings)) == [
        ("data", "a section of settings"),
        ("seed", "a whole number from 0 to 4,294,967,295"),
        ("absent", "one of skip, zero"),
        ("resamples", "a whole number from 0"),
        ("sead", "a key that exists"),
    ]


def mine(task, size: int, path: str | None = None, weights: dict[str, float] | None = None):
    return Splits([], [], {})


def any_settings(task, **settings):
    return Splits([], [], {})


FILES = {"train": "a", "dev": "b", "test": "c", "lenient": False}


@pytest.mark.parametrize(
    ("function", "arguments", "found"),
    [
        (file_splits, {"dir": "???", **FILES}, [("data.dir", "a value")]),
        (file_splits, {"dir": "no such", **FILES}, [("data.dir", "a folder")]),
        (file_splits, {"dir": ".", **FILES}, []),
        (file_splits, {"dir": ".", **FILES, "lenient": 1, "dev": "/b"},
         [("data.dev", "a file name or pattern inside data.dir"),
          ("data.lenient", "a valid boolean")]),
        (demo_splits, {"seed": -1},
         [("data.documents", "a value"), ("data.seed", "a whole number from 0 to 4,294,967,295")]),
        (demo_splits, {"seed": 1, "documents": {"train": 0, "dev": 1}, "colour": 1},
         [("data.colour", "one of documents, seed"),
          ("data.documents.train", "a whole number from 1"),
          ("data.documents.test", "a value")]),
        (any_settings, {"colour": "red"}, []),
        (mine, {"size": 3, "path": None, "weights": {"a": 1, "b": 0.5}}, []),
        (mine, {"size": "3", "path": 4, "weights": {"a": "x"}, "colour": "red"},
         [("data.colour", "one of size, path, weights"), ("data.size", "a valid integer"),
          ("data.path", "a valid string"), ("data.weights.a", "a valid number")]),
    ],
)  # fmt: skip
def test_data_is_held_against_the_signature_of_its_function(function, arguments, found):
    assert told(data_faults(function, arguments)) == found


@pytest.mark.parametrize(
    "target", [print, os.getcwd, os.system, Splits, Splits.__init__.__call__, "x", lambda: None,
               lambda *, task: None]
)  # fmt: skip
def test_what_is_no_function_of_a_task_is_not_called(target):
    expected = "a function of a task that returns Splits"
    assert told(data_faults(target, {})) == [("data._target_", expected)]


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


MAJORITY = {"_target_": "crosspro.baselines.majority.Majority"}
LM = {"_target_": "crosspro.baselines.source_aware.SourceAwareLM"}
NETWORK = {"_target_": "crosspro.prediction.neural.system.NeuralSystem", "network": "turku_gru"}
ENSEMBLE = {"_target_": "crosspro.prediction.ensemble.Ensemble"}


def test_a_system_is_made_with_the_systems_in_it():
    problems = []
    inner = {**ENSEMBLE, "members": [MAJORITY, {**LM, "order": 3}]}
    settings = {**ENSEMBLE, "members": {"a": LM, "b": inner}, "tune": "mean"}
    made = made_system("system", settings, {"system.members.a": "lm"}, problems)
    assert problems == []
    assert made.tune == "mean"
    assert made.members["a"].configured == "lm"
    assert made.members["b"].members["1"].order == 3


def test_all_problems_of_all_members_come_at_once():
    network = {**NETWORK, "training": {"monitor": "luck"}, "trainer": {"precision": 8}, "sead": 1}
    members = {
        "network": network,
        "lm": {**LM, "ordre": 6, "variant": "after"},
        "inner": {**ENSEMBLE, "members": [{"_target_": "subprocess.run"}, {**MAJORITY, "x": 1}]},
        "nothing": {**ENSEMBLE},
        "a/b": MAJORITY,
        "number": 3,
    }
    assert refused({**ENSEMBLE, "members": members, "tune": "luck"}) == [
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
    assert refused({**ENSEMBLE, "members": members, "tune": 5}) == [
        *("system.members.lm.order", "system.members.lm.variant", "system.members.net.network"),
        *("system.members.net.seed", "system.members.net.trainer", "system.members.net.training"),
        "system.tune",
    ]
    assert refused({**NETWORK, "trainer": 5, "training": 5}) == [
        "system.trainer",
        "system.training",
    ]
    assert refused({**ENSEMBLE, "members": {1: MAJORITY}}) == ["system.members"]


@pytest.mark.parametrize(
    "target",
    ["no_such_module.Mine", "crosspro.baselines.majority.Minority", "", 3, "builtins.dict"],
)
def test_a_class_that_cannot_be_imported_or_is_no_system_is_a_problem(target):
    assert refused({"_target_": target}) == ["system._target_"]
