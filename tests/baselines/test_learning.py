"""What holds for several classical systems: what they learn, and how rare classes are favoured."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from crosspro.baselines.cap_crf import CapCRF
from crosspro.baselines.feature_system import FeatureSystem
from crosspro.baselines.idiap_plm import IdiapPLM
from crosspro.baselines.majority import Majority
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.baselines.uedin_crf import UedinCRF
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon, write_lexicon
from crosspro.data_prep.lexicon.load import Package
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.system import load_system

FEATURES = ["source_pronoun", "source_words:2", "target_lemmas:2", "target_tags:2", "antecedents"]
TASKS = ("en-de", "en-fr", "es-en")


@cache
def demo(task, split, documents):
    return demo_examples(load_task(task), split, documents)


def fitted(system, task, *data):
    system.fit(load_task(task), *data)
    return system


@pytest.mark.parametrize(
    ("system", "task"),
    [
        *((CapCRF(window=3), task) for task in (*TASKS, "en-fr-2015")),
        *((UedinCRF(features=FEATURES, context=3, null_class=True), task) for task in TASKS),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_it_beats_the_majority_class(system, task):
    train, dev = demo(task, "train", 60), demo(task, "dev", 20)
    score = dev_score(load_task(task), dev, "macro_recall")
    ours, theirs = (
        score(fitted(one, task, train, dev).predict(dev)) for one in (system, Majority())
    )
    assert ours > theirs + 10


@pytest.mark.parametrize(
    "make",
    [
        lambda lexicon: CapCRF(lexicon=lexicon, iterations=2),
        lambda lexicon: UedinCRF(features=FEATURES, lexicon=lexicon, context=2, iterations=2),
        lambda lexicon: IdiapPLM(order=4, lexicon=lexicon),
        lambda lexicon: FeatureSystem(features=[*FEATURES, "preceding_nouns"], lexicon=lexicon),
    ],
    ids=["cap_crf", "uedin_crf", "idiap_plm", "features"],
)
def test_the_same_data_gives_the_same_system_which_has_its_own_copy_of_a_lexicon(make, tmp_path):
    path = tmp_path / "words.tsv"
    nouns = [Entry("Katze", "NOUN", "Fem", "Sing"), Entry("Sein", "NOUN", "Neut", "Sing")]
    write_lexicon(path, Lexicon.of(nouns))
    data = demo("en-de", "train", 20), demo("en-de", "dev", 8)
    system = fitted(make(str(path)), "en-de", *data)
    first = system.predict(data[1])
    assert (fitted(make(str(path)), "en-de", *data).predict(data[1]) == first).all()
    system.save(tmp_path / "model")
    path.unlink()
    assert (load_system(tmp_path / "model").predict(data[1]) == first).all()


def test_class_weights_favour_rare_classes():
    train, dev = demo("en-fr", "train", 30), demo("en-fr", "dev", 10)
    means = []
    for power in (0.0, 1.0):
        system = FeatureSystem(features=FEATURES[:2], class_weight_power=power)
        fitted(system, "en-fr", train, dev)
        counts = class_counts(load_task("en-fr"), train)
        rare = np.argsort(np.where(counts, counts, counts.max()))[:3]
        means.append(system.predict(dev)[:, rare].mean())
    assert means[1] > 1.2 * means[0]


def test_a_prior_correction_is_tuned_and_saved(tmp_path):
    train, dev = demo("en-fr", "train", 60), demo("en-fr", "dev", 20)
    system = fitted(CapCRF(iterations=20), "en-fr", train, dev)
    counts = class_counts(load_task("en-fr"), train)
    system.correct_prior(dev, "macro_recall", counts / counts.sum())
    score = dev_score(load_task("en-fr"), dev, "macro_recall")
    corrected, plain = system.predict(dev), system.unadjusted(dev)
    assert system.adjustment.tau > 0
    assert score(corrected) > score(plain)
    assert np.allclose(corrected.sum(axis=1), 1)
    system.save(tmp_path)
    assert load_system(tmp_path).predict(dev) == pytest.approx(corrected, abs=1e-6)
    system.adjustment = replace(system.adjustment, tau=0.0)
    assert system.predict(dev) == pytest.approx(plain)


def test_training_without_a_label_is_refused():
    train = demo("en-de", "train", 5)
    unlabelled = [replace(e, gaps=tuple(replace(g, label=None) for g in e.gaps)) for e in train]
    with pytest.raises(CrossproError, match="train: "):
        fitted(SourceAwareLM(order=3), "en-de", unlabelled, train)


def test_a_lexicon_that_is_not_installed_says_what_else_can_be_set(monkeypatch):
    def missing(package):
        raise CrossproError(f"{package.package} is not installed: make extras EXTRAS=lexicon")

    monkeypatch.setattr(Package, "path", missing)
    with pytest.raises(InputError) as refused:
        fitted(CapCRF(lexicon="lefff"), "en-fr", demo("en-fr", "train", 5), demo("en-fr", "dev", 5))
    assert "settings: system.lexicon:" in str(refused.value)
