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
