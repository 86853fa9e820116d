"""A network that learns from a teacher comes to predict what it predicts."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.neural.training.other_runs import teacher_losses
from tests.conftest import mostly_slow
from tests.prediction.neural.small import SMALL, TASK, class_loss, system


def student(teacher=None, name="turku_gru", epochs=2, seed=1, **distillation):
    settings = {**distillation, **({} if teacher is None else {"teacher": str(teacher)})}
    return system(name, seed, epochs, class_weight_power=0.0, distillation=settings)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory, train):
    folder = tmp_path_factory.mktemp("teacher")
    made = SourceAwareLM(order=2)
    made.fit(TASK, train, [])
    made.save(folder / "model")
    return folder


def test_soft_losses_are_0_where_both_agree_and_scale_with_the_temperature():
    scores = torch.tensor([[2.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
    for temperature in (1.0, 2.0, 5.0):
        same = torch.softmax(scores / temperature, -1)
        assert teacher_losses(scores, same, temperature) == pytest.approx([0, 0], abs=1e-6)
        assert (teacher_losses(scores.flip(0), same, temperature) > 0.1).all()
    certain = teacher_losses(scores, torch.eye(3)[[0, 2]], 1.0)
    hard = class_loss(weights=torch.ones(3))(scores, torch.tensor([0, 2]))
    assert certain == pytest.approx(hard)


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru"))
def test_every_network_can_be_taught(name, teacher, train, dev):
    students = [student(teacher, name, 1, weight=weight) for weight in (0.0, 0.5, 1.0)]
    predicted = []
    for learner in (*students, student(None, name, 1)):
        learner.fit(TASK, train, dev)
        predicted.append(learner.predict(dev))
    none, half, whole, plain = predicted
    assert none == pytest.approx(plain, abs=1e-4)
    assert np.abs(half - plain).max() > 1e-3
    assert np.abs(half - whole).max() > 1e-3
    assert np.isfinite(predicted).all()


def test_a_teacher_of_other_classes_is_refused(train, dev, tmp_path):
    german = load_task("en-de")
    teacher = SourceAwareLM(order=2)
    teacher.fit(german, demo_examples(german, "train", 3), [])
    teacher.save(tmp_path)
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError):
            student(folder).fit(TASK, train, dev)
