"""The public functions do what the commands do, and importing them costs nothing."""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import crosspro
from crosspro.baselines.ngram_system import NGramSystem
from tests.conftest import GOLDEN, ROOT, mostly_slow

CASE = GOLDEN / "scorer" / "en-fr_basic"
APT = GOLDEN / "apt"
MODELS = GOLDEN / "models"


def public_members(name):
    """A public name, and what its class has of ours."""
    found = getattr(crosspro, name)
    yield name, found
    for kind in found.__mro__ if isinstance(found, type) else ():
        for member, value in vars(kind).items() if "crosspro" in kind.__module__ else ():
            if not member.startswith("_"):
                own = getattr(value, "__func__", getattr(value, "fget", value))
                own = getattr(own, "func", own)  # what is computed once
                if isinstance(own, FunctionType):
                    yield f"{name}.{member}", own


PUBLIC = dict(pair for name in crosspro.__all__ for pair in public_members(name))


def test_every_public_name_is_there_and_documented():
    for name in crosspro.__all__:
        assert name in dir(crosspro)
    assert [name for name in crosspro.__all__ if not inspect.getdoc(PUBLIC[name])] == []
    assert not hasattr(crosspro, "no_such_name")
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    for name in crosspro.__all__:
        assert f"`{name}" in text, name


SLOW = {"load", "proofread"}
EXAMPLES = {
    name: found
    for name, found in PUBLIC.items()
    if ">>> " in (found.__doc__ or "") and getattr(found, "__module__", "").startswith("crosspro")
}


@pytest.mark.parametrize("name", mostly_slow(EXAMPLES, *(EXAMPLES.keys() - SLOW)))
def test_examples_of_docstrings_are_true(name):
    tests = doctest.DocTestFinder(recurse=False).find(EXAMPLES[name], name, globs={})
    for test in tests:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_the_import_brings_nothing_along():
    code = (
        "import sys; before = set(sys.modules); import crosspro; print(*set(sys.modules) - before)"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            cwd=ROOT, check=True).stdout.split()  # fmt: skip
    assert not {"numpy", "torch", "hydra", "typer", "yaml"} & set(output)
    assert [name for name in output if name.startswith("crosspro.")] == ["crosspro.version"]


