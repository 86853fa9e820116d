"""The classical systems: what they learn, how they decide, what settings they refuse."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crosspro.baselines.estimators.linear import MaxEnt
from crosspro.baselines.feature_system import ClassifierSettings, FeatureSystem
from crosspro.baselines.it_classifier.classifier import ItClassifier
from crosspro.baselines.majority import Majority
from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import NONE, OTHER, load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.evaluation.metrics.submissions.scores import accuracy, confusion_counts, macro_recall
from crosspro.prediction.system import load_system
from tests.baselines.features.document import DOCUMENT
from tests.integration.training import made

TASK = load_task("en-fr")
PUBLISHED = sorted(
    path.stem
    for path in (CONF_DIR / "experiment").glob("*.yaml")
    if path.stem.startswith(("stymne", "helsinki", "uedin", "cuni", "limsi"))
    and path.stem != "uedin_2016_contrastive"  # a CRF
)
FEW = ["source_pronoun", "target_lemmas:2"]


@pytest.fixture(scope="module")
def data():
    return demo_examples(TASK, "train", 120), demo_examples(TASK, "dev", 40)


def published(name, **changes):
    """The system of an experiment."""
    return made(
        f"experiment={name}", "data=demo", lexicon=None, **changes
    )  # of a package, here none


def scores(system, examples):
    gold = np.array([TASK.class_index[g.label] for e in examples for g in e.gaps])
    counts = confusion_counts(gold, system.decide(examples), len(TASK.classes))
    return float(macro_recall(counts)), float(accuracy(counts))


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_published_system_beats_the_majority_on_the_demo(name, data):
    system, majority = published(name), Majority()
    for one in (system, majority):
        one.fit(TASK, *data)
    ours, theirs = scores(system, data[1]), scores(majority, data[1])
    assert ours[0] > theirs[0] + 20
    assert ours[1] > theirs[1] + 20


def test_a_trained_model_of_it_may_stand_behind_the_feature(data, tmp_path):
    chances = {}
    path = tmp_path / "it.json"
    weights = {"bias": (0.0, 2.0, 0.0), "place=0": (3.0, 0.0, 0.0)}
    ItClassifier(weights, documents=("d",), examples=3).save(path)
    for scorer in ("patterns", str(path)):
        system = FeatureSystem(features=[*FEW, "pleonastic"], pleonastic=scorer, context=1)
        system.fit(TASK, *data)
        slot = "pleonastic probability="
        names = list(system.vocabulary)
        chances[scorer] = {n.removeprefix(slot) for n in names if n.startswith(slot)}
    assert chances == {
        "patterns": {"<=0.1", "<=0.9"},
        str(path): {"<=0.8", "<=0.3"},
    }
    system.save(tmp_path / "model")
    path.unlink()
    assert (load_system(tmp_path / "model").predict(data[1]) == system.predict(data[1])).all()


def test_two_steps_choose_a_pronoun_wherever_other_is_less_probable(data):
    system = FeatureSystem(features=FEW, steps="two")
    system.fit(TASK, *data)
    other = TASK.class_index[OTHER]
    chances = np.zeros((2, len(TASK.classes)))
    chances[0, [other, 0, 1]] = 0.4, 0.35, 0.25
    chances[1, [other, 0, 1]] = 0.6, 0.3, 0.1
    assert system.decide([], chances).tolist() == [0, other]
    assert FeatureSystem(features=FEW).decide([], chances).tolist() == [other, other]


def test_null_translations_are_a_class_whose_probability_is_that_of_other(data):
    system = FeatureSystem(features=FEW, estimator=MaxEnt(), null_class=True)
    dropped = [
        replace(
            e,
            gaps=tuple(replace(g, word=NONE) if g.label == OTHER and n % 2 else g for g in e.gaps),
        )
        for n, e in enumerate(data[0])
    ]
    system.fit(TASK, dropped, data[1])
    assert (len(TASK.classes),) in system.steps.steps[0].groups
    matrix = system.matrix(data[1])[:1]
    inner = system.steps.probabilities(matrix, len(TASK.classes) + 1)[0]
    other = TASK.class_index[OTHER]
    assert inner[-1] > 0
    assert system.predict(data[1])[0, other] == pytest.approx(inner[other] + inner[-1])


def test_features_without_their_layer_are_left_out_and_told(data):
    system = FeatureSystem(features=[*FEW, "source_head", "source_tags"])
    system.fit(TASK, *data)
    assert list(system.settings.features) == FEW
    assert list(system.report.figures["left_out"]) == ["source_head", "source_tags:3"]
    with pytest.raises(InputError, match="source_head"):
        FeatureSystem(features=["source_head"]).fit(TASK, *data)


def test_a_layer_of_training_is_needed_for_a_prediction():
    system = FeatureSystem(features=["source_head", "target_lemmas"], min_count=1)
    system.fit(TASK, [*DOCUMENT] * 3, [*DOCUMENT])
    assert system.predict(DOCUMENT)[0, TASK.class_index["elle"]] == 1
    bare = [replace(example, source_parse=None) for example in DOCUMENT]
    with pytest.raises(InputError, match="source_head"):
        system.predict(bare)


def test_no_training_gap_is_looked_up_in_what_was_learnt_from_it(data):
    """Otherwise telling contexts would name the class of nearly every training gap rightly."""
    system = FeatureSystem(features=["telling_contexts", *FEW])
    system.fit(TASK, *data)
    number = system.vocabulary["telling context=none"]
    trained, seen = (system.matrix(part)[:, number].mean() for part in data)
    assert 0 < trained < 1
    assert abs(trained - seen) < 0.2


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"features": ["x"]}, "file"),
        ({"features": "source_pronoun"}, "features"),
        ({"estimator": {"name": "svm"}}, "estimator"),
        ({"estimator": {"name": "linear_svm", "cost": 0}}, "estimator.linear_svm.cost"),
        ({"steps": "two", "null_class": True}, "file"),
        ({"lm_order": "x"}, "lm_order"),
        ({"telling": {"least_share": 1.5}}, "telling.least_share"),
        ({"pleonastic": "nada"}, "pleonastic"),
    ],
)
def test_wrong_settings_are_refused(values, key):
    with pytest.raises(InputError) as refused:
        check_settings(ClassifierSettings, {"features": FEW, **values}, "settings")
    assert [problem.field for problem in refused.value.problems] == [key]


@pytest.mark.parametrize(
    "change",
    [
        {"vocabulary": ["x"]},
        {"vocabulary": [1]},
        {"telling": {"x": "no class"}},
    ],
)
def test_a_damaged_vocabulary_is_refused(change, data, tmp_path):
    system = FeatureSystem(features=FEW)
    system.fit(TASK, *data)
    system.save(tmp_path)
    path = tmp_path / "features.json"
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**content, **change}), "utf-8")
    with pytest.raises(InputError, match=r"features\.json|steps\.safetensors"):
        load_system(tmp_path)


def test_settings_that_leave_no_feature_are_refused(data):
    with pytest.raises(InputError, match="min_count"):
        FeatureSystem(features=FEW, min_count=1_000_000).fit(TASK, *data)
