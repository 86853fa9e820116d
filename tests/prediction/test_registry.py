"""Registered names: ours, and those of other packages."""

from __future__ import annotations

import importlib
import json
import sys

import pytest

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.registry import OWN
from crosspro.prediction.run_settings import made_system
from crosspro.prediction.system import is_registered, load_system, system_class
from tests.prediction.own_system import write_package


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a user's package with the given entry points, and import it."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "rare_words", raising=False)

    def install(*entries):
        write_package(tmp_path, *entries)
        importlib.invalidate_caches()
        return importlib.import_module("rare_words").Rarest

    yield install
    sys.modules.pop("rare_words", None)


@pytest.mark.parametrize("name", OWN)
def test_our_names_are_those_of_our_classes(name):
    assert system_class(name).name == name
    assert is_registered(system_class(name))


def test_a_system_of_another_package_is_saved_and_loaded(installed, en_fr, tmp_path):
    kind = installed("rarest = rare_words:Rarest")
    assert system_class("rarest") is kind
    assert is_registered(kind)
    system, dev = kind(least=2), demo_examples(en_fr, "dev", 3)
    system.fit(en_fr, demo_examples(en_fr, "train", 10), dev)
    system.save(tmp_path / "model")
    loaded = load_system(tmp_path / "model")
    assert type(loaded) is kind
    assert loaded.settings() == {"least": 2}
    assert (loaded.predict(dev) == system.predict(dev)).all()


@pytest.mark.parametrize(
    "entries",
    [
        (),
        ("other = rare_words:Rarest",),
        ("rarest = rare_words:Majority",),
        ("majority = rare_words:Rarest",),
    ],
)
def test_a_class_that_could_not_be_loaded_is_refused_with_the_way_to_register_it(
    installed, entries
):
    kind = installed(*entries)
    assert not is_registered(kind)
    problems = []
    settings = {"_target_": "rare_words.Rarest", "sead": 1}
    assert made_system("system", settings, {}, problems) is not None
    refused, unknown = map(str, problems)
    assert refused.startswith("settings: system._target_: expected the class registered by")
    assert 'rarest = "rare_words:Rarest" in the entry-point group crosspro.systems' in refused
    assert "found rare_words.Rarest, which could not be loaded again" in refused
    assert "system.sead: expected one of least" in unknown


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise RuntimeError('no\\nlicence')", "RuntimeError: no licence"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("def", "SyntaxError: invalid syntax"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
    ],
)
def test_a_package_that_raises_is_named(installed, tmp_path, monkeypatch, code, reason):
    installed("broken = breaks_at_once:System")
    (tmp_path / "breaks_at_once.py").write_text(code, "utf-8")
    with pytest.raises(InputError) as refused:
        system_class("broken", "system.json")
    (problem,) = refused.value.problems
    assert problem.path == "system.json"
    assert problem.found.startswith(reason)
    assert problem.found.endswith("(breaks_at_once:System of the package rare-words)")
    assert not is_registered(type("Mine", (Majority,), {"name": "broken"}))


def test_our_names_stay_ours(installed):
    installed("majority = rare_words:Rarest")
    assert system_class("majority") is Majority


@pytest.mark.parametrize(
    ("name", "entries", "expected"),
    [
        ("os.system", (), f"one of {', '.join(sorted(OWN))} "),
        ("os.system", ("rarest = rare_words:Rarest",), "ngram, rarest, source_aware_lm"),
        ("code", ("code = rare_words:CODE",), "'CODE'"),
        ("path", ("path = os:getcwd",), "a subclass of crosspro.prediction.system.System"),
        (["majority"], (), f"one of {min(OWN)}, "),
    ],
)
def test_nothing_else_is_loaded(installed, en_fr, tmp_path, name, entries, expected):
    installed(*entries)
    system = Majority()
    system.fit(en_fr, demo_examples(en_fr, "train", 3), [])
    system.save(tmp_path / "model")
    path = tmp_path / "model" / "system.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "system": name}), "utf-8")
    with pytest.raises(InputError) as refused:
        load_system(tmp_path / "model")
    assert str(refused.value).startswith(f"{path}: system: expected ")
    assert expected in str(refused.value)
