"""The demo examples that sets are counted, compared and chosen from."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples


@pytest.fixture(scope="module")
def examples(en_fr):
    return demo_examples(en_fr, "train", 30)


@pytest.fixture(scope="module")
def en_de():
    return load_task("en-de")
