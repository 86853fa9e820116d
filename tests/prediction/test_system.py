"""What every system promises: a new one is tested by adding a row of settings to `SYSTEMS`."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from crosspro.baselines.majority import ClassPrior, Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.fit_and_score import ScoredRun
from crosspro.prediction.output import predict_stream, predicted
from crosspro.prediction.registry import SYSTEMS as SYSTEM_CLASSES
from crosspro.prediction.registry import registered
from crosspro.prediction.runs import Configuration, Run, Times
from crosspro.prediction.system import load_system

QUIET = {"progress_bar": False, "accelerator": "cpu", "max_epochs": 1}


def neural(network, context=0, **settings):
    training = {"context": context}
    given = {"network": {"name": network, **settings}, "training": training}
    return "neural", {**given, "trainer": QUIET}


SYSTEMS = {
    "cap_crf": ("cap_crf", {"window": 2, "iterations": 3}),
    "class_prior": ("class_prior", {"seed": 3}),
    "ensemble": ("ensemble", {}),
    "tuned ensemble": ("ensemble", {"tune": "mean"}),
    "features": ("features", {
        "features": ["source_pronoun", "target_lemmas:2", "preceding_nouns"], "context": 2,
    }),
    "features, two steps with all that is learnt": ("features", {
        "features": ["lm_scores", "telling_contexts", "target_tags:1"], "steps": "two",
        "lm": {"order": 2},
    }),
    "features, forest": ("features", {
        "features": ["source_pronoun", "target_lemmas:1"], "null_class": True,
        "estimator": {"name": "random_forest", "trees": 5},
    }),
    "idiap_plm": ("idiap_plm", {"order": 3, "context": 2}),
    "majority": ("majority", {}),
    "turku_gru": neural("turku_gru", 1, embedding=6, hidden=6, dense=8, window=10),
    "uppsala_bilstm": neural("uppsala_bilstm", words=6, characters=4, hidden=6, mlp=8),
    "nyu_nmt": neural("nyu_nmt", 1, embedding=6, hidden=6, previous="second_encoder"),
    "ukyoto_attention": neural("ukyoto_attention", embedding=6, hidden=6, dense=8),
    "hardmeier_cnn": neural("hardmeier_cnn", 1, words=6, tags=4, filters=6, window=10),
    "hardmeier_anaphora": neural("hardmeier_anaphora", 2, words=6, hidden=6, anaphora_hidden=6),
    "uedin_crf": ("uedin_crf", {
        "features": ["source_pronoun", "target_lemmas:2", "lm_best"], "null_class": True,
        "lm": {"order": 2}, "context": 2, "iterations": 3,
    }),
    "ngram": ("ngram", {"order": 3}),
    "source_aware_lm, joined": ("source_aware_lm", {"order": 4}),
    "uppsala_it": ("uppsala_it", {"order": 4}),
    "source_aware_lm, before": ("source_aware_lm", {"order": 4, "variant": "before"}),
}  # fmt: skip
"""A registered name and settings that are fitted in no time."""


def members(row):
    """The members of an ensemble, which are no settings."""
    if row == "ensemble":
        return {"members": [Majority(), ClassPrior()]}
    if row == "tuned ensemble":
        inner = Ensemble([Majority(), SourceAwareLM(order=2)])
        return {"members": {"lm": NGramSystem(order=2), "inner": inner}}
    return {}


def make(row, **changes):
    name, values = SYSTEMS[row]
    kind = registered(name)
    settings = check_settings(kind.settings_class, {**values, **changes}, row)
    return kind(**members(row), **vars(settings))


@pytest.fixture(scope="module")
def data(en_fr):
    return demo_examples(en_fr, "train", 40), demo_examples(en_fr, "dev", 10)


@pytest.fixture(scope="module", params=SYSTEMS)
def fitted(request, data, en_fr):
    system = make(request.param)
    system.fit(en_fr, *data)
    return system


@pytest.fixture
def saved(data, en_fr, tmp_path):
    """The folder of a saved system; its description with what is changed can be written."""
    system = Majority()
    system.fit(en_fr, *data)
    system.save(tmp_path)
    return tmp_path


def describe(folder, **changes):
    """Change the description of a saved system."""
    path = folder / "system.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")
    return path


def same(value):
    """As good as the same: what is saved, and the order of sums, may differ in single precision."""
    return pytest.approx(value, abs=1e-6)


def test_every_registered_system_has_a_row():
    assert {name for name, _ in SYSTEMS.values()} == set(SYSTEM_CLASSES)


def test_probabilities_are_proper_and_the_same_after_loading(fitted, data, tmp_path):
    chances = fitted.predict(data[1])
    assert chances.shape == (sum(len(e.gaps) for e in data[1]), len(fitted.task.classes))
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(1)
    assert fitted.predict([]).shape == (0, len(fitted.task.classes))
    fitted.save(tmp_path / "model")
    loaded = load_system(tmp_path / "model")
    assert type(loaded) is type(fitted)
    for name in ("task", "name", "context"):
        assert getattr(loaded, name) == getattr(fitted, name)
    assert loaded.settings == fitted.settings
    assert loaded.predict(data[1]) == same(chances)


def test_labels_are_not_looked_at(fitted, data):
    blind = [
        replace(e, gaps=tuple(replace(g, label=None, word=None) for g in e.gaps)) for e in data[1]
    ]
    assert (fitted.predict(blind) == fitted.predict(data[1])).all()


def test_grouping_does_not_change_predictions(fitted, data, monkeypatch):
    monkeypatch.setattr("crosspro.prediction.output.AT_ONCE", 7)
    groups = list(predict_stream(fitted, data[1]))
    assert len(groups) > 3
    together = [example for group in groups for example in group.labelled()]
    assert together == predicted(fitted, data[1]).labelled()
    assert np.concatenate([g.probabilities for g in groups]) == same(fitted.predict(data[1]))


@pytest.mark.parametrize("row", SYSTEMS)
def test_nothing_to_learn_from_is_an_error(row, data, en_fr):
    for dev in ([], data[1]):
        with pytest.raises(CrossproError):
            make(row).fit(en_fr, [], dev)


def test_class_prior_follows_the_training_distribution(en_fr):
    train = demo_examples(en_fr, "train", 400)
    system = ClassPrior()
    system.fit(en_fr, train, [])
    shares = system.predict(train).mean(axis=0)
    assert shares == pytest.approx(system.counts / system.counts.sum(), abs=0.03)
    other = ClassPrior(seed=2)
    other.fit(en_fr, train, [])
    assert (other.predict(train) != system.predict(train)).any()


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        ({"format": 99}, "format"),
        ({"format": True}, "format"),
        ({"settings": []}, "settings"),
        ({"task": {"name": "x"}}, "task"),
    ],
)
def test_a_tampered_description_is_refused(saved, change, fragment):
    without_digests(saved)
    describe(saved, crosspro="0.9", **change)
    with pytest.raises(InputError, match=fragment):
        load_system(saved)


@pytest.mark.parametrize(
    ("name", "settings", "key"),
    [
        ("class_prior", {"seed": "x"}, "seed"),
        ("class_prior", {"sead": 1}, "sead"),
        ("neural", {"network": {"name": "turku_gru"}, "training": 5}, "training"),
        ("neural", {"network": {"name": "os.system"}}, "network"),
        ("ensemble", {"tune": 3}, "tune"),
        ("features", {"features": ["linked"]}, "file"),
        ("features", {"features": ["source_pronoun"], "estimator": {"name": "x"}}, "estimator"),
    ],
)
def test_settings_that_a_system_cannot_have_are_refused(saved, name, settings, key):
    without_digests(saved)
    path = describe(saved, system=name, settings=settings)
    with pytest.raises(InputError) as refused:
        load_system(saved)
    (problem,) = refused.value.problems
    assert (problem.path, problem.field) == (f"{path}: settings", key)


@pytest.mark.parametrize("name", ["os.system", "unregistered", ["majority"]])
def test_nothing_else_is_loaded(saved, name):
    without_digests(saved)
    path = describe(saved, system=name)
    with pytest.raises(InputError) as refused:
        load_system(saved)
    (problem,) = refused.value.problems
    assert (problem.path, problem.field) == (str(path), "system")


def test_a_changed_bit_in_any_file_is_refused(fitted, tmp_path):
    fitted.save(tmp_path)
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert len(files) > 1
    for file in files:
        raw = file.read_bytes()
        at = len(raw) * 2 // 3
        file.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        with pytest.raises(InputError):
            load_system(tmp_path)
        file.write_bytes(raw)
    load_system(tmp_path)


def without_digests(folder):
    """A system as earlier versions saved it, or as anybody can make one."""
    for path in folder.rglob("system.json"):
        description = json.loads(path.read_text("utf-8"))
        kept = {key: value for key, value in description.items() if key not in ("files", "sha256")}
        path.write_text(json.dumps(kept), "utf-8")


def damaged(path, wrong):
    """The content of a file with a number that is not finite; None if it has no fraction."""
    if path.suffix in (".safetensors", ".npz"):
        read, write = (load_file, save_file) if path.suffix == ".safetensors" else (np.load, savez)
        arrays = {name: array.copy() for name, array in read(path).items()}
        name = next(name for name, array in arrays.items() if array.dtype.kind == "f")
        arrays[name].flat[0] = wrong
        write(arrays, path)
        return True
    if path.suffix != ".json":
        return False
    text = path.read_text("utf-8")
    number = re.search(r"-?\d+\.\d+(e-?\d+)?(?=[],}])", text)
    if number is None:
        return False
    path.write_text(f"{text[: number.start()]}1e999{text[number.end() :]}", "utf-8")
    return True


def savez(arrays, path):
    np.savez(path, **arrays)


@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_weights_that_are_not_finite_are_refused(fitted, tmp_path, wrong):
    fitted.save(tmp_path / "whole")
    without_digests(tmp_path / "whole")
    load_system(tmp_path / "whole")
    files = [path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*.*")]
    for number, name in enumerate(files):
        shutil.copytree(tmp_path / "whole", tmp_path / f"{number}")
        if name.name != "system.json" and damaged(tmp_path / f"{number}" / name, wrong):
            with pytest.raises(InputError):
                load_system(tmp_path / f"{number}")


class Improper(Majority):
    """A system whose probabilities are given."""

    rows = np.zeros((0, 0))

    def unadjusted(self, examples):
        return self.rows


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows * np.nan,
        lambda rows: rows * [[1], [1], [0.5]],
        lambda rows: rows - np.eye(3, rows.shape[1]) + np.eye(3, rows.shape[1], 1),
        lambda rows: rows[:2],
    ],
)
def test_probabilities_that_are_none_are_refused(data, en_fr, change):
    system = Improper()
    system.task = en_fr
    examples = [example for example in data[1] if len(example.gaps) == 1][:3]
    classes = len(en_fr.classes)
    system.rows = np.full((3, classes), 1 / classes)
    assert len(predicted(system, examples).labelled()) == 3
    system.rows = change(system.rows)
    with pytest.raises(CrossproError, match="majority: probabilities"):
        predicted(system, examples)


@pytest.mark.parametrize("row", ["majority", "features", "ngram", "tuned ensemble"])
def test_what_is_shown_of_a_system_and_its_results_is_short(row, data, en_fr):
    system = make(row)
    assert len(repr(system)) < 100
    system.fit(en_fr, *data)
    run = Run(status="running", task="en-fr", system=row, seed=1, versions={"x": "1"}, data=(),
              times=Times("now"), configuration=Configuration())  # fmt: skip
    model = getattr(system, "model", run)
    for result in (system, predicted(system, data[1]), run, ScoredRun(run, {}), model):
        assert max(len(repr(result)), len(str(result))) < 100


def test_changed_settings_and_another_order_of_classes_are_refused(saved, en_fr):
    task = json.loads((saved / "system.json").read_text("utf-8"))["task"]
    classes = dict(sorted(task["classes"].items(), reverse=True))
    for change in ({"configured": "best"}, {"task": {**task, "classes": classes}}):
        before = (saved / "system.json").read_bytes()
        describe(saved, **change)
        with pytest.raises(InputError, match=r"system\.json: sha256"):
            load_system(saved)
        (saved / "system.json").write_bytes(before)


def test_a_fine_tuned_network_is_saved_as_it_was_trained(data, en_fr, tmp_path):
    first = make("turku_gru")
    first.fit(en_fr, *data)
    first.save(tmp_path / "first")
    tuned = make("turku_gru", training={}, init_from=str(tmp_path / "first"))
    assert tuned.context == 0
    tuned.fit(en_fr, *data)
    tuned.save(tmp_path / "tuned")
    loaded = load_system(tmp_path / "tuned")
    assert loaded.settings.training.context == loaded.context == 1
    assert loaded.predict(data[1]) == same(tuned.predict(data[1]))