def test_python_and_type_checkers_find_names_in_the_same_places():
    tree = ast.parse(Path(crosspro.__file__).read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    places = {name.name: node.module for node in imports for name in node.names}
    ours = {name: place for name, place in places.items() if place.startswith("crosspro.")}
    assert ours.pop("__version__") == "crosspro.version"
    assert ours == {name: f"crosspro.{place}" for name, place in crosspro._PLACES.items()}
    assert sorted(ours) == sorted(crosspro.__all__)
    assert dir(crosspro) == sorted([*crosspro.__all__, "__version__"])


def test_reprs_are_one_short_line():
    gold = ["il", "elle"]
    system = crosspro.load_system(MODELS / "ngram")
    examples = crosspro.demo("en-fr", "test", 2)
    predictor = crosspro.load("en-fr")
    pairs = [("It sleeps.", "REPLACE dort."), ("It is late.", "Il est tard.")]
    for value in (
        system,
        predictor,
        predictor.predict(*pairs[0]),
        crosspro.predict(system, examples)[0],
        crosspro.evaluate(gold, {"A": gold}, "en-fr", resamples=0),
        crosspro.proofread(["It fell."] * 9, ["Er fiel."] * 9, model="en-de"),
        crosspro.score(gold, gold, {"A": gold}, ["pronoun-f1"], target_language="fr", resamples=0),
    ):
        shown = repr(value)
        assert len(shown) <= 200 and "\n" not in shown, shown
        assert shown.startswith("<") and shown.endswith(">"), shown


def test_many_pairs_are_predicted_as_each_of_them():
    predictor = crosspro.load("en-fr")
    pairs = [("The cup fell.", "La tasse est tombée."), ("It is broken.", "REPLACE est cassée.")]
    with_gaps = [pairs[1], ("They sleep.", "REPLACE dorment.")]
    alone = [predictor.predict(*pair) for pair in with_gaps]
    together = predictor.predict_many(with_gaps)
    assert [found.text for found in together] == [found.text for found in alone]
    for one, other in zip(alone, together, strict=True):
        assert one.gaps[0].probabilities == pytest.approx(other.gaps[0].probabilities, abs=1e-4)
    two = [("It fell.", "REPLACE est tombée."), pairs[1]]
    _, second = predictor.predict_many(two, documents=["a", "a"])
    assert len(second.context) == 1
    with pytest.raises(crosspro.InputError, match="documents"):
        predictor.predict_many(two, documents=["a"])
    assert predictor.predict_many([]) == []


def test_a_bundled_name_goes_before_a_folder_and_a_missing_file_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en-fr").mkdir()
    assert crosspro.load_system("en-fr").task.name == "en-fr-text"
    for missing in ("no/such.zip", "run.zip", "xx-yy"):
        with pytest.raises(crosspro.InputError, match="no such file"):
            crosspro.load(missing)


def test_messages_of_functions_name_no_options():
    predictor = crosspro.load("en-fr")
    for source, target in (("Rain falls.", "La pluie."), ("Das ist es.", "Elle REPLACE.")):
        with pytest.raises(crosspro.InputError) as refused:
            predictor.predict(source, target)
        assert "--" not in str(refused.value)


def test_contrastive_sets_are_scored_as_by_the_command():
    folder = GOLDEN / "contrastive" / "small_set"
    content = json.loads((folder / "test.json").read_text("utf-8"))
    numbers = [float(line) for line in (folder / "scores").read_text("utf-8").split()]
    for test_set in (content, folder / "test.json"):
        found = crosspro.contrastive(test_set, {"A": numbers}, resamples=50)
        assert found.scores["A"]["accuracy"].value == 32.5
    for scores in (numbers[1:], [float("nan"), *numbers[1:]]):
        with pytest.raises(crosspro.InputError, match="A: scores"):
            crosspro.contrastive(content, {"A": scores})
    folder = GOLDEN / "ctxpro" / "fr"
    lines = (folder / "parts.fr").read_text("utf-8").splitlines()
    found = crosspro.expected_forms(folder / "set.json", {"A": lines}, "fr", match="released")
    assert found.scores["A"]["accuracy"].value == pytest.approx(100 * 65 / 120)
    with pytest.raises(crosspro.InputError, match="translations"):
        crosspro.expected_forms(folder / "set.json", {"A": lines[1:]}, "fr")


def test_prepare_places_gaps(tmp_path):
    (tmp_path / "x.en").write_text("It is here .\nThey sleep .\n", "utf-8")
    (tmp_path / "x.fr").write_text("Elle est ici .\nIls dorment .\n", "utf-8")
    (tmp_path / "x.links").write_text("0-0 1-1 2-2 3-3\n0-0 1-1 2-2\n", "utf-8")
    examples = crosspro.prepare("en-fr-2015", tmp_path / "x.en", tmp_path / "x.fr",
                                links=tmp_path / "x.links", rules="2015")  # fmt: skip
    assert [gap.label for example in examples for gap in example.gaps] == ["elle", "ils"]


def test_wrong_input_is_an_input_error(tmp_path):
    with pytest.raises(crosspro.InputError, match="en-fr"):
        crosspro.load_task("en-xx")
    with pytest.raises(crosspro.InputError, match="rules"):
        crosspro.prepare("en-fr", "x.en", "x.fr", rules="1999")
    (tmp_path / "bad").write_text("x\n", "utf-8")
    with pytest.raises(crosspro.CrossproError, match="bad:1"):
        crosspro.read_examples(tmp_path / "bad", "en-fr")


def test_a_typed_pair_is_predicted_as_the_same_line_of_a_file(tmp_path):
    task = crosspro.load_task("en-fr-2015")
    system = NGramSystem(order=3)
    system.fit(task, crosspro.demo(task, "train", 20), crosspro.demo(task, "dev", 4))
    found = crosspro.load(system).predict(
        "The house is old, but it stands.", "La maison est vieille, mais elle tient debout."
    )
    assert (found.model, found.gaps[0].hidden) == ("baseline-tuned", "elle")
    crosspro.write_examples(tmp_path / "pair.data", [found])
    (line,) = crosspro.predict(system, crosspro.read_examples(tmp_path / "pair.data", task))
    assert line.gaps[0].label == found.gaps[0].label
    assert line.gaps[0].probabilities == pytest.approx(found.gaps[0].probabilities)
