"""A network that learns from a teacher comes to think as it does."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.models import export_run
from crosspro.prediction.neural.layers.network import gap_losses
from crosspro.prediction.neural.training.distillation import SoftTargets
from crosspro.prediction.neural.training.settings import Distillation
from crosspro.prediction.system import load_system
from tests.conftest import mostly_slow
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural

SINGULAR = {"ils": "il", "elles": "elle"}


def student(teacher=None, name="turku_gru", epochs=2, seed=1, **distillation):
    given = {**distillation, **({} if teacher is None else {"teacher": str(teacher)})}
    return neural(
        name, SMALL[name], {"batch_size": 32, "class_weight_power": 0.0}, {"learning_rate": 0.01},
        trainer={**QUIET, "max_epochs": epochs}, seed=seed, distillation=given,
    )  # fmt: skip


@pytest.fixture(scope="module")
def teacher(tmp_path_factory, train):
    folder = tmp_path_factory.mktemp("teacher")
    made = Ensemble([SourceAwareLM(order=2), SourceAwareLM(order=3)])
    made.fit(TASK, train, [])
    made.save(folder / "model")
    return folder


@pytest.fixture(scope="module")
def opinionated(tmp_path_factory):
    """Two networks that have never seen a plural, so that a student is not like them by chance."""
    folder = tmp_path_factory.mktemp("opinionated")
    examples = demo_examples(TASK, "train", 60)
    labels = [[SINGULAR.get(gap.label, gap.label) for gap in one.gaps] for one in examples]
    train = [one.with_labels(own) for one, own in zip(examples, labels, strict=True)]
    made = Ensemble({"network": student(epochs=6, seed=2)}, seeds=2)
    made.fit(TASK, train, train[:50])
    made.save(folder / "model")
    return folder


@pytest.mark.slow
def test_a_student_agrees_with_its_teacher_on_text_that_neither_has_seen(opinionated):
    train, dev = demo_examples(TASK, "train", 60), demo_examples(TASK, "dev", 10)
    held_out = demo_examples(TASK, "test", 40)
    wanted = load_system(opinionated).predict(held_out)
    taught, plain = student(opinionated, epochs=6), student(epochs=6)
    agreement, apart = {}, {}
    for name, made in (("taught", taught), ("plain", plain)):
        made.fit(TASK, train, dev)
        found = made.predict(held_out)
        agreement[name] = (found.argmax(axis=1) == wanted.argmax(axis=1)).mean()
        apart[name] = np.abs(found - wanted).sum(axis=1).mean()
    assert agreement["taught"] > agreement["plain"] + 0.05
    assert apart["taught"] < 0.8 * apart["plain"]


def test_soft_losses_are_none_where_both_agree_and_scale_with_the_temperature():
    scores = torch.tensor([[2.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
    for temperature in (1.0, 2.0, 5.0):
        same = SoftTargets(torch.softmax(scores / temperature, -1), temperature, 1.0)
        assert same.losses(scores, torch.arange(2)) == pytest.approx([0, 0], abs=1e-6)
        other = same.losses(scores.flip(0), torch.arange(2))
        assert (other > 0.1).all()
    certain = SoftTargets(torch.eye(3)[[0, 2]], 1.0, 1.0)
    expected = gap_losses(scores, torch.tensor([0, 2]), torch.ones(3), 0.0)
    assert certain.losses(scores, torch.arange(2)) == pytest.approx(expected)


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru"))
def test_every_network_can_be_taught(name, teacher, train, dev):
    made = [student(teacher, name, 1, weight=weight) for weight in (0.0, 0.5, 1.0)]
    found = []
    for one in (*made, student(None, name, 1)):
        one.fit(TASK, train, dev)
        found.append(one.predict(dev))
    none, half, whole, plain = found
    assert none == pytest.approx(plain, abs=1e-4)
    assert np.abs(half - plain).max() > 1e-3
    assert np.abs(half - whole).max() > 1e-3
    assert np.isfinite(found).all()


@pytest.mark.slow
def test_an_interrupted_student_goes_on_to_the_same_bytes(teacher, train, dev, tmp_path):
    student(teacher, epochs=2).fit(TASK, train, dev, tmp_path / "parts")
    (cached,) = (tmp_path / "parts/encoded").glob("teacher.*/chances.npy")
    made = cached.stat()
    for name in ("parts", "whole"):
        one = student(teacher, epochs=4)
        one.fit(TASK, train, dev, tmp_path / name)
        one.save(tmp_path / name / "model")
    assert cached.stat().st_mtime_ns == made.st_mtime_ns  # the teacher was asked once
    files = [
        (tmp_path / one / "model/network.safetensors").read_bytes() for one in ("parts", "whole")
    ]
    assert files[0] == files[1]
    with pytest.raises(InputError):
        student(teacher, epochs=4, weight=0.1).fit(TASK, train, dev, tmp_path / "parts")


def test_another_teacher_is_another_run(teacher, train, dev, tmp_path):
    other = Ensemble([SourceAwareLM(order=2)])
    other.fit(TASK, train, [])
    other.save(tmp_path / "model")
    export_run(teacher, tmp_path / "teacher.zip")
    student(tmp_path / "teacher.zip", epochs=1).fit(TASK, train, dev, tmp_path / "run")
    export_run(tmp_path, tmp_path / "teacher.zip")
    with pytest.raises(InputError):
        student(tmp_path / "teacher.zip").fit(TASK, train, dev, tmp_path / "run")


def test_a_student_is_loaded_without_its_teacher(train, dev, tmp_path):
    teacher = SourceAwareLM(order=2)
    teacher.fit(TASK, train, [])
    teacher.save(tmp_path / "teacher")
    made = student(tmp_path / "teacher", epochs=1)
    made.fit(TASK, train, dev)
    made.save(tmp_path / "model")
    (tmp_path / "teacher").rename(tmp_path / "gone")
    loaded = load_system(tmp_path / "model")
    assert (loaded.predict(dev) == made.predict(dev)).all()
    assert loaded.settings.distillation == Distillation(teacher=str(tmp_path / "teacher"))


def test_a_teacher_of_other_classes_is_refused(train, dev, tmp_path):
    german = load_task("en-de")
    teacher = SourceAwareLM(order=2)
    teacher.fit(german, demo_examples(german, "train", 3), [])
    teacher.save(tmp_path)
    with pytest.raises(InputError):
        student(tmp_path).fit(TASK, train, dev)
    with pytest.raises(InputError):
        student(tmp_path / "none").fit(TASK, train, dev)


def test_each_wrong_setting_is_named():
    with pytest.raises(InputError) as refused:
        student("", temperature=0, weight=2, colour="red")
    settings = ("temperature", "weight", "colour", "teacher")
    fields = {problem.field for problem in refused.value.problems}
    assert fields == {f"distillation.{name}" for name in settings}
