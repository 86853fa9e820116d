"""Saving, loading and predicting, for every system."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.errors import CrossproError, InputError
from crosspro.data_prep.example import Example
from crosspro.prediction.output import predict_stream, whole_documents, with_predictions
from crosspro.prediction.system import load_system, system_class


@pytest.fixture(scope="module")
def data(en_fr):
    return demo_examples(en_fr, "train", 40), demo_examples(en_fr, "dev", 10)


SIMPLE = ("class_prior", "majority")


@pytest.fixture(params=SIMPLE)
def fitted(request, data, en_fr):
    system = system_class(request.param)()
    system.fit(en_fr, *data)
    return system


def test_probabilities_are_proper(fitted, data):
    chances = fitted.predict(data[1])
    assert chances.shape == (sum(len(e.gaps) for e in data[1]), len(fitted.task.classes))
    assert (chances >= 0).all()
    assert chances.sum(axis=1) == pytest.approx(1)


def test_a_loaded_system_predicts_the_same(fitted, data, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = load_system(tmp_path / "model")
    assert type(loaded) is type(fitted)
    assert loaded.task == fitted.task
    assert loaded.settings() == fitted.settings()
    assert (loaded.predict(data[1]) == fitted.predict(data[1])).all()


def test_labels_are_not_looked_at(fitted, data):
    blind = [
        Example(e.source, e.target, e.links,
                tuple(type(g)(g.position, g.source_index) for g in e.gaps), e.document, e.tagged)
        for e in data[1]
    ]  # fmt: skip
    assert (fitted.predict(blind) == fitted.predict(data[1])).all()


def test_grouping_does_not_change_predictions(fitted, data, monkeypatch):
    monkeypatch.setattr("crosspro.prediction.output.AT_ONCE", 7)
    groups = list(predict_stream(fitted, data[1]))
    assert len(groups) > 3
    together = [example for group, _ in groups for example in group]
    assert together == with_predictions(fitted, data[1], fitted.predict(data[1]))
    assert (np.concatenate([c for _, c in groups]) == fitted.predict(data[1])).all()


def test_groups_hold_whole_documents(data):
    groups = list(whole_documents(data[0], 5))
    seen = [{example.document for example in group} for group in groups]
    assert sum(map(len, seen)) == len(set().union(*seen))
    assert [example for group in groups for example in group] == data[0]


def test_nothing_to_learn_from_is_an_error(en_fr):
    for name in SIMPLE:
        with pytest.raises(CrossproError, match="labelled gaps"):
            system_class(name)().fit(en_fr, [], [])


def test_no_gap_gives_no_row(fitted):
    assert fitted.predict([]).shape == (0, 8)


def test_majority_is_the_most_frequent_class(data, en_fr):
    system = system_class("majority")()
    system.fit(en_fr, *data)
    labels = [gap.label for example in data[0] for gap in example.gaps]
    best = max(en_fr.classes, key=labels.count)
    assert {en_fr.classes[i] for i in system.predict(data[1]).argmax(axis=1)} == {best}


def test_class_prior_follows_the_training_distribution(en_fr):
    train = demo_examples(en_fr, "train", 400)
    system = system_class("class_prior")()
    system.fit(en_fr, train, [])
    shares = system.predict(train).mean(axis=0)
    assert shares == pytest.approx(system.counts / system.counts.sum(), abs=0.03)
    other = system_class("class_prior")(seed=2)
    other.fit(en_fr, train, [])
    assert (other.predict(train) != system.predict(train)).any()


@pytest.mark.parametrize(
    ("change", "fragment"),
    [
        ({"system": "os.system"}, "class_prior, "),
        ({"format": 99}, "expected 1"),
        ({"settings": []}, "settings: expected a JSON object"),
        ({"task": {"name": "x"}}, "task"),
    ],
)
def test_a_tampered_description_is_refused(data, en_fr, tmp_path, change, fragment):
    system = system_class("majority")()
    system.fit(en_fr, *data)
    system.save(tmp_path)
    path = tmp_path / "system.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}), "utf-8")
    with pytest.raises(InputError, match=fragment):
        load_system(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"il": -1}', '{"il": "x"}'])
def test_damaged_files_are_refused(data, en_fr, tmp_path, text):
    system = system_class("majority")()
    system.fit(en_fr, *data)
    system.save(tmp_path)
    (tmp_path / "class_counts.json").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"class_counts\.json"):
        load_system(tmp_path)


def test_a_folder_without_a_system_is_refused(tmp_path):
    with pytest.raises(InputError, match="a saved system"):
        load_system(tmp_path)
