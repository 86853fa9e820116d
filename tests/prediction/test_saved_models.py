"""Saved models load, and predict what they predicted when they were saved."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.prediction.system import load_system
from tests.conftest import GOLDEN

SAVED = GOLDEN / "models"
MODELS = sorted(path for path in SAVED.iterdir() if path.is_dir())


@pytest.mark.parametrize("folder", MODELS, ids=lambda path: path.name)
def test_a_saved_model_predicts_as_then(folder, en_fr):
    examples = list(read_examples(SAVED / "input.data", en_fr, SAVED / "input.doc-ids"))
    expected = np.array(json.loads((folder / "expected.json").read_text("utf-8")))
    assert load_system(folder).predict(examples) == pytest.approx(expected, abs=1e-5)
