"""A few documents of the demo corpus to train on."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples


@pytest.fixture(scope="session")
def train():
    return demo_examples(load_task("en-fr"), "train", 12)


@pytest.fixture(scope="session")
def dev():
    return demo_examples(load_task("en-fr"), "dev", 6)


@pytest.fixture
def any_precision(monkeypatch) -> None:
    """Training in bf16 is tested on processors that would rather not, too."""
    monkeypatch.setattr("crosspro.prediction.neural.training.trainer.has_bfloat16", lambda: True)
