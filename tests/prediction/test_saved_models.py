"""Models that earlier versions saved still load, and predict what they predicted then."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.prediction.system import load_system
from tests.conftest import GOLDEN

VERSIONS = GOLDEN / "models"
MODELS = sorted(path for path in VERSIONS.glob("*/*") if path.is_dir())


@pytest.mark.parametrize("folder", MODELS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_model_of_an_earlier_version_predicts_as_then(folder, en_fr):
    examples = list(
        read_examples(folder.parent / "input.data", en_fr, folder.parent / "input.doc-ids")
    )
    expected = np.array(json.loads((folder / "expected.json").read_text("utf-8")))
    assert load_system(folder).predict(examples) == pytest.approx(expected, abs=1e-5)
