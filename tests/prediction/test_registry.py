"""Registered names are those of our classes, and nothing else is loaded."""

from __future__ import annotations

import json

import pytest

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.registry import OWN
from crosspro.prediction.run_settings import made_system
from crosspro.prediction.system import is_registered, load_system, system_class


class Unregistered(Majority):
    name = "unregistered"


@pytest.mark.parametrize("name", OWN)
def test_names_are_those_of_the_classes(name):
    assert system_class(name).name == name
    assert is_registered(system_class(name))


def test_a_class_that_could_not_be_loaded_is_refused():
    problems = []
    settings = {"_target_": f"{__name__}.Unregistered", "sead": 1}
    assert made_system("system", settings, {}, problems) is not None
    assert [problem.field for problem in problems] == ["system._target_", "system.sead"]


@pytest.mark.parametrize("name", ["os.system", "unregistered", ["majority"]])
def test_nothing_else_is_loaded(en_fr, tmp_path, name):
    system = Majority()
    system.fit(en_fr, demo_examples(en_fr, "train", 3), [])
    system.save(tmp_path / "model")
    path = tmp_path / "model" / "system.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "system": name}), "utf-8")
    with pytest.raises(InputError) as refused:
        load_system(tmp_path / "model")
    (problem,) = refused.value.problems
    assert (problem.path, problem.field) == (str(path), "system")
